//! A running server, as other processes see it.
//!
//! `server.json` says where the server is; a lock held on the file shows that it runs.

use crate::StoreError;
use files::{Claim, ClaimOutcome, Dir, Registration, json};
use model::SessionId;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

const FILE: &str = "server.json";

/// The contents of `server.json`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInfo {
    /// The process; for people, never a proof of life.
    pub pid: u32,
    /// Where it listens.
    pub port: u16,
    /// The link to the page; where the server has several projects, to all of them, see [`Self::link_to`].
    pub url: String,
    /// As [`crate::now`] writes it.
    pub started_at: String,
    /// The questions that it was started for, and ends with; `None` for one that stays, whatever ends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    /// Which others it serves.
    #[serde(default)]
    pub scope: Scope,
    /// What the server calls this project, where it has several.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub room: String,
    /// Until when a client waits for the answer to a set, in milliseconds since 1970, unless it waits for ever. The
    /// person may put it off. Only a server that ends with no questions writes this: any other ends itself when the
    /// time is up.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub limits: BTreeMap<SessionId, i64>,
    /// The address it was told to listen on, for a process that restarts it; empty when the file does not say.
    #[serde(default)]
    pub bind: String,
    /// The link it was told to print instead of its own; empty when there was none.
    #[serde(default)]
    pub configured_url: String,
    /// Whether it was told to ask for a login; empty when the file does not say.
    #[serde(default)]
    pub auth: String,
    /// Lets a program of the same user in, and makes login links for people. Empty when no login is required.
    ///
    /// It is here because this file goes with the server, is its owner's alone and is kept out of git already; every
    /// server has another one, so a leftover is worth nothing.
    #[serde(default, skip_serializing_if = "Secret::is_empty")]
    pub secret: Secret,
}

impl ServerInfo {
    /// Returns the link to the questions `session`.
    pub fn link_to(&self, session: &SessionId) -> String {
        if self.room.is_empty() {
            return self.url.clone();
        }
        format!("{}/d/{}.{session}", self.url.trim_end_matches('/'), self.room)
    }
}

/// Which questions a server serves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// Those it was started for alone, as earlier versions did.
    #[default]
    Session,
    /// All that are open in the project.
    Project,
    /// All that are open in this project and in others: it is the daemon of the user.
    User,
}

/// A text that is not shown.
#[derive(Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Secret(pub String);

impl Secret {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.is_empty() { "Secret(none)" } else { "Secret(…)" })
    }
}

/// The right to make a server known. While this lives, no other process has it or changes the folder.
#[derive(Debug)]
pub struct ServerClaim {
    claim: Claim,
    dir: Arc<Dir>,
}

impl ServerClaim {
    /// Makes the server of this process known as `info`.
    ///
    /// # Errors
    ///
    /// When `server.json` cannot be written; no server is known then.
    pub fn register(self, info: &ServerInfo) -> Result<Registration, StoreError> {
        Ok(self.claim.register(&text(&self.dir, info)?)?)
    }
}

/// Who may make a server known.
#[derive(Debug)]
pub enum ServerClaimOutcome {
    /// This process: no server runs.
    Ours(ServerClaim),
    /// No process: this server is running.
    AlreadyRunning(ServerInfo),
}

pub(crate) fn text(dir: &Dir, info: &ServerInfo) -> Result<Vec<u8>, StoreError> {
    Ok(json::text(dir, FILE, info, json::MAX_JSON)?)
}

pub(crate) fn claim(dir: &Arc<Dir>) -> Result<ServerClaimOutcome, StoreError> {
    Ok(match Registration::claim(dir, FILE, json::MAX_JSON)? {
        ClaimOutcome::Ours(claim) => ServerClaimOutcome::Ours(ServerClaim { claim, dir: Arc::clone(dir) }),
        ClaimOutcome::AlreadyRunning(other) => ServerClaimOutcome::AlreadyRunning(json::parse(FILE, &other)?),
    })
}

/// What `server.json` says, whether or not that server is running.
pub(crate) fn last(dir: &Dir) -> Option<ServerInfo> {
    json::read(dir, FILE).ok().flatten()
}

/// What it says, if that server is running.
pub(crate) fn running(dir: &Dir) -> Result<Option<ServerInfo>, StoreError> {
    let found = Registration::running(dir, FILE, json::MAX_JSON)?;
    Ok(found.map(|bytes| json::parse(FILE, &bytes)).transpose()?)
}

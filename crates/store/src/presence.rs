//! A running server, as other processes see it.
//!
//! `server.json` tells where the server is; that somebody holds the file's lock tells that it is. A process that was
//! killed holds no lock, so there is no pid to believe.

use crate::dir::Dir;
use crate::lock::{Lock, if_free, same_file};
use crate::{StoreError, durable, json, sys};
use model::SessionId;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::sync::Arc;

const FILE: &str = "server.json";

/// The contents of `server.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerInfo {
    /// The process; for people, never a proof of life.
    pub pid: u32,
    /// Where it listens.
    pub port: u16,
    /// The link to the page.
    pub url: String,
    /// As [`crate::now`] writes it.
    pub started_at: String,
    /// The questions it serves.
    pub session_id: SessionId,
    /// The address it was told to listen on, for whoever brings it back; empty when the file does not say.
    #[serde(default)]
    pub bind: String,
    /// The link it was told to print instead of its own; empty when there was none.
    #[serde(default)]
    pub configured_url: String,
    /// Whether it was told to ask for a login; empty when the file does not say.
    #[serde(default)]
    pub auth: String,
    /// What lets a program of the same user in, and makes links that let a person in. Empty when no login is needed.
    ///
    /// It is here because this file goes with the server, and is its owner's alone and kept out of git already; every
    /// server has another one, so what is left of it is worth nothing.
    #[serde(default, skip_serializing_if = "Secret::is_empty")]
    pub secret: Secret,
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

/// A server's being there. Others see it until this is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct Presence {
    dir: Arc<Dir>,
    /// Its lock is the presence.
    file: File,
    /// Whether the file stays.
    leaves: bool,
}

/// Whose server a project has.
#[derive(Debug)]
pub enum Announced {
    /// That of this process, for as long as this lives.
    Ours(Presence),
    /// Another one is running already.
    Theirs(ServerInfo),
}

impl Presence {
    pub(crate) fn announce(dir: &Arc<Dir>, info: &ServerInfo) -> Result<Announced, StoreError> {
        let bytes = json::write(dir, FILE, info, json::READ_LIMIT)?;
        let lock = Lock::take(dir)?;
        if let Some(other) = live(dir)? {
            return Ok(Announced::Theirs(other));
        }
        // Locked before it has its name, so that whoever finds the name finds it locked.
        let file = durable::replace_open(&lock, dir, FILE, &bytes, |file| {
            match sys::try_lock(file).map_err(|error| dir.io(FILE, error))? {
                true => Ok(()),
                // Nobody else knows this file.
                false => Err(dir.io(FILE, std::io::ErrorKind::WouldBlock)),
            }
        })?;
        Ok(Announced::Ours(Self { dir: Arc::clone(dir), file, leaves: false }))
    }
}

impl Presence {
    /// Ends the presence and leaves the file, so that the next server finds the address: a page that is still open looks
    /// for it there.
    pub fn leave_address(mut self) {
        self.leaves = true;
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        if self.leaves {
            return;
        }
        // A file left behind harms nobody, because nobody holds its lock; to wait here would delay the end.
        if_free(&self.dir, || {
            // A later server may have put its own file in the place of ours.
            if let Ok(true) = same_file(&self.dir, FILE, &self.file) {
                let _ = self.dir.unlink(FILE);
            }
        });
    }
}

/// What `server.json` says, whether or not that server is running.
pub(crate) fn last(dir: &Dir) -> Option<ServerInfo> {
    json::read(dir, FILE).ok().flatten()
}

/// The server whose lock on `server.json` is held.
pub(crate) fn live(dir: &Dir) -> Result<Option<ServerInfo>, StoreError> {
    loop {
        let Some(file) = dir.file(FILE)? else { return Ok(None) };
        if !sys::try_lock_shared(&file).map_err(|error| dir.io(FILE, error))? {
            let bytes = dir.read_open(FILE, &file, json::READ_LIMIT)?;
            let info = serde_json::from_slice(&bytes).map_err(|error| json::corrupt(FILE, &error))?;
            return Ok(Some(info));
        }
        // Nobody holds this one, but a new server may have replaced it since it was opened.
        if same_file(dir, FILE, &file)? {
            return Ok(None);
        }
    }
}

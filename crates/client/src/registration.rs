//! How other programs of the same user find a running daemon.
//!
//! `daemon.json` says where it is; a held lock on the file says that it runs.

use crate::{Address, BadUrl, Secret};
use files::{Claim, ClaimOutcome, Dir, FileError, Registration, json};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

const FILE: &str = "daemon.json";
/// How large the file may be, in bytes.
const MAX_SIZE: u64 = 64 << 10;
/// The version of what a daemon and its programs say to each other. One that is not ours is not spoken to.
pub const PROTOCOL: u32 = 1;

/// The contents of `daemon.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DaemonRegistration {
    /// The process.
    pub pid: u32,
    /// The port of pages and API.
    pub http_port: u16,
    /// The port that has nothing but WebSockets.
    pub ws_port: u16,
    /// Where a program of this machine reaches the first.
    pub http_url: String,
    /// Where it reaches the second.
    pub ws_url: String,
    /// The link by which people come.
    pub url: String,
    /// The address that it was told to listen on.
    pub bind: String,
    /// As [`PROTOCOL`] of its version.
    pub protocol: u32,
    /// The version of the program.
    pub version: String,
    /// When it was started, as ISO 8601 writes it.
    pub started_at: String,
    /// What it waited for without end when it began anew by itself, with the same process id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restarted: Option<String>,
    /// The flags that it was started with, each with its value: a restart keeps them. A port is the one that it has. `None` of an
    /// earlier version, which does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flags: Option<BTreeMap<String, String>>,
    /// What lets a program of the same user in, and makes links that let a person in.
    pub secret: Secret,
}

impl DaemonRegistration {
    /// Returns what the daemon whose state is in `dir` says of itself; `None` when none runs.
    ///
    /// # Errors
    ///
    /// When it runs and its file cannot be read.
    pub fn find(dir: &Dir) -> Result<Option<Self>, FileError> {
        match Registration::running(dir, FILE, MAX_SIZE)? {
            Some(bytes) => json::parse(FILE, &bytes).map(Some),
            None => Ok(None),
        }
    }

    /// Returns what the daemon whose state is in `dir` says of itself, or what the last one has left that was killed; `None` after
    /// one that ended in order, and where the file cannot be read.
    pub fn last(dir: &Dir) -> Option<Self> {
        let bytes = dir.read(FILE, MAX_SIZE).ok()??;
        json::parse(FILE, &bytes).ok()
    }

    /// Claims the right to be the daemon whose state is in `dir`. It is exclusive while the claim lives, and once it has become a
    /// registration.
    ///
    /// # Errors
    ///
    /// When the folder cannot be locked or read.
    pub fn claim(dir: &Arc<Dir>) -> Result<ClaimOutcome<Self>, FileError> {
        Ok(match Registration::claim(dir, FILE, MAX_SIZE)? {
            ClaimOutcome::Ours(claim) => ClaimOutcome::Ours(claim),
            ClaimOutcome::AlreadyRunning(bytes) => ClaimOutcome::AlreadyRunning(json::parse(FILE, &bytes)?),
        })
    }

    /// Makes this known as the running daemon.
    ///
    /// # Errors
    ///
    /// When the file cannot be written; nothing is known then.
    pub fn register(&self, dir: &Dir, claim: Claim) -> Result<Registration, FileError> {
        claim.register(&json::text(dir, FILE, self, MAX_SIZE)?)
    }

    /// The flags that a daemon in its place is started with. One of an earlier version stays where its clients look for it.
    pub fn into_flags(self) -> BTreeMap<String, String> {
        let Self { http_port, ws_port, bind, .. } = self;
        let places =
            || [("--http-port", http_port.to_string()), ("--ws-port", ws_port.to_string()), ("--bind", bind)];
        self.flags.unwrap_or_else(|| places().map(|(name, value)| (name.to_owned(), value)).into())
    }

    /// Where this daemon is asked by a program of its user.
    ///
    /// # Errors
    ///
    /// When the file does not say.
    pub fn address(&self) -> Result<Address, BadUrl> {
        Address::new(&self.http_url, Some(&self.ws_url), self.secret.clone())
    }

    /// Whether only this daemon can be at `address`, however that is spelled.
    ///
    /// # Errors
    ///
    /// When the file does not say where it is.
    pub fn is_at(&self, address: &Address) -> Result<bool, BadUrl> {
        // With these it holds its ports on both loopback addresses; with any other on that one alone.
        let host = self.bind.trim_start_matches('[').trim_end_matches(']');
        let holds_both = matches!(host, "localhost" | "127.0.0.1" | "::1");
        Ok(address.leads_to(&self.address()?, holds_both))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{Address, DaemonRegistration, PROTOCOL, Secret};
    use files::{ClaimOutcome, Dir};
    use std::collections::BTreeMap;
    use std::os::unix::fs::PermissionsExt;
    use std::sync::Arc;

    fn listening_on(bind: &str, host: &str) -> DaemonRegistration {
        DaemonRegistration {
            pid: 7,
            http_port: 8080,
            ws_port: 8081,
            http_url: format!("http://{host}:8080"),
            ws_url: format!("ws://{host}:8081"),
            url: "http://localhost:8080".to_owned(),
            bind: bind.to_owned(),
            protocol: PROTOCOL,
            version: "1".to_owned(),
            started_at: "2026-02-23T03:00:00.000Z".to_owned(),
            restarted: None,
            flags: Some(BTreeMap::new()),
            secret: Secret("geheim".to_owned()),
        }
    }

    #[test]
    fn other_spellings_are_its_own_where_it_holds_both_loopback_addresses() {
        for (bind, host, is_own) in [
            ("localhost", "127.0.0.1", true),
            ("127.0.0.1", "127.0.0.1", true),
            ("::1", "[::1]", true),
            ("0.0.0.0", "127.0.0.1", false),
            ("::", "[::1]", false),
            ("127.0.0.2", "127.0.0.2", false),
        ] {
            let daemon = listening_on(bind, host);
            assert_eq!(daemon.is_at(&daemon.address().unwrap()), Ok(true), "{bind}");
            let spelled = Address::new("http://localhost:8080", None, Secret::default()).unwrap();
            assert_eq!(daemon.is_at(&spelled), Ok(is_own), "{bind}");
        }
    }

    #[test]
    fn a_daemon_that_does_not_say_its_flags_is_replaced_where_it_listens() {
        let flags = |told: DaemonRegistration| told.into_flags().into_iter().collect::<Vec<_>>();
        let mut told = listening_on("0.0.0.0", "127.0.0.1");
        assert_eq!(flags(told.clone()), []);
        told.flags = None;
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            flags(told),
            [pair("--bind", "0.0.0.0"), pair("--http-port", "8080"), pair("--ws-port", "8081")]
        );
    }

    #[test]
    fn a_daemon_is_found_as_long_as_it_is_registered() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Arc::new(Dir::open(folder.path()).unwrap());
        assert_eq!(DaemonRegistration::find(&dir).unwrap(), None);
        let told = listening_on("127.0.0.1", "127.0.0.1");
        let ClaimOutcome::Ours(claim) = DaemonRegistration::claim(&dir).unwrap() else {
            panic!("somebody else is there")
        };
        let registration = told.register(&dir, claim).unwrap();
        assert_eq!(DaemonRegistration::find(&dir).unwrap().as_ref(), Some(&told));
        let ClaimOutcome::AlreadyRunning(other) = DaemonRegistration::claim(&dir).unwrap() else {
            panic!("there are two")
        };
        assert_eq!(other, told);
        // Only its user can read the secret, and `Debug` does not show it.
        let mode = std::fs::metadata(folder.path().join("daemon.json")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(!format!("{told:?}").contains("geheim"));
        registration.leave_file();
        assert_eq!(DaemonRegistration::find(&dir).unwrap(), None);
        assert_eq!(DaemonRegistration::last(&dir), Some(told));
        assert!(matches!(DaemonRegistration::claim(&dir).unwrap(), ClaimOutcome::Ours(_)));
    }
}

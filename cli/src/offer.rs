//! Offers questions to the user's daemon, so that it shows them beside all others.

use crate::context::Context;
use crate::failure::Failure;
use crate::link;
use crate::server_flags::ServerFlags;
use crate::user_daemon::{note_version, running};
use client::{Client, ClientError, DaemonRegistration};
use model::SessionId;
use protocol::workflow::requests::QuestionsRequest;
use settings::{Key, ShowQuestions, keys};
use std::env;
use std::time::Duration;
use store::Project;

/// How long a daemon may take to say whether it shows them: then the asker does. One that answers nothing at all is given up a little
/// earlier ([`ClientError::Unresponsive`]).
const OFFER_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether a daemon is asked, and which.
pub(crate) struct Offer {
    is_wanted: bool,
}

impl Offer {
    /// Reads the user's own configuration; `is_refused` when the asker wants a server of its own.
    pub(crate) fn new(context: &Context, flags: &ServerFlags, is_refused: bool) -> Result<Self, Failure> {
        let is_own = is_refused || flags.name_a_server() || names_a_server_in_environment();
        let shows = ShowQuestions::resolve(context.user_layers()?)?;
        Ok(Self { is_wanted: !is_own && shows == ShowQuestions::Auto })
    }

    /// Whether the asker wants its own server, also beside a daemon.
    pub(crate) fn is_refused(&self) -> bool {
        !self.is_wanted
    }

    /// Says that the daemon is of another version, where the questions are offered to it.
    pub(crate) fn note_version(&self, context: &Context) {
        if let Some(running) = self.is_wanted.then(running).flatten() {
            note_version(context, &running);
        }
    }

    /// Offers the questions `session`, whose asker waits for `wait`, or for ever if `None`. Returns whether a daemon shows them
    /// now; if none runs, or it declines, the questions are as they were.
    pub(crate) fn make(&self, project: &Project, session: &SessionId, wait: Option<Duration>) -> bool {
        if !self.is_wanted {
            return false;
        }
        let Some(running) = running() else { return false };
        let hosted = ask(&running, project, session, wait);
        if let Err(error) = &hosted {
            tracing::debug!(%error, "the daemon does not serve the questions");
        }
        hosted.is_ok()
    }

    /// Has the daemon know the questions `session`, which another server shows. Returns the link to all that it shows; `None` where
    /// none runs, or none is wanted.
    pub(crate) fn pages(&self, project: &Project, session: &SessionId) -> Option<String> {
        let running = if self.is_wanted { running()? } else { return None };
        // It says that another server shows them, and shows them as well.
        let _ = ask(&running, project, session, None);
        Some(link::of_daemon(&running))
    }
}

fn ask(
    running: &DaemonRegistration,
    project: &Project,
    session: &SessionId,
    wait: Option<Duration>,
) -> Result<(), ClientError> {
    let unable = |reason: String| ClientError::Unreachable { url: running.http_url.clone(), reason };
    let address = running.address().map_err(|bad| unable(bad.to_string()))?;
    let client = Client::new(address, Some(OFFER_TIMEOUT))?;
    let timeout_ms = wait.map(|wait| i64::try_from(wait.as_millis()).unwrap_or(i64::MAX).max(1));
    let Some(root) = project.root().to_str() else {
        return Err(unable("the name of the folder is no UTF-8".to_owned()));
    };
    let questions =
        QuestionsRequest { project_path: root.to_owned(), set_id: session.to_string(), timeout_ms };
    let runtime = crate::host::thread_runtime().map_err(|error| unable(error.to_string()))?;
    runtime.block_on(client.host_questions(&questions)).map(drop)
}

/// Whether a variable says where the asker's server is, or who may come in.
fn names_a_server_in_environment() -> bool {
    let keys: [&Key; 4] = [&keys::DECIDE_PORT, &keys::DECIDE_BIND, &keys::DECIDE_URL, &keys::DECIDE_AUTH];
    keys.iter().any(|key| key.given(None, |name| env::var_os(name)).is_some())
}

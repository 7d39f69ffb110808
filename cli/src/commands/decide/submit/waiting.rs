//! Serves the questions, or waits for the process that serves them, until they end.

use super::announcer::Announcer;
use crate::attend;
use crate::context::Context;
use crate::failure::{Failure, FailureKind};
use crate::host::{Host, HostOutcome};
use crate::offer::Offer;
use crate::question_server::{QuestionServer, server_of};
use decide::{LOOK_INTERVAL, WaitEnd};
use model::SessionId;
use server::BindError;
use std::io::ErrorKind;
use std::thread;
use std::time::{Duration, Instant};
use store::{Decisions, Scope, ServerInfo};

/// How long a daemon may take to see questions that it was not told of.
const SHOWN_SOON: Duration = Duration::from_secs(6);

/// A command that waits for the answer to its questions.
pub(super) struct Waiting<'w> {
    pub(super) context: &'w Context,
    pub(super) session: &'w SessionId,
    pub(super) host: Host,
    pub(super) announcer: Announcer<'w>,
    /// The offer to a daemon that may show them, until it is made.
    pub(super) offer: Option<Offer>,
    /// When the wait times out.
    pub(super) deadline: Option<Instant>,
    /// Whether another process serves them.
    pub(super) attended: bool,
    /// Whether that is a daemon: it knows the time limit of the wait.
    pub(super) by_daemon: bool,
    /// Questions that were open beside these and now need a server.
    pub(super) next: Option<SessionId>,
}

impl Waiting<'_> {
    /// Waits until the questions end, the wait times out or a signal arrives. When their server is gone, another one or this
    /// process serves them.
    pub(super) fn run(&mut self) -> Result<WaitEnd, Failure> {
        loop {
            let served =
                server_of(&self.host.decisions, self.session)?.unless_beside_daemon(self.host.beside_daemon);
            self.attended = matches!(served, QuestionServer::By(_));
            self.host.settings.timeout =
                self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
            let end = match served {
                // The same questions are waiting already: one server is enough for both commands.
                QuestionServer::By(server) => self.attend(&server)?,
                // Once: who does not show them when asked does not when asked again.
                QuestionServer::Missing if self.make_offer() => None,
                QuestionServer::Missing => self.serve()?,
                QuestionServer::Ended(ending) => Some(WaitEnd::Ended(ending)),
            };
            if let Some(end) = end {
                return Ok(end);
            }
        }
    }

    /// Waits while another process serves the questions; returns `None` if that process is gone and they are still open.
    fn attend(&mut self, server: &ServerInfo) -> Result<Option<WaitEnd>, Failure> {
        self.by_daemon = server.scope == Scope::User;
        // Its page says for how long they are waited for.
        if self.by_daemon && self.host.settings.timeout.is_some() {
            self.make_offer();
        }
        let announcer = &mut self.announcer;
        let ready = || announcer.announce(server);
        match attend::attend(&self.host.decisions, self.session, self.host.settings.timeout, ready)? {
            // It was killed. The page that is open will find this process in its place.
            WaitEnd::Abandoned => Ok(None),
            end => Ok(Some(end)),
        }
    }

    /// Offers the questions to a daemon, once. Returns whether the daemon shows them now.
    fn make_offer(&mut self) -> bool {
        let offer = self.offer.take();
        offer.is_some_and(|offer| offer.make(&self.host.project, self.session, self.host.settings.timeout))
    }

    /// Serves the questions; returns `None` if another process serves them instead.
    fn serve(&mut self) -> Result<Option<WaitEnd>, Failure> {
        let announcer = &mut self.announcer;
        match self.host.run(self.context, |server| announcer.announce(server)) {
            Ok(HostOutcome { end: WaitEnd::Elsewhere, .. }) => Ok(None),
            Ok(hosted) => {
                self.next = hosted.next;
                Ok(Some(hosted.end))
            }
            // A daemon that knows the project shows them.
            Err(failure) if is_forbidden(&failure) && is_shown_soon(&self.host.decisions, self.session)? => {
                self.host.beside_daemon = false;
                Ok(None)
            }
            Err(failure) => Err(failure),
        }
    }
}

/// Whether this program may not listen, as in a sandbox.
fn is_forbidden(failure: &Failure) -> bool {
    matches!(&failure.what, FailureKind::NotBound(BindError::Os { source, .. }) if source.kind() == ErrorKind::PermissionDenied)
}

/// Whether another process shows the questions `session` soon. Taking a lock sends no notification, so this polls.
fn is_shown_soon(decisions: &Decisions, session: &SessionId) -> Result<bool, Failure> {
    let deadline = Instant::now() + SHOWN_SOON;
    loop {
        match server_of(decisions, session)? {
            QuestionServer::Missing if Instant::now() < deadline => thread::sleep(LOOK_INTERVAL),
            QuestionServer::Missing => return Ok(false),
            QuestionServer::By(_) | QuestionServer::Ended(_) => return Ok(true),
        }
    }
}

//! Finds the server of a set of questions, and shows a person how the set ended.

use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::Message;
use decide::WaitEnd;
use model::{Ending, Remainder, SessionId};
use std::thread;
use std::time::{Duration, Instant};
use store::{Decisions, Scope, ServerInfo};

/// How long the server of replaced questions may take to notice, and to end.
const HANDOVER: Duration = Duration::from_secs(5);
/// How often to check whether it has. Its end is the release of a lock, which sends no notification; waiting for the lock itself
/// would mean holding it, and keeping out the server that is started next.
const HANDOVER_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Tells how serving or waiting came to its end, and returns the exit code. `attended` when the server is another process,
/// which goes on.
pub(crate) fn told_end(
    context: &Context,
    decisions: &Decisions,
    session: &SessionId,
    end: WaitEnd,
    attended: bool,
) -> u8 {
    let (message, hint, code) = match end {
        WaitEnd::Ended(Ending::Decided(output)) => {
            context.output.ok(&Message::Decided);
            if let Some(Remainder { session_id: Some(session), items }) = output.open.as_deref() {
                let (session, count) = (session.clone(), items.len());
                context.output.notice(&Message::LeftForLater { session, count });
            }
            return DONE;
        }
        WaitEnd::Ended(Ending::Returned(returned)) => {
            (Message::WasReturned { message: returned.message, items: returned.items }, None, FAILED)
        }
        WaitEnd::Ended(Ending::Cancelled) => (Message::WasCancelled, None, FAILED),
        WaitEnd::Ended(Ending::Expired(deadline)) => (Message::WasExpired { deadline }, None, FAILED),
        WaitEnd::Ended(Ending::Replaced(_)) => {
            let by = decide::replacement(decisions, session);
            // Without others in their place they were removed, by whomever.
            let hint = by.as_ref().map(|_| Message::AskAgainLater);
            (Message::WasReplaced { by }, hint, FAILED)
        }
        WaitEnd::TimedOut if attended => {
            (Message::WaitedLongEnough, Some(Message::GoOnWaiting { session: session.clone() }), FAILED)
        }
        WaitEnd::Elsewhere | WaitEnd::Abandoned if attended => (Message::StoppedWaiting, None, FAILED),
        WaitEnd::TimedOut | WaitEnd::Elsewhere | WaitEnd::Abandoned => {
            (Message::TimedOut, Some(Message::GoOnWaiting { session: session.clone() }), FAILED)
        }
        WaitEnd::Interrupted(code) if attended => (Message::StoppedWaiting, None, code),
        WaitEnd::Interrupted(code) => {
            (Message::Interrupted, Some(Message::GoOnWaiting { session: session.clone() }), code)
        }
    };
    match hint {
        Some(hint) => context.output.warning_with(&message, &hint),
        None => context.output.warning(&message),
    }
    code
}

/// The server of a set of questions.
pub(crate) enum QuestionServer {
    By(ServerInfo),
    /// No server shows them.
    Missing,
    /// The questions have ended, or others were asked in their place, and these are served.
    Ended(Ending),
}

impl QuestionServer {
    /// The same, but for the user's daemon where it is `ignored`.
    pub(crate) fn unless_beside_daemon(self, ignored: bool) -> Self {
        match self {
            Self::By(server) if ignored && server.scope == Scope::User => Self::Missing,
            served => served,
        }
    }
}

/// Who serves the questions `session`. A server of earlier ones has been told by their being replaced, and is waited for.
pub(crate) fn server_of(decisions: &Decisions, session: &SessionId) -> Result<QuestionServer, Failure> {
    let deadline = Instant::now() + HANDOVER;
    loop {
        if let Some(record) = decide::record(decisions, session)? {
            return Ok(QuestionServer::Ended(record.ending));
        }
        let Some(server) = decisions.live_server()? else { return Ok(QuestionServer::Missing) };
        if decide::serves(decisions, &server, session) {
            return Ok(QuestionServer::By(server));
        }
        if !decide::is_there(decisions, session)? {
            // They may have ended since the record was looked for.
            let record = decide::record(decisions, session)?;
            return Ok(QuestionServer::Ended(record.map_or(Ending::Replaced(None), |record| record.ending)));
        }
        if Instant::now() >= deadline {
            let ServerInfo { pid, url, .. } = server;
            return Err(Failure::new(Message::ServerStuck { pid, url }, Message::EndProcess));
        }
        thread::sleep(HANDOVER_POLL_INTERVAL);
    }
}

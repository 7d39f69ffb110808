//! Waiting for the end of questions whose page has to be there all the time.

use super::agent::Presence;
use crate::context::Context;
use crate::detach::{self, StartOutcome};
use crate::failure::Failure;
use crate::host::failed;
use crate::signals::Signals;
use decide::{LOOK_INTERVAL, Outcome};
use model::{Ending, SessionId};
use std::time::{Duration, Instant};
use store::{Decisions, Project};

/// How often to look whether a process serves the page.
const SERVED_INTERVAL: Duration = Duration::from_secs(2);

/// What becomes of waiting where the page cannot be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoPagePolicy {
    /// It ends: another way to answer takes its place.
    Ends,
    /// It goes on: an answer may come from the terminal, or the page later.
    GoesOn,
}

/// Waits until `deadline` for the first end among `sessions`; `ending` says how one has ended, once that is to be known. Returns
/// `None` when the time is up, the agent is gone, or a signal comes.
pub(super) fn first_end(
    context: &Context,
    (project, decisions): (&Project, &Decisions),
    sessions: &[SessionId],
    ending: impl Fn(&SessionId) -> Result<Option<Ending>, Failure>,
    deadline: Instant,
    presence: &Presence,
    without_page: NoPagePolicy,
) -> Result<Option<(SessionId, Ending)>, Failure> {
    let runtime = crate::host::thread_runtime().map_err(|error| failed(&error))?;
    let _entered = runtime.enter();
    let mut signals = Signals::listen().map_err(|error| failed(&error))?;
    let mut looked = Instant::now();
    let mut served = looked.checked_sub(SERVED_INTERVAL);
    loop {
        for session in sessions {
            if let Some(ending) = ending(session)? {
                return Ok(Some((session.clone(), ending)));
            }
            decisions.expire(session)?;
        }
        if Instant::now() >= deadline {
            return Ok(None);
        }
        if served.is_none_or(|served| served.elapsed() >= SERVED_INTERVAL) {
            for session in sessions {
                let shown = serve(context, project, decisions, session);
                if without_page == NoPagePolicy::Ends {
                    shown?;
                }
            }
            served = Some(Instant::now());
        }
        let pause = LOOK_INTERVAL.saturating_sub(looked.elapsed()).max(Duration::from_millis(10));
        let is_over = runtime.block_on(async {
            tokio::select! {
                biased;
                _ = signals.next() => true,
                () = presence.over() => true,
                () = tokio::time::sleep(pause) => false,
            }
        });
        if is_over {
            return Ok(None);
        }
        looked = Instant::now();
    }
}

/// Has the page served, where its server was killed.
fn serve(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    session: &SessionId,
) -> Result<(), Failure> {
    if let Outcome::Unserved { .. } = decide::outcome(decisions, session)?
        && let StartOutcome::Failed(code) = detach::bring_back(context, project, decisions, session)?
    {
        let words = format!("the server of the page ended with {code}");
        return Err(Failure::new(crate::messages::Message::Internal { words }, None));
    }
    Ok(())
}

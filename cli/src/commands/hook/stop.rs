//! Answers that came while an agent was at work, delivered at the end of its turn.

use super::agent::{self, HookInput};
use super::wake::{RECENT, message};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use model::{DecisionRecord, Ending, SessionId};
use serde_json::{Value, json};
use store::{AnswerRoute, Decisions, Receipt};

/// An agent that goes on after its turn with what a hook says, and cannot be woken later.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Agent {
    Codex,
    Cursor,
}

impl Agent {
    /// Whether a client of `aide mcp` that calls itself `client` is this agent.
    fn is(self, client: &str) -> bool {
        let name = match self {
            Self::Codex => "codex",
            Self::Cursor => "cursor",
        };
        client.to_ascii_lowercase().contains(name)
    }

    /// The session that has ended its turn; `None` where the turn ended in another way, and nothing may follow.
    fn session(self, given: &HookInput) -> Option<&str> {
        match self {
            Self::Codex => given.text("session_id"),
            Self::Cursor => {
                let is_complete = given.text("status").is_none_or(|status| status == "completed");
                given.text("conversation_id").filter(|_| is_complete)
            }
        }
    }

    fn reply(self, text: &str) -> Value {
        match self {
            Self::Codex => json!({ "decision": "block", "reason": text }),
            Self::Cursor => json!({ "followup_message": text }),
        }
    }
}

/// Delivers what was answered meanwhile. No program says in which session it has asked: it is the first of this agent in the
/// project that ends a turn.
pub(super) fn deliver(context: &Context, given: &HookInput, agent: Agent) -> u8 {
    if let Some(session) = agent.session(given)
        && let Some(project) = agent::project(&given.folders())
        && let Ok(decisions) = project.decisions()
        && let Err(failure) = deliver_in(context, &decisions, agent, session)
    {
        tracing::debug!(error = %failure.explain(texts::Lang::En).what, "cannot deliver answers");
    }
    DONE
}

fn deliver_in(context: &Context, decisions: &Decisions, agent: Agent, session: &str) -> Result<(), Failure> {
    let is_due = |asked: &SessionId, receipt: &Receipt| -> Result<bool, Failure> {
        Ok(match decisions.way(asked, |client| agent.is(client))? {
            Some(way) => way == AnswerRoute::Hook,
            None => receipt.askers.is_empty() && agent.is(&receipt.client) && receipt.delivered_at.is_none(),
        })
    };
    let mut ended = Vec::new();
    for (asked, receipt) in decisions.receipts_since(RECENT)? {
        let Some(DecisionRecord { ending, .. }) = decide::record(decisions, &asked)? else { continue };
        let has_answer = matches!(ending, Ending::Decided(_) | Ending::Returned(_));
        // Whether a process still waits takes longer to find out.
        if !has_answer || !is_due(&asked, &receipt)? {
            continue;
        }
        // Any session of the agent: one at a time looks.
        let Some(waker) = decisions.wake(&asked, "")? else { continue };
        let Some(receipt) = decisions.receipt(&asked)? else { continue };
        if is_due(&asked, &receipt)? {
            let json = mcp::ended_json(decisions, &asked, ending, false);
            ended.push((asked, waker, json));
        }
    }
    if ended.is_empty() {
        return Ok(());
    }
    let reply = agent.reply(&message(ended.iter().map(|(.., json)| json)));
    if context.output.hand_over(&reply.to_string()) {
        for (asked, ..) in &ended {
            decisions.delivered(asked, session, |client| agent.is(client))?;
        }
    }
    Ok(())
}

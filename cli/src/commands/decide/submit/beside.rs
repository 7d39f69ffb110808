//! Questions that would take the place of others which are still open: at a terminal the user is asked first.

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::Message;
use decide::DecideError;
use model::Questions;
use std::io::{self, IsTerminal as _};
use store::{Decisions, PendingSet, Place};

/// What to do about open questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Choice {
    /// Ask in their place.
    Replace,
    /// Ask after them.
    Queue,
    /// Ask nothing.
    Leave,
}

/// Asks the user where `questions` go. Without a terminal, and where nothing would be replaced, they go into the slot, as
/// documented.
pub(super) fn choose(
    context: &Context,
    decisions: &Decisions,
    questions: &Questions,
) -> Result<Choice, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Ok(Choice::Replace);
    }
    let Some(PendingSet { session, task, .. }) = replaced(decisions, questions)? else {
        return Ok(Choice::Replace);
    };
    context.output.warning(&Message::StillOpen { session, task });
    context.output.relay(&format!("  {} ", Message::ReplaceOrQueue.render(context.language.messages)));
    let mut line = String::new();
    let length = io::stdin().read_line(&mut line).unwrap_or_default();
    Ok(match line.trim() {
        "" if length > 0 => Choice::Queue,
        "r" => Choice::Replace,
        _ => Choice::Leave,
    })
}

/// The open questions that `questions` would take the place of.
fn replaced(decisions: &Decisions, questions: &Questions) -> Result<Option<PendingSet>, DecideError> {
    let open = decisions.open_sets()?.into_iter().find(|set| set.place == Place::Slot);
    let Some(open) = open else { return Ok(None) };
    let before = decisions.set(&open.session)?;
    let is_same = before.is_some_and(|(_, before)| before.document() == questions.document());
    Ok((!is_same).then_some(open))
}

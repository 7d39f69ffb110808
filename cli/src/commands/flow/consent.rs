//! What a person agrees to before something is committed that may be theirs.

use super::FlowContext;
use crate::failure::Failure;
use crate::messages::{FlowMessage, Message};
use crate::yes::{can_ask, says_yes};
use flow::{Consent, Survey};
use settings::CommitChoice;
use std::path::PathBuf;

/// How an action that commits was called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flags {
    pub(super) yes: bool,
    pub(super) json: bool,
}

/// Asks, where it has to be, whether what `survey` finds is to be committed. A failure when it is not.
pub(super) fn obtain<E>(
    scene: &FlowContext<'_>,
    flags: Flags,
    survey: impl FnOnce() -> Result<Survey, E>,
) -> Result<Consent, Failure> {
    let is_answered = flags.yes || scene.config.commit == CommitChoice::All;
    if is_answered {
        return Ok(Consent::All);
    }
    let (is_strict, can_ask) = (scene.config.commit == CommitChoice::Ask, can_ask(flags.json));
    if scene.config.commit == CommitChoice::Tracked || !can_ask && !is_strict {
        return Ok(Consent::none());
    }
    // The action is refused for the same reason, and says so.
    let Ok(Survey { changed_before, mut secrets }) = survey() else { return Ok(Consent::none()) };
    let ask = |message| {
        scene.context.output.ask(&Message::flow(message));
        says_yes()
    };
    let ordinary: Vec<_> = changed_before.iter().filter(|path| !secrets.contains(path)).collect();
    if !ordinary.is_empty() {
        let (paths, count) = (names(ordinary.iter().copied()), ordinary.len());
        if !can_ask {
            let what = Message::flow(FlowMessage::CannotAsk { paths, count });
            return Err(Failure::new(what, Message::flow(FlowMessage::SayYes)));
        }
        if !ask(FlowMessage::CommitOthers { paths, count }) {
            let hint = Message::flow(FlowMessage::HowNotToCommit);
            return Err(Failure::new(Message::flow(FlowMessage::NothingBegun), hint));
        }
    }
    if !can_ask || !secrets.is_empty() && !ask(FlowMessage::CommitSecrets { paths: names(&secrets) }) {
        secrets.clear();
    }
    Ok(Consent::To(secrets.into_iter().collect()))
}

/// Paths as they are shown.
pub(super) fn names<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Vec<String> {
    paths.into_iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

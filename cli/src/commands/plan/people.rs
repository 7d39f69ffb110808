//! People are asked what agents cannot go on without, in the language of the command.

use crate::clock::SystemClock;
use crate::context::Context;
use crate::failure::Failure;
use agent::gateway::{Done, Gateway};
use agent::plan::Folders;
use store::Decisions;

/// Asks what is to be asked, and takes the answers that are there.
pub(super) fn ask(context: &Context, folders: &Folders, decisions: &Decisions) -> Result<Vec<Done>, Failure> {
    let words = texts::gateway_words(context.language.messages);
    Ok(Gateway { folders, decisions, words, clock: &SystemClock }.tick()?)
}

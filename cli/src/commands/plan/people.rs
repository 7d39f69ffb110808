//! People are asked what agents cannot go on without, in the language of the command.

use crate::clock::SystemClock;
use crate::context::Context;
use crate::failure::Failure;
use agent::gateway::{Gateway, GatewayEvent};
use agent::plan::Folders;
use model::{Origin, SessionId};
use protocol::agent::HumanRequest;
use store::Decisions;

/// Asks what is to be asked, and takes the answers that are there.
pub(super) fn ask(
    context: &Context,
    folders: &Folders,
    decisions: &Decisions,
) -> Result<Vec<GatewayEvent>, Failure> {
    let words = texts::gateway_words(context.language.messages);
    Ok(Gateway { folders, decisions, words, clock: &SystemClock }.tick()?)
}

/// The open questions that a request has become. Where they cannot be read, it is as if it had not been asked: the command that
/// asks reports that.
pub(super) fn session_of(context: &Context, request: &HumanRequest) -> Option<SessionId> {
    let decisions = context.project().ok()?.decisions().ok()?;
    let open = decisions.open_sets().ok()?;
    let is_its = |origin: &Origin| {
        matches!(origin, Origin::Agent { plan, request: id, .. }
            if plan == request.plan_id.as_str() && id == request.request_id.as_str())
    };
    open.into_iter().find(|set| is_its(&set.origin)).map(|set| set.session)
}

//! The actions that are recorded.

use super::consent::{self, Flags};
use super::done::{print_all, undisturbed};
use super::{FlowContext, back};
use crate::context::DONE;
use crate::failure::Failure;
use flow::{ActionReport, Request};
use model::flow::Action;
use std::ffi::OsStr;

pub(super) fn run(
    scene: &FlowContext<'_>,
    action: Action,
    phase: Option<&OsStr>,
    summary: &OsStr,
    flags: Flags,
) -> Result<u8, Failure> {
    let text = |text: &OsStr| text.to_string_lossy().trim().to_owned();
    let request = Request { action, phase: phase.map(text), summary: text(summary) };
    if action == Action::BackPart && scene.config.back_confirm {
        return back::request(scene, &request, flags.json);
    }
    let done = record(scene, &request, flags)?;
    print_all(scene, action, done, flags, None)?;
    Ok(DONE)
}

/// Does what `request` asks for, once it is agreed what is committed.
pub(super) fn record(
    scene: &FlowContext<'_>,
    request: &Request,
    flags: Flags,
) -> Result<ActionReport, Failure> {
    let (project, config) = (scene.project, &scene.config);
    let consent = consent::obtain(scene, flags, || flow::survey(project, config, request))?;
    undisturbed(|cancellation| Ok(flow::act(project, config, request, &consent, cancellation)?))
}

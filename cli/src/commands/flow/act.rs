//! The actions that are recorded.

use super::done::{notify, tell, undisturbed};
use super::{Scene, back};
use crate::context::DONE;
use crate::failure::Failure;
use flow::Request;
use model::flow::Action;
use std::ffi::OsStr;

pub(super) fn run(
    scene: &Scene<'_>,
    action: Action,
    phase: Option<&OsStr>,
    summary: &OsStr,
    json: bool,
) -> Result<u8, Failure> {
    let text = |text: &OsStr| text.to_string_lossy().trim().to_owned();
    let request = Request { action, phase: phase.map(text), summary: text(summary) };
    if action == Action::BackPart && scene.config.back_confirm {
        return back::request(scene, &request, json);
    }
    let done =
        undisturbed(|cancellation| Ok(flow::act(scene.project, &scene.config, &request, cancellation)?))?;
    tell(scene, action, &done, json)?;
    notify(scene, done.notices, json);
    Ok(DONE)
}

//! The actions that are recorded.

use super::consent::{self, Flags};
use super::done::{notify, tell, tell_commit, undisturbed};
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
    flags: Flags,
) -> Result<u8, Failure> {
    let text = |text: &OsStr| text.to_string_lossy().trim().to_owned();
    let request = Request { action, phase: phase.map(text), summary: text(summary) };
    if action == Action::BackPart && scene.config.back_confirm {
        return back::request(scene, &request, flags.json);
    }
    let (project, config) = (scene.project, &scene.config);
    let consent = consent::obtain(scene, flags, || flow::survey(project, config, &request))?;
    let done = undisturbed(|cancellation| Ok(flow::act(project, config, &request, &consent, cancellation)?))?;
    let told = tell(scene, action, &done, flags.json);
    tell_commit(scene, &done, flags);
    told?;
    notify(scene, done.notices, flags.json);
    Ok(DONE)
}

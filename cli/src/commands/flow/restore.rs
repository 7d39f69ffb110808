//! `aide flow back-step --restore`

use super::consent::Flags;
use super::{FlowContext, act, done};
use crate::context::DONE;
use crate::failure::Failure;
use crate::messages::{FlowMessage, Message};
use crate::output::Tone;
use flow::{Request, RestoredStep};
use model::flow::Action;
use serde_json::{Value, json};
use std::ffi::OsStr;
use texts::Need;

/// Records the step back where there is a `summary`, and shows the files of `step`: of the one that the task is back at where it is
/// empty.
pub(super) fn run(
    scene: &FlowContext<'_>,
    step: &OsStr,
    summary: Option<&OsStr>,
    flags: Flags,
) -> Result<u8, Failure> {
    let step = match &*step.to_string_lossy() {
        "" => None,
        given => match given.parse() {
            Ok(step) => Some(step),
            Err(_) => return Err(Failure::flag("--restore", given.to_owned(), Need::Count)),
        },
    };
    let recorded = summary.map(|summary| {
        let summary = summary.to_string_lossy().trim().to_owned();
        act::record(scene, &Request { action: Action::BackStep, phase: None, summary }, flags)
    });
    let recorded = recorded.transpose()?;
    let restored = flow::restore(scene.project, &scene.config, step);
    let fields = restored.as_ref().ok().map(to_json);
    match recorded {
        Some(done) => done::print_all(scene, Action::BackStep, done, flags, fields)?,
        None if flags.json => {
            if let Some(fields) = fields {
                scene.context.output.json(&json!({ "restored": fields }).to_string())?;
            }
        }
        None => {}
    }
    let RestoredStep { step, commit, worktree, project } = restored?;
    if !flags.json {
        let path = project.display().to_string();
        scene.print(Tone::Ok, FlowMessage::Restored { step, hash: commit, path });
        let path = worktree.display().to_string();
        scene.context.output.info(&Message::flow(FlowMessage::RemoveRestored { path }));
    }
    Ok(DONE)
}

fn to_json(restored: &RestoredStep) -> Value {
    json!({
        "step": restored.step,
        "git_commit": restored.commit,
        "path": restored.project.to_string_lossy(),
        "worktree": restored.worktree.to_string_lossy(),
    })
}

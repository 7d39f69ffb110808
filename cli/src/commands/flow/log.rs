//! `aide flow log`

use super::{FlowContext, show};
use crate::context::DONE;
use crate::failure::Failure;
use std::ffi::OsStr;

pub(super) fn run(scene: &FlowContext<'_>, task: Option<&OsStr>) -> Result<u8, Failure> {
    let status = show::find(scene, task)?;
    let decisions = scene.project.look_at_decisions()?;
    let output = &scene.context.output;
    output.text(&app::flow_report(scene.context.language.messages, &status, &decisions)?)?;
    Ok(DONE)
}

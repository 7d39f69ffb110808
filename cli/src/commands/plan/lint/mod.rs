//! `aide plan lint`

mod help;

use super::folders;
use super::shared::{DIR, read, tell, unsound};
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, PlanMessage};
use clap::ArgMatches;
use serde_json::json;

/// `aide plan lint`
pub(crate) static COMMAND: Command = Command { name: "lint", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(DIR, words.dir).required(true))
        .arg(layout.flag("json", words.json));
    folders::flags(layout, command)
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = folders::open(context, matches)?;
    let plan = read(context, matches)?;
    let findings = folders.lint(&plan)?;
    let fatal = findings.iter().filter(|finding| finding.is_fatal()).count();
    if is_set(matches, "json") {
        let lang = context.output.lang();
        let told = findings.iter().map(|finding| {
            json!({
                "code": finding.code(),
                "path": finding.path,
                "fatal": finding.is_fatal(),
                "message": texts::finding(lang, finding),
            })
        });
        let told: Vec<_> = told.collect();
        let document = json!({ "plan_id": plan.dag.plan_id, "ok": fatal == 0, "findings": told });
        context.output.json(&document.to_string())?;
        return Ok(if fatal == 0 { DONE } else { FAILED });
    }
    tell(context, findings);
    if fatal > 0 {
        return Err(unsound(fatal));
    }
    let tasks = plan.dag.nodes.len();
    context.output.ok(&Message::plan(PlanMessage::Sound { plan: plan.dag.plan_id.clone(), tasks }));
    Ok(DONE)
}

//! `aide plan activate`

mod help;

use super::folders;
use super::shared::{read, tell, unsound};
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage};
use clap::ArgMatches;
use model::agent::DagKind;
use serde_json::json;

/// `aide plan activate`
pub(crate) static COMMAND: Command = Command { name: "activate", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(super::shared::DIR, words.dir).required(true))
        .arg(layout.value("kind", "KIND", words.kind).value_parser(["meta", "business"]))
        .arg(layout.flag("json", words.json));
    folders::flags(layout, command)
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = folders::open(context, matches)?;
    let plan = read(context, matches)?;
    let findings = folders.lint(&plan)?;
    let fatal = findings.iter().filter(|finding| finding.is_fatal()).count();
    tell(context, findings);
    if fatal > 0 {
        return Err(unsound(fatal));
    }
    let kind = match matches.get_one::<String>("kind").map(String::as_str) {
        Some("meta") => DagKind::Meta,
        _ => DagKind::Business,
    };
    let activated = folders.activate(&plan, kind, &SystemClock)?;
    let (plan_id, revision, tasks) = (activated.plan_id, activated.revision, plan.dag.nodes.len());
    if is_set(matches, "json") {
        let document = json!({
            "plan_id": plan_id, "task_dag_sha256": activated.sha256, "revision": revision, "tasks": tasks,
            "was_active": activated.was_active,
        });
        context.output.json(&document.to_string())?;
        return Ok(DONE);
    }
    context.output.ok(&Message::plan(if activated.was_active {
        PlanMessage::AlreadyActive { plan: plan_id, revision }
    } else {
        PlanMessage::Activated { plan: plan_id, revision, tasks }
    }));
    context.output.info(&Message::plan(PlanMessage::RunIt));
    Ok(DONE)
}

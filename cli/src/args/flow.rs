//! `aide flow` on the command line.

use crate::messages::FlowHelp;
use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use model::flow::Action;
use std::ffi::OsString;

/// What is asked of `aide flow`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FlowRequest {
    /// One of the actions that are recorded.
    Act { action: Action, phase: Option<OsString>, summary: OsString, json: bool },
    /// `aide flow back-confirm`
    BackConfirm { key: Option<OsString>, cancel: bool, json: bool },
    /// `aide flow status`
    Status { watch: bool, json: bool },
    /// `aide flow list`
    List { json: bool },
    /// `aide flow log`
    Log { task: Option<OsString>, format: Option<OsString> },
    /// `aide flow show`
    Show { task: Option<OsString>, json: bool },
}

const PHASE: &str = "PHASE";
const SUMMARY: &str = "SUMMARY";
const TASK: &str = "TASK";

/// Reads the arguments after `flow`; `None` without a subcommand.
pub(super) fn read(matches: &ArgMatches) -> Option<FlowRequest> {
    let (name, matches) = matches.subcommand()?;
    let text = |id: &str| matches.try_get_one::<OsString>(id).ok().flatten().cloned();
    let is_set = |id: &str| matches.try_get_one::<bool>(id).ok().flatten().copied().unwrap_or_default();
    let json = is_set("json");
    Some(match name {
        "back-confirm" => FlowRequest::BackConfirm { key: text("key"), cancel: is_set("cancel"), json },
        "status" => FlowRequest::Status { watch: is_set("watch"), json },
        "list" => FlowRequest::List { json },
        "log" => FlowRequest::Log { task: text(TASK), format: text("format") },
        "show" => FlowRequest::Show { task: text(TASK), json },
        name => {
            let action = Action::from_code(name)?;
            FlowRequest::Act { action, phase: text(PHASE), summary: text(SUMMARY).unwrap_or_default(), json }
        }
    })
}

/// The command `flow`. `base` makes a command of a name, what it is for, its usage and what comes after.
pub(super) fn command(
    help: &'static FlowHelp,
    arguments: &'static str,
    base: impl Fn(&'static str, &'static str, &'static str, &'static str) -> Command,
) -> Command {
    let text = |name: &'static str, about: &'static str| {
        Arg::new(name)
            .help(about)
            .help_heading(arguments)
            .required(true)
            .allow_hyphen_values(false)
            .value_parser(ValueParser::os_string())
    };
    let json = |about: &'static str| Arg::new("json").long("json").help(about).action(ArgAction::SetTrue);
    let phase = || text(PHASE, help.phase);
    let summary = || text(SUMMARY, help.summary);
    base("flow", help.flow, help.flow_usage, help.flow_after)
        .subcommand(
            base("start", help.start, help.start_usage, help.start_after)
                .arg(phase())
                .arg(summary())
                .arg(json(help.json)),
        )
        .subcommand(
            base("next-step", help.next_step, help.next_step_usage, help.step_after)
                .arg(summary())
                .arg(json(help.json)),
        )
        .subcommand(
            base("back-step", help.back_step, help.back_step_usage, help.step_after)
                .arg(summary())
                .arg(json(help.json)),
        )
        .subcommand(
            base("next-part", help.next_part, help.next_part_usage, help.next_part_after)
                .arg(phase())
                .arg(summary())
                .arg(json(help.json)),
        )
        .subcommand(
            base("back-part", help.back_part, help.back_part_usage, help.back_part_after)
                .arg(phase())
                .arg(summary())
                .arg(json(help.json)),
        )
        .subcommand(
            base("back-confirm", help.back_confirm, help.back_confirm_usage, help.back_confirm_after)
                .arg(
                    Arg::new("key")
                        .long("key")
                        .value_name("KEY")
                        .help(help.key)
                        .value_parser(ValueParser::os_string()),
                )
                .arg(
                    Arg::new("cancel")
                        .long("cancel")
                        .help(help.cancel)
                        .action(ArgAction::SetTrue)
                        .conflicts_with("key"),
                )
                .arg(json(help.json)),
        )
        .subcommand(
            base("issue", help.issue, help.issue_usage, help.step_after).arg(summary()).arg(json(help.json)),
        )
        .subcommand(
            base("error", help.error, help.error_usage, help.step_after).arg(summary()).arg(json(help.json)),
        )
        .subcommand(
            base("status", help.status, help.status_usage, help.status_after)
                .arg(Arg::new("watch").long("watch").help(help.watch).action(ArgAction::SetTrue))
                .arg(json(help.see_json)),
        )
        .subcommand(base("list", help.list, help.list_usage, "").arg(json(help.see_json)))
        .subcommand(
            base("show", help.show, help.show_usage, "")
                .arg(text(TASK, help.task).required(false))
                .arg(json(help.see_json)),
        )
        .subcommand(
            base("log", help.log, help.log_usage, "").arg(text(TASK, help.task).required(false)).arg(
                Arg::new("format")
                    .long("format")
                    .value_name("FORMAT")
                    .help(help.log_format)
                    .value_parser(ValueParser::os_string()),
            ),
        )
}

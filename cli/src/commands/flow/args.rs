//! The arguments of `aide flow`, and of the commands below it.

use super::consent::Flags;
use super::help;
use crate::command_line::layout::{Layout, is_set, text};
use crate::server_flags::ServerFlags;
use clap::{ArgMatches, Command};
use model::flow::Action;
use std::ffi::OsString;

/// What is asked of `aide flow`.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// One of the actions that are recorded.
    Act { action: Action, phase: Option<OsString>, summary: OsString, flags: Flags },
    /// `aide flow back-step --restore`, with a text to record as well or without
    Restore { step: OsString, summary: Option<OsString>, flags: Flags },
    /// `aide flow open`
    Open { task: Option<OsString> },
    /// `aide flow back-confirm`
    BackConfirm { key: Option<OsString>, cancel: bool, flags: Flags },
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
const RESTORE: &str = "restore";

/// Reads the arguments after `flow`; `None` without a subcommand.
pub(super) fn read(matches: &ArgMatches) -> Option<Request> {
    let (name, matches) = matches.subcommand()?;
    let text = |name| text(matches, name);
    let is_set = |name| is_set(matches, name);
    let json = is_set("json");
    let flags = || Flags { yes: is_set("yes"), json };
    Some(match name {
        "back-confirm" => Request::BackConfirm { key: text("key"), cancel: is_set("cancel"), flags: flags() },
        "status" => Request::Status { watch: is_set("watch"), json },
        "list" => Request::List { json },
        "log" => Request::Log { task: text(TASK), format: text("format") },
        "open" => Request::Open { task: text(TASK) },
        "back-step" if text(RESTORE).is_some() => Request::Restore {
            step: text(RESTORE).unwrap_or_default(),
            summary: text(SUMMARY),
            flags: flags(),
        },
        "show" => Request::Show { task: text(TASK), json },
        name => {
            let action = Action::from_code(name)?;
            let (phase, summary) = (text(PHASE), text(SUMMARY).unwrap_or_default());
            Request::Act { action, phase, summary, flags: flags() }
        }
    })
}

/// The command `flow`.
pub(super) fn build(layout: Layout) -> Command {
    let help = layout.pick(&help::ZH, &help::EN);
    let base = |name, about, usage, after| layout.command(name, about, usage, after);
    let text = |name, about| layout.positional(name, about).required(true).allow_hyphen_values(false);
    let json = |about| layout.flag("json", about);
    let yes = || layout.flag("yes", help.yes);
    let phase = || text(PHASE, help.phase);
    let summary = || text(SUMMARY, help.summary);
    let restore = layout.value(RESTORE, "STEP", help.restore).num_args(0..=1).require_equals(true);
    let restore = restore.default_missing_value("").allow_negative_numbers(false);
    base("flow", help.flow, help.flow_usage, help.flow_after)
        .subcommand(
            base("start", help.start, help.start_usage, help.start_after)
                .arg(phase())
                .arg(summary())
                .arg(yes())
                .arg(json(help.json)),
        )
        .subcommand(
            base("next-step", help.next_step, help.next_step_usage, help.step_after)
                .arg(summary())
                .arg(yes())
                .arg(json(help.json)),
        )
        .subcommand(
            base("back-step", help.back_step, help.back_step_usage, help.back_step_after)
                .arg(summary().required(false).required_unless_present(RESTORE))
                .arg(restore)
                .arg(yes())
                .arg(json(help.json)),
        )
        .subcommand(
            base("next-part", help.next_part, help.next_part_usage, help.next_part_after)
                .arg(phase())
                .arg(summary())
                .arg(yes())
                .arg(json(help.json)),
        )
        .subcommand(
            base("back-part", help.back_part, help.back_part_usage, help.back_part_after)
                .arg(phase())
                .arg(summary())
                .arg(yes())
                .arg(json(help.json)),
        )
        .subcommand(
            base("back-confirm", help.back_confirm, help.back_confirm_usage, help.back_confirm_after)
                .arg(layout.value("key", "KEY", help.key).allow_negative_numbers(false))
                .arg(layout.flag("cancel", help.cancel).conflicts_with("key"))
                .arg(yes())
                .arg(json(help.json)),
        )
        .subcommand(
            base("issue", help.issue, help.issue_usage, help.step_after)
                .arg(summary())
                .arg(yes())
                .arg(json(help.json)),
        )
        .subcommand(
            base("error", help.error, help.error_usage, help.step_after)
                .arg(summary())
                .arg(yes())
                .arg(json(help.json)),
        )
        .subcommand(
            base("status", help.status, help.status_usage, help.status_after)
                .arg(layout.flag("watch", help.watch))
                .arg(json(help.see_json)),
        )
        .subcommand(base("list", help.list, help.list_usage, "").arg(json(help.see_json)))
        .subcommand(
            base("show", help.show, help.show_usage, "")
                .arg(text(TASK, help.task).required(false))
                .arg(json(help.see_json)),
        )
        .subcommand(
            base("open", help.open, help.open_usage, help.open_after)
                .arg(text(TASK, help.task).required(false))
                .args(ServerFlags::address(layout)),
        )
        .subcommand(
            base("log", help.log, help.log_usage, "")
                .arg(text(TASK, help.task).required(false))
                .arg(layout.value("format", "FORMAT", help.log_format).allow_negative_numbers(false)),
        )
}

//! The programs that the configuration names. Whether it is trusted was decided before.

use super::{HookContext, program};
use crate::error::HookError;
use settings::{FlowHook, HookPoint};
use std::process::Command;

/// Runs those that are meant for this action, in their order.
pub(super) fn run(context: &HookContext<'_>) -> Result<(), HookError> {
    for hook in context.config.hooks.iter().filter(|hook| is_meant(hook, context)) {
        let [name, arguments @ ..] = &*hook.run else { continue };
        let mut command = Command::new(name);
        command.args(arguments).current_dir(context.root());
        let change = context.change;
        command.env("AIDE_FLOW_ACTION", change.action.code()).env("AIDE_FLOW_PHASE", &change.to);
        command.env("AIDE_FLOW_FROM", change.from.as_deref().unwrap_or_default());
        command.env("AIDE_FLOW_SUMMARY", context.summary.as_str().replace('\0', ""));
        let task = context.status.map(|status| status.task_id.as_str()).unwrap_or_default();
        command.env("AIDE_FLOW_TASK", task);
        let words = shown(&hook.run);
        let ended = program::run(context, command, &words, hook.timeout)?;
        if !ended.status.success() {
            return Err(HookError::Failed { command: words, code: ended.status.code(), words: ended.words });
        }
    }
    Ok(())
}

fn is_meant(hook: &FlowHook, context: &HookContext<'_>) -> bool {
    let change = context.change;
    let phase = match hook.on {
        HookPoint::Enter if change.enters() => Some(&change.to),
        HookPoint::Leave if change.enters() => change.from.as_ref(),
        HookPoint::Step if !change.enters() => Some(&change.to),
        _ => None,
    };
    phase.is_some_and(|phase| hook.phase.as_ref().is_none_or(|wanted| wanted == phase))
}

/// As a person would write it, more or less: `sh -c` is left out.
fn shown(run: &[String]) -> String {
    match run {
        [shell, flag, text] if shell == "sh" && flag == "-c" => text.clone(),
        words => words.join(" "),
    }
}

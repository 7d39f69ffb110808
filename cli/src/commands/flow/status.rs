//! `aide flow status`

use super::{FlowContext, done, entry_json};
use crate::context::DONE;
use crate::failure::Failure;
use crate::host;
use crate::messages::{FlowMessage, Message};
use crate::output::Output;
use crate::terminal::{Disturbances, Live};
use model::flow::{Action, FlowStatus};
use serde_json::{Value, json};
use std::mem;
use std::time::Duration;
use tokio::time;

/// How many of the last steps are shown in a terminal.
const LAST: usize = 5;

/// How often to look whether something has changed: the clock goes on as well, and no file tells of every change.
const PAUSE: Duration = Duration::from_secs(1);

pub(super) fn run(scene: &FlowContext<'_>, json: bool) -> Result<u8, Failure> {
    let view = StatusView::now(scene)?;
    print(scene, &scene.context.output, &view, json)?;
    // The process ends: taking ten thousand entries apart would only delay that.
    mem::forget(view);
    Ok(DONE)
}

/// Shows it again whenever it is not what was shown, until the process is ended.
pub(super) fn watch(scene: &FlowContext<'_>, json: bool) -> Result<u8, Failure> {
    let runtime = crate::host::thread_runtime().map_err(|error| host::failed(&error))?;
    runtime.block_on(async {
        let mut disturbances = Disturbances::listen().map_err(|error| host::failed(&error))?;
        let mut live = Live::new(&scene.context.output, !json);
        let mut shown = None;
        loop {
            let view = StatusView::now(scene)?;
            if shown.as_ref() != Some(&view) {
                live.show(|output| print(scene, output, &view, json))?;
                shown = Some(view);
            }
            tokio::select! {
                () = disturbances.next(), if live.is_on_terminal() => {
                    live.forget();
                    shown = None;
                }
                () = time::sleep(PAUSE) => {}
            }
        }
    })
}

/// What is shown.
#[derive(PartialEq)]
struct StatusView {
    status: Option<FlowStatus>,
    /// How many items wait for a person.
    open: usize,
    /// Minutes since the task began: it is shown how long that is.
    minutes: u64,
}

impl StatusView {
    fn now(scene: &FlowContext<'_>) -> Result<Self, Failure> {
        let status = flow::present(scene.project, &scene.config)?;
        let minutes = status.as_ref().map_or(0, |status| spent(status, &scene.config.phases).0 / 60);
        let is_terminal = scene.context.output.is_terminal();
        Ok(Self { status, open: open_decisions(scene), minutes: if is_terminal { minutes } else { 0 } })
    }
}

fn print(scene: &FlowContext<'_>, output: &Output, view: &StatusView, json: bool) -> Result<(), Failure> {
    let Some(status) = &view.status else {
        if json {
            return output.json("null");
        }
        output.info(&Message::flow(FlowMessage::NoTask));
        return Ok(());
    };
    if json {
        return output.json(&to_json(scene, status, view.open).to_string());
    }
    for message in documented(status) {
        output.info(&Message::flow(message));
    }
    if output.is_terminal() {
        further(scene, output, status, view.open)?;
    }
    Ok(())
}

/// What is said in any case.
fn documented(status: &FlowStatus) -> Vec<FlowMessage> {
    let mut messages = vec![
        FlowMessage::PresentTask { task: status.task_id.to_string() },
        FlowMessage::Phase { phase: status.current_phase.clone() },
        FlowMessage::Step { step: status.current_step },
        FlowMessage::StartedAt { time: status.started_at.clone() },
    ];
    if let Some(entry) = status.newest() {
        messages.push(FlowMessage::Latest { summary: entry.summary.clone() });
        messages.push(FlowMessage::LatestAt { time: entry.timestamp.clone() });
        messages.extend(entry.git_commit.clone().map(|hash| FlowMessage::Commit { hash }));
    }
    messages
}

/// What helps a person who looks at it.
fn further(
    scene: &FlowContext<'_>,
    output: &Output,
    status: &FlowStatus,
    open: usize,
) -> Result<(), Failure> {
    let phases = scene.config.phases.clone();
    let (seconds, in_phase) = spent(status, &phases);
    let present = status.current_phase.clone();
    output.info(&Message::flow(FlowMessage::TimeSpent { seconds, in_phase }));
    output.info(&Message::flow(FlowMessage::PhaseLine { phases, present }));
    if let Some(step) = flow::back_at(status) {
        output.info(&Message::flow(done::back_at_step(step)));
    }
    if open > 0 {
        output.info(&Message::flow(FlowMessage::OpenDecisions { count: open }));
    }
    let count = |action| status.history.iter().filter(|entry| entry.action == action).count();
    let (errors, issues) = (count(Action::Error), count(Action::Issue));
    if errors + issues > 0 {
        output.info(&Message::flow(FlowMessage::Problems { errors, issues }));
    }
    output.info(&Message::flow(FlowMessage::LastSteps));
    let first = status.history.len().saturating_sub(LAST);
    for (index, step) in status.history.iter().enumerate().skip(first) {
        super::show::print_entry(output, index, step)?;
    }
    Ok(())
}

fn to_json(scene: &FlowContext<'_>, status: &FlowStatus, open: usize) -> Value {
    let (seconds, in_phase) = spent(status, &scene.config.phases);
    json!({
        "task_id": status.task_id.as_str(),
        "current_phase": status.current_phase,
        "current_step": status.current_step,
        "started_at": status.started_at,
        "back_at": flow::back_at(status).map(|step| step.step),
        "phases": scene.config.phases,
        "latest": status.newest().map(|entry| entry_json(status, entry)),
        "seconds": seconds,
        "seconds_in_phase": in_phase,
        "open_decisions": open,
    })
}

/// The seconds since the task began, and since its phase did, until it was done.
fn spent(status: &FlowStatus, phases: &[String]) -> (u64, u64) {
    let now = status.ended_at(phases).map_or_else(store::now, str::to_owned);
    let since = |time: &str| store::seconds_between(time, &now).unwrap_or_default();
    let phase = status.present_phase().first().map_or(&status.started_at, |entry| &entry.timestamp);
    (since(&status.started_at), since(phase))
}

/// How many items wait for a person.
fn open_decisions(scene: &FlowContext<'_>) -> usize {
    // `aide decide` reports what cannot be read.
    let Ok(decisions) = scene.project.look_at_decisions() else { return 0 };
    let open = decisions.open_sets().unwrap_or_default();
    let sets = open.iter().filter_map(|pending| decisions.set(&pending.session).ok().flatten());
    sets.map(|(_, questions)| questions.input().items.len()).sum()
}

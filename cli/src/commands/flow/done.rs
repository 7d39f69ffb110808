//! What all recorded actions share: that they are not disturbed, and what is said when they are done.

use super::consent::{Flags, names};
use super::{FlowContext, entry_json};
use crate::failure::Failure;
use crate::messages::{FlowMessage, Message};
use crate::output::Tone;
use crate::signals::Signals;
use crate::yes::can_ask;
use flow::{ActionReport, CreatedCommit, Notice};
use model::flow::{Action, HistoryEntry};
use process::Cancellation;
use serde_json::{Value, json};
use settings::CommitChoice;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

/// How many files are named of each kind in JSON.
const NAMED: usize = 100;

/// Does `act`, which is not left half done because of a signal: git and the hooks are ended, with what they wait for, and then
/// it fails.
pub(super) fn undisturbed(
    act: impl FnOnce(&Cancellation) -> Result<ActionReport, Failure>,
) -> Result<ActionReport, Failure> {
    let cancellation = Cancellation::default();
    let heard = listen(cancellation.clone());
    act(&cancellation).map_err(|mut failure| {
        // Git may have died of a signal that is still on its way here.
        if let Some(code) = heard.and_then(|heard| heard.recv_timeout(Duration::from_millis(20)).ok()) {
            failure.code = code;
        }
        failure
    })
}

/// From now on a signal is noted instead of ending the process: by its exit code. The hooks of the configuration do not
/// hear it; they are ended.
fn listen(cancellation: Cancellation) -> Option<Receiver<u8>> {
    let runtime = crate::host::thread_runtime().ok()?;
    let mut signals = {
        let _context = runtime.enter();
        Signals::listen().ok()?
    };
    let (sender, heard) = mpsc::channel();
    thread::spawn(move || {
        let code = runtime.block_on(signals.next());
        cancellation.cancel();
        // The receiver is gone once the action is done.
        let _ = sender.send(code);
    });
    Some(heard)
}

/// Everything that is said of an action. `restored` is a further field of its JSON.
pub(super) fn print_all(
    scene: &FlowContext<'_>,
    action: Action,
    done: ActionReport,
    flags: Flags,
    restored: Option<Value>,
) -> Result<(), Failure> {
    // Where its files are shown, they say which step it is.
    let back_at = (action == Action::BackStep && restored.is_none() && !flags.json)
        .then(|| flow::back_at(&done.status).map_or(FlowMessage::BackAtNothing, back_at_step));
    let printed = print(scene, action, &done, flags.json, restored);
    // Also where standard output cannot be written.
    print_commit(scene, &done, flags);
    if let Some(message) = back_at {
        scene.context.output.notice(&Message::flow(message));
    }
    notify(scene, done.notices, flags.json);
    printed
}

/// What is documented to be said.
fn print(
    scene: &FlowContext<'_>,
    action: Action,
    done: &ActionReport,
    json: bool,
    restored: Option<Value>,
) -> Result<(), Failure> {
    let Some(entry) = done.status.newest() else { return Ok(()) };
    if json {
        let mut json = entry_json(&done.status, entry);
        if let Value::Object(fields) = &mut json {
            fields.insert("committed".to_owned(), committed_json(done));
            fields.extend(restored.map(|restored| ("restored".to_owned(), restored)));
        }
        return scene.context.output.json(&json.to_string());
    }
    let phase = entry.phase.clone();
    match action {
        Action::Start => scene.print(Tone::Ok, FlowMessage::Started { phase }),
        Action::NextPart => scene.print(Tone::Ok, FlowMessage::Entered { phase }),
        Action::BackPart => scene.print(Tone::Warning, FlowMessage::WentBack { phase }),
        Action::Error => {
            scene.print(Tone::Failure, FlowMessage::ErrorRecorded { summary: entry.summary.clone() });
        }
        Action::NextStep | Action::BackStep | Action::Issue => {}
    }
    Ok(())
}

/// That the task is back at `step`.
pub(super) fn back_at_step(step: &HistoryEntry) -> FlowMessage {
    FlowMessage::BackAt { step: step.step, summary: step.summary.clone() }
}

/// What is known of the commit: how many files it has, and which of them a person may want to know of.
fn committed_json(done: &ActionReport) -> Value {
    let named = |paths: &[PathBuf]| json!({ "count": paths.len(), "files": names(paths.iter().take(NAMED)) });
    json!({
        "files": done.commit.as_ref().map_or(0, |commit| commit.files),
        "changed_before": named(&done.changed_before),
        "secrets": named(done.commit.as_ref().map_or(&[], |commit| &commit.secrets)),
        "left_out": named(&done.left_out),
    })
}

/// Tells of the commit on standard error, whatever else is said or not: how many files it has, and what of it may be
/// another person's.
fn print_commit(scene: &FlowContext<'_>, done: &ActionReport, flags: Flags) {
    let output = &scene.context.output;
    if let Some(CreatedCommit { hash, files, secrets }) = &done.recovered {
        output.warning(&Message::flow(FlowMessage::Recovered { files: *files, hash: hash.clone() }));
        print_secrets(scene, secrets);
    }
    if let Some(CreatedCommit { hash, files, secrets }) = &done.commit {
        output.notice(&Message::flow(FlowMessage::Committed { files: *files, hash: hash.clone() }));
        // Who was asked knows.
        let is_agreed = flags.yes || scene.config.commit != CommitChoice::Auto || can_ask(flags.json);
        if !done.changed_before.is_empty() && !is_agreed {
            let (paths, count) = (names(&done.changed_before), done.changed_before.len());
            output.warning_with(
                &Message::flow(FlowMessage::OthersCommitted { paths, count }),
                &Message::flow(FlowMessage::HowToBeAsked),
            );
        }
        print_secrets(scene, secrets);
    }
    let news = left_out_since(scene, done);
    if !news.is_empty() {
        let paths = names(news);
        output.warning_with(
            &Message::flow(FlowMessage::SecretsLeftOut { paths: paths.clone() }),
            &Message::flow(FlowMessage::AddOrIgnore { paths }),
        );
    }
}

/// The files that were left out and are new since the action before this one, which has named the others.
fn left_out_since<'d>(scene: &FlowContext<'_>, done: &'d ActionReport) -> Vec<&'d PathBuf> {
    let before = done.status.history.nth_last(1);
    // What was not committed has named none.
    let before = before.filter(|entry| entry.git_commit.is_some()).map(|entry| entry.timestamp.as_str());
    let is_new = |path: &&PathBuf| {
        let changed = fs::symlink_metadata(scene.project.root().join(path)).map(|found| found.ctime());
        let changed = changed.map(|seconds| store::timestamp_of(seconds.saturating_mul(1000)));
        // Within one second it may be either.
        before.zip(changed.ok()).is_none_or(|(before, changed)| store::is_since(&changed, before))
    };
    done.left_out.iter().filter(is_new).collect()
}

fn print_secrets(scene: &FlowContext<'_>, secrets: &[PathBuf]) {
    if !secrets.is_empty() {
        let paths = names(secrets);
        scene.context.output.warning_with(
            &Message::flow(FlowMessage::SecretsCommitted { paths: paths.clone() }),
            &Message::flow(FlowMessage::TakeOut { paths }),
        );
    }
}

/// What is to be printed besides. Beside JSON it goes to standard error.
fn notify(scene: &FlowContext<'_>, notices: Vec<Notice>, json: bool) {
    let output = &scene.context.output;
    for notice in notices {
        let (tone, message) = match notice {
            Notice::DiagramsDone { count } => (Some(Tone::Ok), FlowMessage::DiagramsDone { count }),
            Notice::ChangelogReminder { path } => (None, FlowMessage::ChangelogReminder { path }),
            Notice::NoPlantUml => (Some(Tone::Warning), FlowMessage::NoPlantUml),
            Notice::ChangelogMissed { path } => (Some(Tone::Warning), FlowMessage::ChangelogMissed { path }),
            Notice::NotCommitted(error) => {
                (Some(Tone::Warning), FlowMessage::NotCommitted { why: Box::new(error) })
            }
            Notice::RepositoriesLeftOut { paths } => {
                let path = paths.first().cloned().unwrap_or_default();
                output.warning_with(
                    &Message::flow(FlowMessage::RepositoriesLeftOut { paths }),
                    &Message::flow(FlowMessage::SubmoduleOrIgnore { path }),
                );
                continue;
            }
            Notice::Interrupted { task, phase } => {
                (Some(Tone::Warning), FlowMessage::Interrupted { task, phase })
            }
        };
        let message = Message::flow(message);
        match tone {
            Some(Tone::Warning | Tone::Failure) => output.warning(&message),
            _ if json => output.notice(&message),
            Some(tone) => output.outcome(tone, &message),
            None => output.info(&message),
        }
    }
}

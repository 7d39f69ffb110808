//! What all recorded actions share: that they are not disturbed, and what is said when they are done.

use super::{Scene, entry_json};
use crate::failure::Failure;
use crate::messages::{FlowMessage, Message};
use crate::output::Tone;
use crate::signals::Signals;
use flow::{Done, Notice};
use model::flow::Action;
use process::Cancellation;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;
use tokio::runtime::Builder;

/// Does `act`, which is not left half done because of a signal: git and the hooks are ended, with what they wait for, and then
/// it fails.
pub(super) fn undisturbed(act: impl FnOnce(&Cancellation) -> Result<Done, Failure>) -> Result<Done, Failure> {
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
    let runtime = Builder::new_current_thread().enable_all().build().ok()?;
    let mut signals = {
        let _context = runtime.enter();
        Signals::listen().ok()?
    };
    let (sender, heard) = mpsc::channel();
    thread::spawn(move || {
        let code = runtime.block_on(signals.next());
        cancellation.cancel();
        // Whoever is done does not listen any more.
        let _ = sender.send(code);
    });
    Some(heard)
}

/// What is documented to be said.
pub(super) fn tell(scene: &Scene<'_>, action: Action, done: &Done, json: bool) -> Result<(), Failure> {
    let Some(entry) = done.status.newest() else { return Ok(()) };
    if json {
        return scene.context.output.json(&entry_json(&done.status, entry).to_string());
    }
    let phase = entry.phase.clone();
    match action {
        Action::Start => scene.tell(Tone::Ok, FlowMessage::Started { phase }),
        Action::NextPart => scene.tell(Tone::Ok, FlowMessage::Entered { phase }),
        Action::BackPart => scene.tell(Tone::Warning, FlowMessage::WentBack { phase }),
        Action::Error => {
            scene.tell(Tone::Failure, FlowMessage::ErrorRecorded { summary: entry.summary.clone() });
        }
        Action::NextStep | Action::BackStep | Action::Issue => {}
    }
    Ok(())
}

/// What is to be told besides. Beside JSON it goes to standard error.
pub(super) fn notify(scene: &Scene<'_>, notices: Vec<Notice>, json: bool) {
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

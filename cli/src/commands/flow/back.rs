//! Going back in two steps.

use super::consent::{self, Flags};
use super::{FlowContext, done};
use crate::context::DONE;
use crate::failure::{FAILED, Failure};
use crate::messages::{FlowMessage, Message};
use crate::output::Tone;
use flow::{BackError, FlowError, Request};
use model::flow::Action;
use serde_json::json;
use std::ffi::OsStr;
use std::fmt::Write;

/// Notes the request, and says what is to be done before it is confirmed.
pub(super) fn request(scene: &FlowContext<'_>, request: &Request, json: bool) -> Result<u8, Failure> {
    let phase = request.phase.as_deref().unwrap_or_default();
    let noted = flow::request_back(scene.project, &scene.config, phase, &request.summary, key()?);
    let output = &scene.context.output;
    let info = |message| output.info(&Message::flow(message));
    match noted {
        Ok(pending) if json => {
            output.json(&json!(pending).to_string())?;
            Ok(DONE)
        }
        Ok(pending) => {
            scene.print(Tone::Warning, FlowMessage::ConfirmBack);
            info(FlowMessage::ConfirmBackFirst);
            info(FlowMessage::ConfirmBackThen);
            info(FlowMessage::ConfirmBackCommand);
            info(FlowMessage::ConfirmCommand { key: pending.pending_key });
            Ok(DONE)
        }
        Err(BackError::Pending(pending)) => {
            if json {
                output.json(&json!(pending).to_string())?;
                return Ok(FAILED);
            }
            scene.print(Tone::Warning, FlowMessage::BackRequested);
            info(FlowMessage::BackTarget { phase: pending.target_part });
            info(FlowMessage::BackReason { reason: pending.reason });
            info(FlowMessage::RunConfirm { key: pending.pending_key });
            Ok(FAILED)
        }
        Err(error) => Err(error.into()),
    }
}

/// `aide flow back-confirm`
pub(super) fn confirm(
    scene: &FlowContext<'_>,
    key: Option<&OsStr>,
    cancel: bool,
    flags: Flags,
) -> Result<u8, Failure> {
    let json = flags.json;
    if cancel {
        if !flow::cancel_back(scene.project).map_err(FlowError::from)? {
            return Err(BackError::NoRequest.into());
        }
        if json {
            scene.context.output.json(&json!({ "cancelled": true }).to_string())?;
        } else {
            scene.print(Tone::Ok, FlowMessage::BackCancelled);
        }
        return Ok(DONE);
    }
    let Some(key) = key else {
        let hint = Message::SeeHelp { command: "aide flow back-confirm".to_owned() };
        return Err(Failure::usage(Message::flow(FlowMessage::GiveKey), hint));
    };
    let key = key.to_string_lossy();
    let (project, config) = (scene.project, &scene.config);
    let consent = consent::obtain(scene, flags, || flow::survey_back(project, config, &key))?;
    let done = done::undisturbed(|cancellation| {
        Ok(flow::confirm_back(project, config, &key, &consent, cancellation)?)
    })?;
    done::print_all(scene, Action::BackPart, done, flags, None)?;
    if !json {
        scene.print(Tone::Warning, FlowMessage::BeginAnew);
    }
    Ok(DONE)
}

/// Twelve digits that cannot be guessed by accident.
fn key() -> Result<String, Failure> {
    let mut bytes = [0_u8; 6];
    let failed = |error: getrandom::Error| Failure::new(Message::Internal { words: error.to_string() }, None);
    getrandom::fill(&mut bytes).map_err(failed)?;
    let mut key = String::with_capacity(12);
    for byte in bytes {
        // Writing into a string does not fail.
        let _ = write!(key, "{byte:02x}");
    }
    Ok(key)
}

//! Going back to an earlier phase in two steps: the request and its confirmation.
//!
//! In between, the requester writes down why and what is new (`flow.back_confirm`).

use crate::action::{ActionReport, act};
use crate::change::{Change, Request};
use crate::error::FlowError;
use crate::survey::{Consent, Survey, survey};
use crate::view;
use model::flow::{Action, Phases, Summary};
use process::Cancellation;
use settings::FlowConfig;
use store::{BackRequest, Project, StoreError};

/// Why a wish to go back was not noted, confirmed or cancelled.
#[derive(Debug, thiserror::Error)]
pub enum BackError {
    /// Another one waits for its confirmation.
    #[error("another request waits")]
    Pending(BackRequest),
    /// None waits for its confirmation.
    #[error("no request waits")]
    NoRequest,
    /// The key is not that of the wish.
    #[error("the key is another one")]
    WrongKey,
    /// It cannot be done.
    #[error(transparent)]
    Flow(#[from] FlowError),
}

/// Notes the wish to go back to `phase`, after it was checked that this is possible. `key` is what the confirmation will
/// have to name.
///
/// # Errors
///
/// When it is not possible, or another wish waits.
pub fn request_back(
    project: &Project,
    config: &FlowConfig,
    phase: &str,
    reason: &str,
    key: String,
) -> Result<BackRequest, BackError> {
    let files = project.flow().map_err(FlowError::from)?;
    let summary = Summary::new(reason).map_err(FlowError::Summary)?;
    let present = view::present(project, config)?;
    let request =
        Request { action: Action::BackPart, phase: Some(phase.to_owned()), summary: reason.to_owned() };
    let change = Change::new(&request, Phases::new(&config.phases), present.as_ref())?;
    if let Some(pending) = files.back_request().map_err(FlowError::from)? {
        return Err(BackError::Pending(pending));
    }
    let request = BackRequest {
        pending_key: key,
        target_part: change.to,
        reason: summary.as_str().to_owned(),
        created_at: store::now(),
    };
    files.request_back(&request).map_err(FlowError::from)?;
    Ok(request)
}

/// Looks what [`confirm_back`] would commit besides its own.
///
/// # Errors
///
/// Why it would be refused.
pub fn survey_back(project: &Project, config: &FlowConfig, key: &str) -> Result<Survey, BackError> {
    Ok(survey(project, config, &requested(project, key)?)?)
}

/// What was wished under `key`.
fn requested(project: &Project, key: &str) -> Result<Request, BackError> {
    let files = project.flow().map_err(FlowError::from)?;
    let wish = files.back_request().map_err(FlowError::from)?.ok_or(BackError::NoRequest)?;
    if wish.pending_key != key {
        return Err(BackError::WrongKey);
    }
    Ok(Request { action: Action::BackPart, phase: Some(wish.target_part), summary: wish.reason })
}

/// Goes back, as was wished under `key`. `consent` and `cancellation` are those of [`act`].
///
/// # Errors
///
/// When nothing was wished under this key, or it cannot be done; then the wish stays.
pub fn confirm_back(
    project: &Project,
    config: &FlowConfig,
    key: &str,
    consent: &Consent,
    cancellation: &Cancellation,
) -> Result<ActionReport, BackError> {
    let request = requested(project, key)?;
    let done = act(project, config, &request, consent, cancellation)?;
    // It is done; a wish that stays can be cancelled.
    let _ = project.flow().map_err(FlowError::from)?.forget_back_request();
    Ok(done)
}

/// Forgets the wish to go back; false when there was none.
///
/// # Errors
///
/// Whatever the disk says.
pub fn cancel_back(project: &Project) -> Result<bool, StoreError> {
    Ok(project.flow()?.forget_back_request()?)
}

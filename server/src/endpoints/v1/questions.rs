//! Questions that were asked in a project's folder, and that this daemon shows.

use super::call::{Call, Reply};
use super::{Shared, report};
use crate::gate::Endpoint;
use model::SessionId;
use protocol::workflow::api::QuestionsHosted;
use protocol::workflow::{ErrorCode, Refusal};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Shows the questions of projects to people, who may be anywhere.
pub trait QuestionHost: Send + Sync {
    /// Shows the questions `session` of the project in the folder `root`, and any others asked there; the asker waits for `wait`,
    /// `None` for ever. Returns the link to them.
    ///
    /// # Errors
    ///
    /// When they are not shown here.
    fn host(&self, root: &Path, session: &SessionId, wait: Option<Duration>) -> Result<String, HostError>;
}

/// Why questions are not shown here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostError {
    /// There are none that are open.
    Missing,
    /// Another server shows them, there.
    Elsewhere(String),
    /// The folder cannot be used, for this reason.
    Unusable(String),
}

pub(super) fn table() -> Vec<Endpoint<Arc<Shared>>> {
    vec![report("/api/v1/questions", host)]
}

/// `POST /api/v1/questions`
fn host(call: &Call) -> Reply {
    const MISSING: &str = "Missing projectPath or setId";
    let root = call.required("projectPath", MISSING)?;
    if !Path::new(root).is_absolute() {
        return Err(Refusal::invalid("projectPath must be an absolute path", "projectPath").into());
    }
    let set = call.required("setId", MISSING)?;
    let session: SessionId =
        set.parse().map_err(|_| Refusal::invalid("setId is no name of a set of questions", "setId"))?;
    let wait = match call.member("timeoutMs") {
        None => None,
        Some(value) => {
            let millis = value.as_u64().filter(|millis| *millis > 0);
            let millis = millis
                .ok_or_else(|| Refusal::invalid("timeoutMs must be a positive whole number", "timeoutMs"));
            Some(Duration::from_millis(millis?))
        }
    };
    let Some(host) = call.host() else {
        return Err(Refusal::new(ErrorCode::NotFound, "Questions are not shown here").into());
    };
    if let Some(request) = call.request() {
        call.runtime().check_request(request)?;
    }
    // Shown twice they are shown once: a request that comes again is done again.
    let hosted = host.host(Path::new(root), &session, wait);
    if let Err(HostError::Elsewhere(_)) = hosted {
        // They are shown here as well, and by the next daemon too.
        call.runtime().note_project(None, root, &())?;
    }
    let url = hosted.map_err(|unhosted| match unhosted {
        HostError::Missing => Refusal::new(ErrorCode::NotFound, "No such open questions").with("setId", set),
        HostError::Elsewhere(url) => {
            Refusal::new(ErrorCode::ServedElsewhere, "Another server shows them").with("url", url)
        }
        HostError::Unusable(why) => {
            Refusal::invalid("projectPath cannot be used", "projectPath").with("reason", why)
        }
    })?;
    let hosted = QuestionsHosted { success: true, set_id: set.to_owned(), url };
    call.runtime().note_project(call.request(), root, &hosted)
}

//! `aide decide result`

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome::{self, Outcome};
use std::ffi::OsStr;

pub(super) fn run(context: &Context, session: Option<&OsStr>, json: bool) -> Result<u8, Failure> {
    let decisions = context.project()?.decisions()?;
    let session = outcome::asked_for(context, &decisions, session)?;
    let outcome = match &session {
        Some(session) => outcome::of(&decisions, session)?,
        None => Outcome::None,
    };
    outcome.tell(context, &decisions, session.as_ref(), json)
}

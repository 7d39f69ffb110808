//! `aide decide result`

use crate::context::Context;
use crate::failure::Failure;
use crate::outcome;
use decide::Outcome;
use std::ffi::OsStr;

pub(super) fn run(context: &Context, session: Option<&OsStr>, json: bool) -> Result<u8, Failure> {
    let decisions = context.project()?.decisions()?;
    let session = outcome::asked_for(context, &decisions, session)?;
    let found = match &session {
        Some(session) => decide::outcome(&decisions, session)?,
        None => Outcome::None,
    };
    outcome::tell(found, context, &decisions, session.as_ref(), json)
}

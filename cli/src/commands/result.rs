//! `aide decide result`

use super::Context;
use crate::failure::Failure;
use crate::outcome::{self, Outcome};

pub(super) fn run(context: &Context, json: bool) -> Result<u8, Failure> {
    let decisions = context.project()?.decisions()?;
    let session = outcome::pending(&decisions)?.map(|pending| pending.session);
    let outcome = match &session {
        Some(session) => outcome::of(&decisions, session)?,
        None => Outcome::None,
    };
    outcome.tell(context, session.as_ref(), json)
}

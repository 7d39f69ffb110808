//! `aide decide schema`

use crate::context::{Context, DONE};
use crate::failure::Failure;
use model::{ANSWERS_SCHEMA, QUESTIONS_SCHEMA};

pub(super) fn run(context: &Context, answers: bool) -> Result<u8, Failure> {
    context.output.text(if answers { ANSWERS_SCHEMA } else { QUESTIONS_SCHEMA })?;
    Ok(DONE)
}

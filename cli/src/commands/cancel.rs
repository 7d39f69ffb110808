//! `aide decide cancel`

use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use model::Via;

pub(super) fn run(context: &Context) -> Result<u8, Failure> {
    decide::cancel(&context.project()?.decisions()?, Via::Terminal)?;
    context.output.ok(&Message::WasCancelled);
    Ok(DONE)
}

//! `aide init`

use super::Context;
use crate::failure::Failure;
use crate::layers;
use crate::messages::Message;

pub(super) fn run(context: &Context) -> Result<(), Failure> {
    // The current folder itself, also inside another project: it becomes one of its own.
    let report = store::init_below(context.folder()?, layers::user_file().as_deref())?;
    if report.config_created {
        context.output.ok(&Message::ConfigCreated);
    }
    context.output.ok(&Message::Initialised);
    Ok(())
}

//! `aide init`

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::Message;
use crate::user_files;

pub(super) fn run(context: &Context) -> Result<(), Failure> {
    // The current folder itself, also inside another project: it becomes one of its own.
    let lang = context.language.setting().parse().unwrap_or_default();
    let report = store::init_below(context.folder()?, user_files::config().as_deref(), lang)?;
    if report.config_created {
        context.output.ok(&Message::ConfigCreated);
    }
    context.output.ok(&Message::Initialised);
    Ok(())
}

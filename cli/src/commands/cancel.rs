//! `aide decide cancel`

use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::Message;
use crate::outcome::{self, Outcome};
use model::{Ending, Via};
use store::Published;

pub(super) fn run(context: &Context) -> Result<u8, Failure> {
    let decisions = context.project()?.decisions()?;
    if outcome::pending(&decisions)?.is_none() {
        return Outcome::None.tell(context, &decisions, None, false);
    }
    let Some((pending, questions)) = decisions.pending_questions()? else {
        return Outcome::None.tell(context, &decisions, None, false);
    };
    match decisions.publish(&pending, &questions, Ending::Cancelled, Via::Terminal)? {
        // Whoever waits is told by the record.
        Published::Won(_) => {
            context.output.ok(&Message::WasCancelled);
            Ok(DONE)
        }
        Published::Lost(record) => Err(outcome::ended_before(&decisions, &pending.session, record.ending)),
        Published::Replaced => Err(outcome::replaced(&decisions, &pending.session)),
    }
}

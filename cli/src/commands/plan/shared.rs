//! A plan as its author wrote it, and what is wrong with it.

use crate::command_line::layout::text;
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage};
use agent::dag::Finding;
use agent::plan::{Authored, PlanError, Read, Wrong, authored};
use clap::ArgMatches;
use std::path::Path;

pub(super) const DIR: &str = "DIR";

/// Reads the plan that is named.
pub(super) fn read(context: &Context, matches: &ArgMatches) -> Result<Box<Authored>, Failure> {
    let given = text(matches, DIR).unwrap_or_default();
    match authored(Path::new(&given))? {
        Read::Plan(plan) => Ok(plan),
        Read::NoDag => {
            Err(Failure::new(Message::plan(PlanMessage::NoDag), Message::plan(PlanMessage::PlanFolder)))
        }
        Read::Wrong(mut wrong) => {
            let last = wrong.pop();
            for one in wrong {
                context.output.failure(&of_file(Path::new(&given), one));
            }
            let hint = Message::plan(PlanMessage::PlanFolder);
            Err(last.map_or_else(
                || Failure::new(Message::plan(PlanMessage::NoDag), hint),
                |one| of_file(Path::new(&given), one),
            ))
        }
    }
}

fn of_file(folder: &Path, wrong: Wrong) -> Failure {
    PlanError::Invalid { path: folder.join(wrong.file), error: wrong.error }.into()
}

/// Tells what was found: what may be meant as a warning.
pub(super) fn tell(context: &Context, findings: Vec<Finding>) {
    for finding in findings {
        if finding.is_fatal() {
            context.output.failure(&Failure::new(Message::plan(PlanMessage::Finding { finding }), None));
        } else {
            context.output.warning(&Message::plan(PlanMessage::Finding { finding }));
        }
    }
}

/// That a plan cannot be carried out.
pub(super) fn unsound(count: usize) -> Failure {
    let what = Message::plan(PlanMessage::Unsound { count });
    Failure::new(what, Message::plan(PlanMessage::MendFindings))
}

//! Where agents ask people, and how a person is led to the questions.

use crate::context::Context;
use crate::failure::Failure;
use crate::known;
use crate::link;
use crate::messages::{Message, RunMessage};
use crate::offer::Offer;
use crate::question_server::{QuestionServer, server_of};
use crate::server_flags::ServerFlags;
use agent::human::People;
use model::SessionId;
use std::path::PathBuf;
use store::{Decisions, Project, StoreError};

/// Where the project keeps questions; `None` where it has no `.aide`: requests are then left to a router.
pub(crate) fn decisions(project: &Project) -> Result<Option<Decisions>, Failure> {
    match project.decisions() {
        Ok(decisions) => Ok(Some(decisions)),
        Err(StoreError::NoAideFolder { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The questions of the project, in the language of the command.
pub(crate) fn for_context<'d>(context: &Context, decisions: Option<&'d Decisions>) -> Option<People<'d>> {
    Some(People { decisions: decisions?, words: texts::gateway_words(context.language.messages) })
}

/// The folder in which answers arrive.
pub(crate) fn answers(project: &Project) -> PathBuf {
    project.root().join(".aide").join("decisions")
}

/// How to answer: the link, where a page shows the questions, and the commands in any case. The daemon of this user shows them from
/// now on, if one runs.
pub(crate) fn how_to_answer(
    context: &Context,
    decisions: &Decisions,
    session: &SessionId,
) -> Result<(Option<String>, Message), Failure> {
    known::note(context.project()?.root());
    // Where it does not, another page may.
    Offer::new(context, &ServerFlags::default(), false)?.make(context.project()?, session, None);
    let url = match server_of(decisions, session)? {
        QuestionServer::By(server) => Some(link::for_session(&server, session)),
        QuestionServer::Missing | QuestionServer::Ended(_) => None,
    };
    Ok((url, Message::run(RunMessage::HowToAnswer { session: session.clone() })))
}

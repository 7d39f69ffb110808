//! Announces the server of the questions: prints the link, notifies the user, and warns if no browser can reach it.

use crate::context::Context;
use crate::link::{self, LastLink, LinkChange};
use crate::messages::Message;
use crate::network;
use crate::notify::{Notifier, Question};
use model::SessionId;
use std::process;
use store::{Project, Scope, ServerInfo};

/// Announces the server of one set of questions, once for each link to it.
pub(super) struct Announcer<'a> {
    pub(super) context: &'a Context,
    pub(super) project: &'a Project,
    pub(super) session: &'a SessionId,
    pub(super) task: String,
    /// How many questions there are.
    pub(super) items: usize,
    /// `None` if the user knows of them already.
    pub(super) notifier: Option<Notifier>,
    /// Whether this command waits until they end.
    pub(super) is_staying: bool,
    pub(super) last: LastLink,
}

impl Announcer<'_> {
    /// Prints the link to `server` unless it was printed before. Notifies the user with the first link.
    pub(super) fn announce(&mut self, server: &ServerInfo) {
        match self.last.news_of(server) {
            Some(LinkChange::First) => {
                print_waiting(self.context, server, self.session);
                self.notify(server);
            }
            Some(LinkChange::Other) => {
                let url = link::for_session(server, self.session);
                self.context.output.info(&Message::OpenLink { url });
            }
            None => {}
        }
    }

    /// Notifies the user that questions wait on `server`.
    pub(super) fn notify(&self, server: &ServerInfo) {
        if let Some(notifier) = &self.notifier {
            let question = Question { server, session: self.session, task: &self.task, items: self.items };
            notifier.notify(self.context, &question);
            notifier.notify_terminal(self.context, self.project, &question, self.is_staying);
        }
    }
}

fn print_waiting(context: &Context, server: &ServerInfo, session: &SessionId) {
    print_server(context, server.pid == process::id());
    context.output.info(&Message::OpenLink { url: link::for_session(server, session) });
    context.output.info(&Message::Waiting);
    warn_of_isolation(context, server);
}

/// Tells whether the server was started for this command, or another process serves its questions.
pub(super) fn print_server(context: &Context, is_new: bool) {
    context.output.info(if is_new { &Message::ServerStarted } else { &Message::ServerRuns });
}

/// Warns that a browser outside cannot reach `server`. A daemon is outside already: the user has started it.
pub(super) fn warn_of_isolation(context: &Context, server: &ServerInfo) {
    if server.scope != Scope::User && network::is_isolated() {
        context.output.warning_with(&Message::Isolated, &Message::AnswerOutside);
    }
}

//! Tells a person that questions wait for them: by a notification of the desktop, a program, a request to an address, a topic of
//! ntfy, or a sequence that terminals show. What was told is taken back where the channel can.
//!
//! When that is done, and of which questions, is the caller's matter. A channel that fails is an error for its caller, never
//! a wait without a bound.
//!
//! # Where things are
//!
//! Notifies a person that questions wait: through the desktop (`desktop.rs`), a program, a request (`webhook.rs`), ntfy, a
//! sequence for terminals; and withdraws the notification. When, and for which questions, is decided in `cli/src/notify/steps.rs`.

mod desktop;
mod program;
mod request;
mod secret;
mod terminal;
mod webhook;

pub use desktop::{ClickAction, ShownNotification};
pub use terminal::sequence;

use settings::Channel;
use std::io;

/// A notice to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The name of this notice, the same whenever it is sent, and when it is taken back: letters, digits, `-` and `_`, at most
    /// 64.
    pub id: String,
    /// One line: that so many questions wait.
    pub title: String,
    /// One line: what they are about.
    pub task: String,
    /// How many there are.
    pub items: usize,
    /// The name of the set.
    pub session: String,
    /// The name of the project's folder; empty where there is none.
    pub project: String,
    /// The address of the page, without a ticket.
    pub url: String,
    /// The same for programs of the person's own: where a login is needed, it lets in once.
    pub entry: String,
    /// The questions and their options; empty unless the person wants them in the notice.
    pub questions: Vec<Question>,
}

/// What a notice said, as far as it is needed when it is taken back. Nothing of it is secret.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoticeContent {
    /// [`Notice::title`].
    pub title: String,
    /// [`Notice::task`].
    pub task: String,
    /// [`Notice::text`].
    pub text: String,
    /// [`Notice::items`]; empty where it is not known.
    pub items: String,
    /// [`Notice::project`].
    pub project: String,
    /// [`Notice::url`].
    pub url: String,
}

/// One question of a notice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its title, on one line.
    pub title: String,
    /// The labels of its options.
    pub options: Vec<String>,
}

/// What is needed to take a notice back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentNotice {
    /// What the channel calls it; empty where it is found by [`Notice::id`], or cannot be taken back.
    pub handle: String,
}

/// Why a notice did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum Undelivered {
    /// A variable or a file that holds an address, a topic or a token is missing or empty.
    #[error("no secret in {name}")]
    NoSecret {
        /// The variable or the file.
        name: String,
    },
    /// An address that a variable or a file holds is none. It is not quoted: it may hold a key.
    #[error("not a link")]
    NotALink,
    /// A program could not be started, or took too long.
    #[error("{program}: {error}")]
    Program {
        /// The program.
        program: String,
        /// What the system says.
        error: io::Error,
    },
    /// A program says that it failed.
    #[error("{program} ended with {status}")]
    Failed {
        /// The program.
        program: String,
        /// Its exit code, or its signal.
        status: String,
    },
    /// No answer came from a server.
    #[error("{host}: {reason}")]
    Unreachable {
        /// Host and port: the rest of an address may be secret.
        host: String,
        /// What the connection says.
        reason: String,
    },
    /// A server refuses.
    #[error("{host} answers {status}")]
    Refused {
        /// Host and port.
        host: String,
        /// The status.
        status: u16,
    },
    /// The questions have ended meanwhile.
    #[error("no longer wanted")]
    Unwanted,
}

impl Notice {
    /// Returns its content.
    pub fn content(&self) -> NoticeContent {
        NoticeContent {
            title: self.title.clone(),
            task: self.task.clone(),
            text: self.text(),
            items: self.items.to_string(),
            project: self.project.clone(),
            url: self.url.clone(),
        }
    }

    /// Everything in a few lines: what they are about, the questions where they are wanted, and the address.
    pub fn text(&self) -> String {
        let mut lines = vec![self.task.clone()];
        lines.extend(self.lines());
        lines.push(self.url.clone());
        lines.join("\n")
    }

    /// The questions, each on one line.
    fn lines(&self) -> impl Iterator<Item = String> + '_ {
        self.questions.iter().map(|question| match question.options.as_slice() {
            [] => format!("• {}", question.title),
            options => format!("• {} ({})", question.title, options.join(" / ")),
        })
    }
}

/// Tells the person of `notice`. A desktop says in `clicks` when it was clicked; `is_wanted` is asked before each new attempt.
///
/// # Errors
///
/// When the notice did not arrive.
pub fn send(
    channel: &Channel,
    notice: &Notice,
    clicks: &ClickAction,
    is_wanted: &dyn Fn() -> bool,
) -> Result<SentNotice, Undelivered> {
    let handle = match channel {
        Channel::Desktop => desktop::show(notice, clicks)?,
        // Only who has a terminal can write to it.
        Channel::Terminal => String::new(),
        Channel::Command(command) => program::run(command, notice).map(|()| String::new())?,
        Channel::Webhook(webhook) => webhook::post(webhook, notice, is_wanted).map(|()| String::new())?,
        Channel::Ntfy(ntfy) => webhook::publish(ntfy, notice, is_wanted).map(|()| String::new())?,
    };
    Ok(SentNotice { handle })
}

/// Tells the person of `notice` and waits for nothing, neither for an answer nor for a click: only what starts a program does that.
///
/// # Errors
///
/// When the program cannot be started.
pub fn start(channel: &Channel, notice: &Notice) -> Result<(), Undelivered> {
    match channel {
        Channel::Desktop => program::leave(desktop::plain(notice)),
        Channel::Command(command) => program::own(command, notice).map_or(Ok(()), program::leave),
        Channel::Terminal | Channel::Webhook(_) | Channel::Ntfy(_) => Ok(()),
    }
}

/// Looks whether everything is there that `channel` needs to be told where to send something. Nothing is sent.
///
/// # Errors
///
/// What is missing.
pub fn check(channel: &Channel) -> Result<(), Undelivered> {
    match channel {
        Channel::Desktop | Channel::Terminal | Channel::Command(_) => Ok(()),
        Channel::Webhook(webhook) => webhook::check(&webhook.url, None, webhook.token.as_ref()),
        Channel::Ntfy(ntfy) => webhook::check(&ntfy.server, Some(&ntfy.topic), ntfy.token.as_ref()),
    }
}

/// Takes back what was told, because the questions have ended as `status` says.
///
/// # Errors
///
/// When that did not arrive.
pub fn withdraw(channel: &Channel, notice: &EndedNotice<'_>, sent: &SentNotice) -> Result<(), Undelivered> {
    match channel {
        Channel::Desktop => desktop::close(&sent.handle),
        Channel::Webhook(webhook) => webhook::withdraw(webhook, notice),
        Channel::Ntfy(ntfy) => webhook::delete(ntfy, notice),
        Channel::Terminal | Channel::Command(_) => Ok(()),
    }
}

/// A notice whose questions have ended.
#[derive(Debug, Clone, Copy)]
pub struct EndedNotice<'a> {
    /// [`Notice::id`].
    pub id: &'a str,
    /// [`Notice::session`].
    pub session: &'a str,
    /// How they ended, as `aide decide list --json` calls it.
    pub status: &'a str,
    /// The content of the notice; empty where an earlier version has sent it.
    pub content: &'a NoticeContent,
}

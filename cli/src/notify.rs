//! Notifies the user of waiting questions.
//!
//! It is a courtesy: failures are reported and nothing more, and no caller waits for it. Only the user's own configuration names
//! the command: a repository may come from a stranger.

mod records;
mod steps;

pub(crate) use steps::{Steps, withdraw};

use crate::context::Context;
use crate::failure::Failure;
use crate::link;
use crate::messages::Message;
use model::SessionId;
use notice::{Notice, Undelivered};
use settings::{BadSetting, Channel, Config, NotifyConfig, UncheckedValue, WhenToNotify, keys};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};
use store::{Project, ServerInfo};
use texts::terminal_safe;

/// Returns when to notify the user of questions, as set by the flag `--notify` or a variable; `None` if neither is given.
pub(crate) fn when_requested(
    flag: Option<&OsStr>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<WhenToNotify>, Failure> {
    let given = keys::NOTIFY_WHEN.given(flag, variable);
    Ok(given.map(|given| read(&given)).transpose()?)
}

/// Returns the same as set by the user's own configuration.
pub(crate) fn when_configured(config: &NotifyConfig) -> Result<Option<WhenToNotify>, Failure> {
    let given =
        config.when.clone().map(|when| UncheckedValue { source: when.source, text: when.text.into() });
    Ok(given.map(|given| read(&given)).transpose()?)
}

fn read(given: &UncheckedValue) -> Result<WhenToNotify, BadSetting> {
    given.parse(&keys::NOTIFY_WHEN)
}

/// Keeps the server of the questions `session` from sending notices, where `when`, what a flag or a variable says, is that the person is
/// not told. To be called before there is a server.
pub(crate) fn prepare(project: &Project, session: &SessionId, when: Option<WhenToNotify>) {
    if when == Some(WhenToNotify::None) {
        steps::silence(project, session);
    }
}

/// What a notification says.
pub(crate) struct Question<'q> {
    pub(crate) server: &'q ServerInfo,
    pub(crate) session: &'q SessionId,
    pub(crate) task: &'q str,
    pub(crate) items: usize,
}

/// What is known before there is anything to tell.
pub(crate) struct Notifier {
    when: WhenToNotify,
    /// Whether the person's own steps say what is done, and when. The server does it, but for what needs a terminal.
    has_steps: bool,
    config: NotifyConfig,
}

impl Notifier {
    /// `when` is what a flag or variable says; without one, the person's own configuration decides. `repository` is what
    /// the project's file says, which has no say here.
    pub(crate) fn new(
        context: &Context,
        project: &Project,
        repository: &Config,
        when: Option<WhenToNotify>,
    ) -> Self {
        if let Some(line) = repository.notify_line {
            let file = project.config_file();
            context.output.warning(&Message::NotifyIgnored { file, line });
        }
        let read = || -> Result<_, Failure> {
            let config = context.user_layers()?.notify()?;
            Ok((when_configured(&config)?, config))
        };
        let (by_default, config) = read().unwrap_or_else(|failure| {
            context.output.warning_of(&failure);
            (None, NotifyConfig::default())
        });
        let has_steps = when.is_none() && !config.steps.is_empty();
        let when = when.or(by_default.filter(|_| !has_steps)).unwrap_or_default();
        Self { when, has_steps, config }
    }

    /// Has the terminal of this command, if it has one, show a notification as the steps say, on a thread of its own, which ends
    /// with the process. `is_staying` is whether this command waits for the end of the questions.
    pub(crate) fn notify_terminal(
        &self,
        context: &Context,
        project: &Project,
        question: &Question<'_>,
        is_staying: bool,
    ) {
        if !self.has_steps || !context.output.has_own_terminal() {
            return;
        }
        let steps = self.config.steps.iter().filter(|step| step.how == Channel::Terminal);
        let mut times: Vec<Duration> = steps.map(|step| step.after).collect();
        times.retain(|after| is_staying || after.is_zero());
        times.sort_unstable();
        if times.is_empty() {
            return;
        }
        let notice = question.notice(context);
        let sequence = notice::sequence(&notice, env::var_os("TMUX").is_some_and(|set| !set.is_empty()));
        if !is_staying {
            return context.output.to_terminal(&sequence);
        }
        let (output, project, session) = (context.output.clone(), project.clone(), question.session.clone());
        let began = Instant::now();
        let tell = move || {
            for after in times {
                thread::sleep(after.saturating_sub(began.elapsed()));
                if !after.is_zero() && steps::was_looked_at(&project, &session) {
                    return;
                }
                output.to_terminal(&sequence);
            }
        };
        // Without a thread to be had, nothing is shown.
        let _ = thread::Builder::new().spawn(tell);
    }

    /// Tells the person, and does not wait for what comes of it.
    pub(crate) fn notify(&self, context: &Context, question: &Question<'_>) {
        let channel = match self.when {
            WhenToNotify::None => return,
            WhenToNotify::Bell => return context.output.bell(),
            WhenToNotify::Desktop => Channel::Desktop,
            WhenToNotify::Command if self.config.command.is_empty() => {
                let file = context.config_files.user_file().unwrap_or(Path::new("")).to_owned();
                return context.output.warning(&Message::NoNotifyCommand { file });
            }
            WhenToNotify::Command => Channel::Command(self.config.command.clone()),
        };
        let notice = question.notice(context);
        if let Err(Undelivered::Program { program, error }) = notice::start(&channel, &notice) {
            context.output.warning(&Message::NotifyFailed { program, error });
        }
    }
}

impl Question<'_> {
    /// The notice of them that is not told again and not taken back.
    fn notice(&self, context: &Context) -> Notice {
        Notice {
            id: String::new(),
            title: Message::NotifyTitle { items: self.items }.render(context.language.messages),
            task: one_line(self.task),
            items: self.items,
            session: self.session.to_string(),
            project: String::new(),
            url: self.server.link_to(self.session),
            // With the ticket, where a login is needed: others can read a program's arguments, but not its environment.
            entry: link::for_session(self.server, self.session),
            questions: Vec::new(),
        }
    }
}

/// An agent's text, with nothing in it that a terminal or a line-reading script would obey.
fn one_line(text: &str) -> String {
    terminal_safe(&model::on_one_line(text)).into_owned()
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_task_is_one_harmless_line() {
        assert_eq!(one_line(" a\n b\t\u{1b}[2Jc\0"), "a b \\u{1b}[2Jc\\u{0}");
    }
}

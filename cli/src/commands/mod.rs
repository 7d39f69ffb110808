//! From the command line to an exit code; one file per command.

mod answer;
mod cancel;
mod clean;
mod config;
mod export;
mod flow;
mod init;
mod list;
mod open;
mod result;
mod schema;
mod show;
mod submit;
mod trust;
mod wait;

pub(crate) use export::Format;

use crate::args::{self, Request};
use crate::failure::Failure;
use crate::language::{self, Language};
use crate::messages::Message;
use crate::output::Output;
use std::env;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use store::Project;

/// Exit code of success.
pub(crate) const DONE: u8 = 0;

/// What every command has at hand.
pub(crate) struct Context {
    /// The current folder.
    folder: io::Result<PathBuf>,
    pub(crate) language: Language,
    /// `--lang`, as given.
    lang_flag: Option<OsString>,
    pub(crate) output: Output,
}

/// Runs the program.
pub(crate) fn run() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let folder = env::current_dir();
    let project = folder.as_ref().ok().and_then(|folder| Project::discover(folder).ok());
    let (language, checked) = language::decide(&arguments, |name| env::var_os(name), project.as_ref());
    let output = Output::new(language.messages, |name| env::var_os(name));
    let lang_flag = language::flag(&arguments);
    let context = Context { folder, language, lang_flag, output };
    let result = args::parse(language.messages, &arguments).and_then(|request| match request {
        Request::Show(text) => context.output.text(&text).map(|()| DONE),
        request => checked.and_then(|()| context.run(request)),
    });
    let code = result.unwrap_or_else(|failure| {
        context.output.failure(&failure);
        failure.code
    });
    ExitCode::from(code)
}

impl Context {
    fn run(self: &Context, request: Request) -> Result<u8, Failure> {
        match request {
            Request::Show(text) => self.output.text(&text).map(|()| DONE),
            Request::Init => init::run(self).map(|()| DONE),
            Request::Trust { show, revoke } => {
                let wish = match (show, revoke) {
                    (true, _) => trust::Wish::Show,
                    (_, true) => trust::Wish::Revoke,
                    _ => trust::Wish::Trust,
                };
                trust::run(self, wish)
            }
            Request::Config(request) => config::run(self, &request),
            Request::Flow(request) => flow::run(self, request),
            Request::Submit { input, flags } => submit::run(self, &input, &flags),
            Request::Serve { session, flags } => submit::serve(self, &session, &flags),
            Request::Wait { flags } => wait::run(self, &flags),
            Request::Result { session, json } => result::run(self, session.as_deref(), json),
            Request::List { json } => list::run(self, json),
            Request::ShowSession { session, json } => show::run(self, session.as_deref(), json),
            Request::Schema { answers } => schema::run(self, answers),
            Request::Answer { session } => answer::run(self, session.as_deref()),
            Request::Open => open::run(self),
            Request::Cancel => cancel::run(self),
            Request::Clean { flags } => clean::run(self, &flags),
            Request::Export { flags } => export::run(self, &flags),
        }
    }

    fn folder(&self) -> Result<&PathBuf, Failure> {
        self.folder.as_ref().map_err(no_current_folder)
    }

    fn project(&self) -> Result<Project, Failure> {
        Project::discover(self.folder()?).map_err(|error| no_current_folder(&error))
    }
}

fn no_current_folder(error: &io::Error) -> Failure {
    // An I/O error cannot be cloned; its code says all of it.
    let error = error.raw_os_error().map_or_else(|| error.kind().into(), io::Error::from_raw_os_error);
    Failure::new(Message::NoCurrentFolder { error }, None)
}

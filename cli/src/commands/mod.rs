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

use crate::args::{self, Request};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::output::Output;
use crate::{language, user_files};
use settings::ConfigFiles;
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;
use store::Project;

/// Runs the program.
pub(crate) fn run() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let folder = env::current_dir();
    let project = match &folder {
        Ok(folder) => Project::discover(folder),
        Err(error) => Err(error.kind().into()),
    };
    let config_files = match &project {
        Ok(project) => project.config_files(user_files::config()),
        Err(_) => ConfigFiles::new(None, user_files::config()),
    };
    let (language, checked) = language::decide(&arguments, |name| env::var_os(name), || config_files.lang());
    let output = Output::new(language.messages, |name| env::var_os(name));
    let lang_flag = language::flag(&arguments);
    let context = Context { folder, project, config_files, language, lang_flag, output };
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
    fn run(&self, request: Request) -> Result<u8, Failure> {
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
            Request::Open { link } => open::run(self, link),
            Request::Cancel => cancel::run(self),
            Request::Clean { flags } => clean::run(self, &flags),
            Request::Export { flags } => export::run(self, &flags),
        }
    }
}

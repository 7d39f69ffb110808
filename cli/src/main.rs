//! `aide`: AI agents ask, people decide.

mod agents;
mod attend;
mod browser;
mod clock;
mod command_line;
mod commands;
mod context;
mod daemon;
mod detach;
mod due;
mod everywhere;
mod failure;
mod host;
mod input_file;
mod known;
mod language;
mod link;
mod log;
mod messages;
mod network;
mod notify;
mod offer;
mod opener;
mod outcome;
mod output;
mod places;
mod progress;
mod qr;
mod question_server;
mod remote;
mod server_flags;
mod signals;
mod terminal;
mod this_program;
mod trust;
mod user_daemon;
mod user_files;
mod yes;

use command_line::layout::{Layout, Program};
use command_line::{Command, Invocation};
use commands::{COMMANDS, FINGER_COMMANDS};
use context::{Context, DONE};
use messages::Message;
use output::Output;
use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

/// The allocator of musl locks all threads out for each piece of memory: a server of several threads is slow with it.
#[cfg(target_env = "musl")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// From the command line to an exit code.
fn main() -> ExitCode {
    log::start();
    let mut arguments: Vec<OsString> = env::args_os().collect();
    let program = Program::called(arguments.first().map(OsString::as_os_str));
    arguments.drain(..arguments.len().min(1));
    let folder = env::current_dir();
    let output = |lang| Output::new(lang, &arguments, |name| env::var_os(name));
    let (context, checked) = Context::at(folder, &arguments, output);
    let commands: &[&Command] = match program {
        Program::Aide => &COMMANDS,
        Program::Finger => &FINGER_COMMANDS,
    };
    let layout = Layout { lang: context.language.messages, program };
    let result = command_line::parse(commands, layout, &arguments);
    let wants_json = result.is_err() && command_line::wants_json(commands, layout, &arguments);
    let result = result.and_then(|asked| match asked {
        Invocation::Show(text) => context.output.text(&with_offer(&context, text, &arguments)).map(|()| DONE),
        Invocation::Run(matches) => checked.and_then(|()| Command::run_one_of(commands, &context, &matches)),
    });
    let code = result.unwrap_or_else(|failure| {
        if wants_json {
            context.output.failure_json(&failure, None, serde_json::Map::new());
        } else {
            context.output.failure(&failure);
            context.offer_english();
        }
        failure.code
    });
    log::flush();
    ExitCode::from(code)
}

/// The first help ends with how to switch to English, where the locale is English and the help is not.
fn with_offer(context: &Context, text: String, arguments: &[OsString]) -> String {
    let is_first = arguments.iter().all(|argument| argument == "--help" || argument == "-h");
    if !is_first || !context.language.offers_english {
        return text;
    }
    let (text, offer) = (text.trim_end(), Message::OfferEnglish.render(context.language.messages));
    format!("{text}\n\n{offer}\n")
}

//! `aide`: AI agents ask, people decide.

mod args;
mod commands;
mod failure;
mod input;
mod language;
mod messages;
mod output;
mod settings;

fn main() -> std::process::ExitCode {
    commands::run()
}

//! `aide`: AI agents ask, people decide.

mod args;
mod attend;
mod browser;
mod commands;
mod context;
mod detach;
mod failure;
mod host;
mod input;
mod language;
mod link;
mod messages;
mod notify;
mod opener;
mod outcome;
mod output;
mod signals;
mod terminal;
mod trust;
mod user_files;

fn main() -> std::process::ExitCode {
    commands::run()
}

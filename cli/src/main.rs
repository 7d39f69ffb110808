//! `aide`: AI agents ask, people decide.

mod args;
mod attend;
mod browser;
mod commands;
mod detach;
mod failure;
mod flow_settings;
mod host;
mod input;
mod language;
mod layers;
mod link;
mod messages;
mod notify;
mod opener;
mod outcome;
mod output;
mod settings;
mod signals;
mod terminal;
mod trust;

fn main() -> std::process::ExitCode {
    commands::run()
}

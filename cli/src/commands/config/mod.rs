//! `aide config`

mod effective;
mod get;
mod list;
mod nearest;
mod path;
mod set;

use crate::args::ConfigRequest;
use crate::context::Context;
use crate::failure::{FAILED, Failure};
use crate::messages::Message;
use crate::user_files;
use nearest::hint;
use settings::{Key, Origin, key_text, known};
use std::ffi::OsStr;
use std::path::PathBuf;

pub(super) fn run(context: &Context, request: &ConfigRequest) -> Result<u8, Failure> {
    match request {
        ConfigRequest::Get { key, json } => get::run(context, &text_of(key), *json),
        ConfigRequest::Set { key, value, user } => set::set(context, &text_of(key), value, *user),
        ConfigRequest::Unset { key, user } => set::unset(context, &text_of(key), *user),
        ConfigRequest::List { json } => list::run(context, *json),
        ConfigRequest::Path { user, json } => path::run(context, *user, *json),
    }
}

/// What is no UTF-8 is no key of a configuration, which is.
fn text_of(key: &OsStr) -> String {
    key.to_string_lossy().into_owned()
}

/// The key of ours that has these names. A name with a dot in it is none of ours.
fn ours(names: &[&str]) -> Option<&'static Key> {
    known(&names.iter().map(|name| key_text(name)).collect::<Vec<_>>().join("."))
}

/// There is no such key: `⚠`, and the nearest one.
fn not_found(context: &Context, key: &str) -> u8 {
    context.output.warning_with(&Message::NoSuchKey { key: key.to_owned() }, &hint(key));
    FAILED
}

/// The person's own file.
fn user_file() -> Result<PathBuf, Failure> {
    user_files::config().ok_or_else(|| Failure::new(Message::NoConfigFolder, Message::SetConfigHome))
}

/// Whose file it is, in JSON.
fn code(origin: Origin) -> &'static str {
    match origin {
        Origin::Project => "project",
        Origin::User => "user",
    }
}

//! `aide config`

mod effective;
mod get;
mod help;
mod list;
mod path;
mod set;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::Context;
use crate::failure::{FAILED, Failure};
use crate::messages::{ConfigMessage, Message};
use crate::user_files;
use clap::ArgMatches;
use settings::{Key, Origin, key_text, known, nearest_key};
use std::ffi::OsStr;
use std::path::PathBuf;

/// `aide config`
pub(crate) static COMMAND: Command = Command { name: "config", build, run };

const KEY: &str = "KEY";
const VALUE: &str = "VALUE";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let required = |name, about| layout.positional(name, about).required(true).allow_negative_numbers(true);
    let key = || required(KEY, words.key);
    let user = || layout.flag("user", words.user);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .subcommand(
            layout
                .command("get", words.get, words.get_usage, words.get_after)
                .arg(key())
                .arg(layout.flag("json", words.get_json)),
        )
        .subcommand(
            layout
                .command("set", words.set, words.set_usage, words.set_after)
                .arg(key())
                .arg(required(VALUE, words.value))
                .arg(user()),
        )
        .subcommand(
            layout.command("unset", words.unset, words.unset_usage, words.unset_after).arg(key()).arg(user()),
        )
        .subcommand(
            layout
                .command("list", words.list, words.list_usage, words.list_after)
                .arg(layout.flag("json", words.list_json)),
        )
        .subcommand(
            layout
                .command("path", words.path, words.path_usage, words.path_after)
                .arg(layout.flag("user", words.path_user))
                .arg(layout.flag("json", words.path_json)),
        )
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        return Command::run_one_of(&[], context, matches);
    };
    let (json, user) = (is_set(matches, "json"), is_set(matches, "user"));
    let key = text_of(&text(matches, KEY).unwrap_or_default());
    match name {
        "get" => get::run(context, &key, json),
        "set" => set::set(context, &key, &text(matches, VALUE).unwrap_or_default(), user),
        "unset" => set::unset(context, &key, user),
        "list" => list::run(context, json),
        _ => path::run(context, user, json),
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

/// What to do about a key that does not exist.
fn hint(key: &str) -> Message {
    // A key that exists is just not set there.
    let near = nearest_key(key).filter(|near| *near != key);
    near.map_or(Message::config(ConfigMessage::SeeKeys), |near| {
        Message::config(ConfigMessage::NearKey { key: near })
    })
}

/// There is no such key: `⚠`, and the nearest one.
fn not_found(context: &Context, key: &str) -> u8 {
    context
        .output
        .warning_with(&Message::config(ConfigMessage::NoSuchKey { key: key.to_owned() }), &hint(key));
    FAILED
}

/// The person's own file.
fn user_file() -> Result<PathBuf, Failure> {
    user_files::config().ok_or_else(|| {
        Failure::new(
            Message::config(ConfigMessage::NoConfigFolder),
            Message::config(ConfigMessage::SetConfigHome),
        )
    })
}

/// Whose file it is, in JSON.
fn code(origin: Origin) -> &'static str {
    match origin {
        Origin::Project => "project",
        Origin::User => "user",
    }
}

#[cfg(test)]
mod tests {
    use super::{KEY, VALUE};
    use crate::command_line::layout::{is_set, text};
    use crate::command_line::read;

    #[test]
    fn the_arguments_are_read() {
        for (words, key, value, user, json) in [
            (&["config", "get", "decide.port", "--json"][..], Some("decide.port"), None, false, true),
            (&["config", "set", "--user", "decide.port", "-1"], Some("decide.port"), Some("-1"), true, false),
            (&["config", "set", "x", "--", "--user"], Some("x"), Some("--user"), false, false),
            (&["config", "unset", "x"], Some("x"), None, false, false),
            (&["config", "list"], None, None, false, false),
            (&["config", "path", "--user"], None, None, true, false),
        ] {
            let matches = read(words).unwrap_or_else(|| panic!("{words:?}"));
            let given = [KEY, VALUE].map(|name| text(&matches, name));
            assert_eq!(given, [key, value].map(|text| text.map(Into::into)), "{words:?}");
            assert_eq!((is_set(&matches, "user"), is_set(&matches, "json")), (user, json), "{words:?}");
        }
    }
}

//! `aide decide clean`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{Message, RecordMessage};
use crate::progress::{Progress, Work};
use crate::user_files;
use crate::yes::{can_ask, says_yes};
use clap::ArgMatches;
use decide::Entry;
use model::SessionId;
use serde_json::json;
use settings::forms::digits;
use std::ffi::{OsStr, OsString};
use std::time::Duration;
use store::Retention;
use texts::Need;

/// `aide decide clean`
pub(crate) static COMMAND: Command = Command { name: "clean", build, run };

/// The flags, as given.
#[derive(Debug, Default, PartialEq, Eq)]
struct Flags {
    keep: Option<OsString>,
    older_than: Option<OsString>,
    dry_run: bool,
    yes: bool,
    json: bool,
}

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.value("keep", "N", words.keep))
        .arg(layout.value("older-than", "AGE", words.older_than))
        .arg(layout.flag("dry-run", words.dry_run))
        .arg(layout.flag("yes", words.yes))
        .arg(layout.flag("json", words.json))
}

impl Flags {
    fn read(matches: &ArgMatches) -> Self {
        Self {
            keep: text(matches, "keep"),
            older_than: text(matches, "older-than"),
            dry_run: is_set(matches, "dry-run"),
            yes: is_set(matches, "yes"),
            json: is_set(matches, "json"),
        }
    }
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let flags = &Flags::read(matches);
    let Some(retention) = retention(flags)? else {
        let command = "aide decide clean".to_owned();
        return Err(Failure::usage(Message::MissingLimit, Message::SeeHelp { command }));
    };
    let decisions = context.project()?.decisions()?;
    let sessions = decide::removable(&decisions, retention)?;
    if flags.dry_run {
        return print_dry_run(context, flags, &sessions, |session| Entry::read(&decisions, session));
    }
    if !flags.yes && !sessions.is_empty() {
        if !can_ask(flags.json) {
            return Err(Failure::new(
                Message::record(RecordMessage::NeedsYes),
                Message::record(RecordMessage::SayYes),
            ));
        }
        for entry in sessions.iter().filter_map(|session| Entry::read(&decisions, session.clone())) {
            context.output.entry(0, &Message::session(entry, context.language.messages))?;
        }
        context.output.ask(&Message::record(RecordMessage::ReallyRemove { count: sessions.len() }));
        if !says_yes() {
            context.output.warning(&Message::record(RecordMessage::NothingRemoved));
            return Ok(FAILED);
        }
    }
    let mut progress = (!flags.json).then(|| Progress::new(&context.output, Work::Removal));
    let removed = decide::remove(&decisions, &sessions, &mut |done| {
        if let Some(progress) = &mut progress {
            progress.at(done as u64, sessions.len() as u64);
        }
    })?;
    drop(progress);
    if let Some(cache) = user_files::search_cache().filter(|_| !removed.is_empty()) {
        // It has their texts.
        cache.forget(&decisions);
    }
    if flags.json {
        context.output.json(&json!({ "removed": removed, "dry_run": false }).to_string())?;
    } else if removed.is_empty() {
        context.output.info(&Message::record(RecordMessage::NothingToClean));
    } else {
        context.output.ok(&Message::record(RecordMessage::Removed { count: removed.len() }));
    }
    Ok(DONE)
}

fn print_dry_run(
    context: &Context,
    flags: &Flags,
    sessions: &[SessionId],
    entry: impl Fn(SessionId) -> Option<Entry>,
) -> Result<u8, Failure> {
    if flags.json {
        context.output.json(&json!({ "removed": sessions, "dry_run": true }).to_string())?;
        return Ok(DONE);
    }
    for entry in sessions.iter().cloned().filter_map(entry) {
        context.output.entry(0, &Message::session(entry, context.language.messages))?;
    }
    context.output.info(&match sessions.len() {
        0 => Message::record(RecordMessage::NothingToClean),
        count => Message::record(RecordMessage::WouldRemove { count }),
    });
    Ok(DONE)
}

/// Which records are kept; `None` when neither flag says.
fn retention(flags: &Flags) -> Result<Option<Retention>, Failure> {
    let keep = flags.keep.as_deref().map(|given| read("--keep", given, Need::Count, count)).transpose()?;
    let older_than =
        flags.older_than.as_deref().map(|given| read("--older-than", given, Need::Age, age)).transpose()?;
    Ok((keep.is_some() || older_than.is_some()).then_some(Retention { keep, older_than }))
}

fn read<T>(
    flag: &'static str,
    given: &OsStr,
    need: Need,
    read: impl FnOnce(&str) -> Option<T>,
) -> Result<T, Failure> {
    given
        .to_str()
        .and_then(read)
        .ok_or_else(|| Failure::flag(flag, given.to_string_lossy().into_owned(), need))
}

fn count(text: &str) -> Option<usize> {
    digits(text)?.parse().ok()
}

/// A number and its unit, those of a deadline: `45s`, `30m`, `12h`, `30d`, `2w`.
pub(crate) fn age(text: &str) -> Option<Duration> {
    const HOUR: u64 = 3600;
    let (number, length) = [("s", 1), ("m", 60), ("h", HOUR), ("d", 24 * HOUR), ("w", 7 * 24 * HOUR)]
        .into_iter()
        .find_map(|(unit, length)| Some((text.strip_suffix(unit)?, length)))?;
    let seconds = digits(number)?.parse::<u64>().ok()?.checked_mul(length)?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::{Flags, age};
    use crate::command_line::read;
    use std::time::Duration;

    #[test]
    fn the_flags_are_read() {
        let flags = |words: &[&str]| read(words).map(|matches| Flags::read(&matches));
        assert_eq!(flags(&["decide", "clean"]), Some(Flags::default()));
        let all = Flags {
            keep: Some("3".into()),
            older_than: Some("2w".into()),
            dry_run: true,
            yes: true,
            json: true,
        };
        let words = ["decide", "clean", "--keep", "3", "--older-than=2w", "--dry-run", "--yes", "--json"];
        assert_eq!(flags(&words), Some(all));
    }

    #[test]
    fn ages_have_a_unit() {
        let hours = |hours: u64| Some(Duration::from_secs(hours * 3600));
        for (text, expected) in [
            ("12h", hours(12)),
            ("30d", hours(720)),
            ("2w", hours(336)),
            ("0d", hours(0)),
            ("007h", hours(7)),
            ("90s", Some(Duration::from_secs(90))),
            ("60m", hours(1)),
        ] {
            assert_eq!(age(text), expected, "{text}");
        }
        for text in [
            "",
            "h",
            "12",
            "12M",
            "12ms",
            "-1d",
            "+1d",
            "1.5d",
            "1 d",
            "1D",
            "天",
            "99999999999999999999h",
            "9999999999999999w",
        ] {
            assert_eq!(age(text), None, "{text}");
        }
    }
}

//! The command line: what is called, how that is read, and what is said when it makes no sense.

mod help;
pub(crate) mod layout;
mod remote_flags;

pub(crate) use remote_flags::remote_flags;

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::Message;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{ArgAction, ArgMatches};
use layout::{Layout, Program};
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The group of commands about questions.
const DECIDE: &str = "decide";

/// A command: how it is called, in every language, and what it does.
pub(crate) struct Command {
    pub(crate) name: &'static str,
    /// Makes its arguments and its help.
    pub(crate) build: fn(Layout) -> clap::Command,
    /// Does it, and returns the exit code.
    pub(crate) run: fn(&Context, &ArgMatches) -> Result<u8, Failure>,
}

/// What a command line asks for.
pub(crate) enum Invocation {
    /// A text is to be shown.
    Show(String),
    /// A command is to be run.
    Run(ArgMatches),
}

impl Command {
    /// Runs the one of `commands` that `matches` names.
    pub(crate) fn run_one_of(
        commands: &[&Self],
        context: &Context,
        matches: &ArgMatches,
    ) -> Result<u8, Failure> {
        let named = matches.subcommand().and_then(|(name, matches)| {
            Some((commands.iter().find(|command| command.name == name)?, matches))
        });
        match named {
            Some((command, matches)) => (command.run)(context, matches),
            // The help was shown where none is named, and an unknown one refused.
            None => Err(Failure::new(Message::Internal { words: "no such command".to_owned() }, None)),
        }
    }
}

/// Reads the arguments after the program's name, which may call one of `commands`.
pub(crate) fn parse(
    commands: &[&Command],
    layout: Layout,
    arguments: &[OsString],
) -> Result<Invocation, Failure> {
    let mut program = program(commands, layout);
    let arguments = with_submit(&program, arguments);
    let matches = match program.try_get_matches_from_mut(&arguments) {
        Ok(matches) => matches,
        Err(error) => return refused(&error, &program, &arguments),
    };
    Ok(help_of(&mut program, &matches).map_or(Invocation::Run(matches), Invocation::Show))
}

/// Whether arguments that were not understood ask for errors as JSON, as commands about workflows tell theirs.
pub(crate) fn wants_json(commands: &[&Command], layout: Layout, arguments: &[OsString]) -> bool {
    let program = program(commands, layout);
    let command = positionals(&program, arguments).next().map(|(_, word)| word);
    let is_about_workflows = match layout.program {
        Program::Aide => command.is_some_and(|name| name == "workflow" || name == "orchestrate"),
        Program::Finger => command.is_none_or(|name| name != "daemon"),
    };
    let mut flags = arguments.iter().take_while(|argument| *argument != "--");
    is_about_workflows && flags.any(|flag| flag == "--json" || flag == "-j")
}

/// Returns the help of what `matches` call, if it does nothing by itself.
fn help_of(command: &mut clap::Command, matches: &ArgMatches) -> Option<String> {
    match matches.subcommand() {
        Some((name, matches)) => help_of(command.find_subcommand_mut(name)?, matches),
        None => command.has_subcommands().then(|| command.render_help().to_string()),
    }
}

/// Help and version are errors to clap.
fn refused(
    error: &clap::Error,
    program: &clap::Command,
    arguments: &[OsString],
) -> Result<Invocation, Failure> {
    let words = |kind| match error.get(kind) {
        Some(ContextValue::String(words)) => Some(words.clone()),
        Some(ContextValue::Strings(words)) => words.first().cloned(),
        _ => None,
    };
    let argument = || words(ContextKind::InvalidArg).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            return Ok(Invocation::Show(error.render().to_string()));
        }
        ErrorKind::UnknownArgument => Message::UnknownArgument { argument: argument() },
        ErrorKind::InvalidSubcommand => {
            Message::UnknownCommand { name: words(ContextKind::InvalidSubcommand).unwrap_or_default() }
        }
        ErrorKind::MissingRequiredArgument => Message::MissingArgument { argument: argument() },
        ErrorKind::InvalidValue => Message::MissingValue { argument: argument() },
        ErrorKind::ArgumentConflict => match words(ContextKind::PriorArg) {
            Some(other) if other != argument() => Message::Excludes { argument: argument(), other },
            _ => Message::Repeated { argument: argument() },
        },
        _ => {
            let words = error.render().to_string();
            let first = words.lines().next().unwrap_or_default();
            Message::OtherUsage { words: first.trim_start_matches("error: ").to_owned() }
        }
    };
    let (command, found) = named(program, arguments);
    let unknown = words(ContextKind::InvalidSubcommand);
    if let Some(hint) = unknown.as_deref().and_then(|unknown| elsewhere(program, (&command, found), unknown))
    {
        return Err(Failure::usage(what, hint));
    }
    if error.kind() == ErrorKind::MissingRequiredArgument
        && let Some(list) = list_of(&command, &argument())
    {
        return Err(Failure::usage(what, Message::SeeNames { list }));
    }
    // Of a command or a flag that has hardly anything in common with the word, a suggestion leads nowhere.
    let flag = |suggested: &String| is_slip(&argument(), suggested);
    let near = || nearest_command(found, unknown.as_deref()?);
    let other = words(ContextKind::SuggestedArg).filter(flag).or_else(near);
    let hint = match other {
        Some(other) => Message::DidYouMean { other, command },
        None => Message::SeeHelp { command },
    };
    Err(Failure::usage(what, hint))
}

/// The command that lists what can stand for an argument of the command at `path`.
fn list_of(path: &str, argument: &str) -> Option<&'static str> {
    let is_in = |group: &str| path.split(' ').any(|word| word == group);
    match argument.trim_end_matches('.') {
        "<WORKFLOW>" => Some("aide workflow list"),
        "<NAME>" if is_in("workflow") => Some("aide workflow list"),
        "<SESSION>" if is_in("workflow") => Some("aide workflow sessions"),
        "<SESSION>" => Some("aide decide list"),
        "<DECISION>" => Some("aide workflow decision list"),
        "<PLAN>" | "<TASK>" if is_in("plan") => Some("aide plan status"),
        _ => None,
    }
}

/// What the word `unknown` means in another place than behind the command `found` at `path`: a command of a group, or the file that
/// `submit` reads.
fn elsewhere(
    program: &clap::Command,
    (path, found): (&str, &clap::Command),
    unknown: &str,
) -> Option<Message> {
    if found.get_name() == DECIDE && is_file(unknown) {
        let command = format!("{path} submit");
        return Some(Message::DidYouMean { other: format!("{command} {unknown}"), command });
    }
    if found.get_name() != program.get_name() {
        return None;
    }
    let visible = program.get_subcommands().filter(|group| !group.is_hide_set());
    let has_it =
        |group: &&clap::Command| group.find_subcommand(unknown).is_some_and(|command| !command.is_hide_set());
    let full = |group: &str| format!("{path} {group} {unknown}");
    let mut groups: Vec<&str> = visible.filter(has_it).map(clap::Command::get_name).collect();
    if groups.contains(&DECIDE) {
        // Who names no group means questions.
        groups = vec![DECIDE];
    }
    let others: Vec<String> = groups.iter().map(|group| full(group)).collect();
    match &others[..] {
        [] => None,
        [only] => Some(Message::DidYouMean { other: only.clone(), command: only.clone() }),
        _ => Some(Message::DidYouMeanOneOf { others }),
    }
}

/// Whether a word names a file of questions rather than a command.
fn is_file(word: &str) -> bool {
    word.contains('/') || Path::new(word).extension().is_some_and(|ending| ending == "json")
}

/// The command that `arguments` begin with, as far as there is one that a person may call.
fn named<'p>(program: &'p clap::Command, arguments: &[OsString]) -> (String, &'p clap::Command) {
    let (mut path, mut command) = (program.get_name().to_owned(), program);
    for (_, word) in positionals(program, &arguments[1..]) {
        let found = word.to_str().and_then(|word| command.find_subcommand(word));
        let Some(found) = found.filter(|found| !found.is_hide_set()) else { break };
        path = format!("{path} {}", found.get_name());
        command = found;
    }
    (path, command)
}

/// Words that commands are looked for by, with the words that they are called.
const SYNONYMS: [(&str, &str); 1] = [("result", "output")];

/// The command below `command` that `name` is most likely a slip of, or another word for. Words that only begin alike are no slip.
fn nearest_command(command: &clap::Command, name: &str) -> Option<String> {
    let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
    let names: Vec<&str> = visible.map(clap::Command::get_name).collect();
    let synonym = SYNONYMS.iter().find(|(word, called)| *word == name && names.contains(called));
    if let Some((_, called)) = synonym {
        return Some((*called).to_owned());
    }
    let near = names.into_iter().map(|known| (model::edit_distance(name, known), known));
    let (distance, nearest) = near.min_by_key(|(distance, _)| *distance)?;
    (distance <= most_slips(name)).then(|| nearest.to_owned())
}

/// Whether a flag that is unknown is one that is known, with a slip or two.
fn is_slip(unknown: &str, known: &str) -> bool {
    let name =
        |flag: &str| flag.trim_start_matches('-').split(['=', ' ']).next().unwrap_or_default().to_owned();
    let (unknown, known) = (name(unknown), name(known));
    model::edit_distance(&unknown, &known) <= most_slips(&unknown) || known.starts_with(&unknown)
}

/// How many letters of a word may be wrong before it is another word.
fn most_slips(word: &str) -> usize {
    if word.chars().count() < 4 { 1 } else { 2 }
}

/// The arguments with the program's name in front, and `aide decide '<json>'` written out as `submit`.
fn with_submit(program: &clap::Command, arguments: &[OsString]) -> Vec<OsString> {
    let mut words = positionals(program, arguments);
    let position = match (words.next(), words.next()) {
        (Some((position, decide)), Some((_, json))) if decide == "decide" && is_json(json) => Some(position),
        _ => None,
    };
    let mut all = vec![OsString::from(program.get_name())];
    for (index, argument) in arguments.iter().enumerate() {
        all.push(argument.clone());
        if position == Some(index) {
            all.push("submit".into());
        }
    }
    all
}

/// True when an argument is JSON rather than a path or a word.
pub(crate) fn is_json(argument: &OsStr) -> bool {
    // What is not UTF-8 further on does not change how it begins.
    let text = String::from_utf8_lossy(argument.as_encoded_bytes());
    text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace()).starts_with('{')
}

/// The arguments that are neither flags nor the values of flags.
fn positionals<'a>(
    program: &clap::Command,
    arguments: &'a [OsString],
) -> impl Iterator<Item = (usize, &'a OsStr)> + use<'a> {
    let with_value = value_flags(program);
    let mut is_value = false;
    arguments.iter().enumerate().filter_map(move |(index, argument)| {
        if std::mem::take(&mut is_value) {
            return None;
        }
        let text = argument.to_string_lossy();
        if let Some(flag) = text.strip_prefix("--") {
            is_value = with_value.contains(flag);
            return None;
        }
        (text == "-" || !text.starts_with('-')).then_some((index, argument.as_os_str()))
    })
}

/// The flags that take a value, of a command and of those below it.
fn value_flags(command: &clap::Command) -> BTreeSet<String> {
    let flags = command.get_arguments().filter(|argument| argument.get_action().takes_values());
    let own = flags.filter_map(|argument| argument.get_long().map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(value_flags)).collect()
}

/// The program with these commands.
pub(crate) fn program(commands: &[&Command], layout: Layout) -> clap::Command {
    let words = match layout.program {
        Program::Aide => layout.pick(&help::ZH, &help::EN),
        Program::Finger => layout.pick(&help::FINGER_ZH, &help::FINGER_EN),
    };
    let show_help = clap::Arg::new("help")
        .long("help")
        .short('h')
        .help(words.help_flag)
        .action(ArgAction::Help)
        .global(true)
        .display_order(101);
    let version = clap::Arg::new("version")
        .long("version")
        .short('V')
        .help(words.version_flag)
        .action(ArgAction::Version)
        .display_order(102);
    // The documented command says its version alone.
    let long = match layout.program {
        Program::Aide => env!("AIDE_LONG_VERSION"),
        Program::Finger => env!("CARGO_PKG_VERSION"),
    };
    let program = layout
        .command(layout.program.name(), words.about, words.usage, words.after)
        .version(env!("CARGO_PKG_VERSION"))
        .long_version(long)
        .disable_version_flag(true)
        .arg(show_help)
        .arg(version)
        .arg(layout.value("lang", "LANG", words.lang_flag).global(true).display_order(100))
        .subcommands(commands.iter().map(|command| (command.build)(layout)));
    match layout.program {
        Program::Aide => program,
        Program::Finger => {
            let flags = remote_flags(layout);
            let flags = flags.map(|flag| flag.global(true));
            program.mut_subcommands(|command| accepting(command, &flags)).args(flags)
        }
    }
}

/// A command that accepts flags, and those below it; its help tells of them only where they mean something to it.
fn accepting(command: clap::Command, flags: &[clap::Arg]) -> clap::Command {
    let is_known = |flag: &&clap::Arg| command.get_arguments().any(|known| known.get_id() == flag.get_id());
    let further: Vec<_> =
        flags.iter().filter(|flag| !is_known(flag)).map(|flag| flag.clone().hide(true)).collect();
    command.args(further).mut_subcommands(|command| accepting(command, flags))
}

#[cfg(test)]
const ENGLISH: Layout = Layout { lang: texts::Lang::En, program: Program::Aide };

/// Returns what the command that `words` call is given; `None` when they call none.
#[cfg(test)]
pub(crate) fn read(words: &[&str]) -> Option<ArgMatches> {
    use crate::commands::COMMANDS;
    let words: Vec<OsString> = words.iter().map(Into::into).collect();
    let Ok(Invocation::Run(mut matches)) = parse(&COMMANDS, ENGLISH, &words) else { return None };
    while let Some((_, found)) = matches.remove_subcommand() {
        matches = found;
    }
    Some(matches)
}

#[cfg(test)]
mod tests {
    use super::{ENGLISH, Invocation, Layout, Program, is_json, layout, parse, program, read};
    use crate::commands::{COMMANDS, FINGER_COMMANDS};
    use crate::failure::FailureKind;
    use crate::messages::Message;
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStringExt;
    use texts::Lang;

    fn parse_words(words: &[&str]) -> Result<Invocation, Message> {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        parse(&COMMANDS, ENGLISH, &words).map_err(|failure| {
            assert_eq!(failure.code, 2, "{:?}", failure.what);
            match failure.what {
                FailureKind::Message(message) => *message,
                what => panic!("{what:?}"),
            }
        })
    }

    #[test]
    fn the_commands_are_consistent() {
        for lang in Lang::ALL {
            program(&COMMANDS, Layout { lang, program: Program::Aide }).debug_assert();
            program(&FINGER_COMMANDS, Layout { lang, program: Program::Finger }).debug_assert();
        }
    }

    /// What the help says of a command, of its arguments, and of the commands below it, each with its name.
    fn described(path: &str, command: &clap::Command) -> Vec<(String, String)> {
        let path = format!("{path} {}", command.get_name());
        let mut all = vec![(path.clone(), command.get_about().map(ToString::to_string).unwrap_or_default())];
        let arguments = command.get_arguments().filter(|argument| !argument.is_hide_set());
        all.extend(arguments.map(|argument| {
            let name = format!("{path} {}", argument.get_id());
            (name, argument.get_help().map(ToString::to_string).unwrap_or_default())
        }));
        let visible = command.get_subcommands().filter(|command| !command.is_hide_set());
        all.extend(visible.flat_map(|command| described(&path, command)));
        all
    }

    #[test]
    fn every_command_and_argument_is_described_in_both_languages() {
        let is_chinese = |text: &str| text.contains(|c: char| ('\u{4e00}'..='\u{9fff}').contains(&c));
        for (commands, called) in [(&COMMANDS[..], Program::Aide), (&FINGER_COMMANDS[..], Program::Finger)] {
            let [zh, en] = [Lang::Zh, Lang::En]
                .map(|lang| described("", &program(commands, Layout { lang, program: called })));
            assert_eq!(zh.len(), en.len());
            for ((name, zh), (in_english, en)) in zh.iter().zip(&en) {
                assert_eq!(name, in_english);
                assert!(is_chinese(zh), "{name}: {zh:?}");
                assert!(!en.trim().is_empty() && !is_chinese(en), "{name}: {en:?}");
            }
        }
    }

    /// The names of the commands that `words` call.
    fn called(words: &[&str]) -> Option<Vec<String>> {
        let Ok(Invocation::Run(matches)) = parse_words(words) else { return None };
        let (mut names, mut matches) = (Vec::new(), &matches);
        while let Some((name, found)) = matches.subcommand() {
            names.push(name.to_owned());
            matches = found;
        }
        Some(names)
    }

    #[test]
    fn commands() {
        for (words, names) in [
            (&["init"][..], &["init"][..]),
            (&["trust", "--show"], &["trust"]),
            (&["--lang", "en", "decide", "result"], &["decide", "result"]),
            (&["decide", "result", "--json", "--lang=en"], &["decide", "result"]),
            (&["config", "list"], &["config", "list"]),
            (&["flow", "status", "--watch"], &["flow", "status"]),
            (&["decide", "list"], &["decide", "list"]),
            (&["decide", "show"], &["decide", "show"]),
            (&["decide", "answer"], &["decide", "answer"]),
            (&["decide", "open", "--link"], &["decide", "open"]),
            (&["decide", "schema", "--answers"], &["decide", "schema"]),
            (&["decide", "cancel"], &["decide", "cancel"]),
            (&["decide", "{}"], &["decide", "submit"]),
        ] {
            let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
            assert_eq!(called(words), Some(names), "{words:?}");
        }
    }

    #[test]
    fn sessions_and_flags_are_read() {
        for (words, session, json) in [
            (&["decide", "result"][..], None, false),
            (&["decide", "result", "--json"], None, true),
            (&["decide", "result", "x"], Some("x"), false),
            (&["decide", "wait"], None, false),
            (&["decide", "wait", "x", "--timeout", "540", "--json"], Some("x"), true),
            (&["decide", "show", "--json", "x"], Some("x"), true),
            (&["decide", "export", "--format", "adr", "--dir", "d", "x"], Some("x"), false),
        ] {
            let matches = read(words).unwrap_or_else(|| panic!("{words:?}"));
            assert_eq!(layout::session(&matches), session.map(OsString::from), "{words:?}");
            assert_eq!(layout::is_set(&matches, "json"), json, "{words:?}");
        }
        let wait = read(&["decide", "wait", "--timeout", "540"]).unwrap_or_else(|| panic!("no command"));
        assert_eq!(layout::text(&wait, "timeout"), Some("540".into()));
        let export =
            read(&["decide", "export", "--format=adr", "--dir", "d"]).unwrap_or_else(|| panic!("no command"));
        let given = ["format", "dir"].map(|name| layout::text(&export, name));
        assert_eq!(given, [Some("adr".into()), Some("d".into())]);
    }

    #[test]
    fn help_is_no_failure() {
        for words in [
            &[][..],
            &["--help"],
            &["-h"],
            &["config"],
            &["config", "set", "-h"],
            &["decide"],
            &["decide", "-h"],
            &["decide", "submit", "-h"],
            &["init", "--help"],
            &["--version"],
            &["-V"],
        ] {
            assert!(matches!(parse_words(words), Ok(Invocation::Show(_))), "{words:?}");
        }
    }

    #[test]
    fn usage_errors() {
        for (words, told) in [
            (&["x"][..], "unknown command: x"),
            (&["decide", "sumbit"], "unknown command: sumbit"),
            (&["decide", "[]"], "unknown command: []"),
            (&["init", "x"], "unknown argument: x"),
            (&["init", "--port", "1"], "unknown argument: --port"),
            (&["config", "set", "decide.port"], "missing argument: <VALUE>"),
            (&["config", "set", "a", "b", "c"], "unknown argument: c"),
            (&["decide", "submit"], "missing argument: <INPUT>"),
            (&["decide", "submit", "{}", "{}"], "unknown argument: {}"),
            (&["decide", "submit", "{}", "--prot", "1"], "unknown argument: --prot"),
            (&["decide", "submit", "{}", "--port"], "missing value for argument: --port <PORT>"),
            (
                &["decide", "submit", "{}", "--port", "1", "--port", "2"],
                "argument given more than once: --port <PORT>",
            ),
            (&["setup", "--project", "--user"], "--project and --user cannot be used together"),
            (&["--lang"], "missing value for argument: --lang <LANG>"),
            (&["decide", "result", "-x"], "unknown argument: -x"),
        ] {
            let told_by_us = parse_words(words).err().map(|message| message.render(Lang::En));
            assert_eq!(told_by_us.as_deref(), Some(told), "{words:?}");
        }
        let not_text = OsString::from_vec(vec![b'-', b'-', 0xff]);
        assert!(parse(&COMMANDS, ENGLISH, std::slice::from_ref(&not_text)).is_err());
        assert!(parse(&COMMANDS, ENGLISH, &["decide".into(), not_text]).is_err());
    }

    #[test]
    fn the_help_that_fits_is_named() {
        for (words, hint) in [
            (
                &["decide", "submit", "{}", "--prot", "1"][..],
                "did you mean --port? Run aide decide submit --help",
            ),
            (&["decide", "sumbit"], "did you mean submit? Run aide decide --help"),
            (&["--lang", "en", "nothing-like-it"], "run aide --help"),
            (&["decide", "result", "--port"], "run aide decide result --help"),
            (&["decide", "result", "--sesion"], "run aide decide result --help"),
            (
                &["decide", "submit", "{}", "--time", "1"],
                "did you mean --timeout? Run aide decide submit --help",
            ),
            (&["workflow", "status"], "run aide workflow list to see the names"),
            (&["workflow", "resume-session"], "run aide workflow sessions to see the names"),
            (&["plan", "retry"], "run aide plan status to see the names"),
            (&["config", "set"], "run aide config set --help"),
            (&["config", "lst"], "did you mean list? Run aide config --help"),
            (&["decide", "submt"], "did you mean submit? Run aide decide --help"),
            (&["decide", "wiat"], "did you mean wait? Run aide decide --help"),
            (&["flow", "strat"], "did you mean start? Run aide flow --help"),
            (&["flow", "nextstep"], "did you mean next-step? Run aide flow --help"),
            (&["flow", "complete"], "run aide flow --help"),
            (&["daemon", "strt"], "did you mean start? Run aide daemon --help"),
            (&["daemon", "restrt"], "did you mean restart? Run aide daemon --help"),
            (&["config", "gte"], "did you mean get? Run aide config --help"),
            (&["config", "list", "--x"], "run aide config list --help"),
            (&["open"], "did you mean aide decide open? Run aide decide open --help"),
            (&["wait", "2025-01-15T10-30-00"], "did you mean aide decide wait? Run aide decide wait --help"),
            (&["retry", "draft"], "did you mean aide plan retry? Run aide plan retry --help"),
            (
                &["status"],
                "did you mean aide flow status, aide plan status, aide daemon status or aide workflow status?",
            ),
            (
                &["decide", "questions.json"],
                "did you mean aide decide submit questions.json? Run aide decide submit --help",
            ),
        ] {
            let words: Vec<OsString> = words.iter().map(Into::into).collect();
            let failure = parse(&COMMANDS, ENGLISH, &words).err();
            let told = failure.and_then(|failure| failure.hint).map(|hint| hint.render(Lang::En));
            assert_eq!(told.as_deref(), Some(hint), "{words:?}");
        }
    }

    #[test]
    fn json_is_known_by_its_beginning() {
        for json in ["{", " \t\r\n{}", "\u{feff}{}", "\u{3000}{"] {
            assert!(is_json(OsStr::new(json)), "{json:?}");
        }
        for other in ["", " ", "[{", "x{", "-", "./{}"] {
            assert!(!is_json(OsStr::new(other)), "{other:?}");
        }
        assert!(is_json(&OsString::from_vec(b"{\xff".to_vec())));
        assert!(!is_json(&OsString::from_vec(b"\xff{".to_vec())));
    }
}

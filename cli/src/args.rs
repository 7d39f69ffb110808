//! The command line, in two languages. clap's types end here.
//!
//! Values are not checked here but in [`crate::settings`] and [`crate::language`], where variables and the
//! configuration are held to the same rules.

mod flow;

pub(crate) use flow::FlowRequest;

use crate::failure::Failure;
use crate::messages::{Help, Message};
use clap::builder::ValueParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgAction, ArgMatches, Command};
use settings::Key;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use texts::Lang;

/// What is asked of the program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Request {
    /// Print this.
    Show(String),
    /// `aide init`
    Init,
    /// `aide trust`
    Trust { show: bool, revoke: bool },
    /// `aide flow`
    Flow(FlowRequest),
    /// `aide config`
    Config(ConfigRequest),
    /// `aide decide submit`
    Submit { input: OsString, flags: SubmitFlags },
    /// `aide decide serve`, which only `aide` itself calls.
    Serve { session: OsString, flags: SubmitFlags },
    /// `aide decide wait`
    Wait { flags: WaitFlags },
    /// `aide decide result`
    Result { session: Option<OsString>, json: bool },
    /// `aide decide list`
    List { json: bool },
    /// `aide decide show`
    ShowSession { session: Option<OsString>, json: bool },
    /// `aide decide schema`
    Schema { answers: bool },
    /// `aide decide answer`
    Answer { session: Option<OsString> },
    /// `aide decide open`
    Open { link: bool },
    /// `aide decide cancel`
    Cancel,
    /// `aide decide export`
    Export { flags: ExportFlags },
    /// `aide decide clean`
    Clean { flags: CleanFlags },
}

/// What is asked of `aide config`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ConfigRequest {
    /// `aide config get`
    Get { key: OsString, json: bool },
    /// `aide config set`
    Set { key: OsString, value: OsString, user: bool },
    /// `aide config unset`
    Unset { key: OsString, user: bool },
    /// `aide config list`
    List { json: bool },
    /// `aide config path`
    Path { user: bool, json: bool },
}

/// The flags of `clean`, as given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct CleanFlags {
    pub keep: Option<OsString>,
    pub older_than: Option<OsString>,
    pub dry_run: bool,
    pub yes: bool,
    pub json: bool,
}

/// The flags of `export`, as given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ExportFlags {
    pub session: Option<OsString>,
    pub format: Option<OsString>,
    pub dir: Option<OsString>,
}

/// The flags of `wait`, as given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct WaitFlags {
    pub session: Option<OsString>,
    pub timeout: Option<OsString>,
    pub notify: Option<OsString>,
    pub json: bool,
}

/// The flags of `submit`, as given.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct SubmitFlags {
    pub port: Option<OsString>,
    pub bind: Option<OsString>,
    pub url: Option<OsString>,
    pub auth: Option<OsString>,
    pub timeout: Option<OsString>,
    pub notify: Option<OsString>,
    pub detach: bool,
    pub json: bool,
}

impl SubmitFlags {
    /// Returns what is said of `key`, as given.
    pub(crate) fn of(&self, key: &Key) -> Option<&OsString> {
        let flag = match key.flag? {
            "--port" => &self.port,
            "--bind" => &self.bind,
            "--url" => &self.url,
            "--auth" => &self.auth,
            "--timeout" => &self.timeout,
            "--notify" => &self.notify,
            _ => return None,
        };
        flag.as_ref()
    }

    /// The settings among them, as they are written on a command line.
    pub(crate) fn written(&self) -> Vec<OsString> {
        let named = [
            ("port", &self.port),
            ("bind", &self.bind),
            ("url", &self.url),
            ("auth", &self.auth),
            ("timeout", &self.timeout),
        ];
        let mut words = Vec::new();
        for (name, value) in named {
            if let Some(value) = value {
                // In one word: a value may begin with a dash.
                let mut word = OsString::from(format!("--{name}="));
                word.push(value);
                words.push(word);
            }
        }
        words
    }
}

const TEMPLATE: &str = "{about-with-newline}\n{usage}\n\n{all-args}{after-help}\n";
const INPUT: &str = "INPUT";
const SESSION: &str = "SESSION";
const KEY: &str = "KEY";
const VALUE: &str = "VALUE";
/// Reads the arguments after the program's name.
pub(crate) fn parse(lang: Lang, arguments: &[OsString]) -> Result<Request, Failure> {
    let mut command = command(Help::of(lang));
    let arguments = with_submit(&command, arguments);
    let matches = match command.try_get_matches_from_mut(&arguments) {
        Ok(matches) => matches,
        Err(error) => return refused(&error, &command, &arguments),
    };
    let request = match matches.subcommand() {
        Some(("init", _)) => Request::Init,
        Some(("trust", matches)) => {
            Request::Trust { show: matches.get_flag("show"), revoke: matches.get_flag("revoke") }
        }
        Some(("flow", matches)) => match flow::read(matches) {
            Some(request) => Request::Flow(request),
            None => Request::Show(help(&mut command, "flow")),
        },
        Some(("config", matches)) => match config_request(matches) {
            Some(request) => Request::Config(request),
            None => Request::Show(help(&mut command, "config")),
        },
        Some(("decide", matches)) => match matches.subcommand() {
            Some(("submit", matches)) => {
                let input = matches.get_one::<OsString>(INPUT).cloned().unwrap_or_default();
                Request::Submit { input, flags: submit_flags(matches) }
            }
            Some(("serve", matches)) => Request::Serve {
                session: value_of(matches, SESSION).unwrap_or_default(),
                flags: submit_flags(matches),
            },
            Some(("wait", matches)) => Request::Wait {
                flags: WaitFlags {
                    session: value_of(matches, SESSION),
                    timeout: value_of(matches, "timeout"),
                    notify: value_of(matches, "notify"),
                    json: matches.get_flag("json"),
                },
            },
            Some(("result", matches)) => {
                Request::Result { session: value_of(matches, SESSION), json: matches.get_flag("json") }
            }
            Some(("list", matches)) => Request::List { json: matches.get_flag("json") },
            Some(("show", matches)) => {
                Request::ShowSession { session: value_of(matches, SESSION), json: matches.get_flag("json") }
            }
            Some(("schema", matches)) => Request::Schema { answers: matches.get_flag("answers") },
            Some(("answer", matches)) => Request::Answer { session: value_of(matches, SESSION) },
            Some(("open", matches)) => Request::Open { link: matches.get_flag("link") },
            Some(("cancel", _)) => Request::Cancel,
            Some(("clean", matches)) => Request::Clean {
                flags: CleanFlags {
                    keep: value_of(matches, "keep"),
                    older_than: value_of(matches, "older-than"),
                    dry_run: matches.get_flag("dry-run"),
                    yes: matches.get_flag("yes"),
                    json: matches.get_flag("json"),
                },
            },
            Some(("export", matches)) => Request::Export {
                flags: ExportFlags {
                    session: value_of(matches, SESSION),
                    format: value_of(matches, "format"),
                    dir: value_of(matches, "dir"),
                },
            },
            _ => Request::Show(help(&mut command, "decide")),
        },
        _ => Request::Show(command.render_help().to_string()),
    };
    Ok(request)
}

fn config_request(matches: &ArgMatches) -> Option<ConfigRequest> {
    let (name, matches) = matches.subcommand()?;
    let key = || value_of(matches, KEY).unwrap_or_default();
    Some(match name {
        "get" => ConfigRequest::Get { key: key(), json: matches.get_flag("json") },
        "set" => ConfigRequest::Set {
            key: key(),
            value: value_of(matches, VALUE).unwrap_or_default(),
            user: matches.get_flag("user"),
        },
        "unset" => ConfigRequest::Unset { key: key(), user: matches.get_flag("user") },
        "list" => ConfigRequest::List { json: matches.get_flag("json") },
        _ => ConfigRequest::Path { user: matches.get_flag("user"), json: matches.get_flag("json") },
    })
}

fn submit_flags(matches: &ArgMatches) -> SubmitFlags {
    // `serve` has the settings alone.
    let is_set = |name| matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or_default();
    SubmitFlags {
        port: value_of(matches, "port"),
        bind: value_of(matches, "bind"),
        url: value_of(matches, "url"),
        auth: value_of(matches, "auth"),
        timeout: value_of(matches, "timeout"),
        notify: matches.try_get_one::<OsString>("notify").ok().flatten().cloned(),
        detach: is_set("detach"),
        json: is_set("json"),
    }
}

fn value_of(matches: &ArgMatches, name: &str) -> Option<OsString> {
    matches.get_one::<OsString>(name).cloned()
}

fn help(command: &mut Command, name: &str) -> String {
    match command.find_subcommand_mut(name) {
        Some(command) => command.render_help().to_string(),
        None => String::new(),
    }
}

/// Help and version are errors to clap.
fn refused(error: &clap::Error, program: &Command, arguments: &[OsString]) -> Result<Request, Failure> {
    let words = |kind| match error.get(kind) {
        Some(ContextValue::String(words)) => Some(words.clone()),
        Some(ContextValue::Strings(words)) => words.first().cloned(),
        _ => None,
    };
    let argument = || words(ContextKind::InvalidArg).unwrap_or_default();
    let what = match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            return Ok(Request::Show(error.render().to_string()));
        }
        ErrorKind::UnknownArgument => Message::UnknownArgument { argument: argument() },
        ErrorKind::InvalidSubcommand => {
            Message::UnknownCommand { name: words(ContextKind::InvalidSubcommand).unwrap_or_default() }
        }
        ErrorKind::MissingRequiredArgument => Message::MissingArgument { argument: argument() },
        ErrorKind::InvalidValue => Message::MissingValue { argument: argument() },
        ErrorKind::ArgumentConflict => Message::Repeated { argument: argument() },
        _ => {
            let words = error.render().to_string();
            let first = words.lines().next().unwrap_or_default();
            Message::OtherUsage { words: first.trim_start_matches("error: ").to_owned() }
        }
    };
    let command = named(program, arguments);
    let other = words(ContextKind::SuggestedArg).or_else(|| words(ContextKind::SuggestedSubcommand));
    let hint = match other {
        Some(other) => Message::DidYouMean { other, command },
        None => Message::SeeHelp { command },
    };
    Err(Failure::usage(what, hint))
}

/// The command that `arguments` begin with, as far as there is one that a person may call.
fn named(program: &Command, arguments: &[OsString]) -> String {
    let (mut path, mut command) = ("aide".to_owned(), program);
    for (_, word) in positionals(program, &arguments[1..]) {
        let found = word.to_str().and_then(|word| command.find_subcommand(word));
        let Some(found) = found.filter(|found| !found.is_hide_set()) else { break };
        path = format!("{path} {}", found.get_name());
        command = found;
    }
    path
}

/// The arguments with the program's name in front, and `aide decide '<json>'` written out as `submit`.
fn with_submit(program: &Command, arguments: &[OsString]) -> Vec<OsString> {
    let mut words = positionals(program, arguments);
    let position = match (words.next(), words.next()) {
        (Some((position, decide)), Some((_, json))) if decide == "decide" && is_json(json) => Some(position),
        _ => None,
    };
    let mut all = vec![OsString::from("aide")];
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
    program: &Command,
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
fn value_flags(command: &Command) -> BTreeSet<String> {
    let flags = command.get_arguments().filter(|argument| argument.get_action().takes_values());
    let own = flags.filter_map(|argument| argument.get_long().map(str::to_owned));
    own.chain(command.get_subcommands().flat_map(value_flags)).collect()
}

fn command(help: &'static Help) -> Command {
    let base = |name: &'static str, about: &'static str, usage: &'static str, after: &'static str| {
        Command::new(name)
            .about(about)
            .override_usage(usage)
            .after_help(after)
            .help_template(TEMPLATE.replace("{usage}", &format!("{} {{usage}}", help.usage)))
            .subcommand_help_heading(help.commands)
            .next_help_heading(help.options)
            .disable_help_flag(true)
            .disable_help_subcommand(true)
    };
    let value = |name: &'static str, placeholder: &'static str, about: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(placeholder)
            .help(about)
            .value_parser(ValueParser::os_string())
            .allow_negative_numbers(true)
    };
    let input = Arg::new(INPUT)
        .help(help.input)
        .help_heading(help.arguments)
        .required(true)
        .value_parser(ValueParser::os_string());
    let flag = |name: &'static str, about: &'static str| {
        Arg::new(name).long(name).help(about).action(ArgAction::SetTrue)
    };
    let settings = [
        value("port", "PORT", help.port),
        value("bind", "ADDRESS", help.bind),
        value("url", "URL", help.url),
        value("auth", "MODE", help.auth),
        value("timeout", "SECONDS", help.timeout),
    ];
    let submit = base("submit", help.submit, help.submit_usage, help.submit_after)
        .arg(input)
        .args(&settings)
        .arg(value("notify", "HOW", help.notify))
        .arg(flag("detach", help.detach))
        .arg(flag("json", help.detach_json).requires("detach"));
    let session = Arg::new(SESSION)
        .help(help.session)
        .help_heading(help.arguments)
        .value_parser(ValueParser::os_string());
    let wait = base("wait", help.wait, help.wait_usage, help.wait_after)
        .arg(session.clone())
        .arg(value("timeout", "SECONDS", help.wait_timeout))
        .arg(value("notify", "HOW", help.wait_notify))
        .arg(flag("json", help.json));
    let serve = Command::new("serve")
        .hide(true)
        .disable_help_flag(true)
        .arg(session.clone().required(true))
        .args(settings);
    let show = base("show", help.show, help.show_usage, help.show_after)
        .arg(session.clone())
        .arg(flag("json", help.show_json));
    let answer = base("answer", help.answer, help.answer_usage, help.answer_after).arg(session.clone());
    let export = base("export", help.export, help.export_usage, help.export_after)
        .arg(session.clone())
        .arg(value("format", "FORMAT", help.format))
        .arg(value("dir", "FOLDER", help.dir));
    let clean = base("clean", help.clean, help.clean_usage, help.clean_after)
        .arg(value("keep", "N", help.keep))
        .arg(value("older-than", "AGE", help.older_than))
        .arg(flag("dry-run", help.dry_run))
        .arg(flag("yes", help.yes))
        .arg(flag("json", help.clean_json));
    let trust = base("trust", help.trust, help.trust_usage, help.trust_after)
        .arg(flag("show", help.trust_show).conflicts_with("revoke"))
        .arg(flag("revoke", help.trust_revoke));
    let positional = |name: &'static str, about: &'static str| {
        Arg::new(name)
            .help(about)
            .help_heading(help.arguments)
            .required(true)
            .value_parser(ValueParser::os_string())
            .allow_negative_numbers(true)
    };
    let key = || positional(KEY, help.config_key);
    let user = || flag("user", help.config_user);
    let config = base("config", help.config, help.config_usage, help.config_after)
        .subcommand(
            base("get", help.config_get, help.config_get_usage, help.config_get_after)
                .arg(key())
                .arg(flag("json", help.config_get_json)),
        )
        .subcommand(
            base("set", help.config_set, help.config_set_usage, help.config_set_after)
                .arg(key())
                .arg(positional(VALUE, help.config_value))
                .arg(user()),
        )
        .subcommand(
            base("unset", help.config_unset, help.config_unset_usage, help.config_unset_after)
                .arg(key())
                .arg(user()),
        )
        .subcommand(
            base("list", help.config_list, help.config_list_usage, help.config_list_after)
                .arg(flag("json", help.config_list_json)),
        )
        .subcommand(
            base("path", help.config_path, help.config_path_usage, help.config_path_after)
                .arg(flag("user", help.config_path_user))
                .arg(flag("json", help.config_path_json)),
        );
    let show_help = Arg::new("help")
        .long("help")
        .short('h')
        .help(help.help_flag)
        .action(ArgAction::Help)
        .global(true)
        .display_order(101);
    let version = Arg::new("version")
        .long("version")
        .short('V')
        .help(help.version_flag)
        .action(ArgAction::Version)
        .display_order(102);
    base("aide", help.about, help.aide_usage, help.aide_after)
        .version(env!("CARGO_PKG_VERSION"))
        .disable_version_flag(true)
        .arg(show_help)
        .arg(version)
        .arg(value("lang", "LANG", help.lang_flag).global(true).display_order(100))
        .subcommand(base("init", help.init, help.init_usage, help.init_after))
        .subcommand(config)
        .subcommand(trust)
        .subcommand(flow::command(&help.flow, help.arguments, base))
        .subcommand(
            base("decide", help.decide, help.decide_usage, help.decide_after)
                .subcommand(submit)
                .subcommand(
                    base("open", help.open, help.open_usage, help.open_after)
                        .arg(flag("link", help.open_link)),
                )
                .subcommand(answer)
                .subcommand(wait)
                .subcommand(
                    base("result", help.result, help.result_usage, help.result_after)
                        .arg(session.clone())
                        .arg(flag("json", help.json)),
                )
                .subcommand(
                    base("list", help.list, help.list_usage, help.list_after)
                        .arg(flag("json", help.list_json)),
                )
                .subcommand(show)
                .subcommand(export)
                .subcommand(base("cancel", help.cancel, help.cancel_usage, help.cancel_after))
                .subcommand(
                    base("schema", help.schema, help.schema_usage, help.schema_after)
                        .arg(flag("answers", help.schema_answers)),
                )
                .subcommand(clean)
                .subcommand(serve),
        )
}

#[cfg(test)]
mod tests {
    use super::{
        CleanFlags, ConfigRequest, ExportFlags, Request, SubmitFlags, WaitFlags, command, is_json, parse,
    };
    use crate::messages::{Help, Message};
    use std::ffi::{OsStr, OsString};
    use std::os::unix::ffi::OsStringExt;
    use texts::Lang;

    fn parse_words(words: &[&str]) -> Result<Request, Message> {
        let words: Vec<OsString> = words.iter().map(Into::into).collect();
        parse(Lang::En, &words).map_err(|failure| {
            assert_eq!(failure.code, 2, "{:?}", failure.what);
            *failure.what
        })
    }

    #[test]
    fn the_commands_are_consistent() {
        for lang in Lang::ALL {
            command(Help::of(lang)).debug_assert();
        }
    }

    #[test]
    fn commands() {
        let submit = |input: &str, port: Option<&str>| Request::Submit {
            input: input.into(),
            flags: SubmitFlags { port: port.map(Into::into), ..SubmitFlags::default() },
        };
        let serve = || Request::Serve {
            session: "x".into(),
            flags: SubmitFlags { port: Some("0".into()), ..SubmitFlags::default() },
        };
        for (words, request) in [
            (&["init"][..], Request::Init),
            (&["--lang", "en", "decide", "result"], Request::Result { session: None, json: false }),
            (&["decide", "result", "--json", "--lang=en"], Request::Result { session: None, json: true }),
            (&["decide", "result", "x"], Request::Result { session: Some("x".into()), json: false }),
            (
                &["config", "get", "decide.port", "--json"],
                Request::Config(ConfigRequest::Get { key: "decide.port".into(), json: true }),
            ),
            (
                &["config", "set", "--user", "decide.port", "-1"],
                Request::Config(ConfigRequest::Set {
                    key: "decide.port".into(),
                    value: "-1".into(),
                    user: true,
                }),
            ),
            (
                &["config", "set", "x", "--", "--user"],
                Request::Config(ConfigRequest::Set { key: "x".into(), value: "--user".into(), user: false }),
            ),
            (
                &["config", "unset", "x"],
                Request::Config(ConfigRequest::Unset { key: "x".into(), user: false }),
            ),
            (&["config", "list"], Request::Config(ConfigRequest::List { json: false })),
            (&["config", "path", "--user"], Request::Config(ConfigRequest::Path { user: true, json: false })),
            (&["decide", "wait"], Request::Wait { flags: WaitFlags::default() }),
            (
                &["decide", "wait", "x", "--timeout", "540", "--json"],
                Request::Wait {
                    flags: WaitFlags {
                        session: Some("x".into()),
                        timeout: Some("540".into()),
                        notify: None,
                        json: true,
                    },
                },
            ),
            (&["decide", "list"], Request::List { json: false }),
            (&["decide", "show"], Request::ShowSession { session: None, json: false }),
            (
                &["decide", "show", "--json", "x"],
                Request::ShowSession { session: Some("x".into()), json: true },
            ),
            (&["decide", "answer"], Request::Answer { session: None }),
            (&["decide", "open"], Request::Open { link: false }),
            (&["decide", "open", "--link"], Request::Open { link: true }),
            (&["decide", "schema"], Request::Schema { answers: false }),
            (&["decide", "schema", "--answers"], Request::Schema { answers: true }),
            (&["decide", "cancel"], Request::Cancel),
            (&["decide", "clean"], Request::Clean { flags: CleanFlags::default() }),
            (
                &["decide", "clean", "--keep", "3", "--older-than=2w", "--dry-run", "--yes", "--json"],
                Request::Clean {
                    flags: CleanFlags {
                        keep: Some("3".into()),
                        older_than: Some("2w".into()),
                        dry_run: true,
                        yes: true,
                        json: true,
                    },
                },
            ),
            (&["decide", "export"], Request::Export { flags: ExportFlags::default() }),
            (
                &["decide", "export", "--format", "adr", "--dir", "d", "x"],
                Request::Export {
                    flags: ExportFlags {
                        session: Some("x".into()),
                        format: Some("adr".into()),
                        dir: Some("d".into()),
                    },
                },
            ),
            (&["decide", "serve", "x", "--port=0"], serve()),
            (&["decide", "submit", "a.json"], submit("a.json", None)),
            (&["decide", "submit", "-"], submit("-", None)),
            (&["decide", "submit", "--port", "0", "{}"], submit("{}", Some("0"))),
            (&["decide", "submit", "--port=-1", "--", "--x"], submit("--x", Some("-1"))),
            (&["decide", "{}"], submit("{}", None)),
            (&["decide", "--lang", "zh", " \n{}", "--port", "1"], submit(" \n{}", Some("1"))),
            (&["decide", "--port", "1", "\u{feff}{"], submit("\u{feff}{", Some("1"))),
            (&["decide", "--", "{}"], submit("{}", None)),
        ] {
            assert_eq!(parse_words(words).ok(), Some(request), "{words:?}");
        }
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
            assert!(matches!(parse_words(words), Ok(Request::Show(_))), "{words:?}");
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
            (&["--lang"], "missing value for argument: --lang <LANG>"),
            (&["decide", "result", "-x"], "unknown argument: -x"),
        ] {
            let told_by_us = parse_words(words).err().map(|message| message.tell(Lang::En));
            assert_eq!(told_by_us.as_deref(), Some(told), "{words:?}");
        }
        let not_text = OsString::from_vec(vec![b'-', b'-', 0xff]);
        assert!(parse(Lang::En, std::slice::from_ref(&not_text)).is_err());
        assert!(parse(Lang::En, &["decide".into(), not_text]).is_err());
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
            (&["config", "lst"], "did you mean list? Run aide config --help"),
            (&["config", "list", "--x"], "run aide config list --help"),
        ] {
            let words: Vec<OsString> = words.iter().map(Into::into).collect();
            let failure = parse(Lang::En, &words).err();
            let told = failure.and_then(|failure| failure.hint).map(|hint| hint.tell(Lang::En));
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

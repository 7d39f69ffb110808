//! English: the same messages as in Chinese, one by one.

use super::{Help, Message, Need, Place, Source, State};
use model::Via;
use std::path::Path;
use store::{ConfigErrorKind, Origin, PhasesFault};
use texts::Lang;

pub(super) fn tell(message: &Message) -> String {
    match message {
        Message::ConfigCreated => "Created the default configuration .aide/config.toml".to_owned(),
        Message::Initialised => "Initialised: .aide/ and its configuration are ready".to_owned(),
        Message::ServerStarted => "Web server started".to_owned(),
        Message::OpenLink { url } => format!("Open: {url}"),
        Message::Waiting => "Waiting for the decision...".to_owned(),
        Message::Decided => "The decision has been made".to_owned(),
        Message::TimedOut => "Timed out, the server has been stopped".to_owned(),
        Message::Interrupted => "Interrupted, the server has been stopped".to_owned(),
        Message::FetchLater { session } => {
            format!("Session {session}: run aide decide wait {session} to get the answer")
        }
        Message::Newest { session, task } => format!("Session {session}: {task}"),
        Message::GoOnWaiting => "the questions are kept; run aide decide wait to go on waiting".to_owned(),
        Message::BringBack | Message::SubmitOrBringBack => {
            "the questions are still open, but no server is running: run aide decide wait to bring it back"
                .to_owned()
        }
        Message::BroughtBack => "No server was running; it is back".to_owned(),
        Message::BrowserStarted { program } => format!("Started {program}"),
        Message::ForwardPort { command } => {
            format!("On the computer in front of you, run {command} and open the link above")
        }
        Message::NoBrowser => "There is no browser here; open the link above yourself".to_owned(),
        Message::NotifyTitle { items } => {
            format!("aide: {items} question{} waiting for you", if *items == 1 { "" } else { "s" })
        }
        Message::NotifyFailed { program, error } => {
            format!("no notification: {program} cannot be started: {error}")
        }
        Message::NoNotifyCommand { file } => {
            format!("no notification: notify.command is not set in {}", file.display())
        }
        Message::NotifyIgnored { file, line } => format!(
            "[notify] is ignored in {}, line {line}: it belongs into your own configuration",
            file.display()
        ),
        Message::NothingOpen => "no questions are open".to_owned(),
        Message::StillPending { url } => {
            format!("not decided yet: {url}; run aide decide wait again to go on waiting")
        }
        Message::WasReturned { message } => format!("The user sent the questions back: {message}"),
        Message::SentBack => "The questions have been sent back".to_owned(),
        Message::AnswersKept => {
            "nothing is submitted; what was given is kept as a draft, run aide decide answer to go on"
                .to_owned()
        }
        Message::NoMoreInput => {
            "the input ended or was not understood before the answers were complete".to_owned()
        }
        Message::AnswerThose => "run aide decide answer to answer the newer ones".to_owned(),
        Message::WasCancelled => "The questions have been withdrawn".to_owned(),
        Message::Cancelled => "the questions have been withdrawn".to_owned(),
        Message::StoppedWaiting => "Stopped waiting; another process goes on serving the page".to_owned(),
        Message::WasReplaced { by: None } => "Newer questions have replaced these".to_owned(),
        Message::Replaced { by: None } => "newer questions have replaced these".to_owned(),
        Message::WasReplaced { by: Some(by) } => {
            format!("Newer questions have replaced these: {} ({})", by.session, by.task)
        }
        Message::Replaced { by: Some(by) } => {
            format!("newer questions have replaced these: {} ({})", by.session, by.task)
        }
        Message::AskAgainLater => {
            "these were not answered; submit them again once the newer ones have been decided".to_owned()
        }
        Message::ReplacedOpen { session, task } => {
            format!("Replaced questions that nobody had answered yet: {session} ({task})")
        }
        Message::SeeReplaced { session } => {
            format!("whoever waits for them is told; run aide decide show {session} to see them")
        }
        Message::ReplacedBy { session } => format!("replaced by {session}"),

        Message::Exported { path } => format!("Written: {}", path.display()),
        Message::NothingToClean => "There is nothing to remove".to_owned(),
        Message::WouldRemove { count } => format!("Would remove {}", records(*count)),
        Message::ReallyRemove { count } => format!("Remove {} for good? [y/N]", records(*count)),
        Message::Removed { count } => format!("Removed {}", records(*count)),
        Message::NothingRemoved => "Nothing was removed".to_owned(),
        Message::NeedsYes => "there is no terminal to ask on whether the records may be removed".to_owned(),
        Message::SayYes => "add --yes to remove them, or --dry-run to see which".to_owned(),
        Message::AlreadyExported { path } => format!("Exported before: {}", path.display()),
        Message::NothingToExport => "this session has no decisions to export".to_owned(),
        Message::NoSessions => "No questions so far".to_owned(),
        Message::Session { session, state, task, items, completed_at } => {
            let state = match state {
                State::Open => "pending",
                State::Unserved => "pending (no server is running)",
                State::Answered => "answered",
                State::Returned => "sent back",
                State::Cancelled => "withdrawn",
                State::Replaced => "replaced",
                State::Unreadable => return format!("{session}  unreadable"),
            };
            let plural = if *items == 1 { "" } else { "s" };
            let ended = if completed_at.is_empty() { String::new() } else { format!(", {completed_at}") };
            format!("{session}  {state}  {task} ({items} item{plural}{ended})")
        }
        Message::OpenItem { id, title, labels } => format!("{id}. {title}: {labels}"),
        Message::Answer { id, title, label, via, followed, decided_at } => {
            let followed = followed.map(|yes| if yes { "as recommended" } else { "not as recommended" });
            let via = via.map(|via| match via {
                Via::Page => "page",
                Via::Form => "plain page",
                Via::Api => "API",
                Via::Terminal => "terminal",
            });
            let time = (!decided_at.is_empty()).then_some(decided_at.as_str());
            let how: Vec<_> = [followed, via, time].into_iter().flatten().collect();
            let how = if how.is_empty() { String::new() } else { format!(" ({})", how.join(", ")) };
            format!("{id}. {title} → {label}{how}")
        }
        Message::AnswerNote { note } => format!("note: {note}"),
        Message::ReturnedBecause { message, items } => {
            let items = if items.is_empty() { String::new() } else { format!(" (items {items})") };
            format!("sent back because{items}: {message}")
        }

        Message::UnknownArgument { argument } => format!("unknown argument: {argument}"),
        Message::UnknownCommand { name } => format!("unknown command: {name}"),
        Message::MissingArgument { argument } => format!("missing argument: {argument}"),
        Message::MissingValue { argument } => format!("argument without a value: {argument}"),
        Message::Repeated { argument } => format!("argument given more than once: {argument}"),
        Message::OtherUsage { words } => format!("wrong usage: {words}"),
        Message::SeeHelp { command } => format!("run {command} --help"),
        Message::MissingLimit => "at least one of --keep and --older-than is needed".to_owned(),
        Message::DidYouMean { other, command } => format!("did you mean {other}? Run {command} --help"),

        Message::BadSetting { place, value, need } => {
            let required = required(*need);
            match place {
                Place::Flag(flag) => format!("bad value for argument {flag}: \"{value}\" {required}"),
                Place::Variable(name) => {
                    format!("bad value for environment variable {name}: \"{value}\" {required}")
                }
                Place::Config { file, line, key } => {
                    bad_config(file, *line, &format!("{key} is \"{value}\", which {required}"))
                }
            }
        }
        Message::BadConfig { file, line, key, kind } => {
            let key = key.map(|key| format!("{key} ")).unwrap_or_default();
            let column = match kind {
                ConfigErrorKind::Syntax { column, .. } => format!(", column {column}"),
                _ => String::new(),
            };
            format!("bad configuration: {}{}{column}: {key}{}", file.display(), at(*line), config(kind))
        }
        Message::CorrectSetting { need } => match need {
            Need::Port => "0 means any free port".to_owned(),
            Need::Timeout => "0 means no timeout".to_owned(),
            Need::Host => "the default is 127.0.0.1".to_owned(),
            Need::Auth => "the default is auto".to_owned(),
            Need::Login => "use auto or always, or 127.0.0.1, and ssh -L from another machine".to_owned(),
            Need::Url => "leave it empty to have it made automatically".to_owned(),
            Need::Format | Need::ReportFormat => "the default is md".to_owned(),
            Need::Notify => "command is set as notify.command in ~/.config/aide/config.toml".to_owned(),
            Need::Count => "0 keeps only the questions asked last".to_owned(),
            Need::Age => "for example 12h, 30d or 2w".to_owned(),
            Need::Language => "auto follows the locale".to_owned(),
            Need::Boolean | Need::Integer { .. } | Need::OneOf(_) | Need::List | Need::Utf8 => {
                "run aide config list to see all keys".to_owned()
            }
        },
        Message::CorrectConfig => "correct the file and try again".to_owned(),
        Message::BadPhases { fault } => format!("flow.phases is not valid: {}", phases(fault)),
        Message::CorrectConfigAt { file, line } => {
            format!("correct {}{} and try again", file.display(), at(*line))
        }

        Message::Setting { key, value } => format!("{key} = {value}"),
        Message::Listed { setting, source, passed_over } => {
            let source = match source {
                Source::Flag(name) => format!("argument {name}"),
                Source::Variable(name) => format!("environment variable {name}"),
                Source::File { origin: Origin::Project, line, .. } => format!("project{}", at(*line)),
                Source::File { origin: Origin::User, line, .. } => format!("user{}", at(*line)),
                Source::Default => "default".to_owned(),
            };
            let passed_over = passed_over
                .as_ref()
                .map_or_else(String::new, |value| format!("; the project's {value} is not trusted and not used"));
            format!("{setting}  ({source}{passed_over})")
        }
        Message::Path { file } => file.display().to_string(),
        Message::ConfigPath { file, origin, exists } => {
            let whose = match origin {
                Origin::Project => "project",
                Origin::User => "user",
            };
            let missing = if *exists { "" } else { ", missing" };
            format!("{}  ({whose}{missing})", file.display())
        }
        Message::KeySet { key, value } => format!("Set {key} = {value}"),
        Message::KeyIsSet { key, value } => format!("Already so: {key} = {value}"),
        Message::KeyUnset { key } => format!("Removed {key}"),
        Message::NoSuchKey { key } => format!("{key} is not configured"),
        Message::UnknownKey { key } => format!("no such key: {key}"),
        Message::NearKey { key } => format!("did you mean {key}?"),
        Message::SeeKeys => "run aide config list to see all keys".to_owned(),
        Message::BadValue { key, value, need } => format!("bad value for {key}: \"{value}\" {}", required(*need)),
        Message::DefaultIs { value } => format!("the default is {value}"),
        Message::UserOnly { key } => format!("{key} belongs into your own configuration"),
        Message::AddUser => "add --user".to_owned(),
        Message::IsTables { key } => format!("{key} consists of tables, which no command can set"),
        Message::IsSection { key } => format!("{key} is a section, not a key"),
        Message::SeeSection { key } => format!("run aide config get {key} to see its keys"),
        Message::CannotEdit { key } => format!("{key} cannot be changed without changing more of the file"),
        Message::EditFile { file } => format!("edit {} yourself", file.display()),
        Message::NoConfigFolder => "there is no folder for a configuration of your own".to_owned(),
        Message::SetConfigHome => "set HOME, or XDG_CONFIG_HOME to an absolute path".to_owned(),

        Message::NotTrusted { file, keys } => {
            let (them, are) = if keys.contains(',') { ("them", "are") } else { ("it", "is") };
            format!("{keys} in {} {are} not used, run aide trust to see and trust {them}", file.display())
        }
        Message::Trusted { file } => format!("Trusted as it is now: {}", file.display()),
        Message::TrustUntrusted => "not trusted; run aide trust to trust it".to_owned(),
        Message::NothingToTrust => "The configuration says nothing that needs trust".to_owned(),
        Message::TrustRevoked => "Nothing of this project is trusted any more".to_owned(),
        Message::NothingTrusted => "Nothing of this project was trusted".to_owned(),
        Message::NoStateFolder => "there is no folder to keep this in".to_owned(),
        Message::SetHome => "set HOME, or XDG_STATE_HOME to an absolute path".to_owned(),

        Message::NotJson { error } => format!("cannot parse the JSON: {}", texts::syntax(Lang::En, error)),
        Message::Invalid { problem } => format!("invalid data: {}", texts::problem(Lang::En, problem)),
        Message::MoreProblems { count: 1 } => "1 more problem:".to_owned(),
        Message::MoreProblems { count } => format!("{count} more problems:"),
        Message::ProblemsLeftOut { count } => format!("and {count} others"),
        Message::NoSuchFile { path } => format!("no such file: {path}"),
        Message::IsFolder { path } => format!("the input is a folder, not a file: {path}"),
        Message::Unreadable { path, error } => format!("cannot read the file: {path}: {error}"),
        Message::TooLarge { limit_mib } => format!("the input is too large: more than {limit_mib} MiB"),
        Message::CorrectJson => "check that the JSON is well-formed".to_owned(),
        Message::CorrectProblem { problem } => texts::problem_hint(Lang::En, problem),
        Message::GiveFile => {
            "give the path of a JSON file, JSON that starts with {, or - for standard input".to_owned()
        }
        Message::CheckPath => "check the path; JSON must start with {, and - is standard input".to_owned(),
        Message::CheckPermissions => "check that the file can be read".to_owned(),
        Message::SendLess => "ask fewer items or shorten them".to_owned(),

        Message::PortsBusy { first, last } if first == last => {
            format!("cannot start the server: port {first} is in use")
        }
        Message::PortsBusy { first, last } => {
            format!("cannot start the server: ports {first}-{last} are all in use")
        }
        Message::CannotListen { address, error } => {
            format!("cannot start the server: cannot listen on {address}: {error}")
        }
        Message::ServerFailed { words } => format!("the web server failed: {words}"),
        Message::ServerStuck { pid, url } => {
            format!(
                "cannot start the server: the project's earlier one, {url} (process {pid}), has not ended"
            )
        }
        Message::EndProcess => "end that process and run this again".to_owned(),
        Message::FreePort => "stop the programs that use them, or configure another port".to_owned(),
        Message::OtherAddress => "configure another address or port".to_owned(),
        Message::SubmitAgain => "run aide decide submit '<json>' again".to_owned(),

        Message::NoAideFolder => "there is no .aide folder, run aide init first".to_owned(),
        Message::NoPending => "no questions found".to_owned(),
        Message::PendingCorrupt { words } => format!("cannot parse pending.json: {words}"),
        Message::PendingWithoutSession => "the data is damaged".to_owned(),
        Message::NoResult => "no decision yet".to_owned(),
        Message::Returned { message } => format!("the user sent the questions back: {message}"),
        Message::AlreadyDecided => "the user has decided already".to_owned(),
        Message::NoSession { session } => format!("no such session: {session}"),
        Message::Expired => "no decision yet".to_owned(),
        Message::RecordCorrupt { file, words } => format!("cannot parse the record {file}: {words}"),
        Message::SubmitFirst => "run aide decide submit '<json>' first".to_owned(),
        Message::SubmitAgainDamaged => {
            "the file may be damaged, run aide decide submit '<json>' again".to_owned()
        }
        Message::SubmitAgainWithoutSession => {
            "pending.json has no session_id, run aide decide submit again".to_owned()
        }
        Message::WaitForPerson => "wait until the user has finished on the web page".to_owned(),
        Message::AskBetter => {
            "improve the questions as the user says, then run aide decide submit '<json>' again".to_owned()
        }
        Message::SeeResult => "run aide decide result to see".to_owned(),
        Message::SeeList => "run aide decide list to see all sessions".to_owned(),
        Message::RestoreOrSubmit => {
            "the file may be damaged, restore it or run aide decide submit '<json>' again".to_owned()
        }
        Message::IsSymlink { path } => format!("must not be a symlink: {}", path.display()),
        Message::NotOurs { path } => format!("other users can write to this folder: {}", path.display()),
        Message::NotAFolder { path } => format!("not a folder: {}", path.display()),
        Message::NotAFile { path } => format!("not a regular file: {}", path.display()),
        Message::FileTooLarge { path, limit } => format!("larger than {limit} bytes: {}", path.display()),
        Message::FileCorrupt { file, words } => format!("cannot parse {file}: {words}"),
        Message::NoSessionLeft => "no later session id can be made".to_owned(),
        Message::FolderBusy { path } => format!("another program holds {}", path.display()),
        Message::FileFailed { path, error } => format!("cannot read or write {}: {error}", path.display()),
        Message::MakeItOurs => {
            "move it away and try again; below .aide/ there are only ordinary folders and files".to_owned()
        }
        Message::MakePrivate => {
            "make the folder your own, and take the others' right to write with chmod o-w; where chmod does nothing \
             (/mnt/c of WSL, FAT disks), move the project to a file system that keeps permissions"
                .to_owned()
        }
        Message::CheckClock => {
            "check the system clock, and files in .aide/decisions/ with a date far ahead".to_owned()
        }
        Message::EndOther => "wait for the other aide or end it, then try again".to_owned(),
        Message::CheckSpace => "check the disk space and the permissions of the folder".to_owned(),
        Message::NameFolder => "name the folder to write to with --dir".to_owned(),

        Message::Flow(message) => message.tell(Lang::En),

        Message::NoCurrentFolder { error } => format!("cannot tell the current folder: {error}"),
        Message::CannotPrint { error } => format!("cannot write to standard output: {error}"),
        Message::Internal { words } => format!("internal error: {words}"),
    }
}

fn bad_config(file: &Path, line: Option<usize>, what: &str) -> String {
    format!("bad configuration: {}{}: {what}", file.display(), at(line))
}

fn at(line: Option<usize>) -> String {
    line.map(|line| format!(", line {line}")).unwrap_or_default()
}

fn phases(fault: &PhasesFault) -> String {
    match fault {
        PhasesFault::Empty => "it must be a list of at least one phase".to_owned(),
        PhasesFault::Blank => "the name of a phase must be text that is not blank".to_owned(),
        PhasesFault::Repeated(name) => format!("there are two phases of the name \"{name}\""),
    }
}

fn records(count: usize) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}

fn required(need: Need) -> String {
    match need {
        Need::Port => "is not an integer from 0 to 65535".to_owned(),
        Need::Timeout => "is not an integer from 0 to 315360000 (seconds)".to_owned(),
        Need::Host => "is neither localhost nor an IP address".to_owned(),
        Need::Auth => "is none of auto, always and never".to_owned(),
        Need::Login => "is not allowed on an address that other machines reach".to_owned(),
        Need::Url => "is neither empty nor an address that starts with http:// or https://".to_owned(),
        Need::Language => "is none of zh, en and auto".to_owned(),
        Need::Format => "is neither md nor adr".to_owned(),
        Need::ReportFormat => "is not md".to_owned(),
        Need::Notify => "is none of bell, desktop, command and none".to_owned(),
        Need::Count => "is not a number of records".to_owned(),
        Need::Age => "is not a number of hours (h), days (d) or weeks (w)".to_owned(),
        Need::Boolean => "is neither true nor false".to_owned(),
        Need::Integer { min, max } => format!("is not an integer from {min} to {max}"),
        Need::OneOf(allowed) => format!("is none of {}", allowed.join(", ")),
        Need::List => "is not a list of strings, such as a,b or [\"a\", \"b\"]".to_owned(),
        Need::Utf8 => "is not valid UTF-8".to_owned(),
    }
}

fn config(kind: &ConfigErrorKind) -> String {
    match kind {
        ConfigErrorKind::Io(error) => format!("cannot be read: {error}"),
        ConfigErrorKind::Symlink => "must not be a symlink".to_owned(),
        ConfigErrorKind::NotAFile => "is not a regular file".to_owned(),
        ConfigErrorKind::NotAFolder => "is not a folder".to_owned(),
        ConfigErrorKind::TooLarge { limit } => format!("is larger than {limit} bytes"),
        ConfigErrorKind::NotUtf8 => "is not valid UTF-8".to_owned(),
        ConfigErrorKind::Syntax { message, .. } => format!("is not valid TOML: {message}"),
        ConfigErrorKind::WrongType { expected, found } => {
            let article = if expected.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
            format!("must be {article} {expected}, but is {found}")
        }
        ConfigErrorKind::OutOfRange { min, max, found } => {
            format!("must be from {min} to {max}, but is {found}")
        }
        ConfigErrorKind::NotOneOf { allowed, found } => {
            format!("must be one of {}, but is \"{found}\"", allowed.join(", "))
        }
        ConfigErrorKind::Missing => "is missing".to_owned(),
        ConfigErrorKind::NoProgram => "must name a program to run".to_owned(),
        ConfigErrorKind::Phases(fault) => phases(fault),
        ConfigErrorKind::UnknownPhase { name } => format!("is none of flow.phases: \"{name}\""),
    }
}

pub(super) const HELP: Help = Help {
    usage: "Usage:",
    commands: "Commands",
    arguments: "Arguments",
    options: "Options",

    about: "AI agents ask, people decide",
    aide_usage: "aide [OPTIONS] <COMMAND>",
    aide_after: "\
Exit codes:
  0    success
  1    failure; standard error says why and what to do
  2    wrong usage of the command line
  75   the time of aide decide wait is up and nothing is decided yet
  130  interrupted by Ctrl-C (SIGTERM 143, SIGHUP 129)

Environment variables:
  AIDE_LANG  as --lang
  NO_COLOR   no colours

Configuration files: .aide/config.toml, and your own ~/.config/aide/config.toml
Precedence: argument > environment variable > project > user > default",
    help_flag: "Print help",
    version_flag: "Print version",
    lang_flag: "Language: zh (default), en, or auto (follows the locale)",

    init: "Make the .aide folder and its default configuration",
    init_usage: "aide init [OPTIONS]",
    init_after: "Makes .aide/ in the current folder. It can be run again: an existing configuration is kept.",

    config: "Show and change the configuration",
    config_usage: "aide config [OPTIONS] <COMMAND>",
    config_after: "\
The project's configuration is .aide/config.toml, your own is
~/.config/aide/config.toml (or $XDG_CONFIG_HOME/aide/config.toml). Which wins:
arguments, environment variables, project, user, defaults.

  aide config list
  aide config set decide.port 8080
  aide config set --user general.lang en",
    config_key: "The key, such as decide.port",
    config_value: "The value: true or false, a string without quotes, a list as a,b or [\"a\", \"b\"]",
    config_user: "Change your own configuration, not the project's",
    config_get: "Print the value of a key that is in effect",
    config_get_usage: "aide config get [OPTIONS] <KEY>",
    config_get_after: "Given a section, such as decide, it prints all its keys. Exit code 1 without such a key.",
    config_set: "Change a key",
    config_set_usage: "aide config set [OPTIONS] <KEY> <VALUE>",
    config_set_after: "\
Nothing else changes: comments, order and format of the file stay. A missing file
begins with the defaults. Where the file was trusted and the key is none that needs
trust, it stays trusted; else run aide trust again.",
    config_unset: "Remove a key",
    config_unset_usage: "aide config unset [OPTIONS] <KEY>",
    config_unset_after: "Then your own configuration or the default is used. Exit code 1 without such a key.",
    config_list: "List every key with its value in effect and where it comes from",
    config_list_usage: "aide config list [OPTIONS]",
    config_list_after: "It comes from an argument, an environment variable, the project, the user or the defaults.",
    config_path: "Print where the configuration files are",
    config_path_usage: "aide config path [OPTIONS]",
    config_path_after: "It says so when a file is missing.",
    config_get_json: "Print JSON",
    config_list_json: "Print one line of JSON: value and source of each key, and file, line or name",
    config_path_user: "Print only the path of your own file",
    config_path_json: "Print one line of JSON (file, exists)",

    trust: "Trust the configuration of this project",
    trust_usage: "aide trust [OPTIONS]",
    trust_after: "\
A configuration may come from a stranger's repository. What it says of decide.bind
(beyond the loopback addresses), decide.url and decide.auth = \"never\", and of
programs to start (flow.hooks, plantuml.jar_path, plantuml.java_path), is passed
over, with a warning, until you have trusted it. Arguments and environment
variables are your own and need no trust.

Trusted is the file as it is now: after a change it has to be trusted again. The
record is kept outside of the project, in $XDG_STATE_HOME/aide/trust or else
~/.local/state/aide/trust; without either nothing can be trusted.",
    trust_show: "Only show what would be trusted; exit code 1 if it is not",
    trust_revoke: "Trust nothing of this project any more",

    flow: super::flow::en::HELP,

    decide: "Have the user decide on a web page, and get the result",
    decide_usage: "aide decide [OPTIONS] <COMMAND>",
    decide_after: "\
Examples:
  aide decide submit ./pending-items.json
  aide decide result

  aide decide submit --detach ./pending-items.json
  aide decide wait --timeout 540

aide decide '<json>' is the same as aide decide submit '<json>'.",

    submit: "Submit questions and start the web server",
    submit_usage: "aide decide submit [OPTIONS] <INPUT>",
    submit_after: "\
Prints a link, then waits until the user has decided (exit code 0); until the
questions are sent back, withdrawn or replaced, or the time is up (1); or until it
is interrupted by Ctrl-C, SIGTERM or SIGHUP (130, 143, 129). Then aide decide
result gets the result.

While the same questions are waiting, submitting them again goes on waiting for
the same page; other questions replace them. When the command is killed the
questions stay: aide decide wait, or submitting them again, goes on.

Linux refuses a single command-line argument above 131,071 bytes (about 200
items). For more, use - or a file:
  aide decide submit - < pending-items.json
  aide decide submit ./pending-items.json

The questions:
  {\"task\": \"Add user login\", \"source\": \"task-now.md\", \"items\": [
    {\"id\": 1, \"title\": \"Which kind of login?\", \"recommend\": \"jwt\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\", \"score\": 85, \"pros\": [\"stateless\"], \"cons\": [\"hard to revoke\"]},
      {\"value\": \"session\", \"label\": \"Session\", \"score\": 70}]}]}",
    input: "JSON that starts with {, - for standard input, else the path of a file; at most 16 MiB",
    port: "First port; when it is in use the next 9 are tried; 0 takes any free one (default 3721; AIDE_DECIDE_PORT)",
    bind: "Address to listen on: localhost or an IP address (default 127.0.0.1; AIDE_DECIDE_BIND)",
    url: "Link to print; made automatically when empty (AIDE_DECIDE_URL)",
    auth: "Login: auto (unless on a loopback address), always, or never (default auto; AIDE_DECIDE_AUTH)",
    timeout: "How long to wait, in seconds; 0 waits for ever (default 0; AIDE_DECIDE_TIMEOUT)",
    detach: "Serve the page in the background and return at once",
    detach_json: "With --detach: print one line of JSON (session_id, url, pid)",
    json: "Print one line of JSON in every state; its status says which",

    open: "Open the page with the questions in a browser",
    open_usage: "aide decide open [OPTIONS]",
    open_after: "\
Takes AIDE_BROWSER, else BROWSER (commands separated by colons, %s is the link),
else the desktop's own browser. In a session of SSH it prints the command that
forwards the port instead (AIDE_REMOTE=0 or 1 overrules that). If no server is
running it starts one in the background. Without a browser the exit code is 1.",

    answer: "Answer the questions in the terminal",
    answer_usage: "aide decide answer [OPTIONS] [SESSION]",
    answer_after: "\
Shows the open questions one after the other; ? shows the keys. Needs no browser,
and works over SSH and in tmux. What is chosen is kept as a draft at once, for
the page as well, and a draft of the page is taken over. Exit code 1 when it is
left before the answers are submitted.

Without a terminal, or with TERM=dumb, it asks line by line and reads the answers
from standard input: for each item the number of an option, then a note, which
may be empty; in the end y:
  printf '1\\n\\n2\\nbecause it is known\\ny\\n' | aide decide answer",

    wait: "Wait until the user has decided, and get the result",
    wait_usage: "aide decide wait [OPTIONS] [SESSION]",
    wait_after: "\
Prints what aide decide result prints once the user has decided (exit code 0).
When the time is up and nothing is decided yet the exit code is 75; run it again.
If no server is running it starts one in the background, on the same address and
port when they can be had. Interrupting or killing this command harms neither the
page nor the questions.

status of --json: as of aide decide result, or replaced (by newer questions while
it waited; exit code 1); pending when the time is up

For an agent whose commands have a time limit:
  aide decide submit --detach ./pending-items.json
  aide decide wait --timeout 540",
    wait_timeout: "How long to wait, in seconds; 0 waits for ever (default 0)",
    notify: "Tell the user of the questions: bell, desktop, command (of their own configuration) or none (AIDE_NOTIFY)",
    wait_notify: "Remind the user of the questions: bell, desktop, command or none, as for submit",

    result: "Get the user's decision",
    result_usage: "aide decide result [OPTIONS] [SESSION]",
    result_after: "\
On success it prints one line of JSON and nothing else:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"},{\"id\":2,\"chosen\":\"bcrypt\",\"note\":\"what the user added\"}]}

It works in any subfolder of the project and can be repeated. While there is no result the exit code is 1.

status of --json: answered, returned (sent back by the user), cancelled, pending,
unserved (no server is running), expired, none (nothing was asked). All but none
have a session_id",

    list: "List the open questions and those that have ended",
    list_usage: "aide decide list [OPTIONS]",
    list_after: "The open one first, then the latest.",
    list_json: "Print one line with a JSON array",

    show: "Show the questions and answers of one session",
    show_usage: "aide decide show [OPTIONS] [SESSION]",
    show_after: "\
For each item: what was chosen, whether it was recommended, by which door it came
in (page, plain page, API, terminal), and when.",
    session: "A session such as 2025-01-15T10-30-00; the one submitted last when left out",
    show_json: "Print one line of JSON: the whole record",

    export: "Write decisions down as Markdown",
    export_usage: "aide decide export [OPTIONS] [SESSION]",
    export_after: "\
--format md   one document for the whole session, on standard output
--format adr  one architecture decision record (MADR 4.0) for each item, as files
              in a folder; what is there is left as it is, and what was exported
              before is not exported again",
    format: "md or adr (default md)",
    dir: "Folder for adr (default docs/decisions in the project's root)",

    cancel: "Withdraw the questions",
    cancel_usage: "aide decide cancel [OPTIONS]",
    cancel_after: "Commands that wait end, and no answer is accepted any more. No decision is made.",

    schema: "Print the JSON Schema of the questions",
    schema_usage: "aide decide schema [OPTIONS]",
    schema_after: "\
With multiple, allow_other or required: false an item takes several answers, an
answer of the person's own, or none; the schema says how each is returned.",
    schema_answers: "The schema of the answers instead, as aide decide result prints them",

    clean: "Remove the records of questions that ended long ago",
    clean_usage: "aide decide clean [--keep <N>] [--older-than <AGE>] [OPTIONS]",
    clean_after: "\
At least one of --keep and --older-than is needed; with both, only records that
neither of them keeps are removed. The questions asked last are never removed,
answered or not. Lists what would go and asks first; without a terminal it needs
--yes. Exit code 1 when nothing was removed although something could have been.

  aide decide clean --keep 20 --older-than 30d",
    keep: "Keep this many of the latest records",
    older_than: "Remove only what ended longer ago than this: 12h, 30d, 2w",
    dry_run: "Only list what would be removed",
    yes: "Do not ask",
    clean_json: "With --yes or --dry-run: print one line of JSON (removed, dry_run)",
};

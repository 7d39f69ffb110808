//! English: the same messages as in Chinese, one by one.

use super::{Help, Message, Need};
use decide::State;
use model::Via;
use settings::{ConfigErrorKind, Origin, PhasesFault, Source};
use std::path::Path;
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
        Message::GoOnWaiting { session } => {
            format!("the questions are kept; run aide decide wait {session} to keep waiting")
        }
        Message::BringBack { session } | Message::SubmitOrBringBack { session } => {
            format!(
                "the questions are still open, but no server is running: run aide decide wait {session} to bring it back"
            )
        }
        Message::BroughtBack => "No server was running; it is back".to_owned(),
        Message::BrowserStarted { program } => format!("Started {program}"),
        Message::ForwardPort { command } => {
            format!("On your own computer, run {command}, then open the link above")
        }
        Message::NoBrowser => "No browser found; open the link above yourself".to_owned(),
        Message::NotifyTitle { items } => {
            format!("aide: {items} question{} waiting for you", if *items == 1 { "" } else { "s" })
        }
        Message::NotifyFailed { program, error } => {
            format!("cannot notify you: failed to start {program}: {error}")
        }
        Message::NoNotifyCommand { file } => {
            format!("cannot notify you: notify.command is not set in {}", file.display())
        }
        Message::NotifyIgnored { file, line } => format!(
            "ignored [notify] in {}, line {line}: it belongs in your own configuration",
            file.display()
        ),
        Message::NothingOpen => "no questions are open".to_owned(),
        Message::StillPending { url, session } => {
            format!("no decision yet: {url}; run aide decide wait {session} again to keep waiting")
        }
        Message::WasReturned { message } => format!("The user sent the questions back: {message}"),
        Message::SentBack => "Questions sent back".to_owned(),
        Message::AnswersKept => {
            "nothing was submitted; your answers are kept as a draft, run aide decide answer to continue"
                .to_owned()
        }
        Message::NoMoreInput => {
            "the input ended, or was not understood, before the answers were complete".to_owned()
        }
        Message::AnswerThose => "run aide decide answer to answer the new questions".to_owned(),
        Message::WasCancelled => "Questions cancelled".to_owned(),
        Message::Cancelled => "the questions have been cancelled".to_owned(),
        Message::StoppedWaiting => "Stopped waiting; another process is still serving the page".to_owned(),
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
            format!("Replaced unanswered questions: {session} ({task})")
        }
        Message::SeeReplaced { session } => {
            format!("whoever is waiting for them is told; run aide decide show {session} to see them")
        }
        Message::ReplacedBy { session } => format!("replaced by {session}"),

        Message::Exported { path } => format!("Wrote {}", path.display()),
        Message::NothingToClean => "Nothing to remove".to_owned(),
        Message::WouldRemove { count } => format!("Would remove {}", records(*count)),
        Message::ReallyRemove { count } => format!("Permanently remove {}? [y/N]", records(*count)),
        Message::Removed { count } => format!("Removed {}", records(*count)),
        Message::NothingRemoved => "Nothing was removed".to_owned(),
        Message::NeedsYes => "cannot ask whether to remove the records: there is no terminal".to_owned(),
        Message::SayYes => "add --yes to remove them, or --dry-run to see which".to_owned(),
        Message::AlreadyExported { path } => format!("Already exported: {}", path.display()),
        Message::NothingToExport => "this session has no decisions to export".to_owned(),
        Message::NoSessions => "No questions yet".to_owned(),
        Message::Session { session, state, task, items, completed_at } => {
            let state = match state {
                State::Open => "pending",
                State::Unserved => "pending (no server is running)",
                State::Answered => "answered",
                State::Returned => "sent back",
                State::Cancelled => "cancelled",
                State::Replaced => "replaced",
                State::Unreadable => return format!("{session}  unreadable"),
            };
            let plural = if *items == 1 { "" } else { "s" };
            let ended = if completed_at.is_empty() { String::new() } else { format!(", {completed_at}") };
            format!("{session}  {state}  {task} ({items} question{plural}{ended})")
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
            let plural = if items.contains(',') { "s" } else { "" };
            let items = if items.is_empty() { String::new() } else { format!(" (question{plural} {items})") };
            format!("sent back{items}: {message}")
        }

        Message::UnknownArgument { argument } => format!("unknown argument: {argument}"),
        Message::UnknownCommand { name } => format!("unknown command: {name}"),
        Message::MissingArgument { argument } => format!("missing argument: {argument}"),
        Message::MissingValue { argument } => format!("missing value for argument: {argument}"),
        Message::Repeated { argument } => format!("argument given more than once: {argument}"),
        Message::OtherUsage { words } => format!("usage error: {words}"),
        Message::SeeHelp { command } => format!("run {command} --help"),
        Message::MissingLimit => "give --keep, --older-than, or both".to_owned(),
        Message::DidYouMean { other, command } => format!("did you mean {other}? Run {command} --help"),

        Message::BadSetting { at: source, key, value, need } => {
            let required = required(*need);
            match source {
                Source::Flag(flag) => format!("bad value for argument {flag}: \"{value}\" {required}"),
                Source::Variable(name) => {
                    format!("bad value for environment variable {name}: \"{value}\" {required}")
                }
                Source::File { file, line, .. } => {
                    bad_config(file, *line, &format!("{key} is \"{value}\", which {required}"))
                }
                Source::Default => format!("{key} is \"{value}\", which {required}"),
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
            Need::Login => "use auto or always, or listen on 127.0.0.1 and forward the port with ssh -L".to_owned(),
            Need::Url => "leave it empty to have the link generated".to_owned(),
            Need::Format | Need::ReportFormat => "the default is md".to_owned(),
            Need::Notify => "for command, set notify.command in ~/.config/aide/config.toml".to_owned(),
            Need::Count => "0 keeps only the most recent questions".to_owned(),
            Need::Age => "for example 12h, 30d or 2w".to_owned(),
            Need::Language => "auto follows the locale".to_owned(),
            Need::Boolean | Need::Integer { .. } | Need::OneOf(_) | Need::List | Need::Utf8 => {
                "run aide config list to see all keys".to_owned()
            }
        },
        Message::CorrectConfig => "correct the file and try again".to_owned(),
        Message::BadPhases { fault } => format!("flow.phases is invalid: {}", phases(fault)),
        Message::CorrectConfigAt { file, line } => {
            format!("correct {}{} and try again", file.display(), at(*line))
        }

        Message::Setting { key, value } => format!("{key} = {value}"),
        Message::Listed { setting, source, ignored } => {
            let source = match source {
                Source::Flag(name) => format!("argument {name}"),
                Source::Variable(name) => format!("environment variable {name}"),
                Source::File { origin: Origin::Project, line, .. } => format!("project{}", at(*line)),
                Source::File { origin: Origin::User, line, .. } => format!("user{}", at(*line)),
                Source::Default => "default".to_owned(),
            };
            let ignored = ignored
                .as_ref()
                .map_or_else(String::new, |value| format!("; the project says {value}, which is ignored because it is not trusted"));
            format!("{setting}  ({source}{ignored})")
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
        Message::KeyIsSet { key, value } => format!("{key} is already {value}"),
        Message::KeyUnset { key } => format!("Removed {key}"),
        Message::NoSuchKey { key } => format!("{key} is not set"),
        Message::UnknownKey { key } => format!("unknown key: {key}"),
        Message::NearKey { key } => format!("did you mean {key}?"),
        Message::SeeKeys => "run aide config list to see all keys".to_owned(),
        Message::BadValue { key, value, need } => format!("bad value for {key}: \"{value}\" {}", required(*need)),
        Message::DefaultIs { value } => format!("the default is {value}"),
        Message::UserOnly { key } => format!("{key} belongs in your own configuration"),
        Message::AddUser => "add --user".to_owned(),
        Message::IsTables { key } => format!("{key} is made up of tables, which cannot be set with a command"),
        Message::IsSection { key } => format!("{key} is a section, not a key"),
        Message::SeeSection { key } => format!("run aide config get {key} to see its keys"),
        Message::CannotEdit { key } => format!("cannot change {key} without changing other parts of the file"),
        Message::EditFile { file } => format!("edit {} by hand", file.display()),
        Message::NoConfigFolder => "no user configuration directory".to_owned(),
        Message::SetConfigHome => "set HOME, or XDG_CONFIG_HOME to an absolute path".to_owned(),

        Message::NotTrusted { file, keys } => {
            let (them, are) = if keys.contains(',') { ("them", "are") } else { ("it", "is") };
            format!("{keys} in {} {are} ignored until trusted; run aide trust to review and trust {them}", file.display())
        }
        Message::Trusted { file } => format!("Trusted in its current form: {}", file.display()),
        Message::TrustUntrusted => "not trusted; run aide trust to trust it".to_owned(),
        Message::NothingToTrust => "Nothing in the configuration needs trust".to_owned(),
        Message::TrustRevoked => "Nothing in this project is trusted any longer".to_owned(),
        Message::NothingTrusted => "Nothing in this project was trusted".to_owned(),
        Message::NoStateFolder => "no state directory".to_owned(),
        Message::SetHome => "set HOME, or XDG_STATE_HOME to an absolute path".to_owned(),

        Message::NotJson { error } => format!("cannot parse the JSON: {}", texts::syntax(Lang::En, error)),
        Message::Invalid { problem } => format!("invalid data: {}", texts::problem(Lang::En, problem)),
        Message::MoreProblems { count: 1 } => "1 more problem:".to_owned(),
        Message::MoreProblems { count } => format!("{count} more problems:"),
        Message::ProblemsLeftOut { count } => format!("and {count} more"),
        Message::InFile { path } => format!("file: {path}"),
        Message::Slip { slip } => texts::slip(Lang::En, slip),
        Message::SlipsLeftOut { count: 1 } => "1 more field is not a known one".to_owned(),
        Message::SlipsLeftOut { count } => format!("{count} more fields are not known ones"),
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
        Message::SendLess => "ask fewer questions or shorten them".to_owned(),

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
                "cannot start the server: this project's previous server, {url} (process {pid}), is still running"
            )
        }
        Message::EndProcess => "stop that process and try again".to_owned(),
        Message::FreePort => "stop the programs that are using them, or configure another port".to_owned(),
        Message::OtherAddress => "configure another address or port".to_owned(),
        Message::SubmitAgain => "run aide decide submit '<json>' again".to_owned(),

        Message::NoAideFolder => "there is no .aide folder, run aide init first".to_owned(),
        Message::NoPending => "no questions found".to_owned(),
        Message::PendingCorrupt { words } => format!("cannot parse pending.json: {words}"),
        Message::PendingWithoutSession => "the data is damaged".to_owned(),
        Message::NoResult => "no decision yet".to_owned(),
        Message::Returned { message } => format!("the user sent the questions back: {message}"),
        Message::AlreadyDecided => "the user has already decided".to_owned(),
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
            "revise the questions as the user says, then run aide decide submit '<json>' again".to_owned()
        }
        Message::SeeResult => "run aide decide result to see the decision".to_owned(),
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
        Message::NoSessionLeft => "cannot create a later session id".to_owned(),
        Message::FolderBusy { path } => format!("another program is using {}", path.display()),
        Message::FileFailed { path, error } => format!("cannot read or write {}: {error}", path.display()),
        Message::MakeItOurs => {
            "move it away and try again; .aide/ may contain only ordinary folders and files".to_owned()
        }
        Message::MakePrivate => {
            "make yourself the folder's owner, and remove the others' write permission with chmod o-w; where chmod has no \
             effect (/mnt/c in WSL, FAT disks), move the project to a file system that keeps permissions"
                .to_owned()
        }
        Message::CheckClock => {
            "check the system clock, and .aide/decisions/ for files dated far in the future".to_owned()
        }
        Message::EndOther => "wait for the other aide to finish, or stop it, then try again".to_owned(),
        Message::CheckSpace => "check the free disk space and the folder's permissions".to_owned(),
        Message::NameFolder => "use --dir to name the folder to write to".to_owned(),

        Message::Flow(message) => message.tell(Lang::En),

        Message::NoCurrentFolder { error } => format!("cannot determine the current folder: {error}"),
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
        PhasesFault::Blank => "the name of a phase must be a non-blank string".to_owned(),
        PhasesFault::Repeated(name) => format!("there are two phases named \"{name}\""),
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
        Need::Auth => "is not one of auto, always, never".to_owned(),
        Need::Login => "is not allowed on an address that other machines can reach".to_owned(),
        Need::Url => "is neither empty nor an address that starts with http:// or https://".to_owned(),
        Need::Language => "is not one of zh, en, auto".to_owned(),
        Need::Format => "is neither md nor adr".to_owned(),
        Need::ReportFormat => "is not md".to_owned(),
        Need::Notify => "is not one of bell, desktop, command, none".to_owned(),
        Need::Count => "is not a number of records".to_owned(),
        Need::Age => "is not a number of hours (h), days (d) or weeks (w)".to_owned(),
        Need::Boolean => "is neither true nor false".to_owned(),
        Need::Integer { min, max } => format!("is not an integer from {min} to {max}"),
        Need::OneOf(allowed) => format!("is not one of {}", allowed.join(", ")),
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
        ConfigErrorKind::UnknownPhase { name } => format!("is not one of flow.phases: \"{name}\""),
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
To ask the user something:
  aide init                                        once per project
  aide decide submit --detach ./questions.json     prints a link for the user, and a session
  aide decide wait SESSION --timeout 540           prints the answer
aide decide --help has a complete example.

Exit codes:
  0    success
  1    failure; standard error says why and what to do
  2    wrong usage of the command line
  75   aide decide wait timed out, and there is no decision yet
  130  interrupted by Ctrl-C (SIGTERM 143, SIGHUP 129)

Environment variables:
  AIDE_LANG  same as --lang
  NO_COLOR   no colours

Configuration files: .aide/config.toml, and your own ~/.config/aide/config.toml
Precedence: argument > environment variable > project > user > default",
    help_flag: "Print help",
    version_flag: "Print version",
    lang_flag: "Language: zh (default), en, or auto (follows the locale)",

    init: "Create the .aide folder and its default configuration",
    init_usage: "aide init [OPTIONS]",
    init_after: "\
Creates .aide/ in the current folder. Running it again is safe: an existing configuration
is kept. A new one gets the language of this command (general.lang).",

    config: "Show and change the configuration",
    config_usage: "aide config [OPTIONS] <COMMAND>",
    config_after: "\
The project's configuration is .aide/config.toml, your own is
~/.config/aide/config.toml (or $XDG_CONFIG_HOME/aide/config.toml).
Precedence: argument > environment variable > project > user > default.

  aide config list
  aide config set decide.port 8080
  aide config set --user general.lang en",
    config_key: "The key, such as decide.port",
    config_value: "The value: true or false, a string without quotes, a list as a,b or [\"a\", \"b\"]",
    config_user: "Change your own configuration, not the project's",
    config_get: "Print the effective value of a key",
    config_get_usage: "aide config get [OPTIONS] <KEY>",
    config_get_after: "Given a section, such as decide, prints all of its keys. Exit code 1 if there is no such key.",
    config_set: "Change a key",
    config_set_usage: "aide config set [OPTIONS] <KEY> <VALUE>",
    config_set_after: "\
Nothing else in the file changes: comments, order and formatting are kept. A missing
file is created with the defaults. A trusted file stays trusted unless the key is one
that needs trust; in that case, run aide trust again.",
    config_unset: "Remove a key",
    config_unset_usage: "aide config unset [OPTIONS] <KEY>",
    config_unset_after: "Your own configuration or the default applies from then on. Exit code 1 if the key is not set.",
    config_list: "List every key with its effective value and where it comes from",
    config_list_usage: "aide config list [OPTIONS]",
    config_list_after: "Sources: argument, environment variable, project, user, default.",
    config_path: "Print where the configuration files are",
    config_path_usage: "aide config path [OPTIONS]",
    config_path_after: "A file that does not exist is marked as missing.",
    config_get_json: "Print JSON",
    config_list_json: "Print one line of JSON: value and source of each key, with file, line or name",
    config_path_user: "Print only the path of your own file",
    config_path_json: "Print one line of JSON (file, exists)",

    trust: "Trust the configuration of this project",
    trust_usage: "aide trust [OPTIONS]",
    trust_after: "\
A configuration may come from a stranger's repository. Its decide.bind (other than
loopback addresses), decide.url and decide.auth = \"never\", and the keys that start
programs (flow.hooks, plantuml.jar_path, plantuml.java_path), are ignored with a
warning until you trust it. Arguments and environment variables are your own and
need no trust.

You trust the file as it is now: after a change it must be trusted again. The record
is kept outside the project, in $XDG_STATE_HOME/aide/trust or else in
~/.local/state/aide/trust; without either, nothing can be trusted.",
    trust_show: "Only show what would be trusted; exit code 1 if it is not trusted yet",
    trust_revoke: "Stop trusting anything in this project",

    flow: super::flow::en::HELP,

    decide: "Let the user decide on a web page, and get the result",
    decide_usage: "aide decide [OPTIONS] <COMMAND>",
    decide_after: "\
Run aide init once in the project. Then ask, and wait for the answer:

  aide init

  aide decide submit --detach '{\"task\": \"Add user login\", \"source\": \"task.md\", \"items\": [
    {\"id\": 1, \"title\": \"Which kind of login?\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\"}, {\"value\": \"session\", \"label\": \"Session\"}]}]}'
  aide decide wait 2025-01-15T10-30-00 --timeout 540

submit prints a link and, at the end, its session: show the link to the user, and
give the session to wait. wait prints the answer and exits with 0:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"}]}
With exit code 75 there is no answer yet: run wait again. With 1 there will be none,
and standard error says why and what to do.

Questions can come from a file as well: aide decide submit --detach ./questions.json
Without --detach, submit itself waits, and aide decide result then prints the answer.
aide decide schema prints everything a question can have.
aide decide '<json>' is the same as aide decide submit '<json>'.",

    submit: "Submit questions and start the web server",
    submit_usage: "aide decide submit [OPTIONS] <INPUT>",
    submit_after: "\
Prints a link, then waits until the user has decided (exit code 0); until the
questions are sent back, cancelled or replaced, or the time is up (1); or until it
is interrupted by Ctrl-C, SIGTERM or SIGHUP (130, 143, 129). After that, aide decide
result prints the answers.

If the same questions are already pending, submitting them again waits on the same
page; different questions replace them. If the command is killed, the questions
remain: continue with aide decide wait, or submit them again.

Linux refuses a single command-line argument above 131,071 bytes (about 200
questions). For more, use - or a file:
  aide decide submit - < pending-items.json
  aide decide submit ./pending-items.json

The questions:
  {\"task\": \"Add user login\", \"source\": \"task-now.md\", \"items\": [
    {\"id\": 1, \"title\": \"Which kind of login?\", \"recommend\": \"jwt\", \"options\": [
      {\"value\": \"jwt\", \"label\": \"JWT\", \"score\": 85, \"pros\": [\"stateless\"], \"cons\": [\"hard to revoke\"]},
      {\"value\": \"session\", \"label\": \"Session\", \"score\": 70}]}]}",
    input: "JSON that starts with {, - for standard input, or the path of a file; at most 16 MiB",
    port: "First port; if it is in use, the next 9 are tried; 0 means any free port (default 3721; AIDE_DECIDE_PORT)",
    bind: "Address to listen on: localhost or an IP address (default 127.0.0.1; AIDE_DECIDE_BIND)",
    url: "Link to print; generated if empty (AIDE_DECIDE_URL)",
    auth: "Login: auto (unless on a loopback address), always, or never (default auto; AIDE_DECIDE_AUTH)",
    timeout: "How long to wait, in seconds; 0 waits forever (default 0; AIDE_DECIDE_TIMEOUT)",
    detach: "Serve the page in the background and return at once; aide decide wait then gets the answer",
    detach_json: "With --detach: print one line of JSON (session_id, url, pid, and replaced if other questions were)",
    json: "Print one line of JSON in every state; its status field says which",

    open: "Open the page with the questions in a browser",
    open_usage: "aide decide open [OPTIONS]",
    open_after: "\
Uses AIDE_BROWSER, then BROWSER (commands separated by colons, with %s for the
link), then the desktop's default browser. Over SSH, it prints the command that
forwards the port instead (AIDE_REMOTE=0 or 1 overrides this). If no server is
running, it starts one in the background. Exit code 1 if there is no browser.",
    open_link: "Print a link that logs one browser in, once, within ten minutes, and start no browser: for another user of this computer",

    answer: "Answer the questions in the terminal",
    answer_usage: "aide decide answer [OPTIONS] [SESSION]",
    answer_after: "\
Shows the open questions one at a time; ? shows the keys. Needs no browser, and
works over SSH and in tmux. Every choice is saved at once as a draft, which is
shared with the page. Exit code 1 if you leave before submitting.

Without a terminal, or with TERM=dumb, it asks line by line and reads the answers
from standard input: for each question the number of an option, then a note, which
may be empty; finally y:
  printf '1\\n\\n2\\nbecause it is known\\ny\\n' | aide decide answer",

    wait: "Wait for the user's decision, and print it",
    wait_usage: "aide decide wait [OPTIONS] [SESSION]",
    wait_after: "\
Once the user has decided, prints what aide decide result prints (exit code 0). If
the time is up and there is no decision yet, the exit code is 75; run it again. If no
server is running, it starts one in the background, on the same address and port if
they are free. Interrupting or killing this command harms neither the page nor the
questions.

SESSION is what submit --detach printed: an answer to other questions is never taken
for one to these. If newer questions have replaced them, standard error names those
and the exit code is 1. Without SESSION the most recent questions are meant, and
standard error says which these are.

status with --json: as for aide decide result; pending if the time is up

For an agent whose commands have a time limit:
  aide decide submit --detach ./pending-items.json
  aide decide wait 2025-01-15T10-30-00 --timeout 540",
    wait_timeout: "How long to wait, in seconds; 0 waits forever (default 0)",
    notify: "Notify the user: bell, desktop, command (from their own configuration) or none (AIDE_NOTIFY)",
    wait_notify: "Remind the user: bell, desktop, command or none, as for submit",

    result: "Print the user's decision",
    result_usage: "aide decide result [OPTIONS] [SESSION]",
    result_after: "\
On success, prints one line of JSON and nothing else:
  {\"decisions\":[{\"id\":1,\"chosen\":\"jwt\"},{\"id\":2,\"chosen\":\"bcrypt\",\"note\":\"what the user added\"}]}

Works in any subfolder of the project and can be repeated. Exit code 1 while there is
no result; aide decide wait waits for it. Without SESSION the most recent questions
are meant, and standard error says which these are.

status with --json: answered, returned (sent back by the user), cancelled, replaced
(by newer questions), pending, unserved (open, but no server is running), expired
(the same, after earlier questions have ended here), none (nothing was asked). All but
none have a session_id",

    list: "List the open questions and those that are closed",
    list_usage: "aide decide list [OPTIONS]",
    list_after: "\
Open questions first, then the most recent. status with --json: pending, unserved
(open, but no server is running), answered, returned, cancelled, replaced (with
replaced_by), unreadable",
    list_json: "Print one line with a JSON array",

    show: "Show the questions and answers of one session",
    show_usage: "aide decide show [OPTIONS] [SESSION]",
    show_after: "\
For each question: what was chosen, whether it was recommended, how it was answered
(page, plain page, API, terminal), and when.",
    session: "A session, such as 2025-01-15T10-30-00; by default the most recent one",
    show_json: "Print one line of JSON: the whole record",

    export: "Export decisions as Markdown",
    export_usage: "aide decide export [OPTIONS] [SESSION]",
    export_after: "\
--format md   one document for the whole session, on standard output
--format adr  one architecture decision record (MADR 4.0) per question, as files in
              a folder; existing files are left alone, and nothing is exported twice",
    format: "md or adr (default md)",
    dir: "Folder for adr (default docs/decisions in the project root)",

    cancel: "Cancel the questions",
    cancel_usage: "aide decide cancel [OPTIONS]",
    cancel_after: "Waiting commands end, and no more answers are accepted. No decision is made.",

    schema: "Print the JSON Schema of the questions",
    schema_usage: "aide decide schema [OPTIONS]",
    schema_after: "\
With multiple, allow_other or required: false, a question accepts several answers,
an answer in the user's own words, or none; the schema says how each is returned.",
    schema_answers: "Print the schema of the answers instead, as printed by aide decide result",

    clean: "Remove old records",
    clean_usage: "aide decide clean [--keep <N>] [--older-than <AGE>] [OPTIONS]",
    clean_after: "\
Give --keep, --older-than, or both; with both, only records that neither of them
keeps are removed. The most recent questions are never removed, answered or not.
Lists the records and asks before removing them; without a terminal, --yes is
required. Exit code 1 if there were records to remove and none was removed.

  aide decide clean --keep 20 --older-than 30d",
    keep: "Keep this many of the most recent records",
    older_than: "Remove only records that ended longer ago than this: 12h, 30d, 2w",
    dry_run: "Only list what would be removed",
    yes: "Do not ask",
    clean_json: "With --yes or --dry-run: print one line of JSON (removed, dry_run)",
};

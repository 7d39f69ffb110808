//! English: the same messages as in Chinese, one by one.

use super::{Message, Need};
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
        Message::DeadlinePassed { deadline } => {
            format!("nobody answered before the deadline: {deadline}")
        }
        Message::WasExpired { deadline } => format!("Nobody answered before the deadline: {deadline}"),
        Message::Queued { count } => format!("{} before these", sets(*count)),
        Message::FilesChanged => Lang::En.files().changed.to_owned(),
        Message::TooManyOpen { count } => format!("{} are open; no more are accepted", sets(*count)),
        Message::AnswerOrCancel => {
            "answer some first, or take some back with aide decide cancel SESSION".to_owned()
        }
        Message::SeeResultOf { session } => format!("Result: aide decide result {session}"),
        Message::AnswerNext { session, count } => {
            let verb = if *count == 1 { "is" } else { "are" };
            format!("{} {verb} still open: aide decide answer {session}", sets(*count))
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
                State::Expired => "expired",
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
                Via::Clock => "deadline",
            });
            let time = (!decided_at.is_empty()).then_some(decided_at.as_str());
            let how: Vec<_> = [followed, via, time].into_iter().flatten().collect();
            let how = if how.is_empty() { String::new() } else { format!(" ({})", how.join(", ")) };
            format!("{id}. {title} → {label}{how}")
        }
        Message::OptionDescription { label, description } => format!("{label}: {description}"),
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
            Need::Deadline => "for example 30m, 2h or 2026-01-15T18:00:00+08:00".to_owned(),
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

fn sets(count: usize) -> String {
    if count == 1 { "1 set of questions".to_owned() } else { format!("{count} sets of questions") }
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
        Need::Deadline => {
            "is not a number of seconds (s), minutes (m), hours (h), days (d) or weeks (w), nor a later time with its offset"
                .to_owned()
        }
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

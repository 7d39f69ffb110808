//! English: the same messages as in Chinese, one by one.

use super::{Message, OFFER_ENGLISH, listed, named};
use texts::{Explain as _, Lang};

pub(super) fn render(message: &Message) -> String {
    match message {
        Message::ConfigCreated => "Created the default configuration .aide/config.toml".to_owned(),
        Message::ConfigKept { lang } => format!(
            "The existing configuration is kept; to change its language: aide config set general.lang {lang}"
        ),
        Message::OfferEnglish => OFFER_ENGLISH.to_owned(),
        Message::Initialised => "Initialised: .aide/ and its configuration are ready".to_owned(),
        Message::InitialisedWithSlips => {
            "Initialised: .aide/ is ready; its configuration has keys without an effect (see above)".to_owned()
        }
        Message::ProjectMade { root } => format!("created {}", root.join(".aide").display()),
        Message::ServerRuns => "Web server is running".to_owned(),
        Message::ServesUntilEnded => "This command serves the page until Ctrl-C".to_owned(),
        Message::ServerStarted => "Web server started".to_owned(),
        Message::ServedElsewhere { url } => {
            format!("another server is running: {url}; once it has stopped, new questions are served here")
        }
        Message::OpenLink { url } => format!("Open: {url}"),
        Message::McpAt { url } => format!("MCP at {url}"),
        Message::Waiting => "Waiting for the decision...".to_owned(),
        Message::Decided => "The decision has been made".to_owned(),
        Message::TimedOut => "Timed out, the server has been stopped".to_owned(),
        Message::Interrupted => "Interrupted, the server has been stopped".to_owned(),
        Message::FetchLater { session } => {
            format!("Session {session}: run aide decide wait {session} to get the answer")
        }
        Message::Newest { session, task } => format!("Session {session}: {task}"),
        Message::BadSecret { name, digits } => format!("{name} must be {digits} hexadecimal digits"),
        Message::NameSession => "add one of these sessions to the command".to_owned(),
        Message::GoOnWaiting { session } => {
            format!("the questions are kept; run aide decide wait {session} to keep waiting")
        }
        Message::BringBack { session } | Message::SubmitOrBringBack { session } => {
            format!(
                "the questions are still open, but no server is running: run aide decide wait {session} to restart it"
            )
        }
        Message::BroughtBack => "No server was running; it has been restarted".to_owned(),
        Message::BrowserStarted { program } => format!("Started {program}"),
        Message::ForwardPort { command } => {
            format!("On your own computer, run {command}, then open the link above")
        }
        Message::Isolated => {
            "This program has a network of its own, as in a sandbox: the link opens only inside it".to_owned()
        }
        Message::AnswerOutside => {
            "outside, open the page of the daemon (aide daemon status), or run aide decide answer in this folder"
                .to_owned()
        }
        Message::OutOfReach { url } => {
            format!("The server of these questions cannot be reached from here: {url}. It may run in a sandbox")
        }
        Message::AnswerInTerminal { session } => {
            format!("run aide decide answer {session} to answer in the terminal")
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
        Message::NoticesUnread { failure } => {
            format!("cannot notify you: {}", failure.explain(Lang::En).what)
        }
        Message::NoticeFailed { how, failure } => {
            format!("cannot notify you (how = \"{how}\"): {}", failure.en().what)
        }
        Message::OpenPage => "Open".to_owned(),
        Message::NotifyIgnored { file, line } => format!(
            "ignored [notify] in {}, line {line}: it belongs in your own configuration",
            file.display()
        ),
        Message::Place { place } => place.clone(),
        Message::ProjectSilent { root } => {
            format!("the disk of {} does not respond: open questions there are not listed", root.display())
        }
        Message::ShownTogether => {
            "This page shows the open questions of all projects until all have ended or you press Ctrl-C".to_owned()
        }
        Message::ForPhone { minutes } => format!(
            "Scan the code with your phone, or open the link above: it works once, within {minutes} minutes. The page \
             closes when all questions have ended or you press Ctrl-C"
        ),
        Message::PlainHttp => {
            "the link is not encrypted (HTTP): anyone who can intercept traffic in this network can read questions and \
             answers, and answer in your name. Use it only in networks that you trust"
                .to_owned()
        }
        Message::PhoneNeedsLogin => {
            "a page that other devices can reach needs a login: auth = never is not allowed".to_owned()
        }
        Message::UseAnotherAuth => "set decide.auth (or AIDE_DECIDE_AUTH) to auto or always".to_owned(),
        Message::NoLanAddress => "this computer's IPv4 address in the local network was not found".to_owned(),
        Message::NameHost => "name the address with --host, for example --host 192.168.1.5".to_owned(),
        Message::NotLan { host } => format!("\"{host}\" is not an IP address of this computer in a network"),
        Message::AddPhone => "this link leads to this computer; add --phone for a phone".to_owned(),
        Message::NoQr => "this terminal cannot show a QR code: use the link above".to_owned(),
        Message::NothingOpen | Message::NoneMeant => "no questions are open".to_owned(),
        Message::SeeAllSets => "aide decide list --all also lists the questions of the daemon".to_owned(),
        Message::SeeDaemon => {
            "run aide decide open --all for the questions of the daemon, or aide decide list to see ended ones".to_owned()
        }
        Message::NameEnded { command, sessions } => {
            format!("name the set: {}", named(command, sessions, " or "))
        }
        Message::CancelOpen { sessions } => {
            format!("others are open: {}", named("cancel", sessions, " or "))
        }
        Message::StillPending { url, session } => {
            format!("no decision yet: {url}; run aide decide wait {session} again to keep waiting")
        }
        Message::WasReturned { message, items } => {
            let meant = texts::sent_back(Lang::En, items).map(|meant| format!(" ({meant})"));
            format!("The user sent the questions back{}: {message}", meant.unwrap_or_default())
        }
        Message::SentBack => "Questions sent back".to_owned(),
        Message::AnswersKept { session } => format!(
            "nothing was submitted; your answers are kept as a draft, run aide decide answer {session} to continue"
        ),
        Message::NothingAnswered { session } => {
            format!("nothing was answered; run aide decide answer {session} to begin again")
        }
        Message::SetToAnswer { number, task, items } => {
            let plural = if *items == 1 { "" } else { "s" };
            format!("{number}. {task} ({items} question{plural})")
        }
        Message::WhichSet { count } => format!("Which set? 1 to {count}, Enter for 1, q to leave:"),
        Message::SetsChanged => "The open sets have changed:".to_owned(),
        Message::NoSuchSet { typed, count } if typed.is_empty() => {
            format!("type a number from 1 to {count}, or q to leave")
        }
        Message::NoSuchSet { typed, count } => {
            format!("there is no set {typed}: type a number from 1 to {count}, or q to leave")
        }
        Message::NoMoreInput => {
            "the input ended or was invalid before the answers were complete".to_owned()
        }
        Message::Provided { file } => format!("Attached {file}"),
        Message::NotProvided { why } => format!("the file was not attached: {why}"),
        Message::NoFilesAsked { file } => format!("no question asks for files: {file}"),
        Message::AnswerWithoutFiles => "run aide decide answer without --provide".to_owned(),
        Message::NotAskedFor { file, agent } => format!("no question asks for files for {agent}: {file}"),
        Message::LeaveAgentOut => {
            "leave out :AGENT, or run aide decide show to see the agents that need files".to_owned()
        }
        Message::FileUnwanted { file } => format!("no question asks for a file of this name: {file}"),
        Message::FilesWanted { names } => format!("asked for: {}", names.join(", ")),
        Message::FileWantedTwice { file, titles } => {
            format!("several questions ask for {file}: {}", titles.join(", "))
        }
        Message::SayForWhom { file } => {
            format!("name the agent with --provide {file}:AGENT, or run aide decide answer without --provide")
        }
        Message::WasCancelled => "Questions cancelled".to_owned(),
        Message::WaitedLongEnough => "The time is up; another process is still serving the page".to_owned(),
        Message::StoppedWaiting => "Stopped waiting; another process is still serving the page".to_owned(),
        Message::WasReplaced { by: None } => "Newer questions have replaced these".to_owned(),
        Message::WasReplaced { by: Some(by) } => {
            format!("Newer questions have replaced these: {} ({})", by.session, by.task)
        }
        Message::AskAgainLater => {
            "these were not answered; submit them again once the newer ones have been decided".to_owned()
        }
        Message::WasExpired { deadline } => format!("Not answered before the deadline: {deadline}"),
        Message::DeadlineIgnored => "deadline in the questions has no effect".to_owned(),
        Message::UseDeadlineFlag { when } => format!("pass it to the command: --deadline {when}"),
        Message::StillServed { sets: 1 } => "1 set of questions stays open".to_owned(),
        Message::StillServed { sets } => format!("{sets} sets of questions stay open"),
        Message::SeeAll => "aide daemon start shows them again".to_owned(),
        Message::Queued { count } => format!("{} before these", sets(*count)),
        Message::SeeResultOf { session } => format!("Result: aide decide result {session}"),
        Message::AnswerNext { session, count } => {
            let verb = if *count == 1 { "is" } else { "are" };
            format!("{} {verb} still open: aide decide answer {session}", sets(*count))
        }
        Message::LeftForLater { session, count } => {
            format!("{}: aide decide wait {session}", Lang::En.page().left_for_later(*count))
        }
        Message::RemainderOpen { session, count } => {
            format!("{}: aide decide answer {session}", Lang::En.page().left_for_later(*count))
        }
        Message::RemainderEnded { session, count } => {
            let were = if *count == 1 { "1 question was" } else { &format!("{count} questions were") };
            format!("{were} decided separately: aide decide show {session}")
        }
        Message::StillOpen { session, task } => format!("Questions are still open: {session} ({task})"),
        Message::ReplaceOrQueue => "Enter: queue behind them · r: replace them · q: leave".to_owned(),
        Message::NothingAsked => "nothing was asked".to_owned(),
        Message::ReplacedOpen { session, task } => {
            format!("Replaced unanswered questions: {session} ({task})")
        }
        Message::SeeReplaced { session } => {
            format!("the command that waits for them ends; run aide decide show {session} to see them")
        }
        Message::ReplacedBy { session } => format!("replaced by {session}"),

        Message::UnknownArgument { argument } => format!("unknown argument: {argument}"),
        Message::UnknownCommand { name } => format!("unknown command: {name}"),
        Message::MissingArgument { argument } => format!("missing argument: {argument}"),
        Message::MissingValue { argument } => format!("missing value for argument: {argument}"),
        Message::Excludes { argument, other } => format!("{argument} and {other} cannot be used together"),
        Message::Repeated { argument } => format!("argument given more than once: {argument}"),
        Message::OtherUsage { words } => format!("usage error: {words}"),
        Message::SeeHelp { command } => format!("run {command} --help"),
        Message::ManPages { folder, count } => {
            format!("{} written to {}", texts::en_count(*count, "manual page"), folder.display())
        }
        Message::SeeNames { list } => format!("run {list} to see the names"),
        Message::MissingLimit => "give --keep, --older-than, or both".to_owned(),
        Message::DidYouMeanOneOf { others } => format!("did you mean {}?", listed(others, " or ")),
        Message::DidYouMean { other, command } => format!("did you mean {other}? Run {command} --help"),

        Message::MoreProblems { count: 1 } => "1 more problem:".to_owned(),
        Message::MoreProblems { count } => format!("{count} more problems:"),
        Message::ProblemsLeftOut { count } => format!("and {count} more"),
        Message::InFile { path } => format!("file: {path}"),
        Message::Slip { slip } => texts::slip(Lang::En, slip),
        Message::SlipsLeftOut { count: 1 } => "1 more unknown field".to_owned(),
        Message::SlipsLeftOut { count } => format!("{count} more unknown fields"),
        Message::NoSuchFile { path } => format!("no such file: {path}"),
        Message::IsFolder { path } => format!("the input is a folder, not a file: {path}"),
        Message::Unreadable { path, error } => format!("cannot read the file: {path}: {error}"),
        Message::TooLarge { limit_mib } => format!("the input is too large: more than {limit_mib} MiB"),
        Message::GiveFile => {
            "give the path of a JSON file, JSON that starts with {, or - for standard input".to_owned()
        }
        Message::CheckPath => "check the path; JSON must start with {, and - is standard input".to_owned(),
        Message::CheckPermissions => "check that the file can be read".to_owned(),
        Message::SendLess => "ask fewer questions or shorten them".to_owned(),

        Message::NameFile => "give the path of a JSON file, or - for standard input".to_owned(),
        Message::UnknownFormat { name } => format!("unknown format: {name}"),
        Message::SeeFormats => "run aide schema to see all formats".to_owned(),
        Message::SeeExample { name } => format!("run aide schema {name} --example to see a valid one"),
        Message::ValidDocument { path, name } => format!("{path}: valid ({name})"),

        Message::ServerFailed { words } => format!("the web server failed: {words}"),
        Message::ServerStuck { pid, url } => {
            format!(
                "cannot start the server: this project's previous server, {url} (process {pid}), is still running"
            )
        }
        Message::EndProcess => "stop that process and try again".to_owned(),
        Message::AskFirst => "ask the user before you submit the same questions again".to_owned(),
        Message::SubmitAgain => "run aide decide submit '<json>' again".to_owned(),

        Message::NoResult => "no decision yet".to_owned(),
        Message::Expired => "no decision yet".to_owned(),
        Message::WaitForPerson => "wait until the user has finished on the web page".to_owned(),
        Message::AskBetter => {
            "revise the questions as the user asks, then run aide decide submit '<json>' again".to_owned()
        }
        Message::SeeResult => "run aide decide result to see the decision".to_owned(),
        Message::SeeShow => "run aide decide show to see how the last ones ended".to_owned(),
        Message::SeeList => "run aide decide list to see all sessions".to_owned(),
        Message::NameFolder => "use --dir to name the folder to write to".to_owned(),

        Message::Flow(message) => message.render(Lang::En),
        Message::Agent(message) => message.render(Lang::En),
        Message::Provider(message) => message.render(Lang::En),
        Message::Setup(message) => message.render(Lang::En),
        Message::Doctor(message) => message.render(Lang::En),
        Message::Uninstall(message) => message.render(Lang::En),
        Message::Plan(message) => message.render(Lang::En),
        Message::Daemon(message) => message.render(Lang::En),
        Message::Config(message) => message.render(Lang::En),
        Message::Record(message) => message.render(Lang::En),

        Message::NoCurrentFolder { error } => format!("cannot determine the current folder: {error}"),
        Message::CannotPrint { error } => format!("cannot write to standard output: {error}"),
        Message::Internal { words } => format!("internal error: {words}"),
    }
}

fn sets(count: usize) -> String {
    if count == 1 { "1 set of questions".to_owned() } else { format!("{count} sets of questions") }
}

//! Everything the command line says, beside errors and what is wrong with an input (`texts`).
//!
//! One list of messages, one table per language, each an exhaustive `match`.

#[cfg(test)]
#[macro_use]
mod samples;

mod agent;
pub(crate) mod bind;
mod config;
mod daemon;
mod doctor;
pub(crate) mod en;
mod flow;
mod form;
mod plan;
mod provider;
mod record;
mod setup;
mod uninstall;
pub(crate) mod zh;

pub(crate) use agent::AgentMessage;
pub(crate) use config::ConfigMessage;
pub(crate) use daemon::DaemonMessage;
pub(crate) use doctor::{Check, DoctorMessage};
pub(crate) use flow::FlowMessage;
pub(crate) use form::FormWords;
pub(crate) use plan::{AgainMessage, PlanMessage, RunMessage};
pub(crate) use provider::ProviderMessage;
pub(crate) use record::RecordMessage;
pub(crate) use setup::SetupMessage;
pub(crate) use uninstall::{FolderKind, UninstallMessage};

use decide::{Entry, Replacement};
use model::{SessionId, Slip};
use std::io;
use std::path::PathBuf;
use texts::{Explain, Lang};

/// How to switch to English, in both tables.
const OFFER_ENGLISH: &str =
    "For English, add --lang en, or set it once: aide config set --user general.lang auto";

/// One line for people: what happened, or what to do about it.
#[derive(Debug)]
pub(crate) enum Message {
    // What happens.
    ConfigCreated,
    Initialised,
    /// The configuration was there before, and has keys that have no effect.
    InitialisedWithSlips,
    /// A hook asks where there was no project.
    ProjectMade {
        root: PathBuf,
    },
    /// A configuration that was there before says another language.
    ConfigKept {
        lang: String,
    },
    /// How to switch to English. It is always in English.
    OfferEnglish,
    ServerStarted,
    /// This command serves a page, and does nothing else.
    ServesUntilEnded,
    ServerRuns,
    /// For the caller that starts a resident server while another one runs.
    ServedElsewhere {
        url: String,
    },
    OpenLink {
        url: String,
    },
    /// Where agents ask by HTTP.
    McpAt {
        url: String,
    },
    Waiting,
    Decided,
    TimedOut,
    Interrupted,
    FetchLater {
        session: SessionId,
    },
    /// Which questions are meant when none are named.
    Newest {
        session: SessionId,
        task: String,
    },
    /// A variable whose value is to be kept secret.
    BadSecret {
        name: &'static str,
        digits: usize,
    },
    /// What to do where several are open.
    NameSession,
    GoOnWaiting {
        session: SessionId,
    },
    BringBack {
        session: SessionId,
    },
    /// The same where the documented advice is to ask again.
    SubmitOrBringBack {
        session: SessionId,
    },
    BroughtBack,
    BrowserStarted {
        program: String,
    },
    ForwardPort {
        command: String,
    },
    NoBrowser,
    /// The server is in a network of its own, which no browser outside reaches.
    Isolated,
    AnswerOutside,
    /// A server that runs does not accept connections from here.
    OutOfReach {
        url: String,
    },
    AnswerInTerminal {
        session: SessionId,
    },
    NotifyTitle {
        items: usize,
    },
    NotifyFailed {
        program: String,
        error: io::Error,
    },
    NoNotifyCommand {
        file: PathBuf,
    },
    /// The configuration of notices cannot be read.
    NoticesUnread {
        failure: Box<dyn Explain>,
    },
    NoticeFailed {
        how: &'static str,
        failure: notice::Undelivered,
    },
    /// The button of a notification.
    OpenPage,
    NotifyIgnored {
        file: PathBuf,
        line: usize,
    },
    NothingOpen,
    /// The same of a command that reads: in Chinese in the words of contract/decide §5.5.
    NoneMeant,
    SeeDaemon,
    /// Where the questions of the daemon are listed.
    SeeAllSets,
    /// Sets of questions that have ended, the latest first, for a `command` that was given no name.
    NameEnded {
        command: &'static str,
        sessions: Vec<SessionId>,
    },
    /// Sets that are open, where the one that was meant has ended.
    CancelOpen {
        sessions: Vec<SessionId>,
    },
    /// A folder or a page, above what is open there.
    Place {
        place: String,
    },
    /// The disk of a project does not answer.
    ProjectSilent {
        root: PathBuf,
    },
    /// A server shows all projects until nothing is open.
    ShownTogether,
    /// For another device, a link that lets in once.
    ForPhone {
        minutes: u8,
    },
    /// What it means that the link is not encrypted.
    PlainHttp,
    /// A page that other machines reach needs a login.
    PhoneNeedsLogin,
    UseAnotherAuth,
    NoLanAddress,
    NameHost,
    NotLan {
        host: String,
    },
    NoQr,
    AddPhone,
    StillPending {
        url: String,
        session: SessionId,
    },
    WasReturned {
        message: String,
        items: Vec<u64>,
    },
    SentBack,
    AnswersKept {
        session: SessionId,
    },
    /// The same where there are none.
    NothingAnswered {
        session: SessionId,
    },
    /// One of several open sets.
    SetToAnswer {
        number: usize,
        task: String,
        items: usize,
    },
    /// The question for the number of one of `count` sets.
    WhichSet {
        count: usize,
    },
    /// Other sets are open than those that were listed.
    SetsChanged,
    /// What was typed names none of them.
    NoSuchSet {
        typed: String,
        count: usize,
    },
    NoMoreInput,
    /// A file that was named on the command line was attached.
    Provided {
        file: String,
    },
    /// It was not, for this reason.
    NotProvided {
        why: String,
    },
    NoFilesAsked {
        file: String,
    },
    AnswerWithoutFiles,
    NotAskedFor {
        file: String,
        agent: String,
    },
    LeaveAgentOut,
    FileUnwanted {
        file: String,
    },
    FilesWanted {
        names: Vec<String>,
    },
    FileWantedTwice {
        file: String,
        titles: Vec<String>,
    },
    SayForWhom {
        file: String,
    },
    WasCancelled,
    WasReplaced {
        by: Option<Replacement>,
    },
    AskAgainLater,
    /// The same for the waiter.
    WasExpired {
        deadline: String,
    },
    /// Questions say in their text until when they are to be answered.
    DeadlineIgnored,
    UseDeadlineFlag {
        when: String,
    },
    /// So many are open when the daemon ends that has shown them.
    StillServed {
        sets: usize,
    },
    SeeAll,
    /// So many are open before those that were just asked.
    Queued {
        count: usize,
    },
    /// How the answer to these questions is had, of several.
    SeeResultOf {
        session: SessionId,
    },
    AnswerNext {
        session: SessionId,
        count: usize,
    },
    /// Questions that were left for later when the others were answered.
    LeftForLater {
        session: SessionId,
        count: usize,
    },
    /// The same for a person, while they are open.
    RemainderOpen {
        session: SessionId,
        count: usize,
    },
    /// The same once they have ended.
    RemainderEnded {
        session: SessionId,
        count: usize,
    },
    /// Questions that others would take the place of.
    StillOpen {
        session: SessionId,
        task: String,
    },
    /// The question what to do about them.
    ReplaceOrQueue,
    NothingAsked,
    ReplacedOpen {
        session: SessionId,
        task: String,
    },
    SeeReplaced {
        session: SessionId,
    },
    /// Of a set that is shown.
    ReplacedBy {
        session: SessionId,
    },
    StoppedWaiting,
    /// The same, because the time is up.
    WaitedLongEnough,

    // The command line.
    UnknownArgument {
        argument: String,
    },
    UnknownCommand {
        name: String,
    },
    MissingArgument {
        argument: String,
    },
    MissingValue {
        argument: String,
    },
    Excludes {
        argument: String,
        other: String,
    },
    Repeated {
        argument: String,
    },
    OtherUsage {
        words: String,
    },
    SeeHelp {
        command: String,
    },
    /// The manual is in this folder.
    ManPages {
        folder: PathBuf,
        count: usize,
    },
    /// What can stand for an argument that is missing.
    SeeNames {
        list: &'static str,
    },
    MissingLimit,
    /// What was meant is a command of one of these.
    DidYouMeanOneOf {
        others: Vec<String>,
    },
    DidYouMean {
        other: String,
        command: String,
    },

    // The input.
    MoreProblems {
        count: usize,
    },
    ProblemsLeftOut {
        count: usize,
    },
    /// The file that the questions came from.
    InFile {
        path: String,
    },
    Slip {
        slip: Slip,
    },
    SlipsLeftOut {
        count: usize,
    },
    NoSuchFile {
        path: String,
    },
    IsFolder {
        path: String,
    },
    Unreadable {
        path: String,
        error: io::Error,
    },
    TooLarge {
        limit_mib: usize,
    },
    GiveFile,
    CheckPath,
    CheckPermissions,
    SendLess,

    // What agents tell one another.
    NameFile,
    UnknownFormat {
        name: String,
    },
    SeeFormats,
    SeeExample {
        name: &'static str,
    },
    ValidDocument {
        path: String,
        name: &'static str,
    },

    // The server.
    ServerFailed {
        words: String,
    },
    ServerStuck {
        pid: u32,
        url: String,
    },
    EndProcess,
    SubmitAgain,
    /// A person has cancelled the questions.
    AskFirst,

    // The folder.
    NoResult,
    Expired,
    WaitForPerson,
    AskBetter,
    SeeResult,
    SeeShow,
    SeeList,
    NameFolder,

    // Phases and steps.
    Flow(Box<FlowMessage>),

    /// About agents that work through files.
    Agent(Box<AgentMessage>),
    Provider(Box<ProviderMessage>),

    /// About agents that are set up.
    Setup(Box<SetupMessage>),

    /// About what was checked.
    Doctor(Box<DoctorMessage>),

    /// About what is removed, and what is kept.
    Uninstall(Box<UninstallMessage>),

    /// About plans.
    Plan(Box<PlanMessage>),

    /// About the resident process.
    Daemon(Box<DaemonMessage>),

    /// About the configuration and the trust in it.
    Config(Box<ConfigMessage>),

    /// About questions and their answers.
    Record(Box<RecordMessage>),

    // The surroundings.
    NoCurrentFolder {
        error: io::Error,
    },
    CannotPrint {
        error: io::Error,
    },
    Internal {
        words: String,
    },
}

impl Message {
    /// One line of the list of sessions.
    pub(crate) fn session(entry: Entry, lang: Lang) -> Self {
        Self::record(RecordMessage::session(entry, lang))
    }

    /// About phases and steps.
    pub(crate) fn flow(message: FlowMessage) -> Self {
        Self::Flow(Box::new(message))
    }

    /// About agents that work through files.
    pub(crate) fn agent(message: AgentMessage) -> Self {
        Self::Agent(Box::new(message))
    }

    /// About providers.
    pub(crate) fn provider(message: ProviderMessage) -> Self {
        Self::Provider(Box::new(message))
    }

    /// About what was checked.
    pub(crate) fn doctor(message: DoctorMessage) -> Self {
        Self::Doctor(Box::new(message))
    }

    /// About what is removed, and what is kept.
    pub(crate) fn uninstall(message: UninstallMessage) -> Self {
        Self::Uninstall(Box::new(message))
    }

    /// About agents that are set up.
    pub(crate) fn setup(message: SetupMessage) -> Self {
        Self::Setup(Box::new(message))
    }

    /// About carrying plans out.
    pub(crate) fn run(message: RunMessage) -> Self {
        Self::plan(PlanMessage::Run(message))
    }

    /// About plans that are begun, tried again, and looked at for what came of them.
    pub(crate) fn again(message: AgainMessage) -> Self {
        Self::plan(PlanMessage::Again(message))
    }

    /// About plans.
    pub(crate) fn plan(message: PlanMessage) -> Self {
        Self::Plan(Box::new(message))
    }

    /// About the resident process.
    pub(crate) fn daemon(message: DaemonMessage) -> Self {
        Self::Daemon(Box::new(message))
    }

    /// About the configuration and the trust in it.
    pub(crate) fn config(message: ConfigMessage) -> Self {
        Self::Config(Box::new(message))
    }

    /// About questions and their answers.
    pub(crate) fn record(message: RecordMessage) -> Self {
        Self::Record(Box::new(message))
    }

    /// In words.
    pub(crate) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh::render(self),
            Lang::En => en::render(self),
        }
    }
}

#[cfg(test)]
mod tests;

/// `aide decide result 2025-01-15T10-30-00`, for each of `sessions`.
fn named(command: &str, sessions: &[SessionId], or: &str) -> String {
    let commands: Vec<_> =
        sessions.iter().map(|session| format!("aide decide {command} {session}")).collect();
    commands.join(or)
}

/// `a, b or c`.
fn listed(words: &[String], or: &str) -> String {
    match words {
        [rest @ .., last] if !rest.is_empty() => format!("{}{or}{last}", rest.join(", ")),
        words => words.concat(),
    }
}

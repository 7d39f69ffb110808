//! Everything the command line says, beside what is wrong with an input (`texts`).
//!
//! One list of messages, one table per language, each an exhaustive `match`.

#[cfg(test)]
#[macro_use]
mod samples;

pub(crate) mod en;
mod flow;
mod form;
pub(crate) mod zh;

pub(crate) use flow::FlowMessage;
pub(crate) use form::FormWords;

use decide::{Entry, Replacement, State};
use model::{Problem, SessionId, Slip, SyntaxError, Via};
use settings::{ConfigErrorKind, ConfigValue, Key, Kind, Origin, PhasesFault, Source};
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use texts::Lang;

/// One line for people: what happened, or what to do about it.
#[derive(Debug)]
pub(crate) enum Message {
    // What happens.
    ConfigCreated,
    Initialised,
    ServerStarted,
    OpenLink {
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
    NotifyIgnored {
        file: PathBuf,
        line: usize,
    },
    NothingOpen,
    StillPending {
        url: String,
        session: SessionId,
    },
    WasReturned {
        message: String,
    },
    SentBack,
    AnswersKept,
    NoMoreInput,
    AnswerThose,
    WasCancelled,
    WasReplaced {
        by: Option<Replacement>,
    },
    Replaced {
        by: Option<Replacement>,
    },
    AskAgainLater,
    /// Of questions that have ended so.
    DeadlinePassed {
        deadline: String,
    },
    /// The same for whoever waits for them.
    WasExpired {
        deadline: String,
    },
    /// So many are open before those that were just asked.
    Queued {
        count: usize,
    },
    FilesChanged,
    TooManyOpen {
        count: usize,
    },
    AnswerOrCancel,
    /// How the answer to these questions is had, of several.
    SeeResultOf {
        session: SessionId,
    },
    AnswerNext {
        session: SessionId,
        count: usize,
    },
    /// What a command has replaced.
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
    Cancelled,

    // What was asked and answered.
    Exported {
        path: PathBuf,
    },
    AlreadyExported {
        path: PathBuf,
    },
    NothingToExport,
    NoSessions,
    Session {
        session: SessionId,
        state: State,
        task: String,
        items: usize,
        completed_at: String,
    },
    OpenItem {
        id: u64,
        title: String,
        labels: String,
    },
    /// `followed` is missing when nothing was recommended, `via` in records that do not say.
    Answer {
        id: u64,
        title: String,
        label: String,
        via: Option<Via>,
        followed: Option<bool>,
        decided_at: String,
    },
    OptionDescription {
        label: String,
        description: String,
    },
    AnswerNote {
        note: String,
    },
    NothingToClean,
    WouldRemove {
        count: usize,
    },
    ReallyRemove {
        count: usize,
    },
    Removed {
        count: usize,
    },
    NothingRemoved,
    NeedsYes,
    SayYes,
    /// `items` is empty when the whole set is meant.
    ReturnedBecause {
        message: String,
        items: String,
    },

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
    Repeated {
        argument: String,
    },
    OtherUsage {
        words: String,
    },
    SeeHelp {
        command: String,
    },
    MissingLimit,
    DidYouMean {
        other: String,
        command: String,
    },

    // Settings.
    BadSetting {
        at: Source,
        key: &'static str,
        value: String,
        need: Need,
    },
    BadConfig {
        file: PathBuf,
        line: Option<usize>,
        key: Option<&'static str>,
        kind: ConfigErrorKind,
    },
    BadPhases {
        fault: PhasesFault,
    },
    CorrectSetting {
        need: Need,
    },
    CorrectConfig,
    CorrectConfigAt {
        file: PathBuf,
        line: Option<usize>,
    },

    // The configuration itself.
    /// A key and its value.
    Setting {
        key: String,
        value: ConfigValue,
    },
    /// `ignored` is what the project says, where it is not trusted.
    Listed {
        setting: String,
        source: Source,
        ignored: Option<ConfigValue>,
    },
    Path {
        file: PathBuf,
    },
    ConfigPath {
        file: PathBuf,
        origin: Origin,
        exists: bool,
    },
    KeySet {
        key: String,
        value: ConfigValue,
    },
    KeyIsSet {
        key: String,
        value: ConfigValue,
    },
    KeyUnset {
        key: String,
    },
    NoSuchKey {
        key: String,
    },
    UnknownKey {
        key: String,
    },
    NearKey {
        key: &'static str,
    },
    SeeKeys,
    BadValue {
        key: &'static str,
        value: String,
        need: Need,
    },
    DefaultIs {
        value: ConfigValue,
    },
    UserOnly {
        key: &'static str,
    },
    AddUser,
    IsTables {
        key: String,
    },
    IsSection {
        key: String,
    },
    SeeSection {
        key: String,
    },
    CannotEdit {
        key: String,
    },
    EditFile {
        file: PathBuf,
    },
    NoConfigFolder,
    SetConfigHome,

    // Trust.
    /// `keys` are those that have no effect.
    NotTrusted {
        file: PathBuf,
        keys: String,
    },
    Trusted {
        file: PathBuf,
    },
    TrustUntrusted,
    NothingToTrust,
    TrustRevoked,
    NothingTrusted,
    NoStateFolder,
    SetHome,

    // The input.
    NotJson {
        error: SyntaxError,
    },
    Invalid {
        problem: Problem,
    },
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
    CorrectJson,
    CorrectProblem {
        problem: Problem,
    },
    GiveFile,
    CheckPath,
    CheckPermissions,
    SendLess,

    // The server.
    PortsBusy {
        first: u16,
        last: u16,
    },
    CannotListen {
        address: SocketAddr,
        error: io::Error,
    },
    ServerFailed {
        words: String,
    },
    ServerStuck {
        pid: u32,
        url: String,
    },
    FreePort,
    EndProcess,
    OtherAddress,
    SubmitAgain,

    // The folder.
    NoAideFolder,
    NoPending,
    PendingCorrupt {
        words: String,
    },
    PendingWithoutSession,
    NoResult,
    Expired,
    Returned {
        message: String,
    },
    AlreadyDecided,
    NoSession {
        session: String,
    },
    RecordCorrupt {
        file: String,
        words: String,
    },
    SubmitFirst,
    SubmitAgainDamaged,
    SubmitAgainWithoutSession,
    WaitForPerson,
    AskBetter,
    SeeResult,
    SeeList,
    RestoreOrSubmit,
    IsSymlink {
        path: PathBuf,
    },
    NotOurs {
        path: PathBuf,
    },
    NotAFolder {
        path: PathBuf,
    },
    NotAFile {
        path: PathBuf,
    },
    FileTooLarge {
        path: PathBuf,
        limit: u64,
    },
    FileCorrupt {
        file: String,
        words: String,
    },
    NoSessionLeft,
    FolderBusy {
        path: PathBuf,
    },
    FileFailed {
        path: PathBuf,
        error: io::Error,
    },
    MakeItOurs,
    MakePrivate,
    CheckClock,
    EndOther,
    CheckSpace,
    NameFolder,

    // Phases and steps.
    Flow(Box<FlowMessage>),

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
    pub(crate) fn session(entry: Entry) -> Self {
        let Entry { session, state, task, items, completed_at, .. } = entry;
        Self::Session { session, state, task, items, completed_at }
    }

    /// About phases and steps.
    pub(crate) fn flow(message: FlowMessage) -> Self {
        Self::Flow(Box::new(message))
    }

    /// In words.
    pub(crate) fn tell(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh::tell(self),
            Lang::En => en::tell(self),
        }
    }
}

/// What a setting must be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Need {
    Port,
    Timeout,
    Host,
    Auth,
    /// A login, where other machines can come.
    Login,
    Url,
    Language,
    Format,
    ReportFormat,
    Notify,
    Count,
    Age,
    Deadline,
    Boolean,
    Integer {
        min: i64,
        max: i64,
    },
    OneOf(&'static [&'static str]),
    List,
    Utf8,
}

impl Need {
    /// What the value of `key` must be.
    pub(crate) fn of(key: &Key) -> Self {
        match (key.name, key.kind) {
            ("decide.port", _) => Self::Port,
            ("decide.timeout", _) => Self::Timeout,
            ("decide.auth", _) => Self::Auth,
            ("general.lang", _) => Self::Language,
            ("notify.when", _) => Self::Notify,
            (_, Kind::Boolean) => Self::Boolean,
            (_, Kind::Integer { min, max }) => Self::Integer { min, max },
            (_, Kind::OneOf(allowed)) => Self::OneOf(allowed),
            (_, Kind::Address) => Self::Host,
            (_, Kind::Link) => Self::Url,
            (_, Kind::Text) => Self::Utf8,
            (_, Kind::Texts | Kind::Phases | Kind::Tables | Kind::Map) => Self::List,
        }
    }
}

#[cfg(test)]
mod tests;

//! Every message in both languages, as it is printed.

use super::{Message, Need};
use decide::{Replacement, State};
use model::{Found, Path, Problem, Rule, SessionId, Slip, SyntaxError, Via};
use settings::{ConfigErrorKind, ConfigValue, LangSetting, Origin, PhasesFault, Source};
use std::io::{Error, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use texts::Lang;

fn text(text: &str) -> String {
    text.to_owned()
}

fn refused() -> Error {
    Error::from_raw_os_error(13)
}

fn session() -> SessionId {
    "2025-01-15T10-30-00".parse().unwrap()
}

fn problem() -> Problem {
    let found = Found::Json(text("[{}]"));
    Problem { path: Path::root().key("items"), rule: Rule::AtLeastTwoOptions { count: 1 }, found }
}

fn slip() -> Slip {
    Slip { path: Path::root().key("items").index(0), found: text("recomend"), meant: "recommend" }
}

samples! {
    Message, Flow;
    ConfigCreated,
    Initialised,
    ServerStarted,
    OpenLink { url: text("http://localhost:3721") },
    Waiting,
    Decided,
    TimedOut,
    Interrupted,
    FetchLater { session: session() },
    Newest { session: session(), task: text("实现用户认证") },
    GoOnWaiting { session: session() },
    BringBack { session: session() },
    SubmitOrBringBack { session: session() },
    BroughtBack,
    BrowserStarted { program: text("xdg-open") },
    ForwardPort { command: text("ssh -L 3721:localhost:3721 ann@10.0.0.5") },
    NoBrowser,
    NotifyTitle { items: 2 },
    NotifyFailed { program: text("notify-send"), error: Error::from_raw_os_error(2) },
    NoNotifyCommand { file: "/home/x/.config/aide/config.toml".into() },
    NotifyIgnored { file: "/p/.aide/config.toml".into(), line: 3 },
    NothingOpen,
    StillPending { url: text("http://localhost:3721"), session: session() },
    WasReturned { message: text("先问安全组") },
    SentBack,
    AnswersKept,
    NoMoreInput,
    AnswerThose,
    WasCancelled,
    WasReplaced { by: Some(Replacement { session: session(), task: text("实现用户认证") }) },
    Replaced { by: None },
    AskAgainLater,
    DeadlinePassed { deadline: text("2025-01-15T18:00:00+08:00") },
    WasExpired { deadline: text("2025-01-15T18:00:00+08:00") },
    Queued { count: 2 },
    FilesChanged,
    TooManyOpen { count: 1000 },
    AnswerOrCancel,
    SeeResultOf { session: session() },
    AnswerNext { session: session(), count: 2 },
    ReplacedOpen { session: session(), task: text("实现用户认证") },
    SeeReplaced { session: session() },
    ReplacedBy { session: session() },
    StoppedWaiting,
    Cancelled,
    Exported { path: "/p/docs/decisions/0001-x.md".into() },
    AlreadyExported { path: "/p/docs/decisions/0001-x.md".into() },
    NothingToExport,
    NothingToClean,
    WouldRemove { count: 2 },
    ReallyRemove { count: 2 },
    Removed { count: 2 },
    NothingRemoved,
    NeedsYes,
    SayYes,
    NoSessions,
    Session {
        session: session(),
        state: State::Answered,
        task: text("实现用户认证"),
        items: 2,
        completed_at: text("2025-01-15T10:35:00+08:00")
    },
    OpenItem { id: 1, title: text("认证方式选择"), labels: text("JWT / Session") },
    Answer {
        id: 1,
        title: text("认证方式选择"),
        label: text("JWT"),
        via: Some(Via::Page),
        followed: Some(true),
        decided_at: text("2025-01-15T10:34:00+08:00")
    },
    OptionDescription { label: text("JWT"), description: text("无需服务端存储") },
    AnswerNote { note: text("团队更熟悉") },
    ReturnedBecause { message: text("先问安全组"), items: text("1, 3") },
    UnknownArgument { argument: text("--x") },
    UnknownCommand { name: text("x") },
    MissingArgument { argument: text("<INPUT>") },
    MissingValue { argument: text("--port <PORT>") },
    Repeated { argument: text("--port <PORT>") },
    OtherUsage { words: text("parser's words") },
    MissingLimit,
    SeeHelp { command: text("aide decide") },
    DidYouMean { other: text("--port"), command: text("aide decide submit") },
    BadSetting { at: Source::Flag("--port"), key: "decide.port", value: text("x"), need: Need::Port },
    BadConfig {
        file: "/p/.aide/config.toml".into(),
        line: Some(3),
        key: Some("decide.port"),
        kind: ConfigErrorKind::OutOfRange { min: 0, max: 65535, found: 65536 }
    },
    BadPhases { fault: PhasesFault::Empty },
    CorrectSetting { need: Need::Login },
    CorrectConfig,
    CorrectConfigAt { file: "/p/.aide/config.toml".into(), line: Some(3) },
    Setting { key: text("decide.url"), value: ConfigValue::Text(text("http://x")) },
    Listed {
        setting: text("decide.port = 80"),
        source: Source::File { origin: Origin::Project, file: "/p".into(), line: Some(3) },
        ignored: None
    },
    Path { file: "/home/x/.config/aide/config.toml".into() },
    ConfigPath { file: "/p/.aide/config.toml".into(), origin: Origin::Project, exists: true },
    KeySet { key: text("decide.port"), value: ConfigValue::Integer(80) },
    KeyIsSet { key: text("decide.port"), value: ConfigValue::Integer(80) },
    KeyUnset { key: text("decide.port") },
    NoSuchKey { key: text("decide.prot") },
    UnknownKey { key: text("decide.prot") },
    NearKey { key: "decide.port" },
    SeeKeys,
    BadValue { key: "decide.port", value: text("x"), need: Need::Port },
    DefaultIs { value: ConfigValue::Integer(3721) },
    UserOnly { key: "notify.when" },
    AddUser,
    IsTables { key: text("flow.hooks") },
    IsSection { key: text("decide") },
    SeeSection { key: text("decide") },
    CannotEdit { key: text("decide.port") },
    EditFile { file: "/p/.aide/config.toml".into() },
    NoConfigFolder,
    SetConfigHome,
    NotTrusted { file: "/p/.aide/config.toml".into(), keys: text("decide.bind, decide.url") },
    Trusted { file: "/p/.aide/config.toml".into() },
    TrustUntrusted,
    NothingToTrust,
    TrustRevoked,
    NothingTrusted,
    NoStateFolder,
    SetHome,
    NotJson { error: SyntaxError::Empty },
    Invalid { problem: problem() },
    MoreProblems { count: 2 },
    ProblemsLeftOut { count: 2 },
    InFile { path: text("questions.json") },
    Slip { slip: slip() },
    SlipsLeftOut { count: 2 },
    NoSuchFile { path: text("a/b") },
    IsFolder { path: text("a/b") },
    Unreadable { path: text("a/b"), error: refused() },
    TooLarge { limit_mib: 16 },
    CorrectJson,
    CorrectProblem { problem: problem() },
    GiveFile,
    CheckPath,
    CheckPermissions,
    SendLess,
    PortsBusy { first: 3721, last: 3730 },
    CannotListen { address: SocketAddr::from((Ipv4Addr::LOCALHOST, 80)), error: refused() },
    ServerFailed { words: text("its words") },
    ServerStuck { pid: 42, url: text("http://localhost:3721") },
    FreePort,
    EndProcess,
    OtherAddress,
    SubmitAgain,
    NoAideFolder,
    NoPending,
    PendingCorrupt { words: text("parser's words") },
    PendingWithoutSession,
    NoResult,
    Expired,
    Returned { message: text("先问安全组") },
    AlreadyDecided,
    NoSession { session: text("x") },
    RecordCorrupt { file: text("2025-01-15T10-30-00.json"), words: text("parser's words") },
    SubmitFirst,
    SubmitAgainDamaged,
    SubmitAgainWithoutSession,
    WaitForPerson,
    AskBetter,
    SeeResult,
    SeeList,
    RestoreOrSubmit,
    IsSymlink { path: "/p/.aide".into() },
    NotOurs { path: "/p/.aide".into() },
    NotAFolder { path: "/p/.aide".into() },
    NotAFile { path: "/p/.aide/decisions/pending.json".into() },
    FileTooLarge { path: "/p/.aide/decisions/pending.json".into(), limit: 67108864 },
    FileCorrupt { file: text("server.json"), words: text("parser's words") },
    NoSessionLeft,
    FolderBusy { path: "/p/.aide/decisions/.lock".into() },
    FileFailed { path: "/p/.aide/decisions/pending.json".into(), error: refused() },
    MakeItOurs,
    MakePrivate,
    CheckClock,
    EndOther,
    CheckSpace,
    NameFolder,
    NoCurrentFolder { error: Error::from_raw_os_error(2) },
    CannotPrint { error: Error::from_raw_os_error(28) },
    Internal { words: text("its words") },
}

/// Variants within the messages.
fn further_samples() -> Vec<Message> {
    let setting = |at, key, need| Message::BadSetting { at, key, value: text("x"), need };
    let config = |kind| Message::BadConfig { file: ".aide/config.toml".into(), line: None, key: None, kind };
    let reason = |kind: ErrorKind| Message::CannotPrint { error: kind.into() };
    let needs = [
        Need::Port,
        Need::Timeout,
        Need::Host,
        Need::Auth,
        Need::Login,
        Need::Url,
        Need::Language,
        Need::Format,
        Need::ReportFormat,
        Need::Notify,
        Need::Count,
        Need::Age,
        Need::Deadline,
        Need::Boolean,
        Need::Integer { min: 1, max: 9 },
        Need::OneOf(&["all", "staged"]),
        Need::List,
        Need::Utf8,
    ];
    let mut messages = vec![
        Message::MoreProblems { count: 1 },
        Message::SlipsLeftOut { count: 1 },
        Message::Removed { count: 1 },
        Message::PortsBusy { first: 80, last: 80 },
        Message::BadPhases { fault: PhasesFault::Blank },
        Message::BadPhases { fault: PhasesFault::Repeated(text("impl")) },
    ];
    messages.extend(needs.map(|need| setting(Source::Variable("AIDE_X"), "", need)));
    messages.extend(needs.map(|need| Message::CorrectSetting { need }));
    let in_file =
        || Source::File { origin: Origin::Project, file: "/p/.aide/config.toml".into(), line: Some(3) };
    let own = || Source::File { origin: Origin::User, file: "/h".into(), line: None };
    for source in [Source::Flag("--lang"), Source::Variable("AIDE_LANG"), own(), Source::Default] {
        let ignored = Some(ConfigValue::Text(text("http://x")));
        messages.push(Message::Listed { setting: text("decide.url = \"\""), source, ignored });
    }
    messages.push(Message::ConfigPath { file: "/h".into(), origin: Origin::User, exists: false });
    messages.push(setting(in_file(), "decide.bind", Need::Host));
    messages.push(setting(in_file(), "decide.auth", Need::Login));
    messages.push(Message::NotTrusted { file: "/p/.aide/config.toml".into(), keys: text("decide.url") });
    messages.push(setting(in_file(), "decide.url", Need::Url));
    messages.extend(
        [
            ConfigErrorKind::Io(Arc::new(refused())),
            ConfigErrorKind::Symlink,
            ConfigErrorKind::NotAFile,
            ConfigErrorKind::NotAFolder,
            ConfigErrorKind::TooLarge { limit: 1 << 20 },
            ConfigErrorKind::NotUtf8,
            ConfigErrorKind::Syntax { message: text("parser's words"), column: 8, text: text("port = ") },
            ConfigErrorKind::WrongType { expected: "boolean", found: text("1") },
            ConfigErrorKind::WrongType { expected: "integer", found: text("\"1\"") },
            ConfigErrorKind::WrongType { expected: "string", found: text("1") },
            ConfigErrorKind::WrongType { expected: "table", found: text("1") },
            ConfigErrorKind::WrongType { expected: "table of strings", found: text("1") },
            ConfigErrorKind::WrongType { expected: "array of strings", found: text("1") },
            ConfigErrorKind::WrongType { expected: "array of tables", found: text("1") },
            ConfigErrorKind::WrongType { expected: "string or array of strings", found: text("1") },
            ConfigErrorKind::NotOneOf { allowed: LangSetting::NAMES, found: text("de") },
            ConfigErrorKind::Missing,
            ConfigErrorKind::NoProgram,
            ConfigErrorKind::Phases(PhasesFault::Blank),
            ConfigErrorKind::UnknownPhase { name: text("build") },
        ]
        .map(config),
    );
    messages.extend(
        [
            ErrorKind::NotFound,
            ErrorKind::PermissionDenied,
            ErrorKind::AddrNotAvailable,
            ErrorKind::StorageFull,
            ErrorKind::QuotaExceeded,
            ErrorKind::ReadOnlyFilesystem,
            ErrorKind::IsADirectory,
            ErrorKind::NotADirectory,
        ]
        .map(reason),
    );
    messages
}

fn table(lang: Lang) -> String {
    let messages = samples().into_iter().chain(further_samples());
    messages.map(|message| message.tell(lang) + "\n").collect()
}

#[test]
fn messages_in_chinese() {
    insta::with_settings!({ snapshot_path => "../../tests/snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("messages_zh", table(Lang::Zh));
    });
}

#[test]
fn messages_in_english() {
    insta::with_settings!({ snapshot_path => "../../tests/snapshots", prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("messages_en", table(Lang::En));
    });
}

#[test]
fn no_message_has_a_second_line() {
    for lang in Lang::ALL {
        for message in samples().into_iter().chain(further_samples()) {
            let told = message.tell(lang);
            assert!(!told.contains('\n') && told.trim() == told && !told.is_empty(), "{told:?}");
        }
    }
}

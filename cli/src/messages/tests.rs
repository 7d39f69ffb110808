//! Every message in both languages.

use super::{Message, bind};
use crate::failure::Failure;
use decide::{Replacement, State};
use model::{Path, SessionId, Slip};
use notice::Undelivered;
use server::BindError;
use std::io::{Error, ErrorKind};
use std::net::{Ipv4Addr, SocketAddr};
use texts::Lang;

fn text(text: &str) -> String {
    text.to_owned()
}

fn refused() -> Error {
    Error::from_raw_os_error(13)
}

fn session(name: &str) -> SessionId {
    name.parse().unwrap()
}

fn slip() -> Slip {
    Slip { path: Path::root().key("items").index(0), found: text("recomend"), meant: "recommend" }
}

samples! {
    Message, Flow, Agent, Provider, Setup, Doctor, Uninstall, Plan, Daemon, Config, Record;
    ConfigCreated,
    Initialised,
    InitialisedWithSlips,
    ProjectMade { root: "/p".into() },
    ConfigKept { lang: "en".to_owned() },
    OfferEnglish,
    ServerStarted,
    ServesUntilEnded,
    ServerRuns,
    ServedElsewhere { url: text("http://localhost:3721") },
    OpenLink { url: text("http://localhost:3721") },
    McpAt { url: text("http://localhost:3720/mcp") },
    Waiting,
    Decided,
    TimedOut,
    Interrupted,
    FetchLater { session: session("2025-01-15T10-30-00") },
    Newest { session: session("2025-01-15T10-30-00"), task: text("实现用户认证") },
    NameSession,
    BadSecret { name: "AIDE_MCP_SECRET", digits: 64 },
    GoOnWaiting { session: session("2025-01-15T10-30-00") },
    BringBack { session: session("2025-01-15T10-30-00") },
    SubmitOrBringBack { session: session("2025-01-15T10-30-00") },
    BroughtBack,
    BrowserStarted { program: text("xdg-open") },
    ForwardPort { command: text("ssh -L 3721:localhost:3721 ann@10.0.0.5") },
    NoBrowser,
    Isolated,
    AnswerOutside,
    OutOfReach { url: text("http://localhost:3721") },
    AnswerInTerminal { session: session("2025-01-15T10-30-00") },
    NotifyTitle { items: 2 },
    NotifyFailed { program: text("notify-send"), error: Error::from_raw_os_error(2) },
    NoNotifyCommand { file: "/home/x/.config/aide/config.toml".into() },
    NoticesUnread { failure: Box::new(Failure::new(Message::SubmitAgain, None)) },
    NoticeFailed { how: "ntfy", failure: Undelivered::Refused { host: text("ntfy.sh"), status: 403 } },
    OpenPage,
    NotifyIgnored { file: "/p/.aide/config.toml".into(), line: 3 },
    NothingOpen,
    NoneMeant,
    SeeDaemon,
    SeeAllSets,
    NameEnded { command: "result", sessions: vec![session("2025-01-15T10-30-00"), session("2025-01-15T10-30-00")] },
    CancelOpen { sessions: vec![session("2025-01-15T10-30-00")] },
    Place { place: text("/home/ann/shop") },
    ProjectSilent { root: "/mnt/far".into() },
    ShownTogether,
    ForPhone { minutes: 10 },
    PlainHttp,
    PhoneNeedsLogin,
    UseAnotherAuth,
    NoLanAddress,
    NameHost,
    NotLan { host: text("example.com") },
    NoQr,
    AddPhone,
    StillPending { url: text("http://localhost:3721"), session: session("2025-01-15T10-30-00") },
    WasReturned { message: text("先问安全组"), items: vec![2, 3] },
    SentBack,
    AnswersKept { session: session("2025-01-15T10-30-00") },
    NothingAnswered { session: session("2025-01-15T10-30-00") },
    SetToAnswer { number: 2, task: text("选择认证方案"), items: 3 },
    WhichSet { count: 3 },
    SetsChanged,
    NoSuchSet { typed: text("7"), count: 3 },
    NoMoreInput,
    Provided { file: text("a.md (3 B)") },
    NotProvided { why: text("读写失败: a.md") },
    NoFilesAsked { file: text("a.md") },
    AnswerWithoutFiles,
    NotAskedFor { file: text("a.md"), agent: text("agent_b") },
    LeaveAgentOut,
    FileUnwanted { file: text("a.md") },
    FilesWanted { names: vec![text("b.md"), text("c_*.json")] },
    FileWantedTwice { file: text("a.md"), titles: vec![text("需求"), text("说明")] },
    SayForWhom { file: text("a.md") },
    WasCancelled,
    WasReplaced { by: Some(Replacement { session: session("2025-01-15T10-30-00"), task: text("实现用户认证") }) },
    AskAgainLater,
    WasExpired { deadline: text("2025-01-15T18:00:00+08:00") },
    DeadlineIgnored,
    UseDeadlineFlag { when: text("2h") },
    StillServed { sets: 2 },
    SeeAll,
    Queued { count: 2 },
    SeeResultOf { session: session("2025-01-15T10-30-00") },
    AnswerNext { session: session("2025-01-15T10-30-00"), count: 2 },
    LeftForLater { session: session("2025-01-15T10-30-00"), count: 2 },
    RemainderOpen { session: session("2025-01-15T10-30-00"), count: 2 },
    RemainderEnded { session: session("2025-01-15T10-30-00"), count: 1 },
    StillOpen { session: session("2025-01-15T10-30-00"), task: text("选择认证方案") },
    ReplaceOrQueue,
    NothingAsked,
    ReplacedOpen { session: session("2025-01-15T10-30-00"), task: text("实现用户认证") },
    SeeReplaced { session: session("2025-01-15T10-30-00") },
    ReplacedBy { session: session("2025-01-15T10-30-00") },
    StoppedWaiting,
    WaitedLongEnough,
    UnknownArgument { argument: text("--x") },
    UnknownCommand { name: text("x") },
    MissingArgument { argument: text("<INPUT>") },
    MissingValue { argument: text("--port <PORT>") },
    Excludes { argument: text("--project"), other: text("--user") },
    Repeated { argument: text("--port <PORT>") },
    OtherUsage { words: text("parser's words") },
    MissingLimit,
    SeeHelp { command: text("aide decide") },
    ManPages { folder: "man1".into(), count: 2 },
    SeeNames { list: "aide workflow list" },
    DidYouMeanOneOf { others: vec![text("aide flow status"), text("aide plan status"), text("aide daemon status")] },
    DidYouMean { other: text("--port"), command: text("aide decide submit") },
    MoreProblems { count: 2 },
    ProblemsLeftOut { count: 2 },
    InFile { path: text("questions.json") },
    Slip { slip: slip() },
    SlipsLeftOut { count: 2 },
    NoSuchFile { path: text("a/b") },
    IsFolder { path: text("a/b") },
    Unreadable { path: text("a/b"), error: refused() },
    TooLarge { limit_mib: 16 },
    GiveFile,
    CheckPath,
    CheckPermissions,
    SendLess,
    NameFile,
    UnknownFormat { name: text("commnad") },
    SeeFormats,
    SeeExample { name: "ack" },
    ValidDocument { path: text("ack_1.json"), name: "ack" },
    ServerFailed { words: text("its words") },
    ServerStuck { pid: 42, url: text("http://localhost:3721") },
    EndProcess,
    SubmitAgain,
    AskFirst,
    NoResult,
    Expired,
    WaitForPerson,
    AskBetter,
    SeeResult,
    SeeShow,
    SeeList,
    NameFolder,
    NoCurrentFolder { error: Error::from_raw_os_error(2) },
    CannotPrint { error: Error::from_raw_os_error(28) },
    Internal { words: text("its words") },
}

/// Variants within the messages.
fn further_samples() -> Vec<Message> {
    let reason = |kind: ErrorKind| Message::CannotPrint { error: kind.into() };
    let mut messages = vec![Message::MoreProblems { count: 1 }, Message::SlipsLeftOut { count: 1 }];
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

/// Why no port could be held.
fn not_bound() -> [BindError; 4] {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 80));
    [
        BindError::Busy { first: 3721, last: 3730 },
        BindError::Busy { first: 80, last: 80 },
        BindError::Os { address, source: refused() },
        BindError::BadHost { host: text("x") },
    ]
}

/// Everything that is said: messages, and what happened to whom no port was left, with what to do.
fn told(lang: Lang) -> impl Iterator<Item = String> {
    let messages = samples().into_iter().chain(further_samples()).map(move |message| message.render(lang));
    let not_bound = not_bound().into_iter().map(move |error| bind::explain(&error, lang));
    messages.chain(not_bound.flat_map(|explanation| [Some(explanation.what), explanation.hint]).flatten())
}

#[test]
fn no_message_has_a_second_line() {
    for lang in Lang::ALL {
        for told in told(lang) {
            assert!(!told.contains('\n') && told.trim() == told && !told.is_empty(), "{told:?}");
        }
    }
}

/// Every message that has a number in it, for the number 1.
#[test]
fn a_count_of_one_is_singular() {
    use super::{
        AgentMessage, ConfigMessage, FlowMessage, PlanMessage, ProviderMessage, RecordMessage, RunMessage,
    };
    let (task, paths) = (|| text("t"), || vec![text("a")]);
    let plan = || "plan_a".parse().unwrap();
    let works = |tokens, characters| AgentMessage::ModelWorks {
        agent: task(),
        provider: task(),
        task: task(),
        seconds: 1,
        tokens,
        characters,
        failed: None,
    };
    let flow = [
        FlowMessage::DiagramsDone { count: 1 },
        FlowMessage::Committed { files: 1, hash: text("3f2a91c") },
        FlowMessage::Recovered { files: 1, hash: text("3f2a91c") },
        FlowMessage::OthersCommitted { paths: paths(), count: 1 },
        FlowMessage::CommitOthers { paths: paths(), count: 1 },
        FlowMessage::CannotAsk { paths: paths(), count: 1 },
        FlowMessage::OpenDecisions { count: 1 },
        FlowMessage::Problems { errors: 1, issues: 1 },
    ];
    let plans = [
        PlanMessage::IsValid { plan: plan(), tasks: 1, hints: 1 },
        PlanMessage::HasErrors { errors: 1, hints: 1 },
        PlanMessage::NotActivated { errors: 1 },
        PlanMessage::Activated { plan: plan(), revision: 1, sha256: task(), tasks: 1, was_active: false },
        PlanMessage::GivenUp { plan: plan(), count: 1 },
    ];
    let providers = [
        ProviderMessage::Asking { seconds: 1 },
        ProviderMessage::Usage { model: None, tokens: Some((1, 1)), cost: None },
        ProviderMessage::Models { count: 1 },
    ];
    let others = [
        Message::NotifyTitle { items: 1 },
        Message::SetToAnswer { number: 1, task: task(), items: 1 },
        Message::WhichSet { count: 1 },
        Message::NoSuchSet { typed: task(), count: 1 },
        Message::Queued { count: 1 },
        Message::AnswerNext { session: session("2025-01-15T10-30-00"), count: 1 },
        Message::LeftForLater { session: session("2025-01-15T10-30-00"), count: 1 },
        Message::record(RecordMessage::Session {
            session: session("2025-01-15T10-30-00"),
            state: State::Open,
            task: task(),
            items: 3,
            left: 1,
            deadline: Some(task()),
            completed_at: task(),
        }),
        Message::record(RecordMessage::WouldRemove { count: 1 }),
        Message::record(RecordMessage::ReallyRemove { count: 1 }),
        Message::record(RecordMessage::Removed { count: 1 }),
        Message::config(ConfigMessage::KeysLeftOut { count: 1 }),
        Message::MoreProblems { count: 1 },
        Message::ProblemsLeftOut { count: 1 },
        Message::SlipsLeftOut { count: 1 },
        Message::agent(AgentMessage::Running { agent: task(), seconds: 1 }),
        Message::agent(works(Some(1), 0)),
        Message::agent(works(None, 1)),
        Message::run(RunMessage::Spent { answers: 1, tokens: 1, dollars: None }),
    ];
    let messages = others.into_iter().chain(flow.map(Message::flow)).chain(plans.map(Message::plan));
    for message in messages.chain(providers.map(Message::provider)) {
        let told = message.render(Lang::En);
        assert_eq!(texts::wrong_plural(&told), None, "{told}");
    }
}

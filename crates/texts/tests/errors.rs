//! Every error in both languages: each has its sentence, which contains what was found.

use agent::plan::PlanError;
use agent::{CommandFailure, ExecutionError, FolderError};
use client::{BadUrl, ClientError};
use decide::{DecideError, Replacement};
use files::{FileError, Holder};
use flow::{BackError, FlowError, GitError, HookError, InProgress};
use journal::JournalError;
use llm::{AnswerStage, BadAnswer, FinishReason, KeyError, LlmError};
use model::flow::{FlowStatusError, PhaseError, StatusRule, SummaryError};
use model::{DecideOutput, Ending, Found, InputError, Path, Problem, Returned, Rule, SessionId, SyntaxError};
use notice::Undelivered;
use protocol::agent::{Code, FormatError};
use protocol::workflow::{ErrorCode, Refusal};
use settings::{
    BadSetting, ConfigError, ConfigErrorKind, ConfigErrors, EditError, Key, LangSetting, NotAValue, Origin,
    PhasesFault, SettingError, Source, keys,
};
use setup::{RefusalReason, SetupError};
use std::io::{Error, ErrorKind};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;
use store::{BackRequest, FlowFileError, InitError, StoreError};
use texts::{BadFlag, Explain, Explanation, Lang, Need, RefusedEdit, RefusedValue, missing_parameter};
use workflow::Failure;

/// Errors of one type, a sample of each variant. The `match` has no wildcard, so a variant without a sample does not
/// compile. What is a literal in a sample must be in its explanation.
macro_rules! samples {
    ($type:ident: $($variant:ident $({ $($field:tt)* })? $(( $($value:tt)* ))?),* $(,)?) => {{
        let samples = vec![$($type::$variant $({ $($field)* })? $(( $($value)* ))?),*];
        for sample in &samples {
            match sample {
                $($type::$variant { .. } => (),)*
            }
        }
        let sources = [$(concat!("" $(, stringify!($($field)*))? $(, stringify!($($value)*))?)),*];
        let mut samples = boxed(samples);
        for (sample, source) in samples.iter_mut().zip(sources) {
            sample.source = source;
        }
        samples
    }};
}

struct Sample {
    error: Box<dyn Explain>,
    /// The source of its parameters, where they are checked.
    source: &'static str,
}

type Errors = Vec<Sample>;

fn boxed<E: Explain + 'static>(errors: Vec<E>) -> Errors {
    errors.into_iter().map(|error| Sample { error: Box::new(error), source: "" }).collect()
}

fn text(text: &str) -> String {
    text.to_owned()
}

/// Its path is not printed.
fn aide_folder() -> PathBuf {
    "/p/.aide".into()
}

fn refused() -> Error {
    Error::from_raw_os_error(13)
}

fn session() -> SessionId {
    "2025-01-15T10-30-00".parse().expect("the name of a session")
}

fn problem() -> Problem {
    let found = Found::Json(text("[{}]"));
    Problem { path: Path::root().key("items"), rule: Rule::AtLeastTwoOptions { count: 1 }, found }
}

fn files() -> Errors {
    samples! { FileError:
        Symlink { path: "/p/.aide".into() },
        NotOurs { path: "/p/.aide".into() },
        NotAFolder { path: "/p/.aide".into() },
        NotAFile { path: "/p/.aide/decisions/pending.json".into() },
        TooLarge { path: "/p/.aide/decisions/pending.json".into(), limit: 67_108_864 },
        Corrupt { file: text("server.json"), message: text("parser's words") },
        Conflict { file: text(".aide/decisions/pending.json") },
        Newer { path: "/p/.aide".into(), needs: text("0.3.0") },
        Busy { path: "/p/.aide/decisions/.lock".into() },
        Changed { path: "/p/.mcp.json".into() },
        Io { path: "/p/.aide/decisions/pending.json".into(), source: refused() },
    }
}

fn setup() -> Errors {
    let whys = vec![
        RefusalReason::Unparsable { message: text("parser's words") },
        RefusalReason::NotText,
        RefusalReason::LeadsOut { to: "/etc/x".into() },
        RefusalReason::LeadsNowhere,
        RefusalReason::Foreign { what: text("/usr/bin/other") },
        RefusalReason::Unsuited,
        RefusalReason::Marks,
        RefusalReason::File(FileError::NotAFile { path: "/p/.mcp.json".into() }),
        RefusalReason::File(FileError::Newer { path: "/s/record.json".into(), needs: text("0.3.0") }),
    ];
    for why in &whys {
        match why {
            RefusalReason::Unparsable { .. }
            | RefusalReason::NotText
            | RefusalReason::LeadsOut { .. }
            | RefusalReason::LeadsNowhere => (),
            RefusalReason::Foreign { .. }
            | RefusalReason::Unsuited
            | RefusalReason::Marks
            | RefusalReason::File(_) => (),
        }
    }
    let refused = whys.into_iter().map(|why| setup::Refusal { path: "/p/.mcp.json".into(), why }).collect();
    samples! { SetupError:
        Refused(refused),
        NotApplied {
            error: FileError::Changed { path: "/p/.mcp.json".into() },
            left: vec!["/p/.zed/settings.json".into()],
        },
        Records(FileError::Io { path: "/home/x/.local/state/aide/setup".into(), source: self::refused() }),
    }
}

fn notices() -> Errors {
    samples! { Undelivered:
        NoSecret { name: text("/home/x/.config/aide/url") },
        NotALink,
        Program { program: text("notify-send"), error: Error::from_raw_os_error(2) },
        Failed { program: text("say"), status: text("exit status: 1") },
        Unreachable { host: text("ntfy.sh"), reason: text("connection refused") },
        Refused { host: text("ntfy.sh"), status: 403 },
        Unwanted,
    }
}

/// The reasons of the system that have words of their own.
fn reasons() -> Errors {
    let kinds = [
        ErrorKind::NotFound,
        ErrorKind::PermissionDenied,
        ErrorKind::AddrNotAvailable,
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::IsADirectory,
        ErrorKind::NotADirectory,
    ];
    let io = |kind: ErrorKind| FileError::Io { path: "/p".into(), source: kind.into() };
    boxed(kinds.map(io).into())
}

fn a_file_error() -> FileError {
    FileError::Symlink { path: "/p/.aide".into() }
}

fn store() -> Errors {
    let mut errors = samples! { StoreError:
        NoAideFolder { path: aide_folder() },
        MissingSession,
        TooManyOpen { count: 1000 },
        AttachmentsChanged,
        NoSessionLeft,
        Journal { reason: text("the journal is closed") },
        File(a_file_error()),
    };
    errors.extend(samples! { InitError:
        Store(StoreError::MissingSession),
        Config(config_error(ConfigErrorKind::Symlink)),
    });
    errors.extend(samples! { FlowFileError:
        Store(StoreError::MissingSession),
        Status { file: text(".aide/flow-status.json"), error: status("", StatusRule::Object) },
    });
    errors.extend(boxed(vec![
        FlowFileError::Store(StoreError::NoAideFolder { path: aide_folder() }),
        FlowFileError::Status {
            file: text(".aide/flow-status.json"),
            error: FlowStatusError::Syntax { message: text("parser's words") },
        },
    ]));
    let rules = [
        ("history[3]", StatusRule::Object),
        ("current_phase", StatusRule::Text),
        ("task_id", StatusRule::TaskName),
        ("history[3].step", StatusRule::Integer),
        ("history", StatusRule::List),
        ("history[3].action", StatusRule::Action),
        ("history[3].git_commit", StatusRule::TextOrMissing),
        ("task_id", StatusRule::Once),
    ];
    let of = |(path, rule)| FlowFileError::Status { file: text("f.json"), error: status(path, rule) };
    errors.extend(boxed(rules.map(of).into()));
    errors
}

fn status(path: &str, rule: StatusRule) -> FlowStatusError {
    FlowStatusError::Invalid { path: text(path), rule }
}

fn config_error(kind: ConfigErrorKind) -> ConfigError {
    ConfigError { file: ".aide/config.toml".into(), line: None, key: None, kind }
}

fn config() -> Errors {
    let wrong = |expected, found| ConfigErrorKind::WrongType { expected, found: text(found) };
    let kinds = vec![
        ConfigErrorKind::Io(Arc::new(refused())),
        ConfigErrorKind::Symlink,
        ConfigErrorKind::NotAFile,
        ConfigErrorKind::NotAFolder,
        ConfigErrorKind::TooLarge { limit: 1 << 20 },
        ConfigErrorKind::NotUtf8,
        ConfigErrorKind::Conflict,
        ConfigErrorKind::Syntax { message: text("parser's words"), column: 8, text: text("port = ") },
        wrong("boolean", "1"),
        wrong("integer", "\"1\""),
        wrong("string", "1"),
        wrong("table", "1"),
        wrong("table of strings", "1"),
        wrong("array of strings", "1"),
        wrong("array of tables", "1"),
        wrong("string or array of strings", "1"),
        ConfigErrorKind::Newer { found: 2, known: 1 },
        ConfigErrorKind::OutOfRange { min: 0, max: 65535, found: 65536 },
        ConfigErrorKind::NotOneOf { allowed: LangSetting::NAMES, found: text("de") },
        ConfigErrorKind::Missing,
        ConfigErrorKind::NoProgram,
        ConfigErrorKind::Phases(PhasesFault::Empty),
        ConfigErrorKind::Phases(PhasesFault::Blank),
        ConfigErrorKind::Phases(PhasesFault::Repeated(text("impl"))),
        ConfigErrorKind::UnknownPhase { name: text("build") },
        wrong("number from 0 to 2", "3"),
        ConfigErrorKind::Blank,
        ConfigErrorKind::Repeated { name: text("claude") },
        ConfigErrorKind::NotForKind { kind: "openai" },
        ConfigErrorKind::NotTogether { other: "api_key_env" },
        ConfigErrorKind::NotAVariable,
        ConfigErrorKind::NotALink,
        ConfigErrorKind::NotAnId { found: text("a b") },
        ConfigErrorKind::NotAbsolute,
        ConfigErrorKind::NotASpan { found: text("2x") },
        ConfigErrorKind::NoQuery,
        ConfigErrorKind::InlineKey,
        ConfigErrorKind::InlineSecret { name: text("OPENAI_API_KEY") },
    ];
    let mut errors: Vec<_> = kinds.into_iter().map(config_error).collect();
    let in_line = |key, kind| ConfigError { file: "/p/.aide/config.toml".into(), line: Some(3), key, kind };
    errors.extend([
        in_line(Some("decide.port"), ConfigErrorKind::OutOfRange { min: 0, max: 65535, found: 65536 }),
        in_line(None, ConfigErrorKind::Phases(PhasesFault::Empty)),
        in_line(
            None,
            ConfigErrorKind::Syntax { message: text("parser's words"), column: 8, text: text("port = ") },
        ),
    ]);
    let first = Box::new(in_line(Some("agent.providers.model"), ConfigErrorKind::Missing));
    let more = vec![in_line(Some("agent.providers.api_key"), ConfigErrorKind::InlineKey)];
    let mut errors = boxed(errors);
    errors.extend(boxed(vec![ConfigErrors { first, more }]));
    errors
}

fn settings() -> Errors {
    let bad = |at, key: &'static Key| BadSetting { key, at, value: text("x"), lets_anybody_in: false };
    let file =
        || Source::File { origin: Origin::Project, file: "/p/.aide/config.toml".into(), line: Some(3) };
    let mut errors = samples! { SettingError:
        Config(config_error(ConfigErrorKind::Symlink)),
        Bad(bad(Source::Flag("--port"), &keys::DECIDE_PORT)),
    };
    // Each kind of value.
    let of_each_kind = [
        &keys::DECIDE_PORT,
        &keys::DECIDE_TIMEOUT,
        &keys::DECIDE_BIND,
        &keys::DECIDE_AUTH,
        &keys::DECIDE_URL,
        &keys::GENERAL_LANG,
        &keys::NOTIFY_WHEN,
        &keys::FLOW_BACK_CONFIRM,
        &keys::FLOW_GIT_ADD_STRATEGY,
        &keys::FLOW_PHASES,
        &keys::PLANTUML_JAR_PATH,
    ];
    errors.extend(boxed(of_each_kind.map(|key| bad(Source::Variable("AIDE_X"), key)).into()));
    errors.extend(boxed(vec![
        BadSetting { lets_anybody_in: true, ..bad(Source::Variable("AIDE_X"), &keys::DECIDE_AUTH) },
        bad(file(), &keys::DECIDE_BIND),
        BadSetting { lets_anybody_in: true, ..bad(file(), &keys::DECIDE_AUTH) },
        bad(file(), &keys::DECIDE_URL),
        bad(Source::Default, &keys::DECIDE_AUTH),
    ]));
    let refused = |why| RefusedValue { key: &keys::DECIDE_PORT, value: text("x"), why };
    errors.extend(boxed(vec![
        refused(NotAValue::WrongKind),
        refused(NotAValue::NotUtf8),
        refused(NotAValue::Phases(PhasesFault::Empty)),
    ]));
    let refused = |key: &str, why| RefusedEdit { key: text(key), file: "/p/.aide/config.toml".into(), why };
    errors.extend(boxed(vec![
        refused("decide.port", EditError::Config(config_error(ConfigErrorKind::Symlink))),
        refused("decide.port", EditError::File(a_file_error())),
        refused("decide", EditError::Section),
        refused("flow.hooks", EditError::Tables),
        refused("decide.port", EditError::Unsuited),
    ]));
    errors
}

fn needs() -> Errors {
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
    boxed(needs.map(|need| BadFlag { flag: "--x", value: text("x"), need }).into())
}

fn decide() -> Errors {
    let ended = |ending| DecideError::Ended { ending, replacement: None };
    let mut errors = samples! { DecideError:
        NothingAsked,
        NoSession { name: text("x") },
        SeveralOpen { open: vec![(session(), text("实现用户认证"))] },
        Ended {
            ending: Ending::Replaced(Some(session())),
            replacement: Some(Replacement { session: session(), task: text("实现用户认证") })
        },
        PendingCorrupt { message: text("parser's words") },
        RecordCorrupt { file: text("2025-01-15T10-30-00.json"), message: text("parser's words") },
        Store(StoreError::NoAideFolder { path: aide_folder() }),
    };
    let endings = [
        Ending::Decided(DecideOutput::complete(Vec::new())),
        Ending::Returned(Returned { message: text("先问安全组"), ..Returned::default() }),
        Ending::Cancelled,
        Ending::Expired(text("2025-01-15T18:00:00+08:00")),
        Ending::Replaced(None),
    ];
    for ending in &endings {
        match ending {
            Ending::Decided(_)
            | Ending::Returned(_)
            | Ending::Cancelled
            | Ending::Expired(_)
            | Ending::Replaced(_) => (),
        }
    }
    errors.extend(boxed(endings.map(ended).into()));
    errors
}

fn llm() -> Errors {
    let ended = |raw| ExitStatus::from_raw(raw);
    let exit_1 = ended(256);
    let late = |awaited, after| LlmError::TimedOut { awaited, after, said: String::new() };
    let url = || text("https://example.com/v1/chat/completions");
    let http = |status| {
        let (code, message) = (None, text("its words"));
        LlmError::Http { target: url(), status, code, message, retry_after: None }
    };
    let failed = |said: &str, unpassed: &[&str]| {
        let unpassed = unpassed.iter().copied().map(text).collect();
        LlmError::Failed { program: text("claude"), status: exit_1, said: text(said), unpassed }
    };
    let mut errors = samples! { LlmError:
        NotFound { program: text("claude") },
        NotStarted { program: text("claude"), source: refused() },
        Failed { program: text("claude"), status: exit_1, said: text("its words"), unpassed: Vec::new() },
        TimedOut { awaited: AnswerStage::End, after: Duration::from_secs(900), said: text("its words") },
        Cancelled,
        TooMuch { limit: 8_388_608 },
        BadAnswer(BadAnswer::NotUtf8 { at: 7 }),
        Http { target: url(), status: 429, code: None, message: text("its words"), retry_after: None },
        Connect { target: url(), message: text("its words") },
        Certificate { target: url(), message: text("its words") },
        Proxy { target: url(), message: text("its words") },
        Cut { message: text("its words") },
        BadUrl,
        NoKey(KeyError::NotAKey),
        NotRecorded { source: ErrorKind::StorageFull.into(), raw: None },
    };
    errors.extend(boxed(vec![
        LlmError::Failed {
            program: text("claude"),
            status: ended(9),
            said: String::new(),
            unpassed: Vec::new(),
        },
        failed("Not logged in", &[]),
        failed("Gemini CLI is not running in a trusted directory.", &["GEMINI_API_KEY"]),
        failed("Overloaded", &[]),
        failed("Credit balance is too low", &[]),
        failed("its words", &["ANTHROPIC_API_KEY"]),
        failed("its words", &["ANTHROPIC_API_KEY", "AWS_PROFILE"]),
        late(AnswerStage::Beginning, Duration::from_secs(70)),
        late(AnswerStage::More, Duration::from_millis(1500)),
        http(200),
        http(302),
        http(401),
        http(402),
        http(404),
        LlmError::NotRecorded { source: refused(), raw: Some(Vec::new()) },
    ]));
    errors.extend(samples! { BadAnswer:
        NotUtf8 { at: 7 },
        NotJson { message: text("parser's words") },
        NoResult { said: String::new() },
        Unfinished { reason: FinishReason::Length },
        Refused { message: text("its words") },
    });
    errors.extend(boxed(vec![
        BadAnswer::Unfinished { reason: FinishReason::Filter },
        BadAnswer::Unfinished { reason: FinishReason::Missing },
        BadAnswer::Unfinished { reason: FinishReason::Other(text("tool_calls")) },
    ]));
    errors.extend(samples! { KeyError:
        NoVariable { name: text("OPENAI_API_KEY") },
        NoOutput { program: text("pass"), reason: text("its words") },
        NotAKey,
    });
    errors
}

fn model() -> Errors {
    let phases = || vec![text("impl"), text("verify")];
    let mut errors = samples! { InputError: Syntax(SyntaxError::Empty), Invalid(vec![problem(), problem()]) };
    errors.extend(samples! { SummaryError: Blank, TooLong { limit: 500, found: 501 } });
    errors.extend(samples! { PhaseError:
        Unknown { phase: text("x"), known: phases() },
        NotNext { from: text("impl"), to: text("docs"), next: Some(text("verify")) },
        NotBack { from: text("impl"), to: text("docs"), known: phases() },
    });
    errors.extend(boxed(vec![PhaseError::NotNext { from: text("docs"), to: text("impl"), next: None }]));
    errors
}

fn flow() -> Errors {
    let busy = |pid, purpose| FlowError::Busy(Holder { pid, purpose: text(purpose) });
    let open = vec![(1, text("认证方式选择")), (2, text("缓存"))];
    let mut errors = samples! { FlowError:
        Summary(SummaryError::Blank),
        NoTask,
        NoStepBefore,
        UnknownStep { step: 9, last: 4 },
        StepWithoutCommit { step: 2 },
        Phase(PhaseError::NotNext { from: text("docs"), to: text("impl"), next: None }),
        Busy(Holder { pid: Some(42), purpose: text("next-step") }),
        File(FlowFileError::Store(StoreError::NoAideFolder { path: aide_folder() })),
        Git(GitError::NotInstalled),
        Hook(HookError::NoPlantUml),
        Undecided { phase: text("impl"), open },
    };
    errors.extend(boxed(vec![
        FlowError::Undecided { phase: text("impl"), open: Vec::new() },
        busy(None, ""),
        busy(Some(42), ""),
    ]));
    let request = BackRequest {
        pending_key: text("0123456789ab"),
        target_part: text("impl"),
        reason: text("新需求"),
        created_at: text("2025-01-15T10:30:00+08:00"),
    };
    errors.extend(samples! { BackError: Pending(request), NoRequest, WrongKey, Flow(FlowError::NoTask) });
    errors
}

fn agent() -> Errors {
    let mut errors = samples! { FolderError:
        Missing { path: "/p/.aide/agents/a".into() },
        Held {
            path: "/p/.aide/agents/a".into(),
            holder: Holder { pid: Some(42), purpose: text("agent exec") },
        },
        NotAnId { name: text("a b") },
        Invalid {
            path: "/p/.aide/agents/a/agent_profile.json".into(),
            error: FormatError::Syntax(SyntaxError::Empty),
        },
        File(a_file_error()),
    };
    let nobody = Holder { pid: None, purpose: String::new() };
    errors.extend(boxed(vec![FolderError::Held { path: "/p/.aide/agents/a".into(), holder: nobody }]));
    let Ok(plan) = "plan_a".parse() else { panic!("an id") };
    let Err(no_json) = serde_json::from_str::<bool>("x") else { panic!("no JSON") };
    errors.extend(samples! { PlanError:
        Missing { path: "/p/plan".into() },
        Held {
            path: "/p/.aide/system_runtime".into(),
            holder: Holder { pid: Some(42), purpose: text("plan run") },
        },
        UnknownPlan(plan),
        Invalid {
            path: "/p/.aide/system_runtime/plans/plan_a/plan_status.json".into(),
            error: FormatError::Syntax(SyntaxError::Empty),
        },
        Folder(FolderError::NotAnId { name: text("a b") }),
        Json(no_json),
        File(a_file_error()),
    });
    let Ok(message_id) = "msg_1".parse() else { panic!("an id") };
    let Err(no_json) = serde_json::from_str::<bool>("x") else { panic!("no JSON") };
    errors.extend(samples! { ExecutionError:
        File(a_file_error()),
        NotRecorded(refused()),
        MessageReused { message_id },
        Json(no_json),
        Questions(StoreError::TooManyOpen { count: 1000 }),
    });
    let codes = [
        Code::LlmOutputInvalid,
        Code::ScoreMissing,
        Code::ScoreOutOfRange,
        Code::OutputMissing,
        Code::OutputCollision,
        Code::IdempotencyKeyReused,
        Code::InputAmbiguous,
        Code::HumanTimeout,
        Code::Timeout,
        Code::LlmFailed,
        Code::UnhandledException,
    ];
    let failed = |code| CommandFailure { code, detail: text("what was found") };
    errors.extend(boxed(codes.map(|code| failed(Some(code))).into()));
    errors.extend(boxed(vec![failed(None)]));
    errors
}

fn git() -> Errors {
    let words = || (0..30).map(|line| format!("line {line}\n\n")).collect::<String>();
    let mut errors = samples! { GitError:
        NotInstalled,
        NotARepository,
        LeadsNowhere { link: "/p/.git".into(), target: "/gone/.git/worktrees/p".into() },
        Bare,
        Detached,
        InProgress(InProgress::Merge),
        Unmerged { files: vec![text("a"), text("b")] },
        IndexLocked { path: "/p/.git/index.lock".into() },
        NoIdentity { words: text("git's words") },
        Failed { command: text("git commit"), words: words() },
        Interrupted { command: text("git commit"), programs: vec![text("gpg"), text("sleep")] },
        Io { path: "/p/.git/index".into(), source: refused() },
    };
    let further = [InProgress::Rebase, InProgress::CherryPick, InProgress::Revert];
    errors.extend(boxed(further.map(GitError::InProgress).into()));
    errors.extend(samples! { HookError:
        Diagrams { problems: vec![(text("docs/a.puml"), text("its words"))] },
        Picture { file: text("docs/a.puml"), words: text("its words") },
        NoPlantUml,
        NoChangelog { path: text("CHANGELOG.md") },
        ChangelogUnchanged { path: text("CHANGELOG.md") },
        Failed { command: text("make check"), code: Some(2), words: text("its words") },
        TimedOut { command: text("make check"), seconds: 60 },
        NotStarted { command: text("make check"), source: refused() },
    });
    errors.extend(boxed(vec![HookError::Failed { command: text("make"), code: None, words: String::new() }]));
    errors
}

fn all() -> Errors {
    let crates = [
        files(),
        notices(),
        setup(),
        reasons(),
        store(),
        config(),
        settings(),
        needs(),
        decide(),
        model(),
        flow(),
        git(),
        llm(),
        agent(),
        daemon(),
    ];
    crates.into_iter().flatten().collect()
}

fn daemon() -> Errors {
    let journal = || PathBuf::from("/s/aide/daemon/journal.db");
    let mut errors = samples! { JournalError:
        Damaged { path: journal(), detail: text("its words") },
        Newer { path: journal(), found: 9, known: 5, needed: Some(text("0.3.0")) },
        Full { path: journal() },
        Io { path: journal(), detail: text("its words") },
        Unsynced { path: journal() },
        Folder(Arc::new(a_file_error())),
        Unreadable(journal::UnreadableCell { table: "workflow", column: "state" }),
        Invalid(text("its words")),
        Nested,
        Busy,
        Closed,
    };
    let refusal = |code: ErrorCode| Refusal::new(code, "its words").with("workflowId", "wf-1");
    errors.extend(samples! { Failure:
        Refused(refusal(ErrorCode::WorkflowTerminal)),
        Journal(JournalError::Closed),
        Lost,
    });
    let url = || text("http://localhost:8080");
    let (after, not_found) = (Duration::from_millis(1500), 404);
    errors.extend(samples! { ClientError:
        Unreachable { url: url(), reason: text("its words") },
        Unresponsive { url: url() },
        Refused { status: not_found, refusal: Box::new(refusal(ErrorCode::WorkflowNotFound)) },
        Unintelligible { url: url(), reason: text("its words") },
        TimedOut { after },
    });
    let codes = ErrorCode::ALL.iter().map(|code| Failure::Refused(refusal(*code)));
    errors.extend(boxed(codes.collect()));
    errors.extend(boxed(vec![BadUrl(text("x"))]));
    errors
}

#[test]
fn every_error_is_explained_with_what_was_found() {
    let mut incomplete = Vec::new();
    for lang in Lang::ALL {
        for Sample { error, source } in all() {
            let Explanation { what, quote, hint, lines } = error.explain(lang);
            let told: Vec<String> = [Some(what), quote, hint].into_iter().flatten().chain(lines).collect();
            let told = told.join("\n");
            incomplete.extend(
                missing_parameter(&told, source).map(|missing| format!("{missing:?} of {error:?}: {told}")),
            );
        }
    }
    assert!(incomplete.is_empty(), "{}", incomplete.join("\n"));
}

#[test]
fn no_sentence_has_a_second_line() {
    for lang in Lang::ALL {
        for Sample { error, .. } in all() {
            let explanation = error.explain(lang);
            for told in [Some(explanation.what), explanation.hint].into_iter().flatten() {
                assert!(!told.contains('\n') && told.trim() == told && !told.is_empty(), "{told:?}");
            }
        }
    }
}

//! Which numbers documents restate.

use super::Place::{After, Constant};
use super::{KIB, MIB, MINUTE, ONE, Place, Restated, SECOND};

const LIMITS: &str = "docs/reference/limits.md";
const LIMITS_ZH: &str = "docs/reference/limits.zh.md";
const DECIDE: &str = "docs/contract/decide.md";
const STORAGE: &str = "docs/contract/storage.md";
const TERMINAL: &str = "docs/contract/terminal.md";
const WORKFLOWS: &str = "docs/contract/workflows.md";
const SECURITY: &str = "SECURITY.md";

/// Every number that is checked.
pub const TABLE: &[Restated] = &[
    row(
        "Cargo.toml",
        After("rust-version = \""),
        ONE,
        &[("README.md", "Takes Rust {} or later"), ("README.zh.md", "构建需要 Rust {} 或更高版本")],
    ),
    row(
        "cli/src/input_file.rs",
        Constant("LIMIT"),
        MIB,
        &[
            (LIMITS, "input of `submit` | {} MiB"),
            (LIMITS_ZH, "`submit` 的输入 | {} MiB"),
            (DECIDE, "input of `submit` | {} MiB"),
            ("docs/reference/command-line.md", "or the path of a file; at most {} MiB"),
            ("docs/reference/command-line.zh.md", "否则为文件路径；最大 {} MiB"),
        ],
    ),
    row(
        "crates/files/src/json.rs",
        Constant("MAX_JSON"),
        MIB,
        &[
            (STORAGE, "any JSON file, when read or written | {} MiB"),
            ("docs/contract/flow.md", "must not exceed {} MiB"),
        ],
    ),
    row(
        "crates/model/src/attachment.rs",
        Constant("MAX_ATTACHED"),
        MIB,
        &[
            (LIMITS, "1 MiB, and {} MiB of files"),
            (LIMITS_ZH, "另有附件 {} MiB"),
            (SECURITY, "One file has at most {} MiB"),
            (STORAGE, "attachments of a set | {} MiB"),
        ],
    ),
    row(
        "crates/model/src/attachment.rs",
        Constant("MAX_FILES"),
        ONE,
        &[(DECIDE, "files of an item; of a set; one file | {};"), (STORAGE, "at most {} files of an item")],
    ),
    row(
        "crates/model/src/preview.rs",
        Constant("MAX_PREVIEW"),
        KIB,
        &[(LIMITS, "`preview` of an option | text of {} KiB"), (LIMITS_ZH, "选项的 `preview` | 文本 {} KiB")],
    ),
    row(
        "crates/model/src/preview.rs",
        Constant("MAX_PREVIEW"),
        ONE,
        &[(DECIDE, "| text | at most {} bytes; Markdown")],
    ),
    row(
        "crates/model/src/preview.rs",
        Constant("MAX_PICTURE"),
        KIB,
        &[
            (LIMITS, "a picture of {} KiB"),
            (LIMITS_ZH, "图片 {} KiB"),
            (SECURITY, "has at most {} KiB, those of a page"),
        ],
    ),
    row(
        "app/src/html/preview.rs",
        Constant("MAX_PICTURES"),
        MIB,
        &[
            (LIMITS, "pictures of the project on one page {} MiB"),
            (LIMITS_ZH, "一个页面中项目的图片合计 {} MiB"),
            (SECURITY, "those of a page {} MiB"),
        ],
    ),
    row(
        "crates/store/src/excerpt.rs",
        Constant("MAX_EXCERPT_LINES"),
        ONE,
        &[
            (LIMITS, "lines shown for a `location` | the first {},"),
            (LIMITS_ZH, "`location` 显示的行 | 前 {} 行"),
            (DECIDE, "lines of a `location` | {},"),
        ],
    ),
    row(
        "crates/store/src/excerpt.rs",
        Constant("MAX_EXCERPT"),
        KIB,
        &[
            (LIMITS, "the first 400, at most {} KiB"),
            (LIMITS_ZH, "前 400 行，最多 {} KiB"),
            (DECIDE, "400, at most {} KiB together"),
        ],
    ),
    row(
        "crates/store/src/source.rs",
        Constant("MAX_FILE"),
        MIB,
        &[(LIMITS, "of a UTF-8 file of at most {} MiB"), (STORAGE, "source file; hashed for a set | {} MiB")],
    ),
    row(
        "crates/store/src/source.rs",
        Constant("MAX_HASHED"),
        MIB,
        &[
            (LIMITS, "files whose change is noticed | about {} MiB"),
            (LIMITS_ZH, "按待定项顺序，共约 {} MiB"),
            (DECIDE, "until {} MiB are reached"),
        ],
    ),
    row(
        "app/src/html/highlight/mod.rs",
        Constant("LONG_LINE"),
        ONE,
        &[(LIMITS, "lines above {} bytes are not coloured"), (LIMITS_ZH, "超过 {} 字节的行不着色")],
    ),
    row(
        "crates/model/src/flow/message.rs",
        Constant("LIMIT"),
        ONE,
        &[(LIMITS, "summary of `aide flow` | {} characters"), (LIMITS_ZH, "`aide flow` 的说明 | {} 个字符")],
    ),
    row(
        "crates/settings/src/read/flow.rs",
        Constant("DEFAULT_HOOK_TIMEOUT"),
        ONE,
        &[(LIMITS, "time that a hook may take | {} seconds"), (LIMITS_ZH, "钩子的执行时间 | {} 秒")],
    ),
    row(
        "crates/settings/src/keys.rs",
        Constant("MAX_TIMEOUT"),
        ONE,
        &[(LIMITS, "`decide.timeout` | {} seconds"), (LIMITS_ZH, "`decide.timeout` | {} 秒")],
    ),
    row(
        "crates/settings/src/crew.rs",
        After("task_timeout: "),
        ONE,
        &[("docs/guide/workflows.md", "how long one may work on a task ({} s")],
    ),
    row(
        "server/src/serve/bind.rs",
        Constant("ATTEMPTS"),
        ONE,
        &[(LIMITS, "ports tried | {} |"), (LIMITS_ZH, "尝试的端口 | {}个 |")],
    ),
    row(
        "server/src/serve/limits.rs",
        Constant("CONNECTIONS"),
        ONE,
        &[
            (LIMITS, "connections | {}, at most half"),
            (LIMITS_ZH, "连接数 | {}，"),
            (SECURITY, "accepts {} connections, and"),
        ],
    ),
    row(
        "server/src/serve/limits.rs",
        After("per_peer: "),
        ONE,
        &[
            (LIMITS, "descriptors; {} from one address where"),
            (LIMITS_ZH, "每个地址 {} |"),
            (SECURITY, "One address gets at most {} connections"),
        ],
    ),
    row(
        "server/src/serve/limits.rs",
        After("head_fields: "),
        ONE,
        &[
            (LIMITS, "head of a request | 16 KiB, {} fields"),
            (LIMITS_ZH, "请求头 | 16 KiB，{} 个字段"),
            (SECURITY, "16 KiB and {} fields"),
        ],
    ),
    row(
        "crates/daemon/src/servers.rs",
        Constant("CONNECTIONS"),
        ONE,
        &[
            (LIMITS, "a daemon's connections and held requests | {} and"),
            (LIMITS_ZH, "守护进程的连接与保持不答的请求 | 每个端口 {} 与"),
            (SECURITY, "A daemon accepts {} connections"),
        ],
    ),
    row(
        "crates/daemon/src/servers.rs",
        Constant("HELD"),
        ONE,
        &[
            (LIMITS, "held requests | 4,096 and {},"),
            (LIMITS_ZH, "每个端口 4096 与 {}；"),
            (SECURITY, "connections and holds {} requests"),
        ],
    ),
    row(
        "crates/daemon/src/logs.rs",
        Constant("LARGE"),
        MIB,
        &[
            (WORKFLOWS, "If it is larger than {} MiB at a start"),
            ("docs/guide/owning.md", "sets a log above {} MiB aside"),
            ("docs/guide/owning.zh.md", "守护进程启动时，超过 {} MiB 的会让位"),
        ],
    ),
    row(
        "crates/files/src/line_log.rs",
        After("max_bytes: "),
        ONE,
        &[(STORAGE, "a log of {} MiB is rotated"), ("docs/contract/plans.md", "rotated at {} MiB")],
    ),
    row(
        "server/src/feed/mod.rs",
        Constant("QUEUE"),
        ONE,
        &[
            (LIMITS, "events that wait for a client of its WebSockets | {};"),
            (LIMITS_ZH, "等待 WebSocket 客户端接收的事件 | {}；"),
            (SECURITY, "a client that lets {} events wait"),
        ],
    ),
    row(
        "server/src/endpoints/v1/socket.rs",
        Constant("MAX_MESSAGE"),
        KIB,
        &[
            (LIMITS, "A frame of a client: {} KiB"),
            (LIMITS_ZH, "客户端的一帧: {} KiB"),
            (WORKFLOWS, "A text frame is one JSON object of at most {} KiB"),
        ],
    ),
    row(
        "server/src/endpoints/v1/socket.rs",
        Constant("PING"),
        SECOND,
        &[(WORKFLOWS, "a ping is sent every {} s")],
    ),
    row(
        "server/src/endpoints/v1/call.rs",
        Constant("MAX_KEY"),
        ONE,
        &[(LIMITS, "an `Idempotency-Key` | {} characters"), (LIMITS_ZH, "`Idempotency-Key` | {} 个字符")],
    ),
    row(
        "server/src/endpoints/files.rs",
        Constant("LIMIT"),
        MIB,
        &[(SECURITY, "A request with files has at most {} MiB")],
    ),
    row(
        "server/src/gate/body.rs",
        Constant("DISCARD_LIMIT"),
        MIB,
        &[(SECURITY, "up to {} MiB of it are read and discarded"), (DECIDE, "body too large; up to {} MiB")],
    ),
    row(
        "server/src/login.rs",
        Constant("TICKET_LIFE"),
        60,
        &[
            (SECURITY, "works once, for {} minutes"),
            ("docs/guide/configuration.md", "browser in, once, within {} minutes"),
            ("docs/guide/troubleshooting.md", "or is older than {} minutes"),
        ],
    ),
    row(
        "crates/workflow/src/checkpoints.rs",
        Constant("KEPT"),
        ONE,
        &[(LIMITS, "checkpoints of a workflow | the {} latest"), (LIMITS_ZH, "工作流的检查点 | 最近{}个")],
    ),
    row(
        "crates/workflow/src/images.rs",
        Constant("MAX_IMAGES"),
        ONE,
        &[
            (WORKFLOWS, "`message.images` is at most {} paths"),
            ("docs/API.md", "paths of at most {} project files"),
        ],
    ),
    row(
        "crates/workflow/src/images.rs",
        Constant("MAX_BYTES"),
        MIB,
        &[
            (WORKFLOWS, "GIF or WebP, at most {} MiB each"),
            ("docs/API.md", "GIF or WebP, and at most {} MiB"),
        ],
    ),
    row(
        "crates/core/src/decision/question.rs",
        Constant("MAX_OPTIONS"),
        ONE,
        &[(WORKFLOWS, "16 KiB each; at most {} options")],
    ),
    row(
        "crates/core/src/task/list.rs",
        Constant("MAX_TASKS"),
        ONE,
        &[(WORKFLOWS, "`context.tasks` is a list of at most {} objects")],
    ),
    row(
        "crates/protocol/src/workflow/tool.rs",
        Constant("MAX_SHOWN"),
        ONE,
        &[
            (SECURITY, "a call that is longer than {} characters"),
            (WORKFLOWS, "cannot be shown whole in {} characters"),
        ],
    ),
    row(
        "crates/mcp/src/lines.rs",
        Constant("MAX_LINE"),
        MIB,
        &[
            (LIMITS, "a message to `aide mcp` | {} MiB"),
            (LIMITS_ZH, "发给 `aide mcp` 的一条消息 | {} MiB"),
            (SECURITY, "a message to it has {} MiB at most"),
        ],
    ),
    row(
        "crates/mcp/src/server.rs",
        Constant("MAX_HELD"),
        ONE,
        &[
            (LIMITS, "calls of agents that are held at a time | {};"),
            (LIMITS_ZH, "同时等待的智能体调用 | {}；"),
            (SECURITY, "`aide mcp` holds at most {} calls"),
        ],
    ),
    row(
        "crates/mcp/src/http.rs",
        Constant("MAX_SESSIONS"),
        ONE,
        &[(LIMITS, "sessions of `/mcp` | {}, each"), (LIMITS_ZH, "`/mcp` 的会话 | {}，")],
    ),
    row(
        "crates/mcp/src/hold.rs",
        Constant("MAX_SILENT_HOLD"),
        MINUTE,
        &[(LIMITS, "without progress is held for {} minutes"), (LIMITS_ZH, "没有进度的调用最多等待 {} 分钟")],
    ),
    row(
        "crates/mcp/src/server/handler.rs",
        Constant("MAX_FOLLOWED"),
        ONE,
        &[
            (LIMITS, "what a subscription follows | {} resources"),
            (LIMITS_ZH, "一次订阅所跟踪的 | {} 个资源"),
        ],
    ),
    row(
        "crates/mcp/src/tools.rs",
        Constant("MAX_DESCRIPTION"),
        ONE,
        &[("CONTRIBUTING.md", "Descriptions and `instructions` stay under {} bytes")],
    ),
    row(
        "crates/flow/src/transaction.rs",
        Constant("LOCK_TIMEOUT"),
        SECOND,
        &[("docs/guide/flow.md", "another waits for {} seconds")],
    ),
    row(
        "crates/client/src/connection.rs",
        Constant("MAX_ANSWER"),
        MIB,
        &[(TERMINAL, "An answer of more than {} MiB is not read")],
    ),
    row(
        "crates/client/src/silence.rs",
        Constant("QUIET"),
        SECOND,
        &[(TERMINAL, "After {} s without an answer, the client requests")],
    ),
    row(
        "crates/client/src/silence.rs",
        Constant("PROBE"),
        SECOND,
        &[(TERMINAL, "No answer within {} s: unresponsive")],
    ),
    row(
        "app/src/hall.rs",
        Constant("HOLD"),
        SECOND,
        &[(SECURITY, "pages are kept waiting for news, for {} seconds each")],
    ),
    row(
        "end2end/bench/page-size.mjs",
        After("const BUDGET = "),
        1000,
        &[
            ("docs/ARCHITECTURE.md", "The limit is {} kB for everything"),
            ("docs/BENCHMARKS.md", "compressed, WASM included | {} kB |"),
        ],
    ),
    row(
        "cli/tests/documents/main.rs",
        After("(\"README.md\", "),
        ONE,
        &[("CONTRIBUTING.md", "a reader who has two minutes: at most {} bytes")],
    ),
    row(
        "cli/tests/documents/main.rs",
        After("(\"README.zh.md\", "),
        ONE,
        &[("CONTRIBUTING.md", "at most 10,000 bytes, {} in Chinese")],
    ),
];

const fn row(
    source: &'static str,
    place: Place,
    unit: u64,
    documents: &'static [(&'static str, &'static str)],
) -> Restated {
    Restated { source, place, unit, documents }
}

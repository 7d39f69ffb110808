//! The flags of every command that asks a daemon. All commands of `finger` accept them.

use super::layout::Layout;
use clap::Arg;

/// The flags of every command that asks a daemon.
pub(crate) fn remote_flags(layout: Layout) -> [Arg; 5] {
    let words = layout.pick(&ZH, &EN);
    [
        layout.flag("json", words.json).short('j'),
        layout.value("timeout", "SECONDS", words.timeout).display_order(90),
        layout.value("base-url", "URL", words.base_url).display_order(91),
        layout.value("ws-url", "URL", words.ws_url).display_order(92),
        // Read before the command line is understood.
        layout.flag("no-color", words.no_color).display_order(93),
    ]
}

/// What the help says of the flags. One table per language.
struct Words {
    json: &'static str,
    timeout: &'static str,
    base_url: &'static str,
    ws_url: &'static str,
    no_color: &'static str,
}

static ZH: Words = Words {
    json: "输出 JSON；出错时在标准错误输出一行 JSON",
    timeout: "最长等待时间，单位秒（默认不限）",
    base_url: "守护进程的 HTTP 地址（默认为您正在运行的守护进程；FINGER_HTTP_URL）",
    ws_url: "守护进程的 WebSocket 地址（FINGER_WS_URL）",
    no_color: "不使用颜色，同 NO_COLOR",
};

static EN: Words = Words {
    json: "Print JSON; an error is one line of JSON on standard error",
    timeout: "How long to wait, in seconds (default: no limit)",
    base_url: "Address of the daemon (default: your own running daemon; FINGER_HTTP_URL)",
    ws_url: "Address of its WebSockets (FINGER_WS_URL)",
    no_color: "No colours, like NO_COLOR",
};

//! The words of `aide decide open --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) link: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "在浏览器中打开等待决策的网页",
    usage: "aide decide open [选项]",
    after: "\
依次采用 AIDE_BROWSER、BROWSER（以 : 分隔的命令，%s 为链接）、桌面的默认浏览器。
通过 SSH 登录时改为输出转发端口的命令（AIDE_REMOTE=0 或 1 可改变判断）。没有服务
在运行时会在后台重新启动。没有浏览器可用时退出码为 1。",
    link: "只输出一个登录链接（只能使用一次，十分钟内有效），不启动浏览器；可以发给这台电脑的其他用户",
};

pub(super) static EN: Help = Help {
    about: "Open the page with the questions in a browser",
    usage: "aide decide open [OPTIONS]",
    after: "\
Uses AIDE_BROWSER, then BROWSER (commands separated by colons, with %s for the
link), then the desktop's default browser. Over SSH, it prints the command that
forwards the port instead (AIDE_REMOTE=0 or 1 overrides this). If no server is
running, it starts one in the background. Exit code 1 if there is no browser.",
    link: "Print a link that logs one browser in, once, within ten minutes, and start no browser: for another user of this computer",
};

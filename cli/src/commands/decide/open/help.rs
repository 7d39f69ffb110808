//! The words of `aide decide open --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) all: &'static str,
    pub(super) link: &'static str,
    pub(super) qr: &'static str,
    pub(super) phone: &'static str,
    pub(super) host: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "在浏览器中打开等待决策的网页",
    usage: "aide decide open [选项]",
    after: "\
依次采用 AIDE_BROWSER、BROWSER（以 : 分隔的命令，%s 为链接）、桌面的默认浏览器。
通过 SSH 登录时改为输出转发端口的命令（AIDE_REMOTE=0 或 1 可改变判断）。没有服务
在运行时会在后台重新启动。没有浏览器可用时退出码为 1。

--all 打开守护进程的收件箱，其中有所有项目；没有守护进程时由此命令显示，直到全部结束。
--phone 另在局域网地址上显示待定项，直到全部结束，须登录；原来的页面照常可用。",
    all: "打开这台电脑上您所有项目中待决策的项",
    link: "只输出一个登录链接（只能使用一次，十分钟内有效），不启动浏览器；可以发给这台电脑的其他用户",
    qr: "以二维码输出链接，不启动浏览器",
    phone: "在局域网地址上显示待定项，并以二维码输出登录链接，供手机使用",
    host: "--phone 所用的地址（默认为这台电脑在局域网中的 IPv4 地址）",
};

pub(super) static EN: Help = Help {
    about: "Open the page with the questions in a browser",
    usage: "aide decide open [OPTIONS]",
    after: "\
Uses AIDE_BROWSER, then BROWSER (commands separated by colons, with %s for the
link), then the desktop's default browser. Over SSH, it prints the command that
forwards the port instead (AIDE_REMOTE=0 or 1 overrides this). If no server is
running, it starts one in the background. Exit code 1 if there is no browser.

--all opens the daemon's inbox, with all projects; without a daemon, this command
serves them until all questions have ended. --phone also serves the questions on an
address of the local network, with a login, until they have ended; the usual page
keeps working.",
    all: "Open the questions of all your projects on this computer",
    link: "Print a link that logs one browser in, once, within ten minutes, and start no browser: for another user of this computer",
    qr: "Print the link as a QR code, and start no browser",
    phone: "Show the questions on an address of the local network, and print a link that logs a phone in as a QR code",
    host: "The address for --phone (default: this computer's IPv4 address in the local network)",
};

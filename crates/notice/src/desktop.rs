//! Notifications of the desktop: `notify-send`, or `osascript` on macOS.

use crate::program::finish;
use crate::{Notice, Undelivered};
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

/// How long the desktop may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How long a line of `notify-send` may be, in bytes.
const MAX_LINE: u64 = 256;
/// The action of a notification that opens the page.
const OPEN: &str = "open";

/// What is done when a notification is clicked.
#[derive(Clone)]
pub struct Clicks {
    /// The label of the button.
    pub label: String,
    /// Opens the page.
    pub open: Arc<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for Clicks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clicks").field("label", &self.label).finish_non_exhaustive()
    }
}

/// A notification that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown(pub String);

/// Shows `notice`, and returns the number that the desktop gave it; empty where it gave none.
pub(crate) fn show(notice: &Notice, clicks: &Clicks) -> Result<String, Undelivered> {
    if !cfg!(target_os = "macos")
        && let Some(number) = show_clickable(notice, clicks)?
    {
        return Ok(number);
    }
    // Before version 0.8 there is neither a number nor a click.
    finish(plain(notice), LIMIT).map(|()| String::new())
}

/// What shows it without a button.
pub(crate) fn plain(notice: &Notice) -> Command {
    if !cfg!(target_os = "macos") {
        return notify_send(notice, &[]);
    }
    let mut command = Command::new("osascript");
    let lines =
        ["on run argv", "display notification (item 2 of argv) with title (item 1 of argv)", "end run"];
    command.args(lines.iter().flat_map(|line| ["-e", line])).arg(&notice.title).arg(notice.text());
    command
}

fn notify_send(notice: &Notice, flags: &[String]) -> Command {
    // Some desktops read the text as markup.
    let body = notice.text().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let mut command = Command::new("notify-send");
    command.arg("--app-name=aide").args(flags).arg("--").arg(&notice.title).arg(body);
    command
}

/// Shows it with a button, and waits for clicks on a thread of its own. `None` when `notify-send` cannot do that.
fn show_clickable(notice: &Notice, clicks: &Clicks) -> Result<Option<String>, Undelivered> {
    let flags = [
        "--print-id".to_owned(),
        "--wait".to_owned(),
        // The notification as a whole, and a button for desktops that show such.
        "--action=default=".to_owned() + &clicks.label,
        format!("--action={OPEN}={}", clicks.label),
    ];
    let mut command = notify_send(notice, &flags);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    // Ctrl-C in this terminal is not meant for it.
    let started = command.process_group(0).spawn();
    let failed = |error| Undelivered::Program { program: "notify-send".to_owned(), error };
    let mut child = started.map_err(failed)?;
    let Some(stdout) = child.stdout.take() else { return Ok(None) };
    let (sender, number) = mpsc::sync_channel(1);
    let clicks = clicks.clone();
    let listen = move || {
        let mut lines = BufReader::new(stdout).take(MAX_LINE).lines().map_while(Result::ok);
        let first = lines.next().filter(|line| is_number(line));
        let is_shown = first.is_some();
        let _ = sender.send(first);
        if is_shown && lines.next().is_some_and(|action| action == OPEN || action == "default") {
            (clicks.open)();
        }
        // It has closed its output: it ends.
        reap(child);
    };
    thread::Builder::new().name("notice".to_owned()).spawn(listen).map_err(failed)?;
    match number.recv_timeout(LIMIT) {
        Ok(number) => Ok(number),
        // It is started, and says nothing: a desktop that takes its time may still show it.
        Err(_) => Err(failed(std::io::ErrorKind::TimedOut.into())),
    }
}

fn reap(mut child: Child) {
    let _ = child.wait();
}

fn is_number(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

/// Closes the notification `number`, by whichever program can.
pub(crate) fn close(number: &str) -> Result<(), Undelivered> {
    const NAME: &str = "org.freedesktop.Notifications";
    const PATH: &str = "/org/freedesktop/Notifications";
    if !is_number(number) {
        return Ok(());
    }
    let method = format!("{NAME}.CloseNotification");
    let ways: [Vec<String>; 3] = [
        words(&[
            "gdbus",
            "call",
            "--session",
            "--dest",
            NAME,
            "--object-path",
            PATH,
            "--method",
            &method,
            number,
        ]),
        words(&["busctl", "--user", "call", NAME, PATH, NAME, "CloseNotification", "u", number]),
        words(&[
            "dbus-send",
            "--session",
            &format!("--dest={NAME}"),
            PATH,
            &method,
            &format!("uint32:{number}"),
        ]),
    ];
    let mut last = Ok(());
    for way in ways {
        let Some((program, arguments)) = way.split_first() else { continue };
        let mut command = Command::new(program);
        command.args(arguments);
        last = finish(command, LIMIT);
        if last.is_ok() {
            break;
        }
    }
    last
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

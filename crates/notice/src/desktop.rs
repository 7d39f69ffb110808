//! Notifications of the desktop: `notify-send`, or `osascript` on macOS.

use crate::program::finish;
use crate::{Notice, Undelivered};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// How long the desktop may take.
const LIMIT: Duration = Duration::from_secs(10);
/// How long a notification can be clicked. One that stays open is only to be read after that: no program and no thread
/// waits for ever.
const CLICKABLE: Duration = Duration::from_secs(12 * 60 * 60);
/// How long a line of `notify-send` may be, in bytes.
const MAX_LINE: usize = 256;
/// The action of a notification that opens the page.
const OPEN: &str = "open";

/// What is done when a notification is clicked.
#[derive(Clone)]
pub struct ClickAction {
    /// The label of the button.
    pub label: String,
    /// Opens the page.
    pub open: Arc<dyn Fn() + Send + Sync>,
}

impl std::fmt::Debug for ClickAction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Clicks").field("label", &self.label).finish_non_exhaustive()
    }
}

/// A notification that is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownNotification(pub String);

/// Shows `notice`, and returns the number that the desktop gave it; empty where it gave none.
pub(crate) fn show(notice: &Notice, clicks: &ClickAction) -> Result<String, Undelivered> {
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
fn show_clickable(notice: &Notice, clicks: &ClickAction) -> Result<Option<String>, Undelivered> {
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
    let child = started.map_err(failed)?;
    let (sender, number) = mpsc::sync_channel(1);
    let clicks = clicks.clone();
    let listen = move || watch(child, &sender, &clicks, (LIMIT, CLICKABLE));
    thread::Builder::new().name("notice".to_owned()).spawn(listen).map_err(failed)?;
    number.recv().unwrap_or_else(|_| Err(ErrorKind::BrokenPipe.into())).map_err(failed)
}

/// Waits for the number of the notification that `child` shows, which goes to `number`, then for a click. What does not come
/// within the limits is waited for no more, and `child` is ended.
fn watch(
    mut child: Child,
    number: &SyncSender<io::Result<Option<String>>>,
    clicks: &ClickAction,
    (limit, clickable): (Duration, Duration),
) {
    if let Some(stdout) = child.stdout.take() {
        let mut lines = Lines { stdout, read: Vec::new() };
        // Where it says nothing for so long, a desktop that takes its time may still show it.
        let first = lines.next(limit).map(|line| line.filter(|line| is_number(line)));
        let is_shown = matches!(first, Ok(Some(_)));
        let _ = number.send(first);
        let is_click = |line: String| line == OPEN || line == "default";
        if is_shown && lines.next(clickable).is_ok_and(|line| line.is_some_and(is_click)) {
            (clicks.open)();
        }
    }
    // One that has ended is not there to be ended.
    let _ = child.kill();
    let _ = child.wait();
}

/// The lines that a program prints, each as soon as it is there.
struct Lines {
    stdout: ChildStdout,
    read: Vec<u8>,
}

impl Lines {
    /// Returns the next line; `None` at the end, and for a line that is too long.
    fn next(&mut self, limit: Duration) -> io::Result<Option<String>> {
        let end = Instant::now() + limit;
        loop {
            if let Some(length) = self.read.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.read.drain(..=length).collect();
                return Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned()));
            }
            if self.read.len() >= MAX_LINE {
                return Ok(None);
            }
            let left = end.saturating_duration_since(Instant::now());
            let left = Timespec {
                tv_sec: left.as_secs().try_into().unwrap_or(i64::MAX),
                tv_nsec: left.subsec_nanos().into(),
            };
            match poll(&mut [PollFd::new(&self.stdout, PollFlags::IN)], Some(&left)) {
                Ok(0) => return Err(ErrorKind::TimedOut.into()),
                Ok(_) => {}
                Err(rustix::io::Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let mut bytes = [0; MAX_LINE];
            match self.stdout.read(&mut bytes)? {
                0 => return Ok(None),
                count => self.read.extend_from_slice(&bytes[..count]),
            }
        }
    }
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

#[cfg(test)]
mod tests {
    use super::{ClickAction, watch};
    use std::io::ErrorKind;
    use std::process::{Command, Stdio};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;
    use std::time::{Duration, Instant};

    /// What comes of a program in the place of `notify-send`: the number, and how many clicks there were.
    fn watched(script: &str, limits: (Duration, Duration)) -> (Result<Option<String>, ErrorKind>, usize) {
        let mut command = Command::new("sh");
        let child = command.args(["-c", script]).stdout(Stdio::piped()).spawn().unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&count);
        let open = Arc::new(move || {
            counted.fetch_add(1, Ordering::Relaxed);
        });
        let (sender, number) = mpsc::sync_channel(1);
        watch(child, &sender, &ClickAction { label: String::new(), open }, limits);
        (number.recv().unwrap().map_err(|error| error.kind()), count.load(Ordering::Relaxed))
    }

    #[test]
    fn a_notification_that_is_not_closed_is_waited_for_within_limits() {
        const LONG: Duration = Duration::from_secs(60);
        const SHORT: Duration = Duration::from_millis(100);
        let number = || Ok(Some("42".to_owned()));
        let begun = Instant::now();
        assert_eq!(watched("echo 42; exec sleep 60", (LONG, SHORT)), (number(), 0));
        assert_eq!(watched("exec sleep 60", (SHORT, LONG)), (Err(ErrorKind::TimedOut), 0));
        assert!(begun.elapsed() < LONG / 2, "what shows it is ended");
        assert_eq!(watched("echo 42; sleep 0.2; echo default", (LONG, LONG)), (number(), 1));
        assert_eq!(watched("echo 42; echo other", (LONG, LONG)), (number(), 0));
        assert_eq!(watched("echo no number", (LONG, LONG)), (Ok(None), 0));
        assert_eq!(watched("yes | tr -d '\\n'", (LONG, LONG)), (Ok(None), 0));
        assert_eq!(watched("true", (LONG, LONG)), (Ok(None), 0));
    }
}

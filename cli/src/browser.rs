//! Chooses the program, if any, that shows a link to the user.
//!
//! `BROWSER` is honoured everywhere: editors set it in containers and remote sessions, and it reaches the user's own
//! machine. Without it, nothing is started where the user would not see it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How long a program may take to say that it cannot. One that is still running then shows something.
const START_TIMEOUT: Duration = Duration::from_secs(2);
/// How often to look whether it has.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// What to do with a link.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Start these, one after the other, until one works. Each is a program and its arguments.
    Start(Vec<Vec<OsString>>),
    /// The person sits at another machine: this command there makes the link work.
    Forward {
        /// `ssh -L …`
        command: String,
    },
    /// There is no screen.
    Nothing,
}

/// Decides by the environment.
pub(crate) fn plan(url: &str, port: u16, variable: impl Fn(&str) -> Option<OsString>) -> Plan {
    let filled = |name: &str| variable(name).filter(|value| !value.is_empty());
    if let Some(browser) = filled("AIDE_BROWSER").or_else(|| filled("BROWSER")) {
        return Plan::Start(in_browser(&browser, url));
    }
    if is_remote(&variable) {
        return Plan::Forward { command: forward(port, &filled) };
    }
    let with = |program: &str, arguments: &[&str]| {
        let words = [program].into_iter().chain(arguments.iter().copied()).chain([url]);
        words.map(OsString::from).collect::<Vec<_>>()
    };
    if cfg!(target_os = "macos") {
        Plan::Start(vec![with("open", &[])])
    } else if filled("WSL_DISTRO_NAME").is_some() || filled("WSL_INTEROP").is_some() {
        Plan::Start(vec![with("wslview", &[]), with("explorer.exe", &[])])
    } else if filled("DISPLAY").is_some() || filled("WAYLAND_DISPLAY").is_some() {
        Plan::Start(vec![with("xdg-open", &[]), with("gio", &["open"]), with("sensible-browser", &[])])
    } else {
        Plan::Nothing
    }
}

/// `BROWSER` is a list of commands with colons in between; `%s` in one stands for the link.
fn in_browser(browser: &OsStr, url: &str) -> Vec<Vec<OsString>> {
    // Commands are expected to be UTF-8.
    let browser = browser.to_string_lossy();
    let commands = browser.split(':').filter(|command| !command.trim().is_empty());
    commands
        .map(|command| {
            let mut words: Vec<_> = command.split_whitespace().map(|word| word.replace("%s", url)).collect();
            if !command.contains("%s") {
                words.push(url.to_owned());
            }
            words.into_iter().map(OsString::from).collect()
        })
        .collect()
}

/// `AIDE_REMOTE` decides, else whether this is a session of SSH.
fn is_remote(variable: impl Fn(&str) -> Option<OsString>) -> bool {
    let filled = |name: &str| variable(name).filter(|value| !value.is_empty());
    match filled("AIDE_REMOTE") {
        Some(value) => value != "0",
        None => ["SSH_CONNECTION", "SSH_TTY", "SSH_CLIENT"].iter().any(|name| filled(name).is_some()),
    }
}

fn forward(port: u16, filled: &impl Fn(&str) -> Option<OsString>) -> String {
    let text = |name| filled(name).map(|value| value.to_string_lossy().into_owned());
    // client address, client port, server address, server port
    let connection = text("SSH_CONNECTION").unwrap_or_default();
    let mut place = connection.split_whitespace().skip(2);
    let server = place.next().unwrap_or("host");
    let at_port =
        place.next().filter(|port| *port != "22").map(|port| format!("-p {port} ")).unwrap_or_default();
    let at = text("USER").or_else(|| text("LOGNAME")).map(|user| format!("{user}@")).unwrap_or_default();
    format!("ssh -L {port}:localhost:{port} {at_port}{at}{server}")
}

/// Starts the first of `commands` that works, and gives its program.
pub(crate) fn start(commands: &[Vec<OsString>]) -> Option<&OsStr> {
    commands.iter().find_map(|command| {
        let (program, arguments) = command.split_first()?;
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        // explorer.exe reports a failure whatever it did.
        let works = shows(child).ok()? || program == "explorer.exe";
        works.then_some(program.as_os_str())
    })
}

fn shows(mut child: Child) -> io::Result<bool> {
    let deadline = Instant::now() + START_TIMEOUT;
    while Instant::now() < deadline {
        if let Some(status) = child.try_wait()? {
            return Ok(status.success());
        }
        thread::sleep(POLL_INTERVAL);
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::{Plan, plan};
    use std::ffi::OsString;

    const URL: &str = "http://localhost:3721";

    fn planned(variables: &[(&str, &str)]) -> Plan {
        let find = |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| value.into());
        plan(URL, 3721, find)
    }

    fn starts(commands: &[&[&str]]) -> Plan {
        let words = |command: &&[&str]| command.iter().map(OsString::from).collect();
        Plan::Start(commands.iter().map(words).collect())
    }

    #[test]
    fn a_wish_comes_first_also_from_afar() {
        let variables = [("BROWSER", "firefox:w3m -t %s"), ("SSH_TTY", "/dev/pts/0"), ("DISPLAY", ":0")];
        assert_eq!(planned(&variables), starts(&[&["firefox", URL], &["w3m", "-t", URL]]));
        let wishes = [("BROWSER", "firefox"), ("AIDE_BROWSER", "code --open-url %s")];
        assert_eq!(planned(&wishes), starts(&[&["code", "--open-url", URL]]));
        assert_eq!(planned(&[("BROWSER", "")]), Plan::Nothing);
    }

    #[test]
    fn over_ssh_the_other_side_has_the_browser() {
        let ssh = [("SSH_CONNECTION", "10.0.0.9 50000 10.0.0.5 22"), ("USER", "ann"), ("DISPLAY", ":0")];
        let command = "ssh -L 3721:localhost:3721 ann@10.0.0.5".to_owned();
        assert_eq!(planned(&ssh), Plan::Forward { command });
        let elsewhere = [("SSH_CONNECTION", "10.0.0.9 50000 10.0.0.5 2222")];
        let command = "ssh -L 3721:localhost:3721 -p 2222 10.0.0.5".to_owned();
        assert_eq!(planned(&elsewhere), Plan::Forward { command });
        let bare = "ssh -L 3721:localhost:3721 host".to_owned();
        assert_eq!(planned(&[("SSH_TTY", "/dev/pts/0")]), Plan::Forward { command: bare.clone() });
        assert_eq!(planned(&[("AIDE_REMOTE", "1"), ("DISPLAY", ":0")]), Plan::Forward { command: bare });
        let local = [("AIDE_REMOTE", "0"), ("SSH_TTY", "/dev/pts/0")];
        assert_eq!(planned(&local), Plan::Nothing);
    }

    #[cfg(not(target_os = "macos"))]
    #[test]
    fn where_there_is_a_screen() {
        let desktop = starts(&[&["xdg-open", URL], &["gio", "open", URL], &["sensible-browser", URL]]);
        assert_eq!(planned(&[("DISPLAY", ":0")]), desktop);
        assert_eq!(planned(&[("WAYLAND_DISPLAY", "wayland-0")]), desktop);
        let wsl = starts(&[&["wslview", URL], &["explorer.exe", URL]]);
        assert_eq!(planned(&[("WSL_DISTRO_NAME", "Debian"), ("DISPLAY", ":0")]), wsl);
        assert_eq!(planned(&[]), Plan::Nothing);
    }
}

//! A daemon of a test's own: with a folder for its state, and free ports.

use super::{CommandOutput, Folder};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A port on which no program listens. Where no daemon runs in the folder, a command looks for one at the configured ports;
/// another daemon of the same user may have the default ones.
const UNUSED_PORT: &str = "1";

/// A folder for the state of a daemon and for its clients. Processes that run there end with it.
pub(crate) struct Place {
    pub(crate) folder: Folder,
}

impl Place {
    /// Where none runs.
    pub(crate) fn new() -> Self {
        Self::with(Path::new(env!("CARGO_BIN_EXE_aide")))
    }

    /// The same for another program than the one that these tests were built with.
    pub(crate) fn with(aide: &Path) -> Self {
        let folder = Folder::empty();
        symlink(aide, folder.join("finger")).unwrap();
        fs::create_dir(folder.join("home")).unwrap();
        fs::create_dir(folder.join("work")).unwrap();
        Self { folder }
    }

    /// Where one was started.
    #[track_caller]
    pub(crate) fn started() -> Self {
        let place = Self::new();
        place.start();
        place
    }

    #[track_caller]
    pub(crate) fn start(&self) {
        let started = self.finger(["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
        started.succeeded(&format!("Daemon started with PID {}\n", self.told()["pid"]));
    }

    /// The program by its other name, with an empty environment but for the folder and the ports.
    pub(crate) fn command<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Command {
        let mut command = Command::new(self.folder.join("finger"));
        command.args(arguments).current_dir(self.folder.join("work")).env_clear().stdin(Stdio::null());
        command.env("FINGER_HOME", self.state()).env("HOME", self.folder.join("home")).env("AIDE_LANG", "en");
        command.env("FINGER_HTTP_PORT", UNUSED_PORT).env("FINGER_WS_PORT", UNUSED_PORT);
        command
    }

    /// The same on the ports that the configuration names.
    pub(crate) fn command_on_configured_ports<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(
        &self,
        arguments: I,
    ) -> Command {
        let mut command = self.command(arguments);
        command.env_remove("FINGER_HTTP_PORT").env_remove("FINGER_WS_PORT");
        command
    }

    /// Runs it to its end.
    pub(crate) fn finger<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    /// Runs it to its end, which must be a good one; what it has printed as JSON.
    #[track_caller]
    pub(crate) fn json<I: IntoIterator<Item = S>, S: AsRef<OsStr>>(&self, arguments: I) -> Value {
        let done = self.finger(arguments);
        assert_eq!((done.code, &*without_notice(&done.stderr)), (Some(0), ""), "{}", done.stdout);
        serde_json::from_str(&done.stdout).unwrap_or_else(|error| panic!("{error}: {}", done.stdout))
    }

    /// Begins a workflow; its name.
    #[track_caller]
    pub(crate) fn begin(&self, task: &str) -> String {
        let begun = self.finger(["orchestrate", task]);
        assert_eq!((begun.code, &*without_notice(&begun.stderr)), (Some(0), ""), "{}", begun.stdout);
        begun.stdout.strip_prefix("Workflow started: ").unwrap().trim_end().to_owned()
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.folder.join("state")
    }

    /// What `daemon.json` says.
    #[track_caller]
    pub(crate) fn told(&self) -> Value {
        serde_json::from_slice(&fs::read(self.state().join("daemon.json")).unwrap()).unwrap()
    }

    pub(crate) fn http_port(&self) -> u16 {
        u16::try_from(self.told()["http_port"].as_u64().unwrap()).unwrap()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(self.pid().unwrap(), signal).unwrap();
    }

    /// Ends the daemon at once, if one runs.
    pub(crate) fn kill(&self) {
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }

    fn pid(&self) -> Option<Pid> {
        let told: Value = serde_json::from_slice(&fs::read(self.state().join("daemon.json")).ok()?).ok()?;
        Pid::from_raw(i32::try_from(told["pid"].as_i64()?).ok()?)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What was said beside that no provider is configured, which is said once of each workflow that a program drives.
pub(crate) fn without_notice(errors: &str) -> String {
    if let Some((line, rest)) = errors.split_once('\n')
        && line.contains("\"type\":\"unattended\"")
    {
        return rest.to_owned();
    }
    let notices = [
        "⚠ no provider is configured: ",
        "⚠ daemon.provider is not set: ",
        "⚠ the daemon was started before its provider ",
        "⚠ 没有配置 provider: ",
        "⚠ 没有设置 daemon.provider: ",
        "⚠ 守护进程在配置 provider 之前启动: ",
    ];
    let Some((before, after)) = notices.iter().find_map(|notice| errors.split_once(notice)) else {
        return errors.to_owned();
    };
    // What to do, and what to add, is indented below it.
    let rest = after.split_inclusive('\n').skip(1).skip_while(|line| line.starts_with("  "));
    format!("{before}{}", rest.collect::<String>())
}

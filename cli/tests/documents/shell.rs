//! A shell in a fresh folder, with the program and a home of its own.

use rustix::process::{Pid, Signal, kill_process_group};
use std::env;
use std::fs;
use std::io::{Read, Write, pipe};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Far longer than anything takes; a test fails rather than hangs.
const LIMIT: Duration = Duration::from_secs(60);
/// Ends what a command has printed; its exit code follows.
const MARK: char = '\u{1}';
/// Examples show the documented port, and tests run side by side: they take any free one.
const PRELUDE: &str = r#"
aide() {
    case " $* " in
    *" decide "*) AIDE_DECIDE_PORT=${AIDE_DECIDE_PORT-0} "$AIDE" "$@" ;;
    *" daemon "*) FINGER_HTTP_PORT=0 FINGER_WS_PORT=0 "$AIDE" "$@" ;;
    *) "$AIDE" "$@" ;;
    esac
}
"#;
/// Where a daemon says that it runs, from the home.
const DAEMON: &str = ".local/state/aide/daemon/daemon.json";
/// Runs the files whose names it is given, one by one.
const LOOP: &str = r#"
_status=0
while IFS= read -r _file; do
    . "$_file" </dev/null
    _status=$?
    printf '\001%s\n' "$_status"
done
"#;

/// What a command has done so far.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// With this exit code.
    Ended(i32),
    /// It may still be running.
    Running,
}

pub(crate) struct Shell {
    // What is in here goes when this is dropped.
    _folders: TempDir,
    project: PathBuf,
    home: PathBuf,
    child: Child,
    stdin: ChildStdin,
    output: Receiver<Vec<u8>>,
    /// Bytes that do not make a whole character yet.
    bytes: Vec<u8>,
    /// What was printed since the last command was started, without the mark.
    printed: String,
    state: State,
    scripts: usize,
}

impl Shell {
    /// A shell in a folder in which nothing is.
    pub(crate) fn new() -> Self {
        let folders = TempDir::new().unwrap();
        let root = folders.path().canonicalize().unwrap();
        let [project, home, bin] = ["shop", "home", "bin"].map(|name| root.join(name));
        for folder in [&project, &home, &bin] {
            fs::create_dir(folder).unwrap();
        }
        symlink(env!("CARGO_BIN_EXE_aide"), bin.join("aide")).unwrap();
        let identity = "[user]\n\tname = Ann\n\temail = ann@example.com\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n";
        fs::write(home.join(".gitconfig"), identity).unwrap();
        let (mut reader, writer) = pipe().unwrap();
        let mut command = Command::new("sh");
        equip(&mut command, &project, &home, &bin);
        let errors = writer.try_clone().unwrap();
        let mut child = command
            .args(["-c", &format!("{PRELUDE}{LOOP}")])
            .stdin(Stdio::piped())
            .stdout(writer)
            .stderr(errors)
            .process_group(0)
            .spawn()
            .unwrap();
        drop(command);
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        let stdin = child.stdin.take().unwrap();
        let state = State::Ended(0);
        let (bytes, printed) = (Vec::new(), String::new());
        Self { _folders: folders, project, home, child, stdin, output, bytes, printed, state, scripts: 0 }
    }

    pub(crate) fn project(&self) -> &Path {
        &self.project
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Starts a command. The one before it must have ended.
    pub(crate) fn start(&mut self, command: &str) {
        assert!(matches!(self.state, State::Ended(_)), "the command before is still running");
        self.scripts += 1;
        let script = self.home.join(format!(".script-{}", self.scripts));
        // The exit code of the command before, for `echo $?`.
        fs::write(&script, format!("(exit $_status)\n{command}\n")).unwrap();
        self.printed.clear();
        self.state = State::Running;
        writeln!(self.stdin, "{}", script.display()).unwrap();
    }

    /// Runs a command to its end beside the one that is running, and returns what it printed.
    pub(crate) fn beside(&self, command: &str) -> Result<String, String> {
        let mut shell = Command::new("sh");
        equip(&mut shell, &self.project, &self.home, &self.home.parent().unwrap().join("bin"));
        let output =
            shell.args(["-c", &format!("{PRELUDE}{command}")]).stdin(Stdio::null()).output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        if output.status.success() { Ok(printed.into_owned()) } else { Err(printed.into_owned()) }
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    /// What was printed since the last command was started.
    pub(crate) fn printed(&self) -> &str {
        &self.printed
    }

    /// Forgets what was printed so far.
    pub(crate) fn forget(&mut self) {
        self.printed.clear();
    }

    /// Reads on until `enough` says so of what was printed, or the command has ended.
    pub(crate) fn until(&mut self, enough: impl Fn(&str) -> bool) -> Result<(), String> {
        let deadline = Instant::now() + LIMIT;
        while self.state == State::Running && !enough(&self.printed) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => return Err("nothing more comes".to_owned()),
                Err(RecvTimeoutError::Disconnected) => return Err("the shell has ended".to_owned()),
            }
        }
        Ok(())
    }

    /// Reads on until the command has ended or nothing has come for `pause`.
    pub(crate) fn until_quiet(&mut self, pause: Duration) {
        while self.state == State::Running
            && let Ok(bytes) = self.output.recv_timeout(pause)
        {
            self.take(&bytes);
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        let whole = match std::str::from_utf8(&self.bytes) {
            Ok(text) => text.len(),
            Err(error) => error.valid_up_to(),
        };
        let text: Vec<u8> = self.bytes.drain(..whole).collect();
        self.printed += &String::from_utf8_lossy(&text);
        if let Some(mark) = self.printed.find(MARK)
            && self.printed.ends_with('\n')
        {
            self.state = State::Ended(self.printed[mark + 1..].trim().parse().unwrap());
            self.printed.truncate(mark);
        }
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        // A server in the background ends with its questions.
        let _ = self.beside("aide decide cancel");
        // A daemon does not end with anything.
        if self.home.join(DAEMON).exists() {
            let _ = self.beside("aide daemon stop --force");
        }
        let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
        let _ = self.child.wait();
    }
}

fn equip(command: &mut Command, project: &Path, home: &Path, bin: &Path) {
    let mut path = std::ffi::OsString::from(bin);
    for folder in [home.join("bin").into_os_string(), env::var_os("PATH").unwrap_or_default()] {
        path.push(":");
        path.push(folder);
    }
    command.current_dir(project).env_clear().env("PATH", path).env("HOME", home);
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("AIDE", env!("CARGO_BIN_EXE_aide"));
}

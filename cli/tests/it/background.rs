//! What a process in the background keeps of its caller: nothing.

use crate::support::daemon::Place;
use crate::support::terminal::Terminal;
use crate::support::{BackgroundGuard, Folder, minimal, server};
use rustix::fs::{FlockOperation, flock};
use rustix::io::{FdFlags, fcntl_setfd};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A lock that is held as `flock -n 9 … 9>lock` does it: by a descriptor that programs inherit.
fn hold(lock: &Path) -> File {
    let file = File::create(lock).unwrap();
    flock(&file, FlockOperation::NonBlockingLockExclusive).unwrap();
    fcntl_setfd(&file, FdFlags::empty()).unwrap();
    file
}

/// Runs `command` under a lock; afterwards the lock is free.
fn frees_the_lock(mut command: Command, lock: &Path) {
    let held = hold(lock);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    drop(held);
    let again = File::open(lock).unwrap();
    flock(&again, FlockOperation::NonBlockingLockExclusive).expect("the lock is free");
}

/// Where a process stands, its terminal (0 for none), and what its descriptors lead to. Told by Linux alone.
fn keeps_nothing(pid: u64) {
    if cfg!(target_os = "linux") {
        assert_eq!(fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), Path::new("/"));
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let terminal = stat.rsplit_once(") ").unwrap().1.split(' ').nth(4).unwrap().to_owned();
        assert_eq!(terminal, "0");
        let open = fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
        let open: Vec<_> = open.filter_map(|entry| fs::read_link(entry.path()).ok()).collect();
        let of_terminal = |path: &&PathBuf| path.starts_with("/dev/pts") || path.starts_with("/dev/tty");
        assert_eq!(open.iter().find(of_terminal), None, "{open:?}");
    }
}

#[test]
fn a_detached_server_keeps_nothing_of_its_caller() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let submit = folder.command(["decide", "submit", "--detach", "--port", "0", &minimal().to_string()]);
    frees_the_lock(submit, &folder.join("lock"));
    keeps_nothing(server(&folder).unwrap()["pid"].as_u64().unwrap());
}

#[test]
fn a_daemon_keeps_nothing_of_its_caller() {
    let place = Place::new();
    let start = place.command(["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
    frees_the_lock(start, &place.folder.join("lock"));
    keeps_nothing(place.told()["pid"].as_u64().unwrap());
}

/// Runs `command` on a terminal, to its end.
fn on_a_terminal(folder: &Folder, command: &Command) {
    let text = |text: &OsStr| text.to_str().unwrap().to_owned();
    let arguments: Vec<_> = command.get_args().map(text).collect();
    let variables: Vec<_> =
        command.get_envs().filter_map(|(name, value)| Some((text(name), text(value?)))).collect();
    let arguments: Vec<_> = arguments.iter().map(String::as_str).collect();
    let variables: Vec<_> = variables.iter().map(|(name, value)| (&**name, &**value)).collect();
    let (code, terminal) = Terminal::start(folder, &arguments, &variables).finish();
    assert_eq!(code, Some(0), "{}", terminal.screen());
}

#[test]
fn what_is_begun_on_a_terminal_lets_go_of_it() {
    let folder = Folder::project();
    let _background = BackgroundGuard(&folder);
    let questions = minimal().to_string();
    on_a_terminal(&folder, &folder.command(["decide", "submit", "--detach", "--port", "0", &questions]));
    keeps_nothing(server(&folder).unwrap()["pid"].as_u64().unwrap());
    let place = Place::new();
    let start = place.command(["daemon", "start", "--http-port", "0", "--ws-port", "0"]);
    on_a_terminal(&place.folder, &start);
    keeps_nothing(place.told()["pid"].as_u64().unwrap());
}

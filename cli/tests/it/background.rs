//! What a process in the background keeps of its caller: nothing.

use crate::support::daemon::Place;
use crate::support::{Background, Folder, minimal, server};
use rustix::fs::{FlockOperation, flock};
use rustix::io::{FdFlags, fcntl_setfd};
use std::fs::{self, File};
use std::path::Path;
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

/// Where a process stands, and its terminal: 0 for none. Told by Linux alone.
fn keeps_nothing(pid: u64) {
    if cfg!(target_os = "linux") {
        assert_eq!(fs::read_link(format!("/proc/{pid}/cwd")).unwrap(), Path::new("/"));
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let terminal = stat.rsplit_once(") ").unwrap().1.split(' ').nth(4).unwrap().to_owned();
        assert_eq!(terminal, "0");
    }
}

#[test]
fn a_detached_server_keeps_nothing_of_its_caller() {
    let folder = Folder::project();
    let _background = Background(&folder);
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

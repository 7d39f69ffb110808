//! A program with all that it has started, as the system tells who has started whom: for one that must stay in the process group
//! of its caller, which has the terminal.

use crate::termination::{CANCEL_GRACE, POLL_INTERVAL};
use rustix::process::{Pid, Signal, kill_process};
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// How long a program has to end by itself once all that it has started is asked to: it tidies up, and takes note of their end.
const CLEANUP_GRACE: Duration = Duration::from_millis(250);

/// The end of a program with all that it has started.
#[derive(Debug)]
pub(crate) struct TreeTermination {
    since: Instant,
    tree: Vec<Member>,
    /// The program itself was asked as well.
    all_asked: bool,
}

impl TreeTermination {
    /// Asks all to end but the program itself, which fails by that; itself, if it has started no other.
    pub(crate) fn begin(leader: u32) -> Self {
        let tree = members_of(leader);
        let all_asked = tree.len() <= 1;
        signal(tree.get(1..).filter(|_| !all_asked).unwrap_or(&tree), Signal::TERM);
        Self { since: Instant::now(), tree, all_asked }
    }

    /// Asks, and later kills, those that are there still.
    pub(crate) fn go_on(&mut self, leader: u32) {
        if self.since.elapsed() >= CANCEL_GRACE {
            signal(&self.tree, Signal::KILL);
            signal(&members_of(leader), Signal::KILL);
        } else if self.since.elapsed() >= CLEANUP_GRACE && !self.all_asked {
            self.all_asked = true;
            signal(&self.tree, Signal::TERM);
        }
    }

    /// The program has ended: ends what it may have left behind; returns the names of those that were being waited for.
    pub(crate) fn finish(mut self) -> Vec<String> {
        while self.since.elapsed() < CANCEL_GRACE && is_there(&self.tree) {
            if !self.all_asked {
                self.all_asked = true;
                signal(&self.tree, Signal::TERM);
            }
            // They are no children of this process, so the system does not report their end.
            thread::sleep(POLL_INTERVAL);
        }
        signal(&self.tree, Signal::KILL);
        awaited(&self.tree)
    }
}

/// A process of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    pid: i32,
    parent: i32,
    /// When it began, in ticks of the system: a number that is used again is another process.
    began: u64,
    /// The name of its program, as far as the system keeps it (15 bytes on Linux).
    name: String,
}

/// Returns the process `leader` and all that it, or one of these, has started and that is there still. Where the system has no
/// `/proc`, that is `leader` alone.
fn members_of(leader: u32) -> Vec<Member> {
    let Ok(leader) = i32::try_from(leader) else { return Vec::new() };
    let all: Vec<Member> = everybody();
    let itself = all.iter().find(|member| member.pid == leader).cloned();
    let unknown = || Member { pid: leader, parent: 0, began: 0, name: String::new() };
    let mut tree = vec![itself.unwrap_or_else(unknown)];
    let mut at = 0;
    while let Some(parent) = tree.get(at).map(|member| member.pid) {
        tree.extend(all.iter().filter(|member| member.parent == parent && member.pid != parent).cloned());
        at += 1;
    }
    tree
}

/// Whether any of a tree is there still.
fn is_there(tree: &[Member]) -> bool {
    let is_same = |member: &Member| read(member.pid).is_some_and(|now| now.began == member.began);
    tree.iter().any(is_same)
}

/// Signals to those of a tree that are there still.
fn signal(tree: &[Member], signal: Signal) {
    for member in tree {
        let is_there = member.began == 0 || read(member.pid).is_some_and(|now| now.began == member.began);
        if let Some(pid) = Pid::from_raw(member.pid).filter(|_| is_there) {
            // It may have ended in this very moment.
            let _ = kill_process(pid, signal);
        }
    }
}

/// Returns the names of those of a tree that have started no other: what the others wait for.
fn awaited(tree: &[Member]) -> Vec<String> {
    let last = tree.iter().filter(|member| is_last(member, tree));
    let mut names: Vec<String> = last.map(|member| member.name.clone()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// Whether a process has started none of the others.
fn is_last(member: &Member, tree: &[Member]) -> bool {
    !tree.iter().any(|other| other.parent == member.pid)
}

fn everybody() -> Vec<Member> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?)).collect()
}

/// `PID (NAME) STATE PARENT …`; the twenty-second is the beginning. One that waits only to be noted is gone.
fn read(pid: i32) -> Option<Member> {
    let stat = fs::read(format!("/proc/{pid}/stat")).ok()?;
    let stat = String::from_utf8_lossy(&stat);
    let (before, rest) = stat.rsplit_once(") ")?;
    let name = before.split_once('(')?.1.to_owned();
    let rest: Vec<&str> = rest.split(' ').collect();
    if matches!(*rest.first()?, "Z" | "X") {
        return None;
    }
    Some(Member { pid, parent: rest.get(1)?.parse().ok()?, began: rest.get(19)?.parse().ok()?, name })
}

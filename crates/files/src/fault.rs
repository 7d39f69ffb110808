//! What every call to the system passes in tests: it is counted, failed when it is its turn, and recorded when it has
//! changed something. One probe per thread.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use crate::call::Call;
use rustix::fs::AtFlags;
use rustix::io::{Errno, Result};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::MetadataExt;

/// What becomes of a call whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// It does nothing, or half of what it writes, and fails.
    Fails(Errno),
    /// It does what it should, and fails.
    FailsDone(Errno),
    /// A kill: neither it nor any later call does anything, not even those that clean up.
    Killed,
}

/// What a call does, without the file or folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the calls, by their usual names")]
pub enum CallKind {
    Look,
    Create,
    Mkdir,
    Write,
    Truncate,
    Chmod,
    Sync,
    Rename,
    Move,
    Link,
    Unlink,
}

impl From<Call<'_>> for CallKind {
    fn from(call: Call<'_>) -> Self {
        match call {
            Call::Look => Self::Look,
            Call::Create { .. } => Self::Create,
            Call::Mkdir { .. } => Self::Mkdir,
            Call::Write { .. } => Self::Write,
            Call::Truncate { .. } => Self::Truncate,
            Call::Chmod => Self::Chmod,
            Call::Sync { .. } => Self::Sync,
            Call::Rename { .. } => Self::Rename,
            Call::Move { .. } => Self::Move,
            Call::Link { .. } => Self::Link,
            Call::Unlink { .. } => Self::Unlink,
        }
    }
}

/// A file or folder, whatever its name; never given twice.
pub type Node = usize;

/// What a call has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the calls and what they are given, by their usual names")]
pub enum Event {
    Create { dir: Node, name: String, node: Node },
    Mkdir { dir: Node, name: String, node: Node },
    Write { node: Node, bytes: Vec<u8> },
    Truncate { node: Node },
    Sync { node: Node },
    Rename { dir: Node, from: String, to: String },
    Move { dir: Node, from: String, into: Node, to: String },
    Link { dir: Node, from: String, to: String },
    Unlink { dir: Node, name: String },
}

/// The action of another process.
type ConcurrentAction = Box<dyn FnOnce()>;

#[derive(Default)]
struct Probe {
    calls: u64,
    /// What they do; empty when no test counts them.
    kinds: Vec<CallKind>,
    turn: Option<(u64, Fault)>,
    meanwhile: Option<(u64, ConcurrentAction)>,
    recording: Option<Recording>,
}

impl Probe {
    fn count_anew(&mut self) {
        self.calls = 0;
        self.kinds.clear();
    }
}

#[derive(Default)]
struct Recording {
    events: Vec<Event>,
    /// The node of each inode number; the system gives a number again once its file is gone.
    nodes: HashMap<u64, Node>,
    next: Node,
    lock: Option<Node>,
}

const LOCK: &str = ".lock";

thread_local! {
    static PROBE: RefCell<Probe> = RefCell::default();
}

/// Counts calls anew, and gives the `turn`-th, from 0, the fault.
pub fn fail(turn: u64, fault: Fault) {
    PROBE.with_borrow_mut(|probe| {
        probe.count_anew();
        probe.turn = Some((turn, fault));
    });
}

/// Fails nothing any more; true when the turn had come.
pub fn fail_no_more() -> bool {
    PROBE.with_borrow_mut(|probe| probe.turn.take().is_some_and(|(turn, _)| probe.calls > turn))
}

/// Resets the call count, and runs the closure, as the action of another process, right before call number `turn`, counted
/// from 0.
pub fn run_before(turn: u64, action: impl FnOnce() + 'static) {
    let meanwhile: ConcurrentAction = Box::new(action);
    PROBE.with_borrow_mut(|probe| {
        probe.count_anew();
        probe.meanwhile = Some((turn, meanwhile));
    });
}

/// Cancels the action of the other process; true when its turn had come.
pub fn run_no_more() -> bool {
    PROBE.with_borrow_mut(|probe| probe.meanwhile.take().is_none())
}

/// What the calls between the last [`fail`] and [`fail_no_more`] do.
pub fn calls() -> Vec<CallKind> {
    PROBE.with_borrow(|probe| probe.kinds.clone())
}

/// The numbers of the calls to disturb, of those that an undisturbed run makes: every `stride`-th from number `first` on, and
/// the first and the last call of each kind. With the stride `n`, each call fails in one of `n` ways that begin at different
/// numbers.
pub fn sample(calls: &[CallKind], first: usize, stride: usize) -> Vec<u64> {
    let is_chosen = |number: usize| {
        let kind = &calls[number];
        number % stride == first % stride
            || !calls[..number].contains(kind)
            || !calls[number + 1..].contains(kind)
    };
    (0..).zip(0..calls.len()).filter(|(_, number)| is_chosen(*number)).map(|(number, _)| number).collect()
}

/// Begins to record; `root` becomes node 0.
pub fn record(root: &File) {
    let mut recording = Recording::default();
    recording.give(inode(root));
    PROBE.with_borrow_mut(|probe| probe.recording = Some(recording));
}

/// How many events there are so far.
pub fn recorded() -> usize {
    PROBE.with_borrow(|probe| probe.recording.as_ref().map_or(0, |recording| recording.events.len()))
}

/// Ends the recording.
pub fn take_record() -> Vec<Event> {
    PROBE.with_borrow_mut(|probe| probe.recording.take()).unwrap_or_default().events
}

/// Lets a call through, or not.
pub(crate) fn probed<T>(call: Call<'_>, act: &mut impl FnMut() -> Result<T>) -> Result<T> {
    let (action, fault) = PROBE.with_borrow_mut(|probe| {
        let number = probe.calls;
        probe.calls += 1;
        if probe.turn.is_some() || probe.meanwhile.is_some() {
            probe.kinds.push(call.into());
        }
        let action = probe.meanwhile.take_if(|(turn, _)| number == *turn);
        (
            action,
            probe.turn.filter(|(turn, fault)| number == *turn || (number > *turn && *fault == Fault::Killed)),
        )
    });
    if let Some((_, act)) = action {
        act();
    }
    match fault.map(|(_, fault)| fault) {
        None => done(call, act()),
        // A signal comes before the first byte.
        Some(Fault::Fails(Errno::INTR)) => Err(Errno::INTR),
        Some(Fault::Fails(errno)) => {
            half(call);
            Err(errno)
        }
        Some(Fault::FailsDone(errno)) => done(call, act()).and(Err(errno)),
        Some(Fault::Killed) => Err(Errno::IO),
    }
}

/// A disk that is full takes the beginning.
fn half(call: Call<'_>) {
    if let Call::Write { file, bytes } = call {
        use std::io::Write;
        let bytes = &bytes[..bytes.len() / 2];
        let mut file = file;
        file.write_all(bytes).unwrap();
        let call = Call::Write { file, bytes };
        done(call, Ok(())).unwrap();
    }
}

fn done<T>(call: Call<'_>, result: Result<T>) -> Result<T> {
    if result.is_ok() {
        PROBE.with_borrow_mut(|probe| probe.recording.as_mut().map(|recording| recording.add(call)));
    }
    result
}

impl Recording {
    fn give(&mut self, inode: u64) -> Node {
        let node = self.next;
        self.next += 1;
        self.nodes.insert(inode, node);
        node
    }

    fn node(&self, file: &File) -> Node {
        self.nodes[&inode(file)]
    }

    fn add(&mut self, call: Call<'_>) {
        let event = match call {
            Call::Look | Call::Chmod => return,
            Call::Create { dir, name } => {
                let (dir, inode) = (self.node(dir), inode_at(dir, name));
                // The lock of the folder is opened again and again, but created once.
                if name == LOCK && self.lock.is_some_and(|lock| self.nodes.get(&inode) == Some(&lock)) {
                    return;
                }
                let node = self.give(inode);
                if name == LOCK {
                    self.lock = Some(node);
                }
                Event::Create { dir, name: name.to_owned(), node }
            }
            Call::Mkdir { dir, name } => Event::Mkdir {
                dir: self.node(dir),
                name: name.to_owned(),
                node: self.give(inode_at(dir, name)),
            },
            Call::Write { file, bytes } => Event::Write { node: self.node(file), bytes: bytes.to_owned() },
            Call::Truncate { file } => Event::Truncate { node: self.node(file) },
            Call::Sync { file } => Event::Sync { node: self.node(file) },
            Call::Rename { dir, from, to } => {
                Event::Rename { dir: self.node(dir), from: from.to_owned(), to: to.to_owned() }
            }
            Call::Move { dir, from, into, to } => Event::Move {
                dir: self.node(dir),
                from: from.to_owned(),
                into: self.node(into),
                to: to.to_owned(),
            },
            Call::Link { dir, from, to } => {
                Event::Link { dir: self.node(dir), from: from.to_owned(), to: to.to_owned() }
            }
            Call::Unlink { dir, name } => Event::Unlink { dir: self.node(dir), name: name.to_owned() },
        };
        self.events.push(event);
    }
}

fn inode(file: &File) -> u64 {
    file.metadata().unwrap().ino()
}

fn inode_at(dir: &File, name: &str) -> u64 {
    rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).unwrap().st_ino
}

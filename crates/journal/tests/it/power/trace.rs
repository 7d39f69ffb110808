//! What a process did to the files of one folder, read from what strace wrote down.

use crate::worker::Ledger;
use std::collections::HashMap;
use std::fs;
use std::path::Path;

/// A file, whatever name it has.
pub(super) type Node = usize;

/// The calls that change files or force them to the disk, and those by which one sees whose they are.
pub(super) const CALLS: &str = "openat,write,pwrite64,ftruncate,fsync,fdatasync,rename,renameat,renameat2,link,linkat,\
                                unlink,unlinkat,close";

/// Something that happened from one moment to another: it may have been done from its start, and has been at its end.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) what: EventKind,
}

#[derive(Debug)]
pub(super) enum EventKind {
    Write {
        node: Node,
        offset: usize,
        bytes: Vec<u8>,
    },
    Resize {
        node: Node,
        length: usize,
    },
    Sync {
        node: Node,
    },
    /// The flush failed: data that was not on the disk before may be lost, and no later call reports it.
    SyncFailed {
        node: Node,
    },
    SyncFolder,
    /// A file got this name.
    Add {
        name: String,
        node: Node,
    },
    /// It gave up one name for another.
    Move {
        from: String,
        to: String,
        node: Node,
    },
    /// It lost this name.
    Remove {
        name: String,
        node: Node,
    },
}

/// All that happened in the folder, and what was said meanwhile.
pub(super) struct Trace {
    /// In the order of their starts.
    pub(super) events: Vec<Event>,
    /// Lines, with the moment at which each was begun to be said.
    said: Vec<(usize, String)>,
    /// How many files there ever were.
    pub(super) nodes: usize,
}

impl Trace {
    /// What strace wrote to `path`, of a folder in which there was one file before, or none.
    pub(super) fn read(path: &Path, folder: &Path, before: Option<(&str, Vec<u8>)>) -> Self {
        let text = fs::read_to_string(path).unwrap();
        let mut reader = Reader {
            folder: fs::canonicalize(folder).unwrap().to_str().unwrap().to_owned(),
            names: HashMap::new(),
            trace: Self { events: Vec::new(), said: Vec::new(), nodes: 0 },
        };
        if let Some((name, bytes)) = before {
            reader.trace.nodes = 1;
            reader.names.insert(name.to_owned(), 0);
            let name = name.to_owned();
            let settled = [
                EventKind::Add { name, node: 0 },
                EventKind::Write { node: 0, offset: 0, bytes },
                EventKind::Sync { node: 0 },
                EventKind::SyncFolder,
            ];
            reader.trace.events.extend(settled.map(|what| Event { start: 0, end: 0, what }));
        }
        let mut unfinished: HashMap<&str, (usize, &str)> = HashMap::new();
        for (now, line) in text.lines().enumerate() {
            let (process, call) = line.split_once(' ').unwrap();
            let call = call.trim_start();
            if let Some(begun) = call.strip_suffix(" <unfinished ...>") {
                unfinished.insert(process, (now, begun));
            } else if let Some(rest) = call.strip_prefix("<... ") {
                let (start, begun) = unfinished.remove(process).unwrap();
                let (_, rest) = rest.split_once(" resumed>").unwrap();
                reader.call(start, now, &format!("{begun}{rest}"));
            } else if !call.starts_with(['+', '-']) {
                reader.call(now, now, call);
            }
        }
        let mut trace = reader.trace;
        trace.events.sort_by_key(|event| event.start);
        trace
    }

    /// What was said until then.
    pub(super) fn ledger(&self, moment: usize) -> Ledger {
        let mut ledger = Ledger::default();
        let said = self.said.iter().take_while(|(at, _)| *at <= moment);
        said.for_each(|(_, line)| ledger.hear(line));
        ledger
    }

    /// The moments after which the power may go: the start of each event, and its end.
    pub(super) fn moments(&self) -> Vec<usize> {
        let said = self.said.iter().map(|(at, _)| *at);
        let mut moments: Vec<_> =
            self.events.iter().flat_map(|event| [event.start, event.end]).chain(said).chain([0]).collect();
        moments.sort_unstable();
        moments.dedup();
        moments
    }
}

struct Reader {
    folder: String,
    /// The names that files have now.
    names: HashMap<String, Node>,
    trace: Trace,
}

impl Reader {
    fn call(&mut self, start: usize, end: usize, call: &str) {
        let (asked, result) = call.rsplit_once(" = ").unwrap();
        let has_failed = result.starts_with(['-', '?']);
        if has_failed && !call.starts_with("fsync") && !call.starts_with("fdatasync") {
            return;
        }
        let (call, arguments) = asked.trim_end().strip_suffix(')').unwrap().split_once('(').unwrap();
        // Strings and paths are all in hexadecimal, so that there is no comma in them.
        let arguments: Vec<_> = arguments.split(", ").collect();
        let mut add = |what| self.trace.events.push(Event { start, end, what });
        // What is no file of this folder has no name here.
        let of_handle = |argument: &str| name(&self.folder, &path_of_handle(argument));
        let at = |at: Option<&str>, argument: &str| {
            let path = text(argument);
            let path = match at {
                Some(at) if !path.starts_with('/') => format!("{}/{path}", path_of_handle(at)),
                _ => path,
            };
            name(&self.folder, &path)
        };
        match (call, &*arguments) {
            ("write", [handle, content, ..]) if handle.starts_with("1<") => {
                let text = String::from_utf8(bytes(content)).unwrap();
                self.trace.said.extend(text.lines().map(|line| (start, line.to_owned())));
            }
            ("openat", [folder, path, flags, ..]) => {
                let Some(name) = at(Some(folder), path) else { return };
                assert!(!flags.contains("O_TRUNC"), "{name}");
                if !name.is_empty() && !self.names.contains_key(&name) {
                    let node = self.trace.nodes;
                    self.trace.nodes += 1;
                    self.names.insert(name.clone(), node);
                    add(EventKind::Add { name, node });
                }
            }
            ("pwrite64", [handle, content, length, offset]) => {
                let Some(node) = of_handle(handle).map(|name| self.names[&name]) else { return };
                let bytes = bytes(content);
                assert_eq!(bytes.len().to_string(), *length, "not all of it was noted");
                assert_eq!(result, *length, "not all of it was written");
                add(EventKind::Write { node, offset: offset.parse().unwrap(), bytes });
            }
            ("write", [handle, ..]) => assert_eq!(of_handle(handle), None, "appended: {asked}"),
            ("ftruncate", [handle, length]) => {
                let Some(node) = of_handle(handle).map(|name| self.names[&name]) else { return };
                add(EventKind::Resize { node, length: length.parse().unwrap() });
            }
            ("fsync" | "fdatasync", [handle]) => match of_handle(handle).as_deref() {
                None => {}
                Some("") if has_failed => {}
                Some("") => add(EventKind::SyncFolder),
                Some(name) if has_failed => add(EventKind::SyncFailed { node: self.names[name] }),
                Some(name) => add(EventKind::Sync { node: self.names[name] }),
            },
            ("link", [from, to]) | ("linkat", [_, from, _, to, _]) => {
                let [before, after] = match *arguments {
                    [before, _, after, _, _] => [Some(before), Some(after)],
                    _ => [None, None],
                };
                let (Some(from), Some(name)) = (at(before, from), at(after, to)) else { return };
                let node = self.names[&from];
                self.names.insert(name.clone(), node);
                add(EventKind::Add { name, node });
            }
            ("rename", [from, to]) | ("renameat", [_, from, _, to]) | ("renameat2", [_, from, _, to, _]) => {
                let [before, after] = match *arguments {
                    [before, _, after, _, ..] => [Some(before), Some(after)],
                    _ => [None, None],
                };
                let (Some(from), Some(to)) = (at(before, from), at(after, to)) else { return };
                let node = self.names.remove(&from).unwrap();
                self.names.insert(to.clone(), node);
                add(EventKind::Move { from, to, node });
            }
            ("unlink", [path]) | ("unlinkat", [_, path, _]) => {
                let folder = (arguments.len() == 3).then(|| arguments[0]);
                let Some(name) = at(folder, path) else { return };
                let node = self.names.remove(&name).unwrap();
                add(EventKind::Remove { name, node });
            }
            _ => {}
        }
    }
}

/// The name of a file in the folder, empty for the folder itself.
///
/// Two files are left out: SQLite's `-shm`, which the first process to open the journal recreates, whatever it holds, and the
/// lock, which is empty.
fn name(folder: &str, path: &str) -> Option<String> {
    let name = path.strip_prefix(folder)?;
    let name = if name.is_empty() { name } else { name.strip_prefix('/')? };
    (!name.ends_with("-shm") && name != ".lock").then(|| name.to_owned())
}

/// The path of an open file, as `-y` adds it; something that is no path where the file has no name any more.
fn path_of_handle(argument: &str) -> String {
    let (_, path) = argument.split_once('<').unwrap();
    let path = path.strip_suffix('>').unwrap_or("");
    // Pipes have no path.
    if path.starts_with('\\') { text(path) } else { String::new() }
}

fn text(argument: &str) -> String {
    String::from_utf8(bytes(argument)).unwrap()
}

/// What `-xx` wrote in hexadecimal: `\x` and two digits for each byte.
fn bytes(argument: &str) -> Vec<u8> {
    let digit = |digit: u8| if digit.is_ascii_digit() { digit - b'0' } else { digit - b'a' + 10 };
    let all = argument.trim_matches('"').as_bytes().chunks_exact(4);
    all.map(|byte| digit(byte[2]) << 4 | digit(byte[3])).collect()
}

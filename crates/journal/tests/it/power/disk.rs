//! What a disk may hold when the power goes.
//!
//! What POSIX promises and no more: what was written and not forced to the disk is there, lost or torn, whatever became of
//! what was written before or after it; where a file has grown there may be zeros; a name that was not forced to the disk is
//! there or lost, whatever became of the others. Only `fsync` of the file, or of the folder, settles it.

use super::trace::{Event, EventKind, Node, Trace};
use crate::support::some;
use std::collections::BTreeMap;

/// A disk writes so many bytes at once, or none of them.
const SECTOR: usize = 512;

/// So many names at most may be open at a time, so that all of their combinations can be tried.
const NAMES: usize = 8;

/// The files of the folder, by their names.
pub(super) type Disk = BTreeMap<String, Content>;

/// What a file holds: the first so many changes of it, and some of the later ones.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Content {
    node: Node,
    first: usize,
    also: Vec<usize>,
    /// Those of the first that were lost nevertheless.
    lost: Vec<usize>,
    /// Whether only one sector of the last of them was written.
    is_torn: bool,
    /// The length to which it is filled up with zeros.
    length: usize,
}

/// What happened to one file.
struct File<'t> {
    changes: Vec<&'t Event>,
    syncs: Vec<&'t Event>,
    failures: Vec<&'t Event>,
    /// How long it was after so many changes.
    lengths: Vec<usize>,
}

pub(super) struct Model<'t> {
    files: Vec<File<'t>>,
    names: Vec<&'t Event>,
    syncs: Vec<&'t Event>,
    /// Whether each change is lost in every way; otherwise each is lost in one of them, and the ways take turns.
    is_complete: bool,
}

impl<'t> Model<'t> {
    pub(super) fn new(trace: &'t Trace) -> Self {
        let file = || File { changes: Vec::new(), syncs: Vec::new(), failures: Vec::new(), lengths: vec![0] };
        let mut model = Self {
            files: (0..trace.nodes).map(|_| file()).collect(),
            names: Vec::new(),
            syncs: Vec::new(),
            is_complete: effort::is_complete(),
        };
        for event in &trace.events {
            match &event.what {
                EventKind::Write { node, offset, bytes } => {
                    let file = &mut model.files[*node];
                    file.changes.push(event);
                    file.lengths.push(file.lengths[file.lengths.len() - 1].max(offset + bytes.len()));
                }
                EventKind::Resize { node, length } => {
                    model.files[*node].changes.push(event);
                    model.files[*node].lengths.push(*length);
                }
                EventKind::Sync { node } => model.files[*node].syncs.push(event),
                EventKind::SyncFailed { node } => model.files[*node].failures.push(event),
                EventKind::SyncFolder => model.syncs.push(event),
                EventKind::Add { .. } | EventKind::Move { .. } | EventKind::Remove { .. } => {
                    model.names.push(event)
                }
            }
        }
        model
    }

    /// The disks that there may be when the power goes at this moment. Of changes to a file that are not settled, no more
    /// than `most` are taken one by one.
    pub(super) fn disks(&self, moment: usize, most: usize) -> Vec<Disk> {
        let mut disks = Vec::new();
        for names in self.names(moment) {
            let contents = names.values().map(|node| self.contents(*node, moment, most));
            let contents: Vec<_> = contents.collect();
            let names: Vec<_> = names.into_keys().collect();
            // Each content of each file, with all or nothing in the others.
            for (at, file) in contents.iter().enumerate() {
                for (number, content) in file.iter().enumerate() {
                    let mut others: Vec<Vec<Content>> = vec![Vec::new()];
                    for (other, contents) in contents.iter().enumerate() {
                        let all_or_nothing = &contents[..contents.len().min(2)];
                        let wanted = if other == at {
                            std::slice::from_ref(content)
                        } else if self.is_complete || number < 2 {
                            all_or_nothing
                        } else {
                            std::slice::from_ref(&all_or_nothing[(moment + number) % all_or_nothing.len()])
                        };
                        others = wanted
                            .iter()
                            .flat_map(|content| {
                                others
                                    .iter()
                                    .map(move |so_far| [so_far, std::slice::from_ref(content)].concat())
                            })
                            .collect();
                    }
                    disks.extend(others.into_iter().map(|files| names.iter().cloned().zip(files).collect()));
                }
            }
            if contents.is_empty() {
                disks.push(Disk::new());
            }
        }
        disks
    }

    /// What a file may hold, also where some of what was to be kept was lost.
    fn contents(&self, node: Node, moment: usize, most: usize) -> Vec<Content> {
        let file = &self.files[node];
        let mut contents = self.promised(node, moment, most);
        for number in 0..contents.len() {
            let content = contents[number].clone();
            let doomed = file.doomed(content.first, moment);
            if doomed.is_empty() {
                continue;
            }
            let with = |lost: Vec<usize>| Content { lost, ..content.clone() };
            let alone = some(0, doomed.len(), most).into_iter().map(|one| with(vec![doomed[one]]));
            contents.extend(self.sample(alone.collect(), moment + number));
            contents.push(with(doomed));
        }
        contents
    }

    /// What a file may hold where the disk keeps what it was to keep: first all that was written, then only what is settled,
    /// then what lies between.
    fn promised(&self, node: Node, moment: usize, most: usize) -> Vec<Content> {
        let file = &self.files[node];
        let (settled, begun) = file.settled(moment);
        let content = |first: usize, also: Vec<usize>| Content {
            node,
            first,
            also,
            lost: Vec::new(),
            is_torn: false,
            length: 0,
        };
        if settled == begun {
            return vec![content(begun, Vec::new())];
        }
        let mut contents = vec![content(begun, Vec::new()), content(settled, Vec::new())];
        for number in some(settled, begun, most) {
            let so_far = content(number, Vec::new());
            let alone = content(settled, vec![number]);
            let all_others = content(number, (number + 1..begun).collect());
            let mut ways = vec![all_others, so_far.clone(), alone.clone()];
            let change = &file.changes[number].what;
            if matches!(change, EventKind::Write { bytes, .. } if bytes.len() > SECTOR) {
                ways.push(Content { is_torn: true, ..content(number, vec![number]) });
                ways.push(Content { is_torn: true, ..alone });
            }
            if file.lengths[number] < file.lengths[begun] {
                ways.push(Content { length: file.lengths[begun], ..so_far });
            }
            contents.extend(self.sample(ways, moment + number));
        }
        contents
    }

    /// All of them, or the one whose turn it is.
    fn sample(&self, mut all: Vec<Content>, turn: usize) -> Vec<Content> {
        if self.is_complete || all.is_empty() {
            return all;
        }
        let chosen = turn % all.len();
        vec![all.swap_remove(chosen)]
    }

    /// The names that there may be.
    fn names(&self, moment: usize) -> Vec<BTreeMap<String, Node>> {
        let begun: Vec<_> = self.names.iter().filter(|event| event.start <= moment).collect();
        let settled = begun.iter().take_while(|event| is_settled(event, &self.syncs, moment)).count();
        let open = begun.len() - settled;
        assert!(open <= NAMES, "too many names that were not forced to the disk: {open}");
        let names = |kept: usize| {
            let mut names = BTreeMap::new();
            for (number, event) in begun.iter().enumerate() {
                if number < settled || kept & (1 << (number - settled)) != 0 {
                    rename(&mut names, &event.what);
                }
            }
            names
        };
        let mut all: Vec<_> = (0..1 << open).map(names).collect();
        all.sort();
        all.dedup();
        all
    }

    /// How many changes to files may be lost, if the power goes at this moment.
    pub(super) fn open(&self, moment: usize) -> usize {
        let open = |file: &File<'_>| {
            let (settled, begun) = file.settled(moment);
            begun - settled
        };
        self.files.iter().map(open).sum()
    }

    /// The files of a disk.
    pub(super) fn files<'d>(&self, disk: &'d Disk) -> Vec<(&'d str, Vec<u8>)> {
        disk.iter().map(|(name, content)| (&**name, self.bytes(content))).collect()
    }

    fn bytes(&self, content: &Content) -> Vec<u8> {
        let file = &self.files[content.node];
        // Whatever is beyond the end is zero.
        let mut bytes = vec![0; *file.lengths.iter().max().unwrap()];
        let mut end = 0;
        let first = (0..content.first).filter(|number| !content.lost.contains(number));
        for number in first.chain(content.also.iter().copied()) {
            let is_torn = content.is_torn && content.also.last() == Some(&number);
            match &file.changes[number].what {
                EventKind::Write { offset, bytes: new, .. } => {
                    let new = if is_torn { &new[..SECTOR] } else { new };
                    bytes[*offset..offset + new.len()].copy_from_slice(new);
                    end = end.max(offset + new.len());
                }
                EventKind::Resize { length, .. } => {
                    bytes[end.min(*length)..].fill(0);
                    end = *length;
                }
                _ => {}
            }
        }
        bytes.truncate(end.max(content.length));
        bytes
    }
}

/// Whether the disk was forced to keep what happened: by something that began after its end and has ended.
fn is_settled(event: &Event, syncs: &[&Event], moment: usize) -> bool {
    syncs.iter().any(|sync| event.end <= sync.start && sync.end <= moment)
}

fn rename(names: &mut BTreeMap<String, Node>, what: &EventKind) {
    match what {
        EventKind::Add { name, node } => drop(names.insert(name.clone(), *node)),
        EventKind::Move { from, to, node } => {
            // Another file may have the name by now, because what happened before was lost.
            if names.get(from) == Some(node) {
                names.remove(from);
            }
            names.insert(to.clone(), *node);
        }
        EventKind::Remove { name, node } if names.get(name) == Some(node) => drop(names.remove(name)),
        _ => {}
    }
}

impl File<'_> {
    /// How many changes the disk was forced to keep until then, and how many were begun.
    fn settled(&self, moment: usize) -> (usize, usize) {
        let begun = self.changes.partition_point(|event| event.start <= moment);
        let changes = &self.changes[..begun];
        // The last sync that has ended is the one that settles most.
        let sync = self.syncs.iter().rfind(|sync| sync.end <= moment);
        let settled = sync.map_or(0, |sync| changes.partition_point(|event| event.end <= sync.start));
        (settled, begun)
    }

    /// Those of the first changes that may be lost until then although they were to be kept: the disk has refused that once.
    fn doomed(&self, first: usize, moment: usize) -> Vec<usize> {
        let is_doomed = |number: &usize| {
            let change = self.changes[*number];
            let mut failures = self.failures.iter().filter(|failure| failure.start <= moment);
            failures
                .any(|failure| change.start <= failure.end && !is_settled(change, &self.syncs, failure.start))
        };
        (0..first).filter(is_doomed).collect()
    }
}

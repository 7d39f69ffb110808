//! Every folder that a loss of power may leave, rebuilt and opened.
//!
//! What POSIX promises and no more: data that was not forced to the disk is there, lost, torn or zero; a name that was
//! not is there or lost, whatever became of the others; only `fsync` of the file, or of the folder, settles it. A
//! rename happens as a whole or not at all. Some steps are killed on the way, so that what one process has left is what
//! the next one finds, in memory, before the power goes.

use super::{Ledger, OWN_LINES, Step, Story, Worker, folder};
use crate::StoreError;
use files::fault::{self, Event, Fault, Node};
use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::thread;

/// A step, and the call at which it is killed.
type Scenario = Vec<(Step, Option<u64>)>;

/// How many scenarios of random steps are tried besides the planned ones.
const RANDOM: usize = 10;
const THREADS: usize = 2;

/// The node of what the project's own `.gitignore` was before.
const OWN: Node = Node::MAX;

/// A folder as the disk has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
struct Disk {
    folders: BTreeMap<Node, BTreeMap<String, Node>>,
    files: BTreeMap<Node, Vec<u8>>,
}

impl Disk {
    fn new() -> Self {
        let mut disk = Self::default();
        disk.folders.insert(0, BTreeMap::from([(".gitignore".to_owned(), OWN)]));
        disk.files.insert(OWN, OWN_LINES.into());
        disk
    }

    fn folder(&mut self, node: Node) -> &mut BTreeMap<String, Node> {
        self.folders.get_mut(&node).unwrap()
    }

    /// Lets an event happen to the names; `node` is what it is about.
    fn rename(&mut self, event: &Event, node: Node) {
        match event {
            Event::Create { dir, name, .. }
            | Event::Mkdir { dir, name, .. }
            | Event::Link { dir, to: name, .. } => {
                self.folder(*dir).insert(name.clone(), node);
            }
            Event::Rename { dir, from, to } => {
                let folder = self.folder(*dir);
                if folder.get(from) == Some(&node) {
                    folder.remove(from);
                }
                folder.insert(to.clone(), node);
            }
            Event::Move { dir, from, into, to } => {
                let folder = self.folder(*dir);
                if folder.get(from) == Some(&node) {
                    folder.remove(from);
                }
                self.folder(*into).insert(to.clone(), node);
            }
            Event::Unlink { dir, name } => {
                let folder = self.folder(*dir);
                if folder.get(name) == Some(&node) {
                    folder.remove(name);
                }
            }
            Event::Write { .. } | Event::Truncate { .. } | Event::Sync { .. } => {}
        }
    }

    /// Only what can be reached: two disks are the same if their trees are.
    fn tree(&self, node: Node) -> BTreeMap<String, Option<&[u8]>> {
        let mut tree = BTreeMap::new();
        for (name, node) in &self.folders[&node] {
            match self.files.get(node) {
                Some(bytes) => drop(tree.insert(name.clone(), Some(&**bytes))),
                None => {
                    tree.insert(name.clone(), None);
                    let below = self.tree(*node).into_iter();
                    tree.extend(below.map(|(below, bytes)| (format!("{name}/{below}"), bytes)));
                }
            }
        }
        tree
    }

    fn rebuild(&self, root: &Path) {
        for (name, bytes) in self.tree(0) {
            let path = root.join(name);
            match bytes {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => fs::create_dir(path).unwrap(),
            }
        }
    }
}

/// What happened, and what may be found after each part of it.
struct RecordedRun {
    events: Vec<Event>,
    /// The node each event is about.
    nodes: Vec<Node>,
    /// What was known from which number of events on.
    marks: Vec<(usize, Ledger)>,
    /// Where to begin: what comes before the first kill is that of a scenario without one.
    from: usize,
}

impl RecordedRun {
    fn record(scenario: &Scenario) -> Self {
        let folder = folder();
        let mut worker = Worker::new(folder.path());
        let mut from = None;
        fault::record(&File::open(folder.path()).unwrap());
        for (step, killed) in scenario {
            if let Some(turn) = killed {
                from.get_or_insert(fault::recorded());
                fault::fail(*turn, Fault::Killed);
            }
            let result = worker.act(*step);
            let refused = matches!(&result, Err(StoreError::NoAideFolder { .. }));
            assert!(fault::fail_no_more() || result.is_ok() || refused, "{step:?}: {result:?}");
        }
        let events = fault::take_record();
        let nodes = nodes(&events);
        Self { events, nodes, marks: worker.marks, from: from.unwrap_or_default() }
    }

    fn ledger(&self, events: usize) -> (usize, &Ledger) {
        let mark = self.marks.iter().rposition(|(from, _)| *from <= events).unwrap();
        (mark, &self.marks[mark].1)
    }

    /// Every disk there may be when the power goes after `count` events.
    fn disks(&self, count: usize) -> Vec<Disk> {
        let events = &self.events[..count];
        let synced_after = |index: usize, node: Node| events[index..].contains(&Event::Sync { node });
        let folder_of = |event: &Event| match event {
            Event::Create { dir, .. }
            | Event::Mkdir { dir, .. }
            | Event::Link { dir, .. }
            | Event::Rename { dir, .. }
            | Event::Unlink { dir, .. } => Some(*dir),
            // Nothing of the store moves from one folder to another.
            Event::Move { into, .. } => Some(*into),
            Event::Write { .. } | Event::Truncate { .. } | Event::Sync { .. } => None,
        };
        let open: Vec<usize> = (0..count)
            .filter(|index| folder_of(&events[*index]).is_some_and(|dir| !synced_after(*index, dir)))
            .collect();
        assert!(open.len() <= 12, "too many names that were not forced to the disk: {}", open.len());
        let mut disks: Vec<Disk> = (0..1_usize << open.len())
            .map(|kept| {
                let mut disk = Disk::new();
                for (index, (event, node)) in events.iter().zip(&self.nodes).enumerate() {
                    if let Event::Mkdir { node, .. } = event {
                        disk.folders.insert(*node, BTreeMap::new());
                    }
                    let lost =
                        open.iter().position(|open| *open == index).is_some_and(|bit| kept & (1 << bit) == 0);
                    if !lost {
                        disk.rename(event, *node);
                    }
                }
                disk
            })
            .collect();
        for (node, contents) in self.contents(events) {
            let filled = |disk: &Disk| {
                let fill = |bytes: &Vec<u8>| {
                    let mut disk = disk.clone();
                    disk.files.insert(node, bytes.clone());
                    disk
                };
                contents.iter().map(fill).collect::<Vec<_>>()
            };
            disks = disks.iter().flat_map(filled).collect();
        }
        disks
    }

    /// What each file may hold.
    fn contents(&self, events: &[Event]) -> BTreeMap<Node, Vec<Vec<u8>>> {
        let mut contents: BTreeMap<Node, (Vec<u8>, Vec<u8>)> = BTreeMap::new();
        for event in events {
            match event {
                Event::Create { node, .. } => drop(contents.insert(*node, Default::default())),
                Event::Write { node, bytes } => contents.get_mut(node).unwrap().0.extend(bytes),
                Event::Truncate { node } => contents.get_mut(node).unwrap().0.clear(),
                Event::Sync { node } => {
                    if let Some((live, durable)) = contents.get_mut(node) {
                        live.clone_into(durable);
                    }
                }
                _ => {}
            }
        }
        let variants = |(node, (live, durable)): (Node, (Vec<u8>, Vec<u8>))| (node, variants(live, durable));
        contents.into_iter().map(variants).collect()
    }
}

/// What may be found where `live` was written and `durable` was forced to the disk: the new, the old, the new up to the
/// end of a sector, and zeros that a file got as long as it was to be.
fn variants(live: Vec<u8>, durable: Vec<u8>) -> Vec<Vec<u8>> {
    if live == durable {
        return vec![live];
    }
    let torn = live[..live.len().min(512)].to_owned();
    let mut padded = torn.clone();
    padded.resize(live.len(), 0);
    let half = live[..live.len() / 2].to_owned();
    let zeros = vec![0; live.len()];
    let mut variants = vec![live, durable, torn, padded, half, zeros];
    variants.sort();
    variants.dedup();
    variants
}

/// The node that each event is about, as it was when it happened.
fn nodes(events: &[Event]) -> Vec<Node> {
    let mut disk = Disk::new();
    let mut nodes = Vec::new();
    for event in events {
        let node = match event {
            Event::Create { node, .. }
            | Event::Mkdir { node, .. }
            | Event::Write { node, .. }
            | Event::Truncate { node }
            | Event::Sync { node } => *node,
            Event::Rename { dir, from: name, .. }
            | Event::Move { dir, from: name, .. }
            | Event::Link { dir, from: name, .. }
            | Event::Unlink { dir, name } => disk.folders[dir][name],
        };
        if let Event::Mkdir { node, .. } = event {
            disk.folders.insert(*node, BTreeMap::new());
        }
        disk.rename(event, node);
        nodes.push(node);
    }
    nodes
}

/// Checks every state of a scenario; how many different ones there were.
fn check(scenario: &Scenario) -> usize {
    let recorded = RecordedRun::record(scenario);
    let mut seen = HashSet::new();
    for count in recorded.from..=recorded.events.len() {
        let (mark, ledger) = recorded.ledger(count);
        for disk in recorded.disks(count) {
            let mut hasher = DefaultHasher::new();
            (mark, disk.tree(0)).hash(&mut hasher);
            if seen.insert(hasher.finish()) {
                let _story = Story(format!(
                    "{scenario:?}, then the power is lost after{}",
                    described(&recorded.events[..count])
                ));
                let folder = tempfile::tempdir_in(super::memory()).unwrap();
                disk.rebuild(folder.path());
                ledger.check(folder.path());
            }
        }
    }
    seen.len()
}

/// The events, with the length of what was written.
fn described(events: &[Event]) -> String {
    let line = |event: &Event| match event {
        Event::Write { node, bytes } => format!("\n  Write {{ node: {node}, {} bytes }}", bytes.len()),
        event => format!("\n  {event:?}"),
    };
    events.iter().map(line).collect()
}

/// The distance between the calls at which something is killed; the long campaign kills it at each of them.
const STRIDE: u64 = 8;

/// At which of `count` calls something is killed: from number `first` on, so that what goes on with the same step in different
/// ways has different calls.
fn turns(first: u64, count: u64) -> impl Iterator<Item = u64> {
    let is_campaign = super::factor() > 1;
    (0..count).filter(move |turn| is_campaign || turn % STRIDE == first % STRIDE)
}

fn planned() -> Vec<Scenario> {
    use Step::{
        Announce, Answer, AnswerOwn, AnswerPart, Ask, Attach, Cancel, Detach, Draft, DraftOwn, Expire, Init,
        InitIgnored, Put, PutLate, Read, SendBack,
    };
    let whole: [&[Step]; 10] = [
        &[Init, Ask("one"), AnswerPart("a"), AnswerOwn("b")],
        &[Init, Ask("one"), Attach("x", "1"), Attach("x", "2"), Attach("y", "1"), Detach("x"), Answer("a")],
        &[Init, Ask("one"), Draft("x"), Answer("a")],
        &[InitIgnored, Ask("one"), Announce, SendBack, Ask("one"), Answer("b")],
        &[Init, Ask("one"), Draft("x"), Draft("y"), Ask("two"), Draft("z"), Answer("a")],
        &[Init, Ask("one"), Answer("a"), Answer("b"), Ask("two"), Cancel, Ask("one")],
        &[Init, Init, Ask("one"), Ask("one"), Announce, Answer("a"), Announce],
        &[Init, Put("one"), DraftOwn("x"), Ask("two"), AnswerOwn("a"), Answer("b")],
        &[Init, PutLate("one"), Put("two"), Expire, AnswerOwn("a")],
        &[Init, Put("one"), Put("two"), AnswerOwn("a"), Put("one"), AnswerOwn("b")],
    ];
    let whole = whole.map(|steps| steps.iter().map(|step| (*step, None)).collect());
    // The first steps are killed, and others go on with what they have left.
    let init = turns(0, 40)
        .map(|turn| vec![(Init, Some(turn)), (Init, None), (Ask("one"), None), (Answer("a"), None)]);
    let ask = turns(0, 40)
        .map(|turn| vec![(Init, None), (Ask("one"), Some(turn)), (Ask("two"), None), (Answer("a"), None)]);
    let again = turns(2, 40)
        .map(|turn| vec![(Init, None), (Ask("one"), Some(turn)), (Ask("one"), None), (Draft("x"), None)]);
    let ask_first =
        turns(1, 12).map(|turn| vec![(Init, Some(turn)), (Ask("one"), Some(turn + 8)), (Ask("one"), None)]);
    let put = turns(0, 40)
        .map(|turn| vec![(Init, None), (Put("one"), Some(turn)), (Put("one"), None), (AnswerOwn("a"), None)]);
    let answer_own = turns(1, 40)
        .map(|turn| vec![(Init, None), (Put("one"), None), (AnswerOwn("a"), Some(turn)), (Put("two"), None)]);
    let expire = turns(2, 40)
        .map(|turn| vec![(Init, None), (PutLate("one"), None), (Expire, Some(turn)), (AnswerOwn("a"), None)]);
    let answer = turns(0, 40)
        .map(|turn| vec![(Init, None), (Ask("one"), None), (Answer("a"), Some(turn)), (Answer("b"), None)]);
    let answer_part = turns(3, 45).map(|turn| {
        let part = (AnswerPart("a"), Some(turn));
        vec![(Init, None), (Ask("one"), None), part, (Ask("two"), None), (Put("three"), None)]
    });
    let read = turns(2, 40)
        .map(|turn| vec![(Init, None), (Ask("one"), None), (Answer("a"), Some(turn)), (Read, None)]);
    // What a killed one has left is what the next one finds, with and without a file of the same name.
    let attach = turns(0, 60).map(|turn| {
        let first = (Attach("x", "1"), Some(turn));
        vec![(Init, None), (Ask("one"), None), first, (Attach("x", "2"), None), (Answer("a"), None)]
    });
    let attach_again = turns(1, 60).map(|turn| {
        let again = (Attach("x", "2"), Some(turn));
        vec![(Init, None), (Ask("one"), None), (Attach("x", "1"), None), again, (Detach("y"), None)]
    });
    let attach_third = turns(3, 60).map(|turn| {
        let again = (Attach("x", "2"), Some(turn));
        vec![(Init, None), (Ask("one"), None), (Attach("x", "1"), None), again, (Attach("y", "3"), None)]
    });
    let detach = turns(2, 40).map(|turn| {
        let detach = (Detach("x"), Some(turn));
        vec![(Init, None), (Ask("one"), None), (Attach("x", "1"), None), detach, (Attach("x", "2"), None)]
    });
    let beside = put.chain(answer_own).chain(expire);
    let files = attach.chain(attach_again).chain(attach_third).chain(detach);
    whole
        .into_iter()
        .chain(files)
        .chain(init)
        .chain(ask)
        .chain(again)
        .chain(ask_first)
        .chain(answer)
        .chain(answer_part)
        .chain(read)
        .chain(beside)
        .collect()
}

/// The same for the same seed.
fn random(seed: u64) -> Scenario {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit
    };
    let mut scenario = vec![(Step::Init, None)];
    for _ in 0..6 {
        let step = match next(17) {
            14 => Step::Put("three"),
            15 => Step::DraftOwn("z"),
            16 => [Step::AnswerOwn("a"), Step::PutLate("one"), Step::Expire][next(3) as usize],
            0 | 1 => Step::Ask("one"),
            2 => Step::Ask("two"),
            3 => Step::Draft("x"),
            4 => Step::Draft("y"),
            5 => Step::Answer("a"),
            6 => [Step::Answer("b"), Step::AnswerPart("b")][next(2) as usize],
            7 => [Step::SendBack, Step::Cancel][next(2) as usize],
            8 => Step::Read,
            9 => Step::Attach("x", "1"),
            10 => Step::Attach("x", "2"),
            11 => Step::Detach("x"),
            _ => Step::Announce,
        };
        scenario.push((step, (next(3) == 0).then(|| next(24))));
    }
    scenario
}

#[test]
fn no_loss_of_power_loses_an_answer_or_makes_one() {
    let mut scenarios = planned();
    scenarios.extend((1..=RANDOM * super::factor()).map(|seed| random(seed as u64)));
    let share = scenarios.len().div_ceil(THREADS);
    let states: usize = thread::scope(|scope| {
        let running: Vec<_> = scenarios
            .chunks(share)
            .map(|share| scope.spawn(move || share.iter().map(check).sum::<usize>()))
            .collect();
        running.into_iter().map(|thread| thread.join().unwrap()).sum()
    });
    assert!(states >= 2000, "only {states} states");
}

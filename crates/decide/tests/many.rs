//! What it costs to look at a page of very many records, in files that are read, and that a search finds what it should among
//! them.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod records;

use decide::{SearchCache, State};
use records::{name, record};
use std::fs;
use std::path::Path;
use std::time::Duration;
use store::{Decisions, Project};
use tempfile::TempDir;

/// A project with `count` records.
fn project(count: usize) -> (TempDir, Decisions) {
    let folder = tempfile::tempdir().unwrap();
    store::init(folder.path()).unwrap();
    let decisions = Project::at(folder.path()).unwrap().decisions().unwrap();
    for number in 0..count {
        write(folder.path(), number, &record(&format!("task {number:05}"), "fine").to_string());
    }
    (folder, decisions)
}

fn write(root: &Path, number: usize, text: &str) {
    fs::write(root.join(format!(".aide/decisions/{}.json", name(number))), text).unwrap();
}

/// How often this process has read.
fn reads() -> u64 {
    let counts = fs::read_to_string("/proc/self/io").unwrap();
    counts.lines().find_map(|line| line.strip_prefix("syscr: ")).unwrap().parse().unwrap()
}

/// The only test of this program that counts: others would be counted as well.
#[test]
fn a_page_of_the_list_reads_as_many_files_of_few_records_as_of_many() {
    let cost = |count, page| {
        let (_folder, decisions) = project(count);
        let before = reads();
        let listed = decide::list_page(&decisions, page).unwrap();
        let reads = reads() - before;
        assert_eq!(listed.entries.len(), 50);
        assert_eq!(listed.has_older, count > 50 * page);
        assert_eq!(listed.entries[0].task, format!("task {:05}", count - 50 * page + 50 - 1));
        reads
    };
    assert_eq!(cost(200, 1), cost(1_000, 1));
    assert_eq!(cost(200, 3), cost(1_000, 3));
    cost(200, 4);
    let search_cost = |count| {
        let (folder, decisions) = project(count);
        let cache = SearchCache::below(&folder.path().join("state")).with_grain(Duration::ZERO);
        decide::history(&decisions, "nowhere", 1, Some(&cache)).unwrap();
        let before = reads();
        let found = decide::history(&decisions, "task 00007", 1, Some(&cache)).unwrap();
        let reads = reads() - before;
        assert_eq!(found.ended.len(), 1);
        reads
    };
    // The table and the texts of records that do not fit are read in pieces of 64 KiB.
    let (few, many) = (search_cost(600), search_cost(6_000));
    assert!(few < 40 && many < 100, "{few} {many}");

    let (folder, decisions) = project(1_500);
    let root = folder.path();
    let found = |search: &str, page| {
        let page = decide::history(&decisions, search, page, None).unwrap();
        let found: Vec<_> = page.ended.iter().map(|entry| entry.session.to_string()).collect();
        (found, page.has_older)
    };
    assert_eq!(found("task 00007", 1), (vec![name(7)], false));
    assert_eq!(found("TASK 0120", 1), ((1_200..1_210).rev().chain([120]).map(name).collect(), false));
    assert_eq!(found("01 task", 2).0.len(), 50);
    assert_eq!(found("nowhere", 1), (vec![], false));
    // Text that is written otherwise than it is read, a name of a member, and what cannot be read.
    write(root, 11, &record("ask \"Zoë\"", "fine").to_string().replace('ë', "\\u00eb"));
    write(root, 12, &record("say \"Z\"", "fine").to_string());
    write(root, 13, "{\"input\": {}, \"completed_at\"");
    write(root, 14, "{\"input\": {}, \"completed_at\": \"x\"}");
    let broken = vec![name(14), name(13)];
    let with = |number| [&broken[..], &[name(number)]].concat();
    assert_eq!(found("ZOË", 1).0, with(11));
    assert_eq!(found("\"z\"", 1).0, with(12));
    assert_eq!(found("completed_at", 1).0, broken);
    let unreadable = decide::history(&decisions, "nowhere", 1, None).unwrap().ended;
    assert!(unreadable.iter().all(|entry| entry.state == State::Unreadable && entry.problem.is_some()));
}

//! Lines of the project's files, and of no others.

use crate::helpers::{Fixture, output, parse, publish, questions};
use model::{Location, Questions, Via};
use rustix::fs::{CWD, FileType, Mode};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use store::{AskOutcome, Excerpt, SourceChange};

fn excerpt(fixture: &Fixture, file: &str, start: u64, end: u64) -> Option<Excerpt> {
    fixture.project.excerpt(&Location { file: file.to_owned(), start, end })
}

fn lines(first_line: u64, lines: &[&str], omitted: u64) -> Option<Excerpt> {
    Some(Excerpt { first_line, lines: lines.iter().map(|line| (*line).to_owned()).collect(), omitted })
}

#[test]
fn the_named_lines_as_far_as_the_file_goes() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.root().join("src/deep")).unwrap();
    fs::write(fixture.root().join("src/deep/a.md"), "一\r\n\ntwo\rx\n four\n").unwrap();
    let read = |start, end| excerpt(&fixture, "src/deep/a.md", start, end);
    assert_eq!(read(1, 4), lines(1, &["一", "", "two\rx", " four"], 0));
    assert_eq!(read(2, 3), lines(2, &["", "two\rx"], 0));
    assert_eq!(read(4, 900), lines(4, &[" four"], 0));
    assert_eq!(read(4, u64::MAX), lines(4, &[" four"], 0));
    assert_eq!(read(5, 5), None);
    assert_eq!(read(u64::MAX, u64::MAX), None);
    assert_eq!(excerpt(&fixture, "./src/./deep//a.md", 1, 1), lines(1, &["一"], 0));
}

#[test]
fn the_last_line_needs_no_end_and_nothing_has_no_lines() {
    let fixture = Fixture::new();
    for (text, expected) in
        [("a", lines(1, &["a"], 0)), ("\n", lines(1, &[""], 0)), ("\n\n", lines(1, &["", ""], 0)), ("", None)]
    {
        fs::write(fixture.root().join("f"), text).unwrap();
        assert_eq!(excerpt(&fixture, "f", 1, 9), expected, "{text:?}");
    }
}

#[test]
fn a_long_range_is_cut_and_says_so() {
    let fixture = Fixture::new();
    let text: String = (1..=1000).map(|number| format!("{number}\n")).collect();
    fs::write(fixture.root().join("f"), text).unwrap();
    let cut = excerpt(&fixture, "f", 11, 2000).unwrap();
    assert_eq!((cut.first_line, cut.lines.len(), cut.omitted), (11, 400, 590));
    assert_eq!((cut.lines[0].as_str(), cut.lines[399].as_str()), ("11", "410"));
    assert_eq!(excerpt(&fixture, "f", 1, 400).unwrap().omitted, 0);
    assert_eq!(excerpt(&fixture, "f", 1, 401).unwrap().omitted, 1);
}

/// A file of one line has as many bytes as any other.
#[test]
fn long_lines_and_many_bytes_are_cut_and_say_so() {
    let fixture = Fixture::new();
    // Of two bytes each, behind one: the limit falls into the middle of one.
    fs::write(fixture.root().join("f"), format!("x{}\nshort\n{}", "é".repeat(4096), "y".repeat(8192)))
        .unwrap();
    let long = format!("x{}…", "é".repeat(4095));
    let whole = "y".repeat(8192);
    // Not shown when they differ: they are long.
    assert!(excerpt(&fixture, "f", 1, 9) == lines(1, &[&long, "short", &whole], 0));

    let text: String = (0..30).map(|_| "z".repeat(5000) + "\n").collect();
    fs::write(fixture.root().join("f"), text).unwrap();
    let cut = excerpt(&fixture, "f", 3, 100).unwrap();
    assert_eq!((cut.first_line, cut.lines.len(), cut.omitted), (3, 13, 15));
    assert!(cut.lines.iter().all(|line| line.len() == 5000));
}

#[test]
fn no_path_leads_out_of_the_project() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("secret"), "secret\n").unwrap();
    fs::write(fixture.root().join("inside"), "inside\n").unwrap();
    fs::create_dir(fixture.root().join("folder")).unwrap();
    symlink(outside.path(), fixture.root().join("linked")).unwrap();
    symlink(outside.path().join("secret"), fixture.root().join("link")).unwrap();
    symlink("inside", fixture.root().join("inner-link")).unwrap();
    symlink("folder", fixture.root().join("folder-link")).unwrap();
    fs::write(fixture.root().join("folder/f"), "f\n").unwrap();
    assert!(excerpt(&fixture, "inside", 1, 1).is_some());
    assert!(excerpt(&fixture, "folder/f", 1, 1).is_some());

    let absolute = outside.path().join("secret");
    for file in [
        absolute.to_str().unwrap(),
        "/etc/hostname",
        "linked/secret",
        "link",
        "inner-link",
        "folder-link/f",
        "../inside",
        "folder/../inside",
        "folder/..",
        "..",
        ".",
        "",
        "folder",
        "inside/x",
        "missing",
        "inside\0",
    ] {
        assert_eq!(excerpt(&fixture, file, 1, 1), None, "{file:?}");
    }
    let name = fixture.root().file_name().unwrap().to_str().unwrap();
    assert_eq!(excerpt(&fixture, &format!("../{name}/inside"), 1, 1), None);
}

#[test]
fn only_texts_of_a_sane_size() {
    let fixture = Fixture::new();
    fs::write(fixture.root().join("latin1"), b"gr\xfcn\n").unwrap();
    assert_eq!(excerpt(&fixture, "latin1", 1, 1), None);
    rustix::fs::mknodat(CWD, fixture.root().join("pipe"), FileType::Fifo, Mode::from_raw_mode(0o600), 0)
        .unwrap();
    assert_eq!(excerpt(&fixture, "pipe", 1, 1), None);

    fs::write(fixture.root().join("limit"), "x".repeat(4 << 20)).unwrap();
    assert!(excerpt(&fixture, "limit", 1, 1).is_some());
    fs::write(fixture.root().join("limit"), "x".repeat((4 << 20) + 1)).unwrap();
    assert_eq!(excerpt(&fixture, "limit", 1, 1), None);
}

/// One item for each of `files`.
fn about(task: &str, files: &[&str]) -> Questions {
    let items: Vec<Value> = (1..)
        .zip(files)
        .map(|(id, file)| {
            json!({"id": id, "title": "t", "location": {"file": file, "start": 1, "end": 2},
                "options": [{"value": "jwt", "label": "A"}, {"value": "b", "label": "B"}]})
        })
        .collect();
    parse(&json!({"task": task, "source": "s", "items": items}))
}

fn meta(fixture: &Fixture) -> Value {
    serde_json::from_str::<Value>(&fixture.text("pending.json")).unwrap()["_meta"].clone()
}

/// What the pending questions, read from the disk, say of `file` as it is now.
fn since(fixture: &Fixture, file: &str) -> SourceChange {
    let (pending, _) = fixture.decisions.pending_questions().unwrap().unwrap();
    pending.sources.since(file, fixture.project.source(file).as_ref())
}

#[test]
fn what_a_file_was_is_written_beside_the_questions_about_it() {
    let fixture = Fixture::new();
    fs::create_dir(fixture.root().join("src")).unwrap();
    fs::write(fixture.root().join("src/a.rs"), "abc").unwrap();
    fs::write(fixture.root().join("latin1"), b"\xfc").unwrap();
    symlink("src/a.rs", fixture.root().join("link")).unwrap();
    let files = ["src/a.rs", "missing", "latin1", "link", "../x", "src/a.rs"];
    let pending = fixture.ask(&about("t", &files)).unwrap();
    // The SHA-256 of "abc" as its standard has it; nothing is known of what cannot be shown.
    let hash = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(meta(&fixture)["sources"], json!({"src/a.rs": hash}));
    assert_eq!(fixture.decisions.pending().unwrap(), Some(pending));

    assert_eq!(since(&fixture, "src/a.rs"), SourceChange::Same);
    fs::write(fixture.root().join("src/a.rs"), "abd").unwrap();
    assert_eq!(since(&fixture, "src/a.rs"), SourceChange::Changed);
    fs::remove_file(fixture.root().join("src/a.rs")).unwrap();
    assert_eq!(since(&fixture, "src/a.rs"), SourceChange::Gone);
    fs::write(fixture.root().join("src/a.rs"), "abc").unwrap();
    assert_eq!(
        since(&fixture, "src/a.rs"),
        SourceChange::Same,
        "it is what it says, not when it was written"
    );
    fs::write(fixture.root().join("missing"), "here now").unwrap();
    assert_eq!(since(&fixture, "missing"), SourceChange::Same, "it is not known what it was");
}

#[test]
fn questions_about_no_file_remember_none() {
    let fixture = Fixture::new();
    fixture.ask(&questions("t")).unwrap();
    assert!(meta(&fixture).get("sources").is_none());
}

#[test]
fn the_same_questions_asked_again_keep_what_the_files_were() {
    let fixture = Fixture::new();
    let asked = about("t", &["f"]);
    fs::write(fixture.root().join("f"), "first").unwrap();
    let first = fixture.ask(&asked).unwrap();
    fs::write(fixture.root().join("f"), "second").unwrap();
    assert_eq!(fixture.decisions.ask(&asked).unwrap(), AskOutcome::Again(first.clone()));
    assert_eq!(since(&fixture, "f"), SourceChange::Changed);
    // Once they are answered, asking is about the files as they are then.
    publish(&fixture.decisions, &first.session, &asked, output("jwt", ""), Via::Api).unwrap();
    let second = fixture.ask(&asked).unwrap();
    assert_ne!(second.sources, first.sources);
    assert_eq!(since(&fixture, "f"), SourceChange::Same);
}

#[test]
fn what_another_version_wrote_about_files_marks_nothing() {
    let fixture = Fixture::new();
    fs::write(fixture.root().join("f"), "x").unwrap();
    fixture.ask(&about("t", &["f"])).unwrap();
    let written = fixture.text("pending.json");
    let mut document: Value = serde_json::from_str(&written).unwrap();
    for sources in [json!(null), json!(7), json!({"f": 7}), json!({"f": "blake9:00"}), json!({})] {
        document["_meta"]["sources"] = sources;
        fs::write(fixture.file("pending.json"), document.to_string()).unwrap();
        assert_eq!(since(&fixture, "f"), SourceChange::Same, "{document}");
    }
    document["_meta"].as_object_mut().unwrap().shift_remove("sources");
    fs::write(fixture.file("pending.json"), document.to_string()).unwrap();
    assert_eq!(since(&fixture, "f"), SourceChange::Same);
}

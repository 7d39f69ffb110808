//! Lines of the project's files, and of no others.

use crate::helpers::Fixture;
use model::Location;
use rustix::fs::{CWD, FileType, Mode};
use std::fs;
use std::os::unix::fs::symlink;
use store::Excerpt;

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

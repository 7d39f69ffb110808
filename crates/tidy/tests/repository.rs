//! The rules of `tidy`, asked of this repository. `TIDY_SHRINK=1 cargo test -p tidy` removes from the lists what is no longer
//! needed.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{env, fs};
use tidy::numbers::TABLE;
use tidy::{
    Allowed, Checked, Finding, Tree, architecture, arrows, circles, citations, glossary, length, numbers,
    paths, phrases,
};

static TREE: LazyLock<Tree> = LazyLock::new(|| Tree::read(&root()).unwrap());

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

#[track_caller]
fn assert_none(findings: &[Finding]) {
    let lines: Vec<_> = findings.iter().map(|finding| format!("\n  {finding}")).collect();
    assert!(lines.is_empty(), "{} found:{}", lines.len(), lines.concat());
}

#[track_caller]
fn hold(list: &str, check: fn(&Tree, &Allowed) -> Checked) {
    let mut checked = check(&TREE, &Allowed::read(&TREE, list));
    if env::var_os("TIDY_SHRINK").is_some_and(|value| !value.is_empty()) {
        fs::write(root().join(list), &checked.shrunk).unwrap();
        checked = check(&TREE, &Allowed::new(list, &checked.shrunk));
    }
    assert_none(&checked.findings);
}

#[test]
fn dependencies_are_as_drawn() {
    assert_none(&arrows::check(&TREE));
}

#[test]
fn the_architecture_is_read_at_once_and_names_files_that_exist() {
    let (findings, count) = architecture::check(&TREE);
    assert_none(&findings);
    assert!(count > 40, "only {count} paths were found");
}

#[test]
fn no_new_circle_of_modules() {
    hold(circles::LIST, circles::check);
}

#[test]
fn files_and_functions_are_short() {
    hold(length::LIST, length::check);
}

#[test]
fn cited_sections_exist() {
    let (findings, count) = citations::check(&TREE);
    assert_none(&findings);
    assert!(count > 150, "only {count} citations were found");
}

#[test]
fn comments_are_in_plain_english() {
    hold(phrases::LIST, phrases::check);
}

#[test]
fn words_of_the_glossary_are_in_use() {
    let (findings, count) = glossary::check(&TREE);
    assert_none(&findings);
    assert!(count > 15, "only {count} words were found");
}

#[test]
fn no_path_of_a_machine() {
    hold(paths::LIST, paths::check);
}

#[test]
fn numbers_of_documents_agree_with_the_sources() {
    let (findings, count) = numbers::check(&TREE, TABLE);
    assert_none(&findings);
    assert!(count > 100, "only {count} places were compared");
}

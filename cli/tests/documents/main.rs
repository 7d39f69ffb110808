//! The documents: every example is run as it stands, what comes from the program is up to date, and both languages tell
//! the same. `UPDATE_DOCS=1 cargo test -p aide --test documents` writes what the program prints into them.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod markdown;
mod names;
mod play;
mod reference;
mod shell;
#[path = "../it/support/mod.rs"]
mod support;

use markdown::{Part, anchor, code_spans, parts, targets};
use reference::Commands;
use std::collections::BTreeSet;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// How many blocks are not run, in each language: what sets up a machine, what needs a second one, the plan to try, which has a
/// test of its own, what removes the program, and what needs the ports that a daemon has by default.
const NOT_RUN: usize = 9;
/// The most that a newcomer to the program is ready to read, in bytes. A Chinese character has three.
const README_LIMITS: [(&str, usize); 2] = [("README.md", 10_000), ("README.zh.md", 10_500)];
/// Written for those who change the program, and in English alone.
const ENGLISH_ALONE: [&str; 12] = [
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "docs/API.md",
    "docs/ARCHITECTURE.md",
    "docs/BENCHMARKS.md",
    "docs/contract/decide.md",
    "docs/contract/flow.md",
    "docs/contract/plans.md",
    "docs/contract/storage.md",
    "docs/contract/terminal.md",
    "docs/contract/workflows.md",
];

macro_rules! examples {
    ($($test:ident $document:literal)*) => {
        /// Every document with a test of its own.
        const DOCUMENTS: &[&str] = &[$($document, concat!($document, ".zh")),*];

        mod english {
            $(#[test] fn $test() { super::run_examples($document); })*
        }
        mod chinese {
            $(#[test] fn $test() { super::run_examples(concat!($document, ".zh")); })*
        }
    };
}

examples! {
    readme "README"
    overview "docs/README"
    guide_asking "docs/guide/asking"
    guide_answering "docs/guide/answering"
    guide_flow "docs/guide/flow"
    guide_agents "docs/guide/agents"
    guide_workflows "docs/guide/workflows"
    guide_configuration "docs/guide/configuration"
    guide_troubleshooting "docs/guide/troubleshooting"
    guide_owning "docs/guide/owning"
    guide_watching "docs/guide/watching"
    reference_command_line "docs/reference/command-line"
    reference_configuration "docs/reference/configuration"
    reference_exit_codes "docs/reference/exit-codes"
    reference_http "docs/reference/http"
    reference_limits "docs/reference/limits"
    reference_questions "docs/reference/questions"
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn update() -> bool {
    env::var_os("UPDATE_DOCS").is_some_and(|value| !value.is_empty())
}

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// What is there, or with `UPDATE_DOCS` what should be.
#[track_caller]
fn hold(name: &str, found: &str, wanted: &str) {
    if found == wanted {
        return;
    }
    assert!(update(), "{name} is out of date: UPDATE_DOCS=1 cargo test -p aide --test documents");
    fs::write(root().join(name), wanted).unwrap();
}

fn run_examples(document: &str) {
    let name = format!("{document}.md");
    let mut text = read(&name);
    if let Some(generated) = reference::generate(document, &text) {
        hold(&name, &text, &generated);
        text = generated;
    }
    let played = play::play(&name, &text, update());
    hold(&name, &text, &played);
}

/// The documents in both languages, and those in English alone.
fn all() -> Vec<String> {
    let translated = DOCUMENTS.iter().map(|document| format!("{document}.md"));
    translated.chain(ENGLISH_ALONE.map(str::to_owned)).collect()
}

#[test]
fn every_document_has_its_test() {
    let mut found = BTreeSet::new();
    for folder in ["", "docs", "docs/contract", "docs/guide", "docs/reference"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if name.ends_with(".md") {
                found.insert(if folder.is_empty() { name } else { format!("{folder}/{name}") });
            }
        }
    }
    assert_eq!(found, all().into_iter().collect());
}

#[test]
fn the_readmes_are_short() {
    for (name, limit) in README_LIMITS {
        let length = read(name).len();
        assert!(length <= limit, "{name} has {length} bytes, {limit} are allowed");
    }
}

#[test]
fn few_examples_cannot_be_run() {
    for language in ["", ".zh"] {
        let documents = DOCUMENTS.iter().filter(|document| document.ends_with(".zh") != language.is_empty());
        let mut not_run = Vec::new();
        for document in documents {
            for part in parts(&read(&format!("{document}.md"))) {
                if let Part::Block { line, info, .. } = part
                    && info.contains("not-run")
                {
                    not_run.push(format!("{document}.md:{line}"));
                }
            }
        }
        assert!(not_run.len() <= NOT_RUN, "{not_run:?}");
    }
}

/// One language is not forgotten when the other is changed.
#[test]
fn both_languages_are_built_alike() {
    for document in DOCUMENTS.iter().filter(|document| !document.ends_with(".zh")) {
        let [english, chinese] =
            ["", ".zh"].map(|language| skeleton(&read(&format!("{document}{language}.md"))));
        assert_eq!(english, chinese, "{document}");
    }
}

/// Headings, blocks, rows of tables and directives, without their words.
fn skeleton(text: &str) -> Vec<String> {
    let line = |text: &str| match text.chars().next() {
        Some('#') => text.split(' ').next().map(str::to_owned),
        Some('|') => Some(format!("|{}", text.replace("\\|", "").matches('|').count())),
        _ => None,
    };
    let part = |part| match part {
        Part::Line { text, .. } => line(&text),
        Part::Directive { name, .. } => Some(format!("<{name}>")),
        Part::Block { info, .. } => Some(format!("```{info}")),
    };
    parts(text).into_iter().filter_map(part).collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    for name in all() {
        let path = root().join(&name);
        for part in parts(&read(&name)) {
            let Part::Line { line, text } = part else { continue };
            for target in targets(&text) {
                if target.contains("://") {
                    continue;
                }
                let (file, fragment) = target.split_once('#').unwrap_or((target, ""));
                let file = if file.is_empty() { path.clone() } else { path.parent().unwrap().join(file) };
                let is_there = file.exists() && (fragment.is_empty() || anchors(&file).contains(fragment));
                if !is_there {
                    broken.push(format!("{name}:{line}: {target}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

fn anchors(file: &Path) -> BTreeSet<String> {
    let text = fs::read_to_string(file).unwrap();
    let heading = |part| match part {
        Part::Line { text, .. } if text.starts_with('#') => Some(anchor(&text)),
        _ => None,
    };
    parts(&text).into_iter().filter_map(heading).collect()
}

/// No document names a command or a flag that does not exist.
#[test]
fn what_is_named_exists() {
    let commands = Commands::for_lang("en");
    let mut unknown = Vec::new();
    for name in all() {
        // The change log names what was.
        if name == "CHANGELOG.md" {
            continue;
        }
        for part in parts(&read(&name)) {
            let Part::Line { line, text } = part else { continue };
            for span in code_spans(&text).into_iter().filter(|span| span.starts_with("aide ")) {
                if let Err(word) = commands.check(span) {
                    unknown.push(format!("{name}:{line}: {word} in {span}"));
                }
            }
        }
    }
    assert!(unknown.is_empty(), "{unknown:#?}");
}

/// Every key is documented where keys are explained, and every command where commands are.
#[test]
fn what_exists_is_named() {
    for language in ["en", "zh"] {
        let suffix = if language == "en" { "" } else { ".zh" };
        let text = read(&format!("docs/reference/command-line{suffix}.md"));
        for command in Commands::for_lang(language).names() {
            assert!(text.contains(&format!("\n## {command}\n")), "{command}");
        }
        let text = read(&format!("docs/reference/configuration{suffix}.md"));
        for key in settings::KEYS {
            assert!(text.contains(&format!("| `{}` |", key.name)), "{}", key.name);
        }
    }
}

//! The text files of the repository, each read once.

use crate::Rust;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::Path;
use std::{fs, io, thread};

/// Folders that are not sources: what is built, installed or recorded, and the inputs of the fuzzer.
const SKIPPED: [&str; 11] = [
    ".git",
    ".venv",
    "artifacts",
    "corpus",
    "coverage",
    "dist",
    "node_modules",
    "playwright-report",
    "target",
    "test-results",
    "__pycache__",
];
/// Folders of a package whose Rust is not part of any program.
const TEST_FOLDERS: [&str; 3] = ["benches", "examples", "tests"];

/// A text file.
#[derive(Debug)]
pub struct File {
    /// Relative to the root, with `/`.
    pub path: String,
    /// What is in it.
    pub text: String,
    /// Its tokens and comments, if it is Rust.
    pub rust: Option<Rust>,
    /// Whether it is Rust that only tests compile.
    pub is_test: bool,
}

/// The files of a repository.
#[derive(Debug)]
pub struct Tree {
    files: BTreeMap<String, File>,
}

impl Tree {
    /// Reads the text files below `root`.
    ///
    /// # Errors
    ///
    /// If a file or folder cannot be read.
    pub fn read(root: &Path) -> io::Result<Self> {
        let mut texts = Vec::new();
        collect(root, "", &mut texts)?;
        Ok(Self::new(texts))
    }

    /// Creates the tree of a made-up repository.
    pub fn of_texts(texts: &[(&str, &str)]) -> Self {
        Self::new(texts.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect())
    }

    fn new(texts: Vec<(String, String)>) -> Self {
        let share = texts.len().div_ceil(thread::available_parallelism().map_or(1, Into::into)).max(1);
        let mut files = thread::scope(|scope| {
            let parts: Vec<_> = texts.chunks(share).map(|part| scope.spawn(move || lexed(part))).collect();
            parts
                .into_iter()
                .flat_map(|part| part.join().unwrap_or_else(|panic| resume_unwind(panic)))
                .collect::<BTreeMap<_, _>>()
        });
        for path in test_files(&files) {
            if let Some(file) = files.get_mut(&path) {
                file.is_test = true;
            }
        }
        Self { files }
    }

    /// Returns all files, by path.
    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.values()
    }

    /// Returns the file at `path`.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.files.get(path)
    }

    /// Returns the files below `folder`.
    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a File> {
        self.files()
            .filter(move |file| file.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')))
    }
}

fn collect(folder: &Path, prefix: &str, texts: &mut Vec<(String, String)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        if kind.is_dir() && !SKIPPED.contains(&&*name) {
            collect(&entry.path(), &format!("{prefix}{name}/"), texts)?;
        } else if kind.is_file()
            // What is not UTF-8 is a picture or made for a test.
            && let Ok(text) = String::from_utf8(fs::read(entry.path())?)
        {
            texts.push((format!("{prefix}{name}"), text));
        }
    }
    Ok(())
}

fn lexed(texts: &[(String, String)]) -> Vec<(String, File)> {
    let file = |(path, text): &(String, String)| {
        let rust = path.ends_with(".rs").then(|| Rust::new(text));
        let is_test = path.split('/').any(|folder| TEST_FOLDERS.contains(&folder));
        (path.clone(), File { path: path.clone(), text: text.clone(), rust, is_test })
    };
    texts.iter().map(file).collect()
}

/// The files of modules that are declared for tests alone, and the files below these modules.
fn test_files(files: &BTreeMap<String, File>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in files.values() {
        let Some(rust) = &file.rust else { continue };
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let folder = match name {
            "lib.rs" | "main.rs" | "mod.rs" => folder.to_owned(),
            _ => file.path.trim_end_matches(".rs").to_owned(),
        };
        for module in rust.test_modules(&file.text) {
            let alone = format!("{folder}/{module}.rs");
            let below = format!("{folder}/{module}/");
            found.extend(files.keys().filter(|path| **path == alone || path.starts_with(&below)).cloned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_of_a_test_module_is_a_test() {
        let tree = Tree::of_texts(&[
            ("a/src/lib.rs", "mod b;\n#[cfg(test)]\nmod tests;\n"),
            ("a/src/b.rs", "#[cfg(test)]\nmod proof;\n#[cfg(feature = \"x\")]\nmod c;\n"),
            ("a/src/b/c.rs", ""),
            ("a/src/b/proof/deep.rs", ""),
            ("a/src/tests.rs", ""),
            ("a/tests/it/main.rs", ""),
        ]);
        let found: Vec<_> = tree.files().filter(|file| file.is_test).map(|file| &*file.path).collect();
        assert_eq!(found, ["a/src/b/proof/deep.rs", "a/src/tests.rs", "a/tests/it/main.rs"]);
    }
}

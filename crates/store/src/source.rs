//! The project's own files: read for a person to see beside a question, and told apart from what they were.

use files::Dir;
use model::{DecideInput, Location};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Component, Path};

/// Files above this many bytes are not read.
const MAX_FILE: u64 = 4 << 20;

/// How much is hashed for one set of questions, in bytes: asking must not take longer than a moment.
const MAX_HASHED: usize = 64 << 20;

/// Names the algorithm, so that another one can follow it.
const SHA_256: &str = "sha256:";

/// A text file of the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    text: String,
}

impl SourceFile {
    pub(crate) fn read(root: &Dir, file: &str) -> Option<Self> {
        let bytes = read(root, file, MAX_FILE)?;
        String::from_utf8(bytes).ok().map(|text| Self { text })
    }

    /// All that is in the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    fn hash(&self) -> String {
        let mut text = SHA_256.to_owned();
        for byte in Sha256::digest(&self.text) {
            // Writing into a string cannot fail.
            let _ = write!(text, "{byte:02x}");
        }
        text
    }
}

/// Reads a file of the project. An agent names it, so it must not lead anywhere else: plain names only, each opened in its
/// folder.
pub(crate) fn read(root: &Dir, file: &str, most: u64) -> Option<Vec<u8>> {
    let mut names = Vec::new();
    for component in Path::new(file).components() {
        match component {
            Component::Normal(name) => names.push(name.to_str()?),
            Component::CurDir => {}
            Component::RootDir | Component::ParentDir | Component::Prefix(_) => return None,
        }
    }
    let (name, folders) = names.split_last()?;
    let mut dir: Option<Dir> = None;
    for folder in folders {
        dir = Some(dir.as_ref().unwrap_or(root).folder(folder).ok()??);
    }
    dir.as_ref().unwrap_or(root).read(name, most).ok()?
}

/// The hashes of the files that questions name, as they were when the questions were asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SourceHashes(BTreeMap<String, String>);

/// What has become of a file since the questions were asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceChange {
    /// It is the same, or it is not known what it was.
    Same,
    /// It holds something else.
    Changed,
    /// It cannot be shown any more.
    Gone,
}

impl SourceHashes {
    /// Of the files that can be shown now.
    pub(crate) fn take(root: &Dir, input: &DecideInput) -> Self {
        let mut hashes = BTreeMap::new();
        let mut hashed = 0;
        for Location { file, .. } in input.items.iter().filter_map(|item| item.location.as_ref()) {
            if hashed >= MAX_HASHED {
                break;
            }
            if hashes.contains_key(file) {
                continue;
            }
            if let Some(source) = SourceFile::read(root, file) {
                hashed += source.text.len();
                hashes.insert(file.clone(), source.hash());
            }
        }
        Self(hashes)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Compares what `file` holds, `None` when it cannot be shown, with what it was.
    pub fn since(&self, file: &str, now: Option<&SourceFile>) -> SourceChange {
        // Whatever else a later version writes, nothing is said about.
        let Some(then) = self.0.get(file).filter(|hash| hash.starts_with(SHA_256)) else {
            return SourceChange::Same;
        };
        match now {
            None => SourceChange::Gone,
            Some(now) if now.hash() == *then => SourceChange::Same,
            Some(_) => SourceChange::Changed,
        }
    }
}

//! What is kept outside of every project: a backup of each file before each change, and what `--remove` needs.
//!
//! One folder for each file, named by its path: numbered backups, what was written last, and a record that says which backup
//! was there before aide.

use files::{Dir, FileError, FileFormat, Lock, durable};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

/// Below the folder for state of this user's programs.
const FOLDERS: [&str; 2] = ["aide", "setup"];
const RECORD: &str = "record.json";
const WRITTEN: &str = "written";
/// The format of a record.
const FORMAT: FileFormat = FileFormat::FIRST;
/// How large a backup may be, in bytes: larger than any file that is changed.
const LIMIT: u64 = 64 << 20;

/// The records of one user.
#[derive(Debug, Clone)]
pub struct Records {
    state: PathBuf,
}

/// What is known of a file that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    /// What was there before aide; `None` where nothing was.
    pub(crate) original: Option<Vec<u8>>,
    /// What aide wrote last.
    pub(crate) written: Vec<u8>,
    /// The folders that were created for it, the outermost first.
    pub(crate) folders: Vec<PathBuf>,
}

/// The records while they are changed. Only one process has them.
pub(crate) struct OpenRecords {
    dir: Dir,
    lock: Lock,
}

impl Records {
    /// The records below `state`, the user's folder for the state of programs (`XDG_STATE_HOME`).
    pub fn below(state: &Path) -> Self {
        Self { state: state.to_owned() }
    }

    pub(crate) fn load(&self, path: &Path) -> Result<Option<Record>, FileError> {
        let folder = self.state.join(FOLDERS.iter().collect::<PathBuf>()).join(name_of(path));
        if !folder.exists() {
            return Ok(None);
        }
        load(&Dir::open(&folder)?)
    }

    pub(crate) fn open(&self) -> Result<OpenRecords, FileError> {
        let dir = Dir::ensure(&self.state)?.ensure_folders(FOLDERS)?;
        let lock = Lock::take(&dir)?;
        Ok(OpenRecords { dir, lock })
    }
}

impl OpenRecords {
    /// Keeps `bytes` as they were in the file `path`, and returns where.
    pub(crate) fn back_up(&self, path: &Path, bytes: &[u8]) -> Result<PathBuf, FileError> {
        let folder = self.dir.ensure_folder(&name_of(path))?;
        let numbered = folder.names()?.into_iter().filter_map(|name| {
            let (number, _) = name.split_once('-')?;
            Some((number.parse::<u64>().ok()?, name))
        });
        let mut numbered: Vec<(u64, String)> = numbered.collect();
        numbered.sort_unstable();
        if let Some((_, last)) = numbered.last()
            && folder.read(last, LIMIT)?.as_deref() == Some(bytes)
        {
            return Ok(folder.path_of(last));
        }
        let number = numbered.last().map_or(1, |(number, _)| number.saturating_add(1));
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let name = format!("{number}-{name}");
        durable::replace(&self.lock, &folder, &name, bytes)?;
        Ok(folder.path_of(&name))
    }

    pub(crate) fn load(&self, path: &Path) -> Result<Option<Record>, FileError> {
        match self.dir.folder(&name_of(path))? {
            Some(folder) => load(&folder),
            None => Ok(None),
        }
    }

    /// Keeps the record of a file, or none.
    pub(crate) fn save(&self, path: &Path, record: Option<&Record>) -> Result<(), FileError> {
        let folder = self.dir.ensure_folder(&name_of(path))?;
        let Some(Record { original, written, folders }) = record else {
            durable::remove(&self.lock, &folder, RECORD)?;
            durable::remove(&self.lock, &folder, WRITTEN)?;
            return folder.sync();
        };
        let original = match original {
            Some(bytes) => {
                self.back_up(path, bytes)?.file_name().map(|name| name.to_string_lossy().into_owned())
            }
            None => None,
        };
        let folders: Vec<_> = folders.iter().map(|folder| folder.to_string_lossy()).collect();
        let value = FORMAT.object([
            ("file", path.to_string_lossy().into()),
            ("original", original.into()),
            ("folders", json!(folders)),
        ]);
        durable::replace(&self.lock, &folder, WRITTEN, written)?;
        durable::replace(&self.lock, &folder, RECORD, format!("{value:#}\n").as_bytes())
    }
}

fn load(folder: &Dir) -> Result<Option<Record>, FileError> {
    let Some(bytes) = folder.read(RECORD, LIMIT)? else { return Ok(None) };
    let corrupt = |message: String| FileError::Corrupt { file: RECORD.to_owned(), message };
    let value: Value = serde_json::from_slice(&bytes).map_err(|error| corrupt(error.to_string()))?;
    let value = FORMAT.known(&folder.path_of(RECORD), value)?;
    let read = |name: &str| folder.read(name, LIMIT)?.ok_or_else(|| folder.missing(name));
    let original = match value.get("original").and_then(Value::as_str) {
        Some(name) if name.contains('/') => return Err(corrupt("original".to_owned())),
        Some(name) => Some(read(name)?),
        None => None,
    };
    let folders = value.get("folders").and_then(Value::as_array).into_iter().flatten();
    let folders = folders.filter_map(Value::as_str).map(PathBuf::from).collect();
    Ok(Some(Record { original, written: read(WRITTEN)?, folders }))
}

fn name_of(path: &Path) -> String {
    let digest = Sha256::digest(path.as_os_str().as_bytes());
    digest.iter().take(16).fold(String::new(), |mut name, byte| {
        let _ = write!(name, "{byte:02x}");
        name
    })
}

//! `daemon.log`: what a daemon in the background has to say, and reading it.

use files::{Dir, FileError};
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

const FILE: &str = "daemon.log";
/// The one before it.
const LAST: &str = "daemon.log.1";
/// A log that is larger when a daemon starts makes room for a new one, in bytes.
const LARGE: u64 = 16 << 20;
/// How much is read at a time, in bytes.
const PIECE: u64 = 64 << 10;

/// The log of a daemon in the background.
#[derive(Debug)]
pub struct Logs(PathBuf);

impl Logs {
    /// Returns that of the daemon whose state is in the folder `dir`, whether it is there or not.
    pub fn below(dir: &Path) -> Self {
        Self(dir.join(FILE))
    }

    /// Its file.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Opens it to write at its end. One that has become large stays beside it until the next one has.
    pub(crate) fn begin(dir: &Dir) -> Result<File, FileError> {
        if dir.size(FILE)?.is_some_and(|size| size > LARGE) {
            let path = dir.path_of(FILE);
            fs::rename(&path, dir.path_of(LAST)).map_err(|source| FileError::Io { path, source })?;
        }
        dir.log(FILE)
    }

    /// Returns the last `count` lines, and where to continue reading.
    ///
    /// # Errors
    ///
    /// When it is not there ([`io::ErrorKind::NotFound`]), or cannot be read.
    pub fn last_lines(&self, count: usize) -> io::Result<(String, LogCursor)> {
        let mut file = File::open(&self.0)?;
        let end = file.seek(SeekFrom::End(0))?;
        let mut bytes = Vec::new();
        let mut begin = end;
        // One more line break than lines: that before the first of them.
        while begin > 0 && bytes.iter().filter(|byte| **byte == b'\n').count() <= count {
            let size = begin.min(PIECE);
            begin -= size;
            file.seek(SeekFrom::Start(begin))?;
            let mut piece = vec![0; usize::try_from(size).unwrap_or_default()];
            file.read_exact(&mut piece)?;
            piece.append(&mut bytes);
            bytes = piece;
        }
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        let text = lines[lines.len().saturating_sub(count)..].concat();
        Ok((text, LogCursor { path: self.0.clone(), inode: file.metadata()?.ino(), at: end }))
    }
}

/// Up to where a log was read.
#[derive(Debug)]
pub struct LogCursor {
    path: PathBuf,
    inode: u64,
    at: u64,
}

impl LogCursor {
    /// Returns the lines that were written since, also those of the log that has taken the place of this one.
    ///
    /// # Errors
    ///
    /// When the log cannot be read, or is not there while it is being replaced.
    pub fn more(&mut self) -> io::Result<String> {
        let mut file = File::open(&self.path)?;
        let found = file.metadata()?;
        if found.ino() != self.inode || found.len() < self.at {
            (self.inode, self.at) = (found.ino(), 0);
        }
        file.seek(SeekFrom::Start(self.at))?;
        let mut bytes = Vec::new();
        file.take(found.len() - self.at).read_to_end(&mut bytes)?;
        // Half a line comes with its other half.
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |position| position + 1);
        bytes.truncate(whole);
        self.at += u64::try_from(whole).unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]
mod tests {
    use super::{LARGE, Logs};
    use files::Dir;
    use std::fs;
    use std::io::Write;

    #[test]
    fn the_last_lines_are_found_however_long_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let logs = Logs(folder.path().join("daemon.log"));
        let last = |count| logs.last_lines(count).map(|(text, _)| text).unwrap();
        assert!(logs.last_lines(1).is_err());
        fs::write(&logs.0, "").unwrap();
        assert_eq!(last(3), "");
        fs::write(&logs.0, "a\nb\nc\n").unwrap();
        assert_eq!(
            (last(2), last(3), last(9), last(0)),
            ("b\nc\n".into(), "a\nb\nc\n".into(), "a\nb\nc\n".into(), String::new())
        );
        fs::write(&logs.0, "a\nb\nc").unwrap();
        assert_eq!(last(2), "b\nc");
        let long = "x".repeat(200_000);
        fs::write(&logs.0, format!("a\n{long}\n{long}\nb\n")).unwrap();
        assert_eq!(last(2), format!("{long}\nb\n"));
        assert_eq!(last(4), format!("a\n{long}\n{long}\nb\n"));
    }

    #[test]
    fn who_follows_reads_each_line_once_also_of_the_next_log() {
        let folder = tempfile::tempdir().unwrap();
        let dir = Dir::open(folder.path()).unwrap();
        let logs = Logs(folder.path().join("daemon.log"));
        let mut log = Logs::begin(&dir).unwrap();
        log.write_all(b"a\n").unwrap();
        let (_, mut reading) = logs.last_lines(1).unwrap();
        assert_eq!(reading.more().unwrap(), "");
        log.write_all(b"b\nhal").unwrap();
        assert_eq!(reading.more().unwrap(), "b\n");
        log.write_all(b"f\n").unwrap();
        assert_eq!(reading.more().unwrap(), "half\n");
        // A daemon that starts again appends to the same file, unless that has become large.
        Logs::begin(&dir).unwrap().write_all(b"c\n").unwrap();
        assert_eq!(reading.more().unwrap(), "c\n");
        log.set_len(LARGE + 1).unwrap();
        Logs::begin(&dir).unwrap().write_all(b"d\n").unwrap();
        assert_eq!(reading.more().unwrap(), "d\n");
        assert_eq!(fs::metadata(folder.path().join("daemon.log.1")).unwrap().len(), LARGE + 1);
    }
}

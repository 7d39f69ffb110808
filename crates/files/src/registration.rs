//! What a running program wants others to know of it.
//!
//! A file says it, and that the file's lock is held tells that the program runs: one that was killed holds no lock, so
//! that there is no pid to believe.

use crate::dir::Dir;
use crate::lock::{Lock, if_free, same_file};
use crate::{FileError, durable, sys};
use std::fs::File;
use std::sync::Arc;

/// A registered program. Others find it until this is dropped or the process ends, however it ends.
#[derive(Debug)]
pub struct Registration {
    dir: Arc<Dir>,
    name: &'static str,
    /// Its lock is what tells that the program runs.
    file: File,
    /// Whether the file stays.
    stays: bool,
}

/// The right to register under a name. While this lives, no other process has it or changes the folder.
#[derive(Debug)]
pub struct Claim {
    lock: Lock,
    dir: Arc<Dir>,
    name: &'static str,
}

/// Who may register under a name.
#[derive(Debug)]
pub enum ClaimOutcome<T> {
    /// This process: no running process is registered.
    Ours(Claim),
    /// No process: another one is registered and running, and reports this of itself.
    AlreadyRunning(T),
}

impl Claim {
    /// Registers this process, with `bytes` for other processes to read.
    ///
    /// # Errors
    ///
    /// As [`durable::replace`]; no process is then registered.
    pub fn register(self, bytes: &[u8]) -> Result<Registration, FileError> {
        let Self { lock, dir, name } = self;
        let file = write_locked(&lock, &dir, name, bytes)?;
        Ok(Registration { dir, name, file, stays: false })
    }
}

/// Writes the file, locked before it has its name, so that any process that finds the name finds it locked.
fn write_locked(lock: &Lock, dir: &Dir, name: &'static str, bytes: &[u8]) -> Result<File, FileError> {
    durable::replace_open(lock, dir, name, bytes, |file| {
        match sys::try_lock(file).map_err(|error| dir.io(name, error))? {
            true => Ok(()),
            // No other process knows this file.
            false => Err(dir.io(name, std::io::ErrorKind::WouldBlock)),
        }
    })
}

impl Registration {
    /// Claims the file `name` of `dir`, unless another process is registered there and runs, which says at most `limit`
    /// bytes. What must be had to register, such as a port, is best taken with the claim in hand: else two that want to
    /// register at the same time take it from each other.
    ///
    /// # Errors
    ///
    /// When the folder cannot be locked or read.
    pub fn claim(dir: &Arc<Dir>, name: &'static str, limit: u64) -> Result<ClaimOutcome<Vec<u8>>, FileError> {
        let lock = Lock::take(dir)?;
        Ok(match Self::running(dir, name, limit)? {
            Some(other) => ClaimOutcome::AlreadyRunning(other),
            None => ClaimOutcome::Ours(Claim { lock, dir: Arc::clone(dir), name }),
        })
    }

    /// Returns what the file `name` of `dir` says, at most `limit` bytes, if the program that has registered there runs.
    ///
    /// # Errors
    ///
    /// When it runs and its file cannot be read.
    pub fn running(dir: &Dir, name: &str, limit: u64) -> Result<Option<Vec<u8>>, FileError> {
        loop {
            let Some(file) = dir.file(name)? else { return Ok(None) };
            if !sys::try_lock_shared(&file).map_err(|error| dir.io(name, error))? {
                return dir.read_open(name, &file, limit).map(Some);
            }
            // No process holds this one, but a new program may have replaced it since it was opened.
            if same_file(dir, name, &file)? {
                return Ok(None);
            }
        }
    }

    /// Tells others `bytes` from now on. There is no moment in which they do not find this program.
    ///
    /// # Errors
    ///
    /// As [`durable::replace`]; others are then told what they were told before.
    pub fn update(&mut self, bytes: &[u8]) -> Result<(), FileError> {
        let lock = Lock::take(&self.dir)?;
        // The lock of the file before goes with it, once the new one has its name.
        self.file = write_locked(&lock, &self.dir, self.name, bytes)?;
        Ok(())
    }

    /// Ends the registration and leaves the file as a record of what ran here last.
    pub fn leave_file(mut self) {
        self.stays = true;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        // A leftover file is harmless, because its lock is free; waiting here would delay the end.
        if_free(&self.dir, || {
            // A later program may have put its own file in the place of ours.
            if let Ok(true) = same_file(&self.dir, self.name, &self.file) {
                let _ = self.dir.unlink(self.name);
            }
        });
    }
}

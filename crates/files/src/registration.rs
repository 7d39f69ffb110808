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

/// Who is registered under a name.
#[derive(Debug)]
pub enum Registered<T> {
    /// This process, for as long as this lives.
    Ours(Registration),
    /// Another one that runs already, and what it says of itself.
    AlreadyRunning(T),
}

impl Registration {
    /// Registers this process in the file `name` of `dir`, with `bytes` to be read by others; unless another one is
    /// registered there and runs, which says at most `limit` bytes.
    ///
    /// # Errors
    ///
    /// As [`durable::replace`]; nobody is then registered.
    pub fn register(
        dir: &Arc<Dir>,
        name: &'static str,
        bytes: &[u8],
        limit: u64,
    ) -> Result<Registered<Vec<u8>>, FileError> {
        let lock = Lock::take(dir)?;
        if let Some(other) = Self::running(dir, name, limit)? {
            return Ok(Registered::AlreadyRunning(other));
        }
        // Locked before it has its name, so that whoever finds the name finds it locked.
        let file = durable::replace_open(&lock, dir, name, bytes, |file| {
            match sys::try_lock(file).map_err(|error| dir.io(name, error))? {
                true => Ok(()),
                // Nobody else knows this file.
                false => Err(dir.io(name, std::io::ErrorKind::WouldBlock)),
            }
        })?;
        Ok(Registered::Ours(Self { dir: Arc::clone(dir), name, file, stays: false }))
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
            // Nobody holds this one, but a new program may have replaced it since it was opened.
            if same_file(dir, name, &file)? {
                return Ok(None);
            }
        }
    }

    /// Ends the registration and leaves the file for whoever wants to know what ran here last.
    pub fn leave_file(mut self) {
        self.stays = true;
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        // A file left behind harms nobody, because nobody holds its lock; to wait here would delay the end.
        if_free(&self.dir, || {
            // A later program may have put its own file in the place of ours.
            if let Ok(true) = same_file(&self.dir, self.name, &self.file) {
                let _ = self.dir.unlink(self.name);
            }
        });
    }
}

//! The calls of the operating system that folders are read and written with, each in one place.
//!
//! A call that a signal has interrupted is made again. With the feature `fault-injection` every call passes a probe, which
//! can count, record and fail it (`fault`).

use crate::call::Call;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RawMode, Stat};
use rustix::io::{Errno, Result};
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::{FileExt, PermissionsExt};
use std::path::Path;

pub(crate) fn open_folder(path: &Path, flags: OFlags) -> Result<File> {
    attempt(Call::Look, || Ok(rustix::fs::open(path, flags, Mode::empty())?.into()))
}

pub(crate) fn openat(dir: &File, name: &str, flags: OFlags, mode: Mode) -> Result<File> {
    let call = if flags.contains(OFlags::CREATE) { Call::Create { dir, name } } else { Call::Look };
    attempt(call, || Ok(rustix::fs::openat(dir, name, flags, mode)?.into()))
}

pub(crate) fn mkdirat(dir: &File, name: &str, mode: Mode) -> Result<()> {
    attempt(Call::Mkdir { dir, name }, || rustix::fs::mkdirat(dir, name, mode))
}

/// Does not follow a symlink.
pub(crate) fn statat(dir: &File, name: &str) -> Result<Stat> {
    attempt(Call::Look, || rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW))
}

pub(crate) fn metadata(file: &File) -> Result<Metadata> {
    attempt(Call::Look, || file.metadata().map_err(errno))
}

/// Who may do what with a file. The standard library's number is wider than that of some systems.
pub(crate) fn mode(found: &Metadata) -> Mode {
    Mode::from_raw_mode((found.permissions().mode() & 0o7777) as RawMode)
}

/// What `pick` makes of the names in an open folder that are UTF-8, in no order.
pub(crate) fn pick_names<T>(dir: &File, mut pick: impl FnMut(&str) -> Option<T>) -> Result<Vec<T>> {
    attempt(Call::Look, || {
        let mut picked = Vec::new();
        for entry in rustix::fs::Dir::read_from(dir)? {
            let entry = entry?;
            // The folder itself and the one it is in have no name here.
            let name = entry.file_name().to_str().ok().filter(|name| !matches!(*name, "." | ".."));
            picked.extend(name.and_then(&mut pick));
        }
        Ok(picked)
    })
}

/// The names in an open folder that are UTF-8, in no order, each with what has it as far as the folder itself knows.
pub(crate) fn entries(dir: &File) -> Result<Vec<(String, FileType)>> {
    attempt(Call::Look, || {
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(dir)? {
            let entry = entry?;
            let name = entry.file_name().to_str().ok().filter(|name| !matches!(*name, "." | ".."));
            entries.extend(name.map(|name| (name.to_owned(), entry.file_type())));
        }
        Ok(entries)
    })
}

/// Fills `buffer` from the byte `start` on; less only at the end of the file.
pub(crate) fn read_piece(file: &File, buffer: &mut [u8], start: u64) -> Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        let at = start.saturating_add(u64::try_from(filled).unwrap_or(u64::MAX));
        match attempt(Call::Look, || file.read_at(&mut buffer[filled..], at).map_err(errno))? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// The last byte of a file; `None` where it is empty.
pub(crate) fn last_byte(file: &File) -> Result<Option<u8>> {
    attempt(Call::Look, || {
        let length = file.metadata().map_err(errno)?.len();
        let mut byte = [0];
        let read = match length.checked_sub(1) {
            Some(last) => file.read_at(&mut byte, last).map_err(errno)?,
            None => 0,
        };
        Ok((read == 1).then_some(byte[0]))
    })
}

/// Reads at most `limit` bytes.
pub(crate) fn read(file: &File, limit: u64) -> Result<Vec<u8>> {
    // A guess: the file may be growing.
    let length = file.metadata().map_or(0, |found| found.len().min(limit));
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default().saturating_add(1));
    attempt(Call::Look, || file.take(limit).read_to_end(&mut bytes).map_err(errno))?;
    Ok(bytes)
}

pub(crate) fn write_all(mut file: &File, bytes: &[u8]) -> Result<()> {
    attempt(Call::Write { file, bytes }, || file.write_all(bytes).map_err(errno))
}

/// Makes the file empty.
pub(crate) fn truncate(file: &File) -> Result<()> {
    attempt(Call::Truncate { file }, || file.set_len(0).map_err(errno))
}

pub(crate) fn fchmod(file: &File, mode: Mode) -> Result<()> {
    attempt(Call::Chmod, || rustix::fs::fchmod(file, mode))
}

/// Forces a file's data, or a folder's names, to the disk.
pub(crate) fn sync(file: &File) -> Result<()> {
    attempt(Call::Sync { file }, || file.sync_all().map_err(errno))
}

pub(crate) fn renameat(dir: &File, from: &str, to: &str) -> Result<()> {
    attempt(Call::Rename { dir, from, to }, || rustix::fs::renameat(dir, from, dir, to))
}

/// The same into another folder.
pub(crate) fn move_to(dir: &File, from: &str, into: &File, to: &str) -> Result<()> {
    attempt(Call::Move { dir, from, into, to }, || rustix::fs::renameat(dir, from, into, to))
}

/// Fails with `EXIST` when something has the name `to`.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(crate) fn rename_new(dir: &File, from: &str, to: &str) -> Result<()> {
    let flags = rustix::fs::RenameFlags::NOREPLACE;
    attempt(Call::Rename { dir, from, to }, || rustix::fs::renameat_with(dir, from, dir, to, flags))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(crate) fn rename_new(_: &File, _: &str, _: &str) -> Result<()> {
    Err(Errno::NOSYS)
}

/// Two names of a folder exchange what they name.
#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
pub(crate) fn exchange(dir: &File, from: &str, to: &str) -> Result<()> {
    let flags = rustix::fs::RenameFlags::EXCHANGE;
    attempt(Call::Rename { dir, from, to }, || rustix::fs::renameat_with(dir, from, dir, to, flags))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
pub(crate) fn exchange(_: &File, _: &str, _: &str) -> Result<()> {
    Err(Errno::NOSYS)
}

pub(crate) fn linkat(dir: &File, from: &str, to: &str) -> Result<()> {
    attempt(Call::Link { dir, from, to }, || rustix::fs::linkat(dir, from, dir, to, AtFlags::empty()))
}

pub(crate) fn unlinkat(dir: &File, name: &str) -> Result<()> {
    attempt(Call::Unlink { dir, name }, || rustix::fs::unlinkat(dir, name, AtFlags::empty()))
}

/// Removes an empty folder.
pub(crate) fn rmdirat(dir: &File, name: &str) -> Result<()> {
    attempt(Call::Unlink { dir, name }, || rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR))
}

/// Takes the exclusive lock of a file; false when it is held.
pub(crate) fn try_lock(file: &File) -> Result<bool> {
    attempt(Call::Look, || taken(file.try_lock()))
}

/// Takes the lock of a file together with other readers; false when it is held exclusively.
pub(crate) fn try_lock_shared(file: &File) -> Result<bool> {
    attempt(Call::Look, || taken(file.try_lock_shared()))
}

fn taken(result: std::result::Result<(), TryLockError>) -> Result<bool> {
    match result {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(errno(error)),
    }
}

fn attempt<T>(call: Call<'_>, mut act: impl FnMut() -> Result<T>) -> Result<T> {
    loop {
        match probed(call, &mut act) {
            Err(Errno::INTR) => {}
            result => return result,
        }
    }
}

#[cfg(feature = "fault-injection")]
use crate::fault::probed;

#[cfg(not(feature = "fault-injection"))]
fn probed<T>(_: Call<'_>, act: &mut impl FnMut() -> Result<T>) -> Result<T> {
    act()
}

/// The number of an error of the standard library; the few without one are failed writes and reads.
fn errno(error: io::Error) -> Errno {
    Errno::from_io_error(&error).unwrap_or(Errno::IO)
}

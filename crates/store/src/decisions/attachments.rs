//! `files/<session>/<item>/<name>`: files attached to questions, and `files/<session>/index.json`, which says which of
//! them count.
//!
//! A file is written under a unique name, made durable, and counts once the index names it. Only then does it take its
//! own name, replacing an earlier file of that name: whatever is killed or fails in between, the files that count are
//! whole. Files that the index does not name are swept with the next file.

use super::Decisions;
use super::head::PendingSet;
use crate::StoreError;
use files::{Dir, FileError, Lock, Part, durable, json, part};
use model::{
    Attachment, Attachments, DecideItem, DecideOutput, Ending, ItemKind, MAX_ATTACHED, Questions, SessionId,
    clean_name,
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::HashSet;
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

const FILES: &str = "files";
const INDEX: &str = "index.json";

/// The path of an attached file, from the project's folder.
pub fn attachment_path(session: &SessionId, item: u64, name: &str) -> String {
    format!(".aide/decisions/{FILES}/{session}/{item}/{name}")
}

/// Why a file could not be attached. Nothing is attached then, unless only the last step
/// failed, making that durable.
#[derive(Debug, thiserror::Error)]
pub enum AttachError {
    /// No item of this id asks for files.
    #[error("no item {item} asks for files")]
    NoSuchItem {
        /// The id.
        item: u64,
    },
    /// The item wants files of other names.
    #[error("the file must be one of {names:?}")]
    WrongName {
        /// Names and patterns.
        names: Vec<String>,
    },
    /// The item takes no more files.
    #[error("at most {max} files")]
    TooMany {
        /// How many it takes.
        max: usize,
    },
    /// The file is larger than the item takes.
    #[error("larger than {limit} bytes")]
    TooLarge {
        /// In bytes.
        limit: u64,
    },
    /// All files together would be larger than those of a set of questions may be.
    #[error("all files together are larger than {limit} bytes")]
    SetFull {
        /// In bytes.
        limit: u64,
    },
    /// The questions have ended, or are gone.
    #[error("the questions have ended")]
    Ended(Ending),
    /// The folder could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl AttachError {
    /// Whether there is no room on the disk.
    pub fn is_disk_full(&self) -> bool {
        let Self::Store(StoreError::File(FileError::Io { source, .. })) = self else { return false };
        matches!(source.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
    }
}

impl From<FileError> for AttachError {
    fn from(error: FileError) -> Self {
        Self::Store(error.into())
    }
}

/// A file that is being attached. Nothing is left of it when it is dropped.
#[derive(Debug)]
pub struct Upload {
    decisions: Decisions,
    pending: PendingSet,
    item: DecideItem,
    name: String,
    /// `None` once something has failed.
    part: Option<Part>,
    /// The folder of the set, and that of the item in it.
    folder: Dir,
    dir: Arc<Dir>,
    digest: Sha256,
    size: u64,
    /// How much there was room for in the set when it began.
    room: u64,
}

/// What `index.json` says.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Index {
    files: Vec<Entry>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Entry {
    item: u64,
    #[serde(flatten)]
    attachment: Attachment,
    /// What the file is called if it does not have its own name yet.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    file: Option<String>,
}

impl Decisions {
    /// The files that are attached to the questions of `session`, in the order in which they were.
    ///
    /// # Errors
    ///
    /// [`FileError::Corrupt`] when the index cannot be read, and whatever the disk says.
    pub fn attachments(&self, session: &SessionId) -> Result<Attachments, StoreError> {
        let Some((_, folder)) = self.set_folder(session)? else { return Ok(Attachments::new()) };
        Ok(Index::read(&folder)?.attachments())
    }

    /// Gives the bytes of the file `name` that is attached to the item `item` of `session` to `take`, piece by piece; false
    /// when there is no such file.
    ///
    /// # Errors
    ///
    /// As [`Self::attachments`], and whatever `take` says.
    pub fn read_attachment<E: From<FileError> + From<StoreError>>(
        &self,
        session: &SessionId,
        item: u64,
        name: &str,
        take: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<bool, E> {
        let Some((_, folder)) = self.set_folder(session)? else { return Ok(false) };
        let index = Index::read(&folder)?;
        let Some(entry) = index.position(item, name).map(|at| &index.files[at]) else { return Ok(false) };
        let Some(dir) = folder.folder(&item.to_string())? else { return Ok(false) };
        // It may have got its own name since the index was written.
        let part = match &entry.file {
            Some(part) if dir.kind(part)?.is_some() => Some(part),
            _ => None,
        };
        let file = part.unwrap_or(&entry.attachment.name);
        Ok(dir.read_in_pieces(file, u64::MAX, take)?.is_some())
    }

    /// Begins to attach a file called `name` elsewhere to the item `item` of `questions`. It counts when
    /// [`Upload::finish`] has returned, in the place of one of the same name.
    ///
    /// # Errors
    ///
    /// When it cannot be attached.
    pub fn attach(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        item: u64,
        name: &str,
    ) -> Result<Upload, AttachError> {
        let asks = |asked: &&DecideItem| asked.id == item && asked.kind == ItemKind::Files;
        let item = questions.input().items.iter().find(asks).ok_or(AttachError::NoSuchItem { item })?;
        let name = clean_name(name);
        if !item.takes_name(&name) {
            return Err(AttachError::WrongName { names: item.names.clone() });
        }
        let lock = Lock::take(&self.dir)?;
        self.check_open(pending)?;
        let files = self.dir.ensure_folder(FILES)?.ours()?;
        let folder = files.ensure_folder(&pending.session.to_string())?.ours()?;
        let mut index = Index::read(&folder)?;
        let parts = index.parts(item.id);
        // Nothing depends on it.
        let _ = index.settle(&lock, &folder).and_then(|()| index.sweep(&lock, &folder));
        let room = index.room(item, &name)?;
        let dir = Arc::new(folder.ensure_folder(&item.id.to_string())?.ours()?);
        // A part that the index names would be taken for the file of that entry. An earlier index must not come back that
        // names another.
        folder.sync()?;
        let part = Part::create(&lock, Arc::clone(&dir), |name| parts.contains(name))?;
        Ok(Upload {
            decisions: self.clone(),
            pending: pending.clone(),
            item: item.clone(),
            name,
            part: Some(part),
            folder,
            dir,
            digest: Sha256::new(),
            size: 0,
            room,
        })
    }

    /// Takes away the file `name` of the item `item` of open questions. False when no such file is attached, or when the
    /// questions have ended.
    ///
    /// # Errors
    ///
    /// Whatever the disk says.
    pub fn detach(&self, pending: &PendingSet, item: u64, name: &str) -> Result<bool, StoreError> {
        let lock = Lock::take(&self.dir)?;
        match self.check_open(pending) {
            Err(AttachError::Store(error)) => return Err(error),
            Err(_) => return Ok(false),
            Ok(()) => {}
        }
        let Some((_, folder)) = self.set_folder(&pending.session)? else { return Ok(false) };
        let mut index = Index::read(&folder)?;
        let Some(position) = index.position(item, name) else { return Ok(false) };
        index.settle(&lock, &folder)?;
        index.files.remove(position);
        index.write(&lock, &folder)?;
        // Nothing depends on it.
        let _ = index.sweep(&lock, &folder);
        Ok(true)
    }

    /// With the lock held. That the files of `output` are those that are attached, each under its own name.
    ///
    /// # Errors
    ///
    /// [`StoreError::AttachmentsChanged`] when they are not, and whatever the disk says.
    pub(super) fn check_attachments(
        &self,
        lock: &Lock,
        pending: &PendingSet,
        questions: &Questions,
        output: &DecideOutput,
    ) -> Result<(), StoreError> {
        if !questions.input().items.iter().any(|item| item.kind == ItemKind::Files) {
            return Ok(());
        }
        let mut index = Index::default();
        if let Some((_, folder)) = self.set_folder(&pending.session)? {
            index = Index::read(&folder)?;
            index.settle(lock, &folder)?;
        }
        let attached = index.attachments();
        let is_same = output
            .decisions
            .iter()
            .all(|decision| decision.files.is_empty() || attached.get(&decision.id) == Some(&decision.files));
        if is_same { Ok(()) } else { Err(StoreError::AttachmentsChanged) }
    }

    /// With the lock held. Removes all files of `session`, those first that count.
    pub(super) fn remove_attachments(&self, session: &SessionId) -> Result<(), StoreError> {
        let Some((files, folder)) = self.set_folder(session)? else { return Ok(()) };
        folder.unlink(INDEX)?;
        folder.sync()?;
        for name in folder.names()? {
            if name.parse::<u64>().is_err() {
                folder.unlink(&name)?;
                continue;
            }
            if let Some(dir) = folder.folder(&name)? {
                for name in dir.names()? {
                    dir.unlink(&name)?;
                }
            }
            folder.remove_folder(&name)?;
        }
        files.remove_folder(&session.to_string())?;
        files.sync()?;
        Ok(())
    }

    /// With the lock held. That something can be attached to the questions of `pending`.
    fn check_open(&self, pending: &PendingSet) -> Result<(), AttachError> {
        let ending = if self.is_closed(&pending.session)? {
            self.record(&pending.session)?.map(|record| record.ending)
        } else if self.is_gone(pending)? {
            Some(Ending::Replaced(None))
        } else {
            pending.passed_deadline().map(|deadline| Ending::Expired(deadline.to_owned()))
        };
        ending.map_or(Ok(()), |ending| Err(AttachError::Ended(ending)))
    }

    /// The folder of all files, and that of `session` in it.
    fn set_folder(&self, session: &SessionId) -> Result<Option<(Dir, Dir)>, StoreError> {
        let Some(files) = self.dir.folder(FILES)?.map(Dir::ours).transpose()? else { return Ok(None) };
        let folder = files.folder(&session.to_string())?.map(Dir::ours).transpose()?;
        Ok(folder.map(|folder| (files, folder)))
    }
}

impl Upload {
    /// Adds `bytes` at the end of the file.
    ///
    /// # Errors
    ///
    /// [`AttachError::TooLarge`], [`AttachError::SetFull`], and whatever the disk says. Nothing more can be written then.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), AttachError> {
        let written = self.try_write(bytes);
        if written.is_err() {
            self.part = None;
        }
        written
    }

    fn try_write(&mut self, bytes: &[u8]) -> Result<(), AttachError> {
        let size = self.size.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        let limit = self.item.largest_file();
        if size > limit {
            return Err(AttachError::TooLarge { limit });
        }
        let Some(part) = &mut self.part else { return Err(self.dir.missing(&self.name).into()) };
        // What is under way at the same time fills the disk as well, though it does not count yet.
        if size > self.room || size > MAX_ATTACHED.saturating_sub(under_way(&self.folder, part.name())?) {
            return Err(AttachError::SetFull { limit: MAX_ATTACHED });
        }
        part.write(bytes)?;
        self.digest.update(bytes);
        self.size = size;
        Ok(())
    }

    /// Attaches the file. It counts, and is on the disk, when this returns.
    ///
    /// # Errors
    ///
    /// As [`Decisions::attach`]: others may have been faster.
    pub fn finish(mut self) -> Result<Attachment, AttachError> {
        let Some(part) = self.part.take() else { return Err(self.dir.missing(&self.name).into()) };
        part.sync()?;
        let lock = Lock::take(&self.decisions.dir)?;
        self.decisions.check_open(&self.pending)?;
        let Some((files, folder)) = self.decisions.set_folder(&self.pending.session)? else {
            return Err(AttachError::Ended(Ending::Replaced(None)));
        };
        let mut index = Index::read(&folder)?;
        if self.size > index.room(&self.item, &self.name)? {
            return Err(AttachError::SetFull { limit: MAX_ATTACHED });
        }
        index.settle(&lock, &folder)?;
        self.dir.sync()?;
        // Who made the folders may have been killed before they were on the disk.
        folder.sync()?;
        files.sync()?;
        self.decisions.dir.sync()?;
        let attachment =
            Attachment { name: self.name.clone(), sha256: hex(&self.digest.finalize()), size: self.size };
        let entry =
            Entry { item: self.item.id, attachment: attachment.clone(), file: Some(part.name().to_owned()) };
        match index.position(self.item.id, &self.name) {
            Some(position) => index.files[position] = entry,
            None => index.files.push(entry),
        }
        let written = index.write(&lock, &folder);
        let is_named = written.is_ok()
            // The index may be in place without being durable: then the file counts if the index names it, or cannot be read.
            || Index::read(&folder).map_or(true, |index| index.files.iter().any(|entry| {
                entry.file.as_deref() == Some(part.name())
            }));
        if is_named {
            part.keep(&lock);
        }
        written?;
        // It counts already; the next caller finishes the rest.
        let _ = index.settle(&lock, &folder).and_then(|()| index.sweep(&lock, &folder));
        Ok(attachment)
    }
}

impl Index {
    fn read(folder: &Dir) -> Result<Self, StoreError> {
        let index: Self = json::read(folder, INDEX)?.unwrap_or_default();
        for Entry { attachment, file, .. } in &index.files {
            let is_ours = attachment.name == clean_name(&attachment.name)
                && file.as_ref().is_none_or(|file| part::is_part(file));
            if !is_ours {
                let message = format!("files.name: {}", attachment.name);
                return Err(FileError::Corrupt { file: INDEX.to_owned(), message }.into());
            }
        }
        Ok(index)
    }

    fn write(&self, lock: &Lock, folder: &Dir) -> Result<(), StoreError> {
        let bytes = json::text(folder, INDEX, self, json::MAX_JSON)?;
        Ok(durable::replace(lock, folder, INDEX, &bytes)?)
    }

    /// What the files of `item` were called before they got their own names.
    fn parts(&self, item: u64) -> HashSet<String> {
        let entries = self.files.iter().filter(|entry| entry.item == item);
        entries.filter_map(|entry| entry.file.clone()).collect()
    }

    fn attachments(&self) -> Attachments {
        let mut attachments = Attachments::new();
        for entry in &self.files {
            attachments.entry(entry.item).or_default().push(entry.attachment.clone());
        }
        attachments
    }

    /// Where the file `name` of `item` is. Some systems take capitals for the same letters, so that two such names would
    /// be one file there.
    fn position(&self, item: u64, name: &str) -> Option<usize> {
        let is_same =
            |entry: &Entry| entry.item == item && entry.attachment.name.to_lowercase() == name.to_lowercase();
        self.files.iter().position(is_same)
    }

    /// How large a file `name` of `item` may be for the sake of all others.
    fn room(&self, item: &DecideItem, name: &str) -> Result<u64, AttachError> {
        let replaced = self.position(item.id, name);
        let others = || self.files.iter().enumerate().filter(|(index, _)| Some(*index) != replaced);
        let (_, max) = item.file_bounds();
        if others().filter(|(_, entry)| entry.item == item.id).count() >= max {
            return Err(AttachError::TooMany { max });
        }
        let size = others().fold(0, |size: u64, (_, entry)| size.saturating_add(entry.attachment.size));
        Ok(MAX_ATTACHED.saturating_sub(size))
    }

    /// Gives each file its own name. What has that does not count any more.
    fn settle(&mut self, lock: &Lock, folder: &Dir) -> Result<(), StoreError> {
        if self.files.iter().all(|entry| entry.file.is_none()) {
            return Ok(());
        }
        // Who wrote the index may have been killed before it was on the disk, and an earlier one may count a file that is
        // about to be lost.
        folder.sync()?;
        for entry in &mut self.files {
            let Some(file) = &entry.file else { continue };
            let dir = folder.folder(&entry.item.to_string())?.ok_or_else(|| folder.missing(INDEX))?;
            // Otherwise it has its name already, as far as can be seen.
            if dir.kind(file)?.is_some() {
                part::rename(lock, &dir, file, &entry.attachment.name)?;
            }
            dir.sync()?;
            entry.file = None;
        }
        Ok(())
    }

    /// Removes files that the index does not name, except those still being written.
    fn sweep(&self, lock: &Lock, folder: &Dir) -> Result<(), StoreError> {
        let mut dead = Vec::new();
        for name in folder.names()? {
            if let Ok(item) = name.parse::<u64>()
                && let Some(dir) = folder.folder(&name)?
            {
                let names = dir.names()?;
                dead.extend(
                    names.into_iter().filter(|name| !self.names(item, name)).map(|name| (item, name)),
                );
            }
        }
        if dead.is_empty() {
            return Ok(());
        }
        // Who wrote the index may have been killed before it was on the disk, and an earlier one may name what goes.
        folder.sync()?;
        for (item, name) in dead {
            if let Some(dir) = folder.folder(&item.to_string())? {
                part::remove_dead(lock, &dir, &name)?;
            }
        }
        Ok(())
    }

    /// Whether the file `name` in the folder of `item` counts.
    fn names(&self, item: u64, name: &str) -> bool {
        self.files.iter().any(|entry| {
            entry.item == item && (entry.attachment.name == name || entry.file.as_deref() == Some(name))
        })
    }
}

/// The total size of the files being written in the folder of a set, without the one called `own`.
fn under_way(folder: &Dir, own: &str) -> Result<u64, StoreError> {
    let mut size: u64 = 0;
    for item in folder.names()?.iter().filter(|name| name.parse::<u64>().is_ok()) {
        let Some(dir) = folder.folder(item)? else { continue };
        for name in dir.names()?.iter().filter(|name| part::is_part(name) && *name != own) {
            // It may have been finished meanwhile.
            size = size.saturating_add(dir.size(name)?.unwrap_or_default());
        }
    }
    Ok(size)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

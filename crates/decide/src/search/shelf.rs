//! A file of texts of records, written once: a table with a row for each record, then the texts.
//!
//! A row says which file, in which state, has which text. That stays true whatever happens, so a shelf may be old, or be removed
//! or written a second time by another process: what is not found on a shelf is read from the record itself.

use files::{Dir, Identity};
use model::SessionId;
use std::cmp::Reverse;
use std::collections::HashMap;

/// What such a file begins with; another format has another one.
const MAGIC: &[u8; 8] = b"aidetxt1";
/// The magic, the number of rows, the checksum of the table.
const HEADER: usize = 16;
/// The bytes of a row in a file.
const ROW: usize = 56;
/// How many rows a file has at most; more are a sign of damage.
const MAX_ROWS: usize = 1 << 22;
/// How many bytes of texts are read at once, at least.
const WINDOW: u64 = 1 << 18;

/// A session as it stands in a row.
pub(super) type Key = (u64, u32);

/// The text of a record as it is searched.
pub(super) struct Fact {
    pub(super) key: Key,
    pub(super) identity: [u8; 32],
    pub(super) text: Vec<u8>,
}

impl Fact {
    pub(super) fn new(session: &SessionId, identity: &Identity, text: String) -> Self {
        Self { key: session.sort_key(), identity: identity.to_bytes(), text: text.into_bytes() }
    }
}

/// Where the text of a record stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) key: Key,
    identity: [u8; 32],
    /// From the beginning of the texts.
    at: u32,
    length: u32,
    checksum: u32,
}

impl Row {
    pub(super) fn is_of(&self, identity: &Identity) -> bool {
        self.identity == identity.to_bytes()
    }

    fn write(&self, table: &mut Vec<u8>) {
        table.extend(self.key.0.to_le_bytes());
        table.extend(self.key.1.to_le_bytes());
        table.extend(self.identity);
        for number in [self.at, self.length, self.checksum] {
            table.extend(number.to_le_bytes());
        }
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (second, rest) = bytes.split_first_chunk()?;
        let (number, rest) = rest.split_first_chunk()?;
        let (identity, rest) = rest.split_first_chunk()?;
        let (at, rest) = rest.split_first_chunk()?;
        let (length, rest) = rest.split_first_chunk()?;
        let (checksum, _) = rest.split_first_chunk()?;
        Some(Self {
            key: (u64::from_le_bytes(*second), u32::from_le_bytes(*number)),
            identity: *identity,
            at: u32::from_le_bytes(*at),
            length: u32::from_le_bytes(*length),
            checksum: u32::from_le_bytes(*checksum),
        })
    }
}

/// A shelf whose table has been read.
pub(super) struct Shelf {
    pub(super) name: String,
    /// In the order of the file.
    pub(super) rows: Vec<Row>,
}

impl Shelf {
    /// Reads the table of the file `name`; `None` if it is not there, or damaged.
    pub(super) fn open(dir: &Dir, name: String) -> Option<Self> {
        let header = read(dir, &name, 0, HEADER)?;
        let (count, checksum) = header.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
        let count = usize::try_from(u32::from_le_bytes(*count)).ok().filter(|count| *count <= MAX_ROWS)?;
        let table = read(dir, &name, HEADER as u64, count * ROW)?;
        if crc32fast::hash(&table).to_le_bytes() != *checksum {
            return None;
        }
        let rows = table.chunks_exact(ROW).map(Row::read).collect::<Option<_>>()?;
        Some(Self { name, rows })
    }

    /// Returns the bytes of a shelf with these texts. A search goes through them from the latest record on.
    pub(super) fn bytes(facts: &mut [Fact]) -> Option<Vec<u8>> {
        facts.sort_unstable_by_key(|fact| Reverse(fact.key));
        let (mut table, mut texts) = (Vec::with_capacity(facts.len() * ROW), Vec::new());
        for Fact { key, identity, text } in &*facts {
            let (at, length) = (u32::try_from(texts.len()).ok()?, u32::try_from(text.len()).ok()?);
            let checksum = crc32fast::hash(text);
            Row { key: *key, identity: *identity, at, length, checksum }.write(&mut table);
            texts.extend_from_slice(text);
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(u32::try_from(facts.len()).ok()?.to_le_bytes());
        bytes.extend(crc32fast::hash(&table).to_le_bytes());
        bytes.append(&mut table);
        bytes.append(&mut texts);
        Some(bytes)
    }

    /// How many bytes of texts those of `rows` have.
    pub(super) fn length(rows: &[Row]) -> u64 {
        rows.iter().map(|row| u64::from(row.length)).sum()
    }

    /// Returns a row as a fact; `None` if its text is damaged, or no longer there.
    pub(super) fn fact(&self, dir: &Dir, row: &Row, window: &mut Window) -> Option<Fact> {
        let text = window.text(dir, self, row)?.to_vec();
        Some(Fact { key: row.key, identity: row.identity, text })
    }

    fn texts_from(&self) -> u64 {
        (HEADER + self.rows.len() * ROW) as u64
    }
}

/// A part of the texts of one shelf.
#[derive(Default)]
pub(super) struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl Window {
    /// Returns the text of a row of `shelf`; `None` if it is damaged, or no longer there.
    pub(super) fn text(&mut self, dir: &Dir, shelf: &Shelf, row: &Row) -> Option<&[u8]> {
        let (start, length) = (shelf.texts_from() + u64::from(row.at), usize::try_from(row.length).ok()?);
        let in_window = |window: &Self| {
            let from = usize::try_from(start.checked_sub(window.start)?).ok()?;
            let range = from..from.checked_add(length)?;
            window.bytes.get(range.clone()).map(|_| range)
        };
        if in_window(self).is_none() {
            self.start = start;
            self.bytes.clear();
            let end = start.saturating_add(WINDOW.max(u64::from(row.length)));
            let read = dir.read_range(&shelf.name, start..end, |piece| {
                self.bytes.extend_from_slice(piece);
                Ok::<_, files::FileError>(())
            });
            read.ok().filter(|is_there| *is_there)?;
        }
        let text = &self.bytes[in_window(self)?];
        (crc32fast::hash(text) == row.checksum).then_some(text)
    }
}

/// The windows on several shelves, by their places.
pub(super) type Windows = HashMap<usize, Window>;

/// Exactly so many bytes of a file.
fn read(dir: &Dir, name: &str, start: u64, length: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let end = start.checked_add(u64::try_from(length).ok()?)?;
    let read = dir.read_range(name, start..end, |piece| {
        bytes.extend_from_slice(piece);
        Ok::<_, files::FileError>(())
    });
    (read.is_ok() && bytes.len() == length).then_some(bytes)
}

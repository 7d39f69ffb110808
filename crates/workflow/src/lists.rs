//! Lists that may be long: read page by page, and gone on with by a cursor.
//!
//! A cursor names the place of a row in the order of its list, not its number: rows that come or go meanwhile shift nothing. It
//! also has a digest of the list and its filters: with other filters, the part that follows would be one of another list.
//!
//! A list of the API may be as long as the journal (`server/src/endpoints/v1/lists.rs`). It has a thread and one of two views that
//! are for long reads alone (`Journal::long_view`), and is read in pages of 128 rows, each once the client has taken the one before;
//! of all lists one page is read at a time, so that most of the machine is left to what is short. The view stays the same until
//! the end: as of one moment, in the order of the last change, no list could be put together of several. A query goes on behind a
//! row (`Query::after`).

use crate::failure::Failure;
use crate::ids::sha256;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use journal::{Cell, Journal, JournalError, Query, Record, Row, View, ViewExt as _};
use protocol::workflow::Refusal;
use serde_json::{Value, json};
use std::ops::ControlFlow;

/// How many rows are read at a time.
pub const PAGE: u32 = 128;

/// The same where few are asked for: of those that are read, not all may be looked for.
const SMALL_PAGE: u32 = 32;

/// How many rows are looked at for one part of a list: it is a short read, whatever is looked for.
const LOOKED_AT: usize = 4096;

/// Which part of a list is asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListRange {
    /// Not more than so many.
    pub limit: Option<u32>,
    /// What was said to be the next part.
    pub cursor: Option<String>,
}

/// Receives a page of a list; says whether it takes more.
pub type TakePage<'t, T> = dyn FnMut(Vec<T>) -> ControlFlow<()> + 't;

/// A list with the filters by which its entries are looked for, as a short digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ListKey(String);

impl ListKey {
    /// Returns that of the list of this name. `filters` are names with values; `None` where all entries are looked for.
    pub(crate) fn new(name: &str, filters: &[(&str, Option<&str>)]) -> Self {
        const DIGITS: usize = 12;
        let mut digest = sha256(json!([name, filters]).to_string().as_bytes());
        digest.truncate(DIGITS);
        Self(digest)
    }
}

/// The place in a list behind which a part of it begins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Cursor {
    /// Where the row stands that was the last to be given; empty before the first.
    pub(crate) position: Vec<Cell>,
}

impl Cursor {
    /// Returns it as clients get it; `list` is the list that it belongs to.
    pub(crate) fn text(&self, list: &ListKey) -> String {
        let cells = self.position.iter().map(|cell| match cell {
            Cell::Null => Value::Null,
            Cell::Integer(number) => json!(number),
            Cell::Text(text) => json!(text),
        });
        let cells: Vec<_> = cells.collect();
        URL_SAFE_NO_PAD.encode(json!([list.0, cells]).to_string())
    }

    /// Reads what a client has got of the same list.
    fn read(list: &ListKey, text: &str) -> Option<Self> {
        let decoded = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (digest, cells): (String, Vec<Value>) = serde_json::from_slice(&decoded).ok()?;
        let cell = |cell: Value| match cell {
            Value::Number(number) => number.as_i64().map(Cell::Integer),
            Value::String(text) => Some(Cell::Text(text)),
            _ => None,
        };
        let position = cells.into_iter().map(cell).collect::<Option<Vec<_>>>()?;
        (digest == list.0).then_some(Self { position })
    }
}

impl ListRange {
    /// Returns everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// Where it begins in this list, whose rows come in the order of `query`.
    pub(crate) fn begin<R: Row>(&self, list: &ListKey, query: &Query<R>) -> Result<Cursor, Failure> {
        let Some(text) = &self.cursor else { return Ok(Cursor::default()) };
        let is_fit = |cursor: &Cursor| cursor.position.is_empty() || query.is_position(&cursor.position);
        let cursor = Cursor::read(list, text).filter(is_fit);
        Ok(cursor.ok_or_else(bad_cursor)?)
    }
}

/// The view to read a list with: what has a limit is short.
pub(crate) fn view<'j>(
    journal: &'j dyn Journal,
    range: &ListRange,
) -> Result<Box<dyn View + 'j>, JournalError> {
    if range.limit.is_some() { journal.view() } else { journal.long_view() }
}

/// Reads the rows of `query` page by page, and gives `take` what `make` makes of each: for every row its entries, none or more.
/// Returns the cursor of what comes behind the range, if there may be anything. A range with a limit also ends once many rows
/// were looked at. All entries of a row are in the same part, even if they are more than its limit: a row may stand elsewhere
/// when the next part is read.
pub(crate) fn read<R: Row + TryFrom<Record>, T>(
    view: &dyn View,
    list: &ListKey,
    query: &Query<R>,
    range: &ListRange,
    mut make: impl FnMut(&[R]) -> Result<Vec<Vec<T>>, Failure>,
    take: &mut TakePage<'_, T>,
) -> Result<Option<String>, Failure> {
    let mut cursor = range.begin(list, query)?;
    let (mut left, mut looked_at) = (range.limit, 0);
    loop {
        let count = left.map_or(PAGE, |left| left.saturating_add(1).clamp(SMALL_PAGE, PAGE));
        let rows = view.find(&query.clone().after(cursor.position.clone()).limit(count))?;
        let is_last = rows.len() < usize::try_from(count).unwrap_or(usize::MAX);
        let mut page = Vec::new();
        for (row, entries) in rows.iter().zip(make(&rows)?) {
            if left == Some(0) && !entries.is_empty() {
                // Nothing is left to be taken, so it does not matter whether the client goes on.
                let _ = take(page);
                return Ok(Some(cursor.text(list)));
            }
            let count = u32::try_from(entries.len()).unwrap_or(u32::MAX);
            left = left.map(|left| left.saturating_sub(count));
            page.extend(entries);
            cursor = Cursor { position: query.position(row) };
        }
        // An empty page as well: meanwhile others can go on.
        if take(page).is_break() || is_last {
            return Ok(None);
        }
        looked_at += rows.len();
        if left.is_some() && looked_at >= LOOKED_AT {
            return Ok(Some(cursor.text(list)));
        }
    }
}

/// Reads a part of the rows of `query` at once, which is limited, and the cursor of what comes behind it.
pub(crate) fn rows<R: Row + TryFrom<Record>>(
    view: &dyn View,
    list: &ListKey,
    query: &Query<R>,
    range: &ListRange,
) -> Result<(Vec<R>, Option<String>), Failure> {
    let cursor = range.begin(list, query)?;
    let limit = range.limit.unwrap_or(u32::MAX);
    let mut rows = view.find(&query.clone().after(cursor.position).limit(limit.saturating_add(1)))?;
    let is_more = rows.len() > usize::try_from(limit).unwrap_or(usize::MAX);
    if is_more {
        rows.pop();
    }
    let last = rows.last().filter(|_| is_more);
    let next = last.map(|last| Cursor { position: query.position(last) }.text(list));
    Ok((rows, next))
}

/// The part of a short list that is asked for, and the cursor of what comes behind it. The entries are in the order of their keys.
pub(crate) fn part<T>(
    list: &ListKey,
    entries: Vec<(String, T)>,
    range: &ListRange,
) -> Result<(Vec<T>, Option<String>), Failure> {
    let last = match &range.cursor {
        None => None,
        Some(text) => match Cursor::read(list, text).map(|cursor| cursor.position).as_deref() {
            Some([Cell::Text(last)]) => Some(last.clone()),
            _ => return Err(bad_cursor().into()),
        },
    };
    let limit = range.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let is_behind = |(key, _): &(String, T)| last.as_ref().is_none_or(|last| key > last);
    let mut rest = entries.into_iter().filter(is_behind);
    let part: Vec<_> = rest.by_ref().take(limit).collect();
    let last = part.last().map(|(key, _)| key.clone()).filter(|_| rest.next().is_some());
    let next = last.map(|last| Cursor { position: vec![Cell::Text(last)] }.text(list));
    Ok((part.into_iter().map(|(_, entry)| entry).collect(), next))
}

fn bad_cursor() -> Refusal {
    Refusal::invalid("cursor does not belong to this list with these filters", "cursor")
}

/// Everything that a list gives.
pub(crate) fn collected<T>(
    read: impl FnOnce(&mut TakePage<'_, T>) -> Result<Option<String>, Failure>,
) -> Result<Vec<T>, Failure> {
    let mut all = Vec::new();
    read(&mut |page| {
        all.extend(page);
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

//! Reads the state of a task that is written exactly as this program writes it, without taking its entries apart.
//!
//! Anything else, be it another order of the keys, a key more, or a mistake, is left to the parser for all states. So what is
//! read here is the same state, and its text is the one that would be written.

use super::history::{History, SEPARATOR};
use super::{Action, FlowStatus, HistoryEntry, TaskId};
use crate::{MAX_SAFE_INTEGER, is_blank};
use serde_json::Map;
use std::sync::Arc;

/// How many of the newest entries are taken apart: the one whose commit becomes known, and the one before.
const LATEST: usize = 2;

/// The state that `text` is, if it is written as this program would and has enough entries; else `None`.
pub(super) fn read(text: &Arc<Vec<u8>>) -> Option<FlowStatus> {
    let whole = std::str::from_utf8(text).ok()?;
    let mut scan = Scanner { left: whole };
    scan.token("{\n  \"task_id\": ")?;
    let task_id: TaskId = scan.plain_string()?.parse().ok()?;
    scan.token(",\n  \"current_phase\": ")?;
    let current_phase = scan.plain_string()?.to_owned();
    scan.token(",\n  \"current_step\": ")?;
    let current_step = scan.integer()?;
    scan.token(",\n  \"started_at\": ")?;
    let started_at = scan.plain_string()?.to_owned();
    scan.token(",\n  \"history\": [\n    ")?;
    let at = |scan: &Scanner<'_>| whole.len() - scan.left.len();
    let first = at(&scan);
    // Where the newest entries begin, and where the one before them ends.
    let (mut count, mut begins) = (0, [first; LATEST]);
    let mut end;
    loop {
        begins.rotate_left(1);
        begins[LATEST - 1] = at(&scan);
        scan.entry()?;
        count += 1;
        end = at(&scan);
        if scan.token(SEPARATOR).is_none() {
            break;
        }
    }
    scan.token("\n  ]\n}")?;
    if !matches!(scan.left, "" | "\n") || count <= LATEST {
        return None;
    }
    let mut latest = Vec::with_capacity(LATEST + 1);
    for (index, begin) in begins.iter().enumerate() {
        let end = begins.get(index + 1).map_or(end, |next| next - SEPARATOR.len());
        latest.push(HistoryEntry::parse(whole.get(*begin..end)?, count - LATEST + index)?);
    }
    let earlier = first..begins[0].checked_sub(SEPARATOR.len())?;
    let history = History::with_text(Arc::clone(text), earlier, count - LATEST, latest);
    Some(FlowStatus { task_id, current_phase, current_step, started_at, history, others: Map::new() })
}

/// What is left of a text.
struct Scanner<'t> {
    left: &'t str,
}

impl<'t> Scanner<'t> {
    fn token(&mut self, token: &str) -> Option<()> {
        self.left = self.left.strip_prefix(token)?;
        Some(())
    }

    /// A whole entry.
    fn entry(&mut self) -> Option<()> {
        self.token("{\n      \"timestamp\": ")?;
        self.string()?;
        self.token(",\n      \"action\": ")?;
        Action::from_code(self.plain_string()?)?;
        self.token(",\n      \"phase\": ")?;
        self.string()?;
        self.token(",\n      \"step\": ")?;
        self.integer()?;
        self.token(",\n      \"summary\": ")?;
        self.string()?;
        if self.token(",\n      \"git_commit\": ").is_some() {
            self.text()?;
        }
        self.token("\n    }")
    }

    /// A string between its quotation marks, with its escapes.
    fn text(&mut self) -> Option<&'t str> {
        let text = self.left.strip_prefix('"')?;
        let bytes = text.as_bytes();
        let mut at = 0;
        loop {
            at += memchr::memchr2(b'"', b'\\', bytes.get(at..)?)?;
            if bytes.get(at) == Some(&b'"') {
                break;
            }
            // Each of these has one spelling only; a control character without a name is rare.
            if !matches!(bytes.get(at + 1)?, b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') {
                return None;
            }
            at += 2;
        }
        let (text, left) = text.split_at_checked(at)?;
        self.left = left.strip_prefix('"')?;
        // They have to be escaped.
        text.bytes().all(|byte| byte >= b' ').then_some(text)
    }

    /// The same for one that must not be blank.
    fn string(&mut self) -> Option<&'t str> {
        let text = self.text()?;
        let is_blank = match text.as_bytes() {
            [b'\\', b'"' | b'\\', ..] => false,
            [b'\\', ..] => return None,
            [first, ..] if first.is_ascii_graphic() => false,
            // An escape is not what it stands for.
            _ if text.contains('\\') => return None,
            _ => is_blank(text),
        };
        (!is_blank).then_some(text)
    }

    /// The same for one without escapes.
    fn plain_string(&mut self) -> Option<&'t str> {
        self.string().filter(|text| !text.contains('\\'))
    }

    fn integer(&mut self) -> Option<u64> {
        let length = self.left.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, left) = self.left.split_at_checked(length)?;
        self.left = left;
        if digits.len() > 1 && digits.starts_with('0') {
            return None;
        }
        digits.parse().ok().filter(|number| *number <= MAX_SAFE_INTEGER)
    }
}

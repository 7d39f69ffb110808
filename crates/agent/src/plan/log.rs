//! `deliveries.jsonl`: what was delivered to whom, a line for each, which is written when the agent has it.

use files::{Dir, FileError, line_log};
use protocol::agent::{Delivery, Format};
use std::collections::VecDeque;
use std::ops::Range;

/// Its name.
pub const DELIVERIES: &str = "deliveries.jsonl";
/// It is never begun anew: what was delivered once is known for ever.
pub(super) const FOREVER: line_log::Rotation = line_log::Rotation { max_bytes: u64::MAX, keep: 0 };
/// All of it.
pub(super) const ALL: Range<u64> = 0..u64::MAX;

/// Reads those lines in a part of the log whose bytes are wanted. One that a killed writer has left torn, or that says
/// nothing, is skipped. With each line, `tell` gets the place in the log where it ends.
pub(super) fn each_line<E: From<FileError>>(
    dir: &Dir,
    part: Range<u64>,
    is_wanted: impl Fn(&[u8]) -> bool,
    mut tell: impl FnMut(Delivery, u64) -> Result<(), E>,
) -> Result<(), E> {
    each_unread_line(dir, part, |line, end| {
        if is_wanted(line)
            && let Ok(line) = Delivery::parse(line)
        {
            tell(line, end)?;
        }
        Ok(())
    })
}

/// The same, without a look at what the lines say.
fn each_unread_line<E: From<FileError>>(
    dir: &Dir,
    part: Range<u64>,
    mut tell: impl FnMut(&[u8], u64) -> Result<(), E>,
) -> Result<(), E> {
    let mut end = part.start;
    let mut rest = Vec::new();
    let mut take = |line: &[u8]| {
        end = end.saturating_add(u64::try_from(line.len()).unwrap_or(u64::MAX));
        tell(line, end)
    };
    dir.read_range(DELIVERIES, part, |piece| {
        rest.extend_from_slice(piece);
        let whole = rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        rest[..whole].split_inclusive(|byte| *byte == b'\n').try_for_each(&mut take)?;
        rest.drain(..whole);
        Ok::<_, E>(())
    })?;
    take(&rest)
}

/// Reads the last lines of the log, `most` at most; and how many there are in all. Those before them are counted by their
/// looks: there may be very many.
pub(super) fn last_lines(dir: &Dir, most: usize) -> Result<(Vec<Delivery>, usize), FileError> {
    let mut total = 0;
    let mut last: VecDeque<Vec<u8>> = VecDeque::new();
    each_unread_line(dir, ALL, |line, _| {
        if line.starts_with(b"{") && line.trim_ascii_end().ends_with(b"}") {
            total += 1;
            let mut kept = if last.len() < most { Vec::new() } else { last.pop_front().unwrap_or_default() };
            kept.clear();
            kept.extend_from_slice(line);
            last.push_back(kept);
        }
        Ok::<_, FileError>(())
    })?;
    last.truncate(most);
    Ok((last.iter().filter_map(|line| Delivery::parse(line).ok()).collect(), total))
}

/// Reads all lines of the log.
pub(super) fn every_line(dir: &Dir, mut tell: impl FnMut(Delivery)) -> Result<(), FileError> {
    each_line(
        dir,
        ALL,
        |_| true,
        |line, _| {
            tell(line);
            Ok(())
        },
    )
}

//! Sets or removes one key in a configuration's text.
//!
//! The document is not written anew; the text is changed where the key stands: comments, order, line ends and manual
//! alignment stay as they are. Every result is parsed again, and is accepted only if the key has the wanted value and
//! all others have theirs.

use crate::layer::{Layer, LocatedItem, Origin};
use crate::{ConfigError, ConfigValue, Key as KnownKey, key_text};
use files::FileError;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use toml_edit::{Array, InlineTable, Item, Key, Table, TableLike, Value};

/// Why a key could not be set or taken out. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file cannot be read, or would not be a configuration any more.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The file could not be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The name is that of a section, which has keys of its own.
    #[error("is a section")]
    Section,
    /// The name is that of an array of tables.
    #[error("is an array of tables")]
    Tables,
    /// The text is written so that this key cannot be changed alone.
    #[error("cannot be changed alone")]
    Unsuited,
}

/// Names a text that stands in no file, in errors.
const TEXT: &str = "config.toml";

/// The text of a configuration with the value of a key of ours.
///
/// # Errors
///
/// When it is no TOML, or the key cannot be set alone.
pub fn set_in(text: &str, key: &'static KnownKey, value: &ConfigValue) -> Result<String, EditError> {
    let layer = Layer::parse(text, Path::new(TEXT), Origin::Project)?;
    Ok(set(&layer, key.name, value)?.unwrap_or_else(|| text.to_owned()))
}

/// The text of a configuration without a key.
///
/// # Errors
///
/// When it is no TOML, or the key cannot be taken out alone.
pub fn unset_in(text: &str, names: &[&str]) -> Result<String, EditError> {
    let layer = Layer::parse(text, Path::new(TEXT), Origin::Project)?;
    Ok(unset(&layer, names)?.unwrap_or_else(|| text.to_owned()))
}

/// Any TOML text with a value under `names`, whether or not the key is one of ours.
///
/// # Errors
///
/// When it is no TOML, or the key cannot be set alone.
pub fn set_any_in(text: &str, names: &[&str], value: &ConfigValue) -> Result<String, EditError> {
    let layer = Layer::parse(text, Path::new(TEXT), Origin::Project)?;
    let mut item = Some(layer.as_item());
    for name in names {
        item = match item {
            Some(item) => item.as_table_like().ok_or(EditError::Unsuited)?.get(name),
            None => break,
        };
    }
    let candidates = match item {
        Some(Item::Value(old)) if !old.is_inline_table() => {
            if ConfigValue::of_value(old) == *value {
                return Ok(text.to_owned());
            }
            replacements(text, old, value)
        }
        Some(_) => return Err(EditError::Section),
        None => insertions(&layer, names, value),
    };
    settle(&layer, names, Some(value), candidates)
}

/// All that a TOML text says.
///
/// # Errors
///
/// When it is no TOML.
pub fn read_any_in(text: &str) -> Result<ConfigValue, ConfigError> {
    let layer = Layer::parse(text, Path::new(TEXT), Origin::Project)?;
    Ok(ConfigValue::from_item(layer.as_item()).unwrap_or(ConfigValue::Table(Vec::new())))
}

/// The text with the value of a key of ours; `None` when it has it already.
pub(crate) fn set(
    layer: &Layer,
    key: &'static str,
    value: &ConfigValue,
) -> Result<Option<String>, EditError> {
    let names: Vec<&str> = key.split('.').collect();
    let candidates = match layer.find(key)? {
        Some(LocatedItem { item: Item::Value(old), .. }) if !old.is_inline_table() => {
            if ConfigValue::of_value(old) == *value {
                return Ok(None);
            }
            replacements(layer.text(), old, value)
        }
        Some(found) => return Err(found.wrong_type(value.type_name()).into()),
        None => insertions(layer, &names, value),
    };
    settle(layer, &names, Some(value), candidates).map(Some)
}

/// The text without a key; `None` when it does not have it.
pub(crate) fn unset(layer: &Layer, names: &[&str]) -> Result<Option<String>, EditError> {
    let mut table: &dyn TableLike = layer.root();
    let mut inline: Option<&InlineTable> = None;
    let Some((last, sections)) = names.split_last() else { return Ok(None) };
    for name in sections {
        let Some(item) = table.get(name) else { return Ok(None) };
        if let Item::Value(Value::InlineTable(found)) = item
            && !found.is_dotted()
        {
            inline = Some(found);
        }
        let Some(found) = item.as_table_like() else { return Ok(None) };
        table = found;
    }
    let (Some(key), Some(item)) = (table.key(last), table.get(last)) else { return Ok(None) };
    let value = match item {
        Item::None => return Ok(None),
        Item::Value(Value::InlineTable(_)) | Item::Table(_) => return Err(EditError::Section),
        Item::ArrayOfTables(_) => return Err(EditError::Tables),
        Item::Value(value) => value,
    };
    let text = layer.text();
    let entry = inline.map(|inline| without_entry(text, inline, value));
    // A table in braces may have lines as well.
    let has_lines = |table: &InlineTable| {
        table.span().is_some_and(|span| text.get(span).is_some_and(|text| text.contains('\n')))
    };
    let lines = inline.is_none_or(has_lines).then(|| without_lines(text, key, value));
    settle(layer, names, None, lines.into_iter().chain(entry).flatten().collect()).map(Some)
}

/// The first of `candidates` that says what is wanted and else what `layer` says.
fn settle(
    layer: &Layer,
    names: &[&str],
    wanted: Option<&ConfigValue>,
    candidates: Vec<String>,
) -> Result<String, EditError> {
    let mut expected = leaves(layer);
    let path: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    match wanted {
        Some(value) => expected.insert(path, value.to_string()),
        None => expected.remove(&path),
    };
    let is_good = |text: &String| {
        Layer::parse(text, &layer.file, layer.origin).is_ok_and(|layer| leaves(&layer) == expected)
    };
    candidates.into_iter().find(is_good).ok_or(EditError::Unsuited)
}

/// Every key that has a value of its own, and the value as it is written.
fn leaves(layer: &Layer) -> BTreeMap<Vec<String>, String> {
    fn collect(table: &dyn TableLike, path: &mut Vec<String>, leaves: &mut BTreeMap<Vec<String>, String>) {
        for (name, item) in table.iter() {
            path.push(name.to_owned());
            match item.as_table_like() {
                Some(table) => collect(table, path, leaves),
                None => {
                    leaves.extend(ConfigValue::from_item(item).map(|value| (path.clone(), value.to_string())))
                }
            }
            path.pop();
        }
    }
    let mut leaves = BTreeMap::new();
    collect(layer.root(), &mut Vec::new(), &mut leaves);
    leaves
}

/// The text with `edits`, none of which overlap.
fn edited(text: &str, mut edits: Vec<(Range<usize>, String)>) -> Option<String> {
    edits.sort_by_key(|(range, _)| range.start);
    let mut result = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for (range, replacement) in edits {
        result.push_str(text.get(done..range.start)?);
        result.push_str(&replacement);
        done = range.end;
    }
    result.push_str(text.get(done..)?);
    Some(result)
}

// A value in the place of another.

fn replacements(text: &str, old: &Value, value: &ConfigValue) -> Vec<String> {
    let by_element = match (old, value) {
        (Value::Array(old), ConfigValue::List(new)) => by_element(text, old, new),
        _ => None,
    };
    let whole = old.span().and_then(|span| edited(text, vec![(span, value.to_string())]));
    by_element.into_iter().chain(whole).collect()
}

/// A list over several lines keeps its lines, and the comments on them: only elements that differ are touched.
fn by_element(text: &str, old: &Array, new: &[ConfigValue]) -> Option<String> {
    let span = old.span()?;
    text.get(span.clone())?.contains('\n').then_some(())?;
    let spans: Vec<Range<usize>> = old.iter().map(Value::span).collect::<Option<_>>()?;
    let old: Vec<ConfigValue> = old.iter().map(ConfigValue::of_value).collect();
    let shorter = old.len().min(new.len());
    let before = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let after = old.iter().rev().zip(new.iter().rev()).take_while(|(old, new)| old == new).count();
    let after = after.min(shorter - before);
    // Those in the middle: as many as there were are replaced, the rest comes or goes.
    let replaced = shorter - before - after;
    let (kept, end) = (before + replaced, old.len() - after);
    let mut edits: Vec<_> = spans
        .get(before..kept)?
        .iter()
        .cloned()
        .zip(new.get(before..kept)?.iter().map(ConfigValue::to_string))
        .collect();
    edits.extend(spans.get(kept..end)?.iter().map(|span| (without_element(text, span), String::new())));
    let mut added = String::new();
    let more = new.get(kept..new.len() - after)?;
    match (kept.checked_sub(1).and_then(|last| spans.get(last)), spans.get(kept)) {
        (Some(last), _) => {
            let gap = gap(text, last.start);
            more.iter().for_each(|value| added += &format!(",{gap}{value}"));
            edits.push((last.end..last.end, added));
        }
        (None, Some(next)) => {
            let gap = gap(text, next.start);
            more.iter().for_each(|value| added += &format!("{value},{gap}"));
            edits.push((next.start..next.start, added));
        }
        (None, None) => {
            let line_end = line_end(text);
            more.iter().for_each(|value| added += &format!("{line_end}    {value},"));
            edits.push((span.start + 1..span.start + 1, added));
        }
    }
    // An element that is replaced and followed by new ones is edited once.
    edits.retain(|(range, replacement)| !range.is_empty() || !replacement.is_empty());
    edited(text, edits)
}

/// What stands between an element at `start` and the one before it, if it begins its line; else a space.
fn gap(text: &str, start: usize) -> String {
    let line = line_start(text, start);
    match text.get(line..start) {
        Some(indent) if indent.trim().is_empty() && line > 0 => format!("{}{indent}", line_end(text)),
        _ => " ".to_owned(),
    }
}

/// An element with its comma, and with its line if nothing else is on it.
fn without_element(text: &str, span: &Range<usize>) -> Range<usize> {
    let after = text.get(span.end..).unwrap_or_default();
    let comma = after.trim_start_matches([' ', '\t']).starts_with(',').then(|| after.find(',')).flatten();
    let end = comma.map_or(span.end, |comma| span.end + comma + 1);
    let (start, next) = (line_start(text, span.start), next_line(text, end));
    let is_blank = |range| text.get(range).is_some_and(|text: &str| text.trim().is_empty());
    if is_blank(start..span.start) && is_blank(end..next) { start..next } else { span.start..end }
}

// A key that was not there.

/// Where keys of a section can stand.
enum Host<'t> {
    /// Lines below a header, or at the beginning of the file.
    Lines(&'t Table),
    Inline(&'t InlineTable),
    /// The section has none but sections.
    Nowhere,
}

fn insertions(layer: &Layer, names: &[&str], value: &ConfigValue) -> Vec<String> {
    let Some((name, sections)) = names.split_last() else { return Vec::new() };
    let text = layer.text();
    // How many of the sections the host is, and how many are there at all: between them are dotted keys.
    let (mut host, mut base, mut reached) = (Host::Lines(layer.root()), 0, 0);
    let mut table: &dyn TableLike = layer.root();
    for section in sections {
        let Some(item) = table.get(section) else { break };
        let Some(found) = item.as_table_like() else { return Vec::new() };
        (table, reached) = (found, reached + 1);
        let next = match item {
            Item::Table(table) if table.is_dotted() => continue,
            Item::Table(table) if table.is_implicit() => Host::Nowhere,
            Item::Table(table) => Host::Lines(table),
            Item::Value(Value::InlineTable(table)) if !table.is_dotted() => Host::Inline(table),
            _ => continue,
        };
        (host, base) = (next, reached);
    }
    let dotted = || names.iter().skip(base).map(|name| key_text(name)).collect::<Vec<_>>().join(".");
    let line = |key: &str| format!("{key} = {value}");
    match host {
        Host::Inline(table) => with_entry(text, table, &line(&dotted())).into_iter().collect(),
        Host::Lines(_) if reached > base => {
            let end = body_end(table);
            end.map(|end| with_line(text, end, "", &line(&dotted()))).into_iter().collect()
        }
        Host::Lines(table) if base == sections.len() => lines_in(text, layer, table, name, &line(name)),
        Host::Lines(_) | Host::Nowhere => {
            let header = sections.iter().map(|name| key_text(name)).collect::<Vec<_>>().join(".");
            vec![with_section(text, &header, &line(name))]
        }
    }
}

/// A line in a table: below the one that shows the key in a comment, else behind the table's last.
fn lines_in(text: &str, layer: &Layer, table: &Table, name: &str, line: &str) -> Vec<String> {
    let header = table.span().filter(|span| !span.is_empty());
    let from = header.as_ref().map_or(0, |span| span.end);
    let to = header_starts(layer.root()).into_iter().filter(|start| *start >= from).min();
    let to = to.unwrap_or(text.len());
    let shows_it = |comment: &str| {
        let Some(comment) = comment.trim_start().strip_prefix('#') else { return false };
        let rest = comment.trim_start().strip_prefix(name);
        rest.is_some_and(|rest| rest.trim_start().starts_with('='))
    };
    let mut at = from;
    let mut candidates = Vec::new();
    for comment in text.get(from..to).unwrap_or_default().split_inclusive('\n') {
        if shows_it(comment) {
            let indent: String = comment.chars().take_while(|c| [' ', '\t'].contains(c)).collect();
            candidates.push(with_line(text, at, &indent, line));
        }
        at += comment.len();
    }
    let first = table.iter().next().and_then(|(name, _)| table.key(name)).and_then(Key::span);
    let indent: String = first
        .and_then(|key| text.get(line_start(text, key.start)..key.start))
        .map(|before| before.chars().take_while(|c| [' ', '\t'].contains(c)).collect())
        .unwrap_or_default();
    match (body_end(table), header) {
        (Some(end), _) => candidates.push(with_line(text, end, &indent, line)),
        (None, Some(header)) => candidates.push(with_line(text, header.end, "", line)),
        (None, None) => candidates.push(format!("{line}{}{text}", line_end(text))),
    }
    candidates
}

/// Where the values end that stand in the lines of a table itself.
fn body_end(table: &dyn TableLike) -> Option<usize> {
    value_ends(table).max()
}

fn value_ends(table: &dyn TableLike) -> impl Iterator<Item = usize> {
    table.get_values().into_iter().filter_map(|(_, value)| value.span()).map(|span| span.end)
}

/// Where the headers of all tables begin.
fn header_starts(table: &dyn TableLike) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut header = |table: &Table| {
        starts.extend(table.span().filter(|span| !span.is_empty() && !table.is_dotted()).map(|s| s.start));
        starts.extend(header_starts(table));
    };
    for (_, item) in table.iter() {
        match item {
            Item::Table(table) => header(table),
            Item::ArrayOfTables(tables) => tables.iter().for_each(&mut header),
            _ => {}
        }
    }
    starts
}

/// A line of its own behind the one that `at` is on.
fn with_line(text: &str, at: usize, indent: &str, line: &str) -> String {
    let (next, line_end) = (next_line(text, at), line_end(text));
    let (before, after) = text.split_at_checked(next).unwrap_or((text, ""));
    let missing = if before.is_empty() || before.ends_with('\n') { "" } else { line_end };
    format!("{before}{missing}{indent}{line}{line_end}{after}")
}

fn with_section(text: &str, header: &str, line: &str) -> String {
    let line_end = line_end(text);
    let is_empty = text.trim_start_matches('\u{feff}').is_empty();
    let missing = if is_empty || text.ends_with('\n') { "" } else { line_end };
    let blank = if is_empty { "" } else { line_end };
    format!("{text}{missing}{blank}[{header}]{line_end}{line}{line_end}")
}

fn with_entry(text: &str, table: &InlineTable, entry: &str) -> Option<String> {
    match body_end(table) {
        Some(end) => edited(text, vec![(end..end, format!(", {entry}"))]),
        None => edited(text, vec![(table.span()?, format!("{{ {entry} }}"))]),
    }
}

// A key that goes.

fn without_lines(text: &str, key: &Key, value: &Value) -> Option<String> {
    let start = line_start(text, key.span()?.start);
    edited(text, vec![(start..next_line(text, value.span()?.end), String::new())])
}

fn without_entry(text: &str, table: &InlineTable, value: &Value) -> Option<String> {
    let (whole, end) = (table.span()?, value.span()?.end);
    let mut all: Vec<usize> = value_ends(table).collect();
    all.sort_unstable();
    let range = match all.iter().rev().find(|other| **other < end) {
        Some(before) => *before..end,
        None if all.len() == 1 => whole.start + 1..whole.end.checked_sub(1)?,
        None => {
            let inside = text.get(whole.start + 1..)?;
            let start = whole.end.min(whole.start + 1 + inside.len() - inside.trim_start().len());
            let comma = end + text.get(end..)?.find(',')? + 1;
            let after = text.get(comma..)?;
            start..comma + after.len() - after.trim_start_matches([' ', '\t']).len()
        }
    };
    edited(text, vec![(range, String::new())])
}

// Lines.

/// How lines of the text end.
fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

/// Where the line begins that `at` is on, behind a byte order mark.
fn line_start(text: &str, at: usize) -> usize {
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    text.get(..at).and_then(|before| before.rfind('\n')).map_or(mark, |end| end + 1)
}

/// Where the line begins that comes after the one `at` is on.
fn next_line(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|after| after.find('\n')).map_or(text.len(), |end| at + end + 1)
}

#[cfg(test)]
mod tests;

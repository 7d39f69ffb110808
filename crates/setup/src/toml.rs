//! Tables of a TOML text, set and taken out. As with JSON, the rest stays as it is, and every result is read again.

use crate::json::{get, merge_value};
use serde_json::{Map, Number, Value};
use settings::ConfigValue;
use std::ops::Range;
use toml_edit::{Document, Item, Table};

/// What the text says.
///
/// # Errors
///
/// The parser's own words, with the line.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    match Document::parse(text) {
        Ok(_) => settings::read_any_in(text).map(|value| to_json(&value)).map_err(|error| error.to_string()),
        Err(error) => {
            let at = error.span().map_or(0, |span| span.start);
            let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            Err(format!("line {line}: {}", error.message()))
        }
    }
}

/// The text with the table `path`, where keys that are there already stay beside the new ones; `None` when that cannot be
/// changed alone.
pub(crate) fn merge(text: &str, path: &[&str], value: &Value) -> Option<String> {
    let mut expected = read(text).ok()?;
    let members = path
        .iter()
        .rev()
        .fold(value.clone(), |value, name| Value::Object(Map::from_iter([((*name).to_owned(), value)])));
    let old = get(&expected, path).cloned();
    merge_value(&mut expected, &members);
    let text = match old {
        None => with_table(text, path, value)
            .filter(|text| read(text).as_ref() == Ok(&expected))
            .or_else(|| set_each(text, path, value))?,
        Some(_) => set_each(text, path, value)?,
    };
    (read(&text).as_ref() == Ok(&expected)).then_some(text)
}

/// The text without the table `path`.
pub(crate) fn remove(text: &str, path: &[&str]) -> Option<String> {
    let mut expected = read(text).ok()?;
    if get(&expected, path).is_none() {
        return Some(text.to_owned());
    }
    let (last, outer) = path.split_last()?;
    let parent = outer.iter().try_fold(&mut expected, |value, name| value.get_mut(*name))?;
    parent.as_object_mut()?.shift_remove(*last);
    let is_good = |text: &String| {
        // A table without a header of its own goes with the last one in it.
        read(text).is_ok_and(|found| found == expected || pruned(found) == pruned(expected.clone()))
    };
    [without_tables(text, path), without_keys(text, path)].into_iter().flatten().find(is_good)
}

/// Without the objects that have no members.
fn pruned(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| (name, pruned(value)));
            Value::Object(members.filter(|(_, value)| *value != Value::Object(Map::new())).collect())
        }
        value => value,
    }
}

/// A table at the end of the file.
fn with_table(text: &str, path: &[&str], value: &Value) -> Option<String> {
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines = Vec::new();
    table_lines(
        &path.iter().map(|name| settings::key_text(name)).collect::<Vec<_>>().join("."),
        value,
        &mut lines,
    )?;
    let table = lines.join(line_end);
    let is_empty = text.trim().is_empty();
    let missing = if is_empty || text.ends_with('\n') { "" } else { line_end };
    let blank = if is_empty { "" } else { line_end };
    Some(format!("{text}{missing}{blank}{table}{line_end}"))
}

/// The lines of a table; tables in it that hold nothing but texts stand in braces.
fn table_lines(path: &str, value: &Value, lines: &mut Vec<String>) -> Option<()> {
    let members = value.as_object()?;
    let is_nested =
        |value: &Value| value.as_object().is_some_and(|members| members.values().any(Value::is_object));
    if members.values().any(|value| !is_nested(value)) {
        lines.push(format!("[{path}]"));
    }
    for (name, value) in members.iter().filter(|(_, value)| !is_nested(value)) {
        lines.push(format!("{} = {}", settings::key_text(name), of_json(value)?));
    }
    for (name, value) in members.iter().filter(|(_, value)| is_nested(value)) {
        for (below, value) in value.as_object()? {
            lines.push(String::new());
            let (name, below) = (settings::key_text(name), settings::key_text(below));
            table_lines(&format!("{path}.{name}.{below}"), value, lines)?;
        }
    }
    Some(())
}

/// Each value where it stands, or beside its neighbours.
fn set_each(text: &str, path: &[&str], value: &Value) -> Option<String> {
    match value {
        Value::Object(members) => members.iter().try_fold(text.to_owned(), |text, (name, value)| {
            let path: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
            set_each(&text, &path, value)
        }),
        value => settings::set_any_in(text, path, &of_json(value)?).ok(),
    }
}

/// The text without the headers of the table and of those in it, and without their lines.
fn without_tables(text: &str, path: &[&str]) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let item = path.iter().try_fold(document.as_item(), |item, name| item.as_table_like()?.get(name))?;
    collect(text, item.as_table()?, &mut ranges);
    ranges.sort_unstable_by_key(|range| range.start);
    // Those with nothing but blank lines between them go together with these.
    ranges.dedup_by(|next, range| {
        let is_near = text.get(range.end..next.start).is_some_and(|between| between.trim().is_empty());
        if is_near {
            range.end = next.end;
        }
        is_near
    });
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for range in ranges {
        // With the blank line before it, if what comes next is separated as well, or nothing comes.
        let before = text.get(done..range.start)?;
        let rest = text.get(range.end..)?;
        let is_separated = rest.is_empty() || rest.starts_with('\n') || rest.starts_with("\r\n");
        let blank =
            ["\r\n\r\n", "\n\n"].into_iter().find(|blank| before.ends_with(blank)).filter(|_| is_separated);
        result.push_str(before.get(..before.len() - blank.map_or(0, |blank| blank.len() / 2))?);
        done = range.end;
    }
    result.push_str(text.get(done..)?);
    Some(result)
}

fn collect(text: &str, table: &Table, ranges: &mut Vec<Range<usize>>) {
    if let Some(span) =
        table.span().filter(|span| !span.is_empty() && !table.is_implicit() && !table.is_dotted())
    {
        let end = body_end(table).unwrap_or(span.start).max(span.start);
        let start = text.get(..span.start).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let end =
            text.get(end..).and_then(|after| after.find('\n')).map_or(text.len(), |found| end + found + 1);
        ranges.push(start..end);
    }
    for (_, item) in table.iter() {
        if let Item::Table(table) = item {
            collect(text, table, ranges);
        }
    }
}

/// Where the values end that stand in the lines of a table itself.
fn body_end(table: &Table) -> Option<usize> {
    table.get_values().into_iter().filter_map(|(_, value)| value.span()).map(|span| span.end).max()
}

/// The text without each key of the table, however it is written.
fn without_keys(text: &str, path: &[&str]) -> Option<String> {
    fn leaves(value: &Value, path: &[String], all: &mut Vec<Vec<String>>) {
        match value {
            Value::Object(members) => members.iter().for_each(|(name, value)| {
                leaves(value, &[path, std::slice::from_ref(name)].concat(), all);
            }),
            _ => all.push(path.to_vec()),
        }
    }
    let (now, mut all) = (read(text).ok()?, Vec::new());
    let names: Vec<String> = path.iter().map(|name| (*name).to_owned()).collect();
    leaves(get(&now, path)?, &names, &mut all);
    all.iter().try_fold(text.to_owned(), |text, leaf| {
        let names: Vec<&str> = leaf.iter().map(String::as_str).collect();
        settings::unset_in(&text, &names).ok()
    })
}

fn to_json(value: &ConfigValue) -> Value {
    match value {
        ConfigValue::Boolean(value) => Value::Bool(*value),
        ConfigValue::Integer(number) => Value::Number((*number).into()),
        // What JSON has no number for is distinguished by its text.
        ConfigValue::Float(number) => {
            Number::from_f64(*number).map_or_else(|| Value::String(format!("{number:?}")), Value::Number)
        }
        ConfigValue::Text(text) => Value::String(text.clone()),
        ConfigValue::Time(text) => Value::String(format!("time {text}")),
        ConfigValue::List(values) => Value::Array(values.iter().map(to_json).collect()),
        ConfigValue::Table(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), to_json(value))).collect())
        }
    }
}

fn of_json(value: &Value) -> Option<ConfigValue> {
    Some(match value {
        Value::Null => return None,
        Value::Bool(value) => ConfigValue::Boolean(*value),
        Value::Number(number) => ConfigValue::Integer(number.as_i64()?),
        Value::String(text) => ConfigValue::Text(text.clone()),
        Value::Array(values) => ConfigValue::List(values.iter().map(of_json).collect::<Option<_>>()?),
        Value::Object(members) => {
            let members = members.iter().map(|(name, value)| Some((name.clone(), of_json(value)?)));
            ConfigValue::Table(members.collect::<Option<_>>()?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{merge, remove};
    use serde_json::{Value, json};

    const PATH: &[&str] = &["mcp_servers", "aide"];

    fn value() -> Value {
        json!({
            "command": "aide", "args": ["mcp"], "env": {"AIDE_MCP_HOLD": "86390"}, "tool_timeout_sec": 86400,
            "tools": {"flow_record": {"approval_mode": "auto"}},
        })
    }

    const TABLE: &str = "[mcp_servers.aide]\ncommand = \"aide\"\nargs = [\"mcp\"]\nenv = { AIDE_MCP_HOLD = \"86390\" }\ntool_timeout_sec = 86400\n\n[mcp_servers.aide.tools.flow_record]\napproval_mode = \"auto\"\n";

    #[test]
    fn a_table_at_the_end() {
        assert_eq!(merge("", PATH, &value()).unwrap(), TABLE);
        let text = "# mine\nmodel = \"gpt-5\"   # dear\n\n[mcp_servers.other]\ncommand = 'x'";
        assert_eq!(merge(text, PATH, &value()).unwrap(), format!("{text}\n\n{TABLE}"));
        let crlf = format!("{text}\n").replace('\n', "\r\n");
        let done = merge(&crlf, PATH, &value()).unwrap();
        assert_eq!(done, format!("{crlf}\r\n{}", TABLE.replace('\n', "\r\n")));
        assert_eq!(merge(&done, PATH, &value()).unwrap(), done);
        assert_eq!(remove(&done, PATH).unwrap(), crlf);
    }

    #[test]
    fn what_is_there_stays_beside_it() {
        let text = "[mcp_servers.aide] # here\ncommand = \"/old/aide\"\nargs = ['mcp']\nenabled = false # for now\n\n[other]\na = 1\n";
        let done = merge(text, PATH, &value()).unwrap();
        assert!(
            done.starts_with(
                "[mcp_servers.aide] # here\ncommand = \"aide\"\nargs = ['mcp']\nenabled = false # for now\n"
            ),
            "{done}"
        );
        assert!(done.contains("tool_timeout_sec = 86400\n"), "{done}");
        assert_eq!(merge(&done, PATH, &value()).unwrap(), done);
    }

    #[test]
    fn other_ways_to_write_tables() {
        for text in [
            "mcp_servers = { other = { command = \"x\" } }\n",
            "[mcp_servers]\nother = { command = \"x\" }\n",
            "mcp_servers.other.command = \"x\"\n",
            "[mcp_servers.other]\ncommand = \"x\"\n[mcp_servers.other.env]\nA = \"1\"\n[[list]]\nb = 1\n",
        ] {
            let done = merge(text, PATH, &value()).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(merge(&done, PATH, &value()).unwrap(), done);
            assert!(remove(&done, PATH).is_some(), "{done}");
        }
    }

    #[test]
    fn a_table_in_the_middle_is_taken_out() {
        let text = format!("a = 1\n\n{TABLE}\n# of the next\n[next]\nb = 2\n");
        assert_eq!(remove(&text, PATH).unwrap(), "a = 1\n\n# of the next\n[next]\nb = 2\n");
    }
}

//! Members of a JSON text, set and taken out, with comments or without.
//!
//! Nothing is written anew but what changes: comments, order, indentation and line ends stay. Every result is read again, and
//! is one only if it says what was wanted and nothing else.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstArray, CstContainerNode, CstInputValue, CstNode, CstObject, CstRootNode};
use serde_json::{Map, Value};

/// How the text may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// The program that reads it takes JSON and nothing else.
    Strict,
    /// Comments and trailing commas as well.
    Comments,
}

/// What the text says; an empty object where it says nothing.
///
/// # Errors
///
/// The parser's own words.
pub(crate) fn read(text: &str, flavour: Flavour) -> Result<Value, String> {
    if flavour == Flavour::Strict && !text.trim().is_empty() {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    match parse(text, flavour)?.value() {
        None => Ok(Value::Object(Map::new())),
        Some(value) => value.to_serde_value().ok_or_else(|| "not JSON".to_owned()),
    }
}

/// The text with `value` under `path`, where members of objects that are there already stay beside the new ones; `None` when
/// that cannot be changed alone.
pub(crate) fn merge(text: &str, flavour: Flavour, path: &[&str], value: &Value) -> Option<String> {
    let mut expected = read(text, flavour).ok()?;
    merge_value(slot(&mut expected, path)?, value);
    settled(merge_text(text, flavour, path, value)?, flavour, &expected)
}

/// The text with exactly `value` under `path`.
pub(crate) fn set(text: &str, flavour: Flavour, path: &[&str], value: &Value) -> Option<String> {
    let mut expected = read(text, flavour).ok()?;
    *slot(&mut expected, path)? = value.clone();
    settled(set_text(text, flavour, path, value)?, flavour, &expected)
}

/// The text without what is under `path`.
pub(crate) fn remove(text: &str, flavour: Flavour, path: &[&str]) -> Option<String> {
    let mut expected = read(text, flavour).ok()?;
    let (last, outer) = path.split_last()?;
    let found = slot(&mut expected, outer)?.as_object_mut()?.shift_remove(*last);
    if found.is_none() {
        return Some(text.to_owned());
    }
    let root = parse(text, flavour).ok()?;
    let mut object = root.object_value()?;
    for name in outer {
        object = object.object_value(name)?;
    }
    object.get(last)?.remove();
    settled(root.to_string(), flavour, &expected)
}

/// The text with `element` in the array under `path`: in the place of the one at `position`, or else at its end. An array that is
/// not there is made.
pub(crate) fn put(
    text: &str,
    flavour: Flavour,
    path: &[&str],
    position: Option<usize>,
    element: &Value,
) -> Option<String> {
    let mut expected = read(text, flavour).ok()?;
    let slot = slot(&mut expected, path)?;
    if slot.is_null() {
        return set(text, flavour, path, &Value::Array(vec![element.clone()]));
    }
    let elements = slot.as_array_mut()?;
    match position {
        Some(position) => element.clone_into(elements.get_mut(position)?),
        None => elements.push(element.clone()),
    }
    let root = parse(text, flavour).ok()?;
    let array = array_under(&root, path)?;
    match position {
        Some(position) => {
            let found = array.elements().into_iter().nth(position)?;
            replace(found, element)?;
        }
        None => drop(array.append(input(element))),
    }
    settled(root.to_string(), flavour, &expected)
}

/// The text without the element at `position` of the array under `path`.
pub(crate) fn take(text: &str, flavour: Flavour, path: &[&str], position: usize) -> Option<String> {
    let mut expected = read(text, flavour).ok()?;
    let elements = slot(&mut expected, path)?.as_array_mut()?;
    if position >= elements.len() {
        return None;
    }
    elements.remove(position);
    let root = parse(text, flavour).ok()?;
    array_under(&root, path)?.elements().into_iter().nth(position)?.remove();
    settled(root.to_string(), flavour, &expected)
}

fn array_under(root: &CstRootNode, path: &[&str]) -> Option<CstArray> {
    let (last, outer) = path.split_last()?;
    let mut object = root.object_value()?;
    for name in outer {
        object = object.object_value(name)?;
    }
    object.array_value(last)
}

fn replace(found: CstNode, element: &Value) -> Option<()> {
    match found {
        CstNode::Container(CstContainerNode::Object(found)) => found.replace_with(input(element)).map(drop),
        CstNode::Container(CstContainerNode::Array(found)) => found.replace_with(input(element)).map(drop),
        _ => None,
    }
}

/// What is under `path`.
pub(crate) fn get<'v>(value: &'v Value, path: &[&str]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, name| value.get(name))
}

/// Adds the members of `new`, those of nested objects one by one.
pub(crate) fn merge_value(old: &mut Value, new: &Value) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in new {
                merge_value(old.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (old, new) => *old = new.clone(),
    }
}

/// The place under `path`, made where it is missing; `None` where something else than an object is on the way.
fn slot<'v>(value: &'v mut Value, path: &[&str]) -> Option<&'v mut Value> {
    path.iter().try_fold(value, |value, name| {
        if value.is_null() {
            *value = Value::Object(Map::new());
        }
        Some(value.as_object_mut()?.entry(*name).or_insert(Value::Null))
    })
}

fn settled(text: String, flavour: Flavour, expected: &Value) -> Option<String> {
    (read(&text, flavour).as_ref() == Ok(expected)).then_some(text)
}

fn parse(text: &str, flavour: Flavour) -> Result<CstRootNode, String> {
    let has_comments = flavour == Flavour::Comments;
    let options = ParseOptions {
        allow_comments: has_comments,
        allow_trailing_commas: has_comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    CstRootNode::parse(text, &options).map_err(|error| error.to_string())
}

fn merge_text(text: &str, flavour: Flavour, path: &[&str], value: &Value) -> Option<String> {
    let now = read(text, flavour).ok()?;
    match (get(&now, path), value) {
        (Some(old), value) if old == value => Some(text.to_owned()),
        (Some(Value::Object(_)), Value::Object(members)) => {
            members.iter().try_fold(text.to_owned(), |text, (name, value)| {
                let path: Vec<&str> = path.iter().copied().chain([name.as_str()]).collect();
                merge_text(&text, flavour, &path, value)
            })
        }
        _ => set_text(text, flavour, path, value),
    }
}

fn set_text(text: &str, flavour: Flavour, path: &[&str], value: &Value) -> Option<String> {
    // Of an empty file nothing is kept.
    let text = if text.trim().is_empty() { "{}\n" } else { text };
    let root = parse(text, flavour).ok()?;
    let mut object = match root.value() {
        Some(_) => root.object_value()?,
        None => root.object_value_or_set(),
    };
    let (last, outer) = path.split_last()?;
    for (index, name) in outer.iter().enumerate() {
        match object.get(name) {
            Some(found) => object = found.object_value()?,
            None => {
                let rest = path.get(index + 1..)?;
                let value = rest.iter().rev().fold(value.clone(), |value, name| {
                    Value::Object(Map::from_iter([((*name).to_owned(), value)]))
                });
                return insert(&root, &object, name, &value);
            }
        }
    }
    match object.get(last) {
        Some(found) => found.set_value(input(value)),
        None => return insert(&root, &object, last, value),
    }
    Some(root.to_string())
}

/// The text with a member at the end of an object.
fn insert(root: &CstRootNode, object: &CstObject, name: &str, value: &Value) -> Option<String> {
    let last = object.properties().pop();
    let is_on_lines = object.children().iter().any(CstNode::is_newline);
    let Some(last) = last.filter(|_| !is_on_lines) else {
        object.append(name, input(value));
        return Some(root.to_string());
    };
    // An object on one line stays on it.
    let member = format!("{}: {value}", Value::from(name));
    let (after, inserted): (CstNode, _) = match last.trailing_comma() {
        Some(comma) => (comma.into(), format!(" {member},")),
        None => (last.into(), format!(", {member}")),
    };
    let at = end(&after);
    let text = root.to_string();
    Some(format!("{}{inserted}{}", text.get(..at)?, text.get(at..)?))
}

/// Where a node ends in the text.
fn end(node: &CstNode) -> usize {
    let before: usize = node.previous_siblings().map(|sibling| sibling.to_string().len()).sum();
    let start = node.parent().map_or(0, |parent| {
        let parent: CstNode = parent.into();
        end(&parent) - parent.to_string().len()
    });
    start + before + node.to_string().len()
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(value) => CstInputValue::Bool(*value),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(values) => CstInputValue::Array(values.iter().map(input).collect()),
        Value::Object(members) => {
            CstInputValue::Object(members.iter().map(|(name, value)| (name.clone(), input(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Flavour, merge, remove, set};
    use serde_json::json;

    const PATH: &[&str] = &["mcpServers", "aide"];

    fn merged(text: &str) -> String {
        merge(text, Flavour::Comments, PATH, &json!({"command": "aide", "args": ["mcp"]})).unwrap()
    }

    #[test]
    fn a_new_file() {
        let expected = "{\n  \"mcpServers\": {\n    \"aide\": {\n      \"command\": \"aide\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
        assert_eq!(merged(""), expected);
        assert_eq!(merged(" \n"), expected);
    }

    #[test]
    fn the_style_of_the_file_is_kept() {
        let text = "// mine\r\n{\r\n\t\"a\": 1, // one\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {}, /* x */\r\n\t},\r\n}\r\n";
        let expected = "// mine\r\n{\r\n\t\"a\": 1, // one\r\n\t\"mcpServers\": {\r\n\t\t\"x\": {}, /* x */\r\n\t\t\"aide\": {\r\n\t\t\t\"command\": \"aide\",\r\n\t\t\t\"args\": [\"mcp\"],\r\n\t\t},\r\n\t},\r\n}\r\n";
        let done = merged(text);
        assert_eq!(done, expected);
        assert_eq!(remove(&done, Flavour::Comments, PATH).unwrap(), text);
    }

    #[test]
    fn an_object_on_one_line_stays_on_it() {
        assert_eq!(
            merged("{\"a\": 1, \"mcpServers\": {\"x\":{}}}"),
            "{\"a\": 1, \"mcpServers\": {\"x\":{}, \"aide\": {\"command\":\"aide\",\"args\":[\"mcp\"]}}}"
        );
        assert_eq!(
            merged("{ \"a\": [1], } // end"),
            "{ \"a\": [1], \"mcpServers\": {\"aide\":{\"command\":\"aide\",\"args\":[\"mcp\"]}}, } // end"
        );
    }

    #[test]
    fn comments_where_nothing_else_is() {
        for text in [
            "// only this\n",
            "{\n  // nothing yet\n}\n",
            "{ /* nothing */ }",
            "{}",
            "{\n  \"mcpServers\": {\n    // \"x\": {}\n  }\n}",
            "{\n  \"a\": 1\n  // , \"b\": 2\n}",
            "/* a */ {\"a\":1 /* b */} // c",
        ] {
            let done = merged(text);
            let mut rest = done.chars();
            assert!(text.trim_end().chars().all(|wanted| rest.any(|found| found == wanted)), "{done}");
            assert!(remove(&done, Flavour::Comments, PATH).is_some(), "{done}");
        }
    }

    #[test]
    fn what_is_there_stays_beside_it() {
        let text = "{\"mcpServers\": {\"aide\": {\"command\": \"/old/aide\", \"args\": [ \"mcp\" ], \"disabled\": true}}}";
        assert_eq!(merged(text), text.replace("/old/aide", "aide"));
        assert_eq!(merged(&merged(text)), merged(text));
    }

    #[test]
    fn what_cannot_be_changed_alone_is_not() {
        for text in ["[]", "{\"mcpServers\": []}", "{\"mcpServers\": {}, \"mcpServers\": {\"a\": 1}}", "1"] {
            assert_eq!(merge(text, Flavour::Comments, PATH, &json!({})), None, "{text}");
        }
        assert!(merge("{} // comment", Flavour::Strict, PATH, &json!({})).is_none());
    }

    #[test]
    fn a_value_is_put_back() {
        let text = "{\n  \"mcpServers\": {\n    \"aide\": 1\n  }\n}";
        let value = json!({"command": "x"});
        let expected = "{\n  \"mcpServers\": {\n    \"aide\": {\n      \"command\": \"x\"\n    }\n  }\n}";
        assert_eq!(set(text, Flavour::Strict, PATH, &value).unwrap(), expected);
    }
}

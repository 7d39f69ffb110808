//! The part of a file that belongs to aide: inserting and removing it.

use super::BOM;
use crate::agent::Format;
use crate::error::RefusalReason;
use crate::hook::Element;
use crate::record::Record;
use crate::{block, json, texts, toml};
use serde_json::{Map, Value};
use std::fs;
use std::path::Path;

/// A part of a file that is aide's.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Entry { format: Format, entry: Value },
    Element(Element),
    Whole(&'static str),
    Block(&'static str),
}

/// What an entry starts, if that is not aide; `own` is what it would be.
pub(super) fn stranger(entry: &Value, own: &Value) -> Option<String> {
    let Some(members) = entry.as_object() else { return Some(entry.to_string()) };
    let address = ["url", "httpUrl", "serverUrl"].into_iter().find_map(|name| members.get(name));
    if let Some(address) = address {
        return Some(address.as_str().map_or_else(|| address.to_string(), str::to_owned));
    }
    if members.get("command") == own.get("command") {
        return None;
    }
    let command = match members.get("command") {
        Some(Value::String(command)) => command.as_str(),
        Some(Value::Array(words)) => words.first().and_then(Value::as_str).unwrap_or_default(),
        _ => return None,
    };
    let name = Path::new(command).file_name().unwrap_or_default();
    let is_aide = name.to_string_lossy().trim_end_matches(" (deleted)") == "aide" || name.is_empty();
    (!is_aide).then(|| command.to_owned())
}

impl Format {
    fn path(&self) -> &'static [&'static str] {
        match self {
            Self::Json { path, .. } | Self::Toml { path } => path,
        }
    }

    fn read(&self, text: &str) -> Result<Value, RefusalReason> {
        let read = match self {
            Self::Json { flavour, .. } => json::read(text, *flavour),
            Self::Toml { .. } => toml::read(text),
        };
        read.map_err(|message| RefusalReason::Unparsable { message })
    }

    /// The entry that is there.
    pub(super) fn get(&self, text: &str) -> Option<Value> {
        json::get(&self.read(text).ok()?, self.path()).cloned()
    }

    fn set(&self, text: &str, value: &Value) -> Option<String> {
        match self {
            Self::Json { flavour, path } => json::set(text, *flavour, path, value),
            Self::Toml { path } => toml::merge(&toml::remove(text, path)?, path, value),
        }
    }

    fn remove(&self, text: &str, path: &[&str]) -> Option<String> {
        match self {
            Self::Json { flavour, .. } => json::remove(text, *flavour, path),
            Self::Toml { .. } => toml::remove(text, path),
        }
    }
}

impl Element {
    fn read(&self, text: &str) -> Result<Value, RefusalReason> {
        json::read(text, self.flavour).map_err(|message| RefusalReason::Unparsable { message })
    }

    /// Whether the file has it.
    pub(super) fn is_there(&self) -> bool {
        let text = fs::read_to_string(&self.file).unwrap_or_default();
        let text = text.strip_prefix(BOM).unwrap_or(&text);
        self.read(text).is_ok_and(|value| self.position(&value).is_some())
    }

    /// Where the element is in its array.
    fn position(&self, value: &Value) -> Option<usize> {
        let elements = json::get(value, self.path)?.as_array()?;
        elements.iter().position(|element| self.is_ours(element))
    }

    /// The programs that aide was when it wrote what the record says.
    pub(super) fn programs_in(&self, record: &Record) -> Vec<String> {
        let elements = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes);
            let value = self.read(text.strip_prefix(BOM).unwrap_or(&text)).unwrap_or_default();
            let elements = json::get(&value, self.path).and_then(Value::as_array);
            elements.cloned().unwrap_or_default()
        };
        let original = record.original.as_deref().map(elements).unwrap_or_default();
        let written = elements(&record.written);
        // What the person had there before is not aide's.
        let own = written.iter().filter(|element| !original.contains(element));
        own.filter_map(|element| self.program_of(element)).collect()
    }

    fn set(&self, text: &str) -> Result<String, RefusalReason> {
        let value = self.read(text)?;
        let position = self.position(&value);
        let found = position.and_then(|position| json::get(&value, self.path)?.get(position));
        let mut text = text.to_owned();
        if let Some(version) = self.version.filter(|_| value.get("version").is_none()) {
            text = json::set(&text, self.flavour, &["version"], &version.into())
                .ok_or(RefusalReason::Unsuited)?;
        }
        if found == Some(&self.element) {
            return Ok(text);
        }
        json::put(&text, self.flavour, self.path, position, &self.element).ok_or(RefusalReason::Unsuited)
    }

    /// The text without the element, unless it was there before aide wrote it.
    fn remove(&self, text: &str, original: Option<Option<&str>>) -> Result<String, RefusalReason> {
        let value = match self.read(text) {
            Ok(value) => value,
            // Such a file is none of ours.
            Err(_) if original.is_none() => return Ok(text.to_owned()),
            Err(why) => return Err(why),
        };
        let Some(position) = self.position(&value) else { return Ok(text.to_owned()) };
        let was = original.map(|text| self.read(text.unwrap_or_default()).unwrap_or_default());
        let former =
            was.as_ref().and_then(|was| json::get(was, self.path)?.get(self.position(was)?).cloned());
        if let Some(former) = former {
            if former == self.element {
                return Ok(text.to_owned());
            }
            let back = json::put(text, self.flavour, self.path, Some(position), &former);
            return back.ok_or(RefusalReason::Unsuited);
        }
        let taken = json::take(text, self.flavour, self.path, position).ok_or(RefusalReason::Unsuited)?;
        let Some(was) = was else { return Ok(taken) };
        self.without_empty(taken, &was).ok_or(RefusalReason::Unsuited)
    }

    /// Takes out what is around the element and was not there before it, if nothing else is in it.
    fn without_empty(&self, mut text: String, was: &Value) -> Option<String> {
        for length in (1..=self.path.len()).rev() {
            let outer = self.path.get(..length)?;
            let now = self.read(&text).ok()?;
            let is_empty = match json::get(&now, outer) {
                Some(Value::Array(elements)) => elements.is_empty(),
                Some(Value::Object(members)) => members.is_empty(),
                _ => false,
            };
            if !is_empty || json::get(was, outer).is_some() {
                return Some(text);
            }
            text = json::remove(&text, self.flavour, outer)?;
        }
        if self.version.is_some() && was.get("version").is_none() {
            text = json::remove(&text, self.flavour, &["version"])?;
        }
        Some(text)
    }
}

impl Part {
    pub(super) fn set(&self, text: &str) -> Result<String, RefusalReason> {
        match self {
            Self::Element(element) => element.set(text),
            Self::Whole(content) => Ok((*content).to_owned()),
            Self::Block(content) if *content == texts::IMPORT => {
                let is_imported = block::get(text).is_none() && block::imports(text, texts::IMPORTED);
                if is_imported {
                    Ok(text.to_owned())
                } else {
                    block::set(text, content).ok_or(RefusalReason::Marks)
                }
            }
            Self::Block(content) => block::set(text, content).ok_or(RefusalReason::Marks),
            Self::Entry { format, entry } => {
                let value = format.read(text)?;
                if let Some(what) = json::get(&value, format.path()).and_then(|found| stranger(found, entry))
                {
                    return Err(RefusalReason::Foreign { what });
                }
                let merged = match format {
                    Format::Json { flavour, path } => json::merge(text, *flavour, path, entry),
                    Format::Toml { path } => toml::merge(text, path, entry),
                };
                merged.ok_or(RefusalReason::Unsuited)
            }
        }
    }

    /// The text without this part, or with what was in its place; `None` when the file goes. `original` is what was there
    /// before aide, where that is known, and whether it was anything.
    pub(super) fn remove(
        &self,
        text: &str,
        original: Option<Option<&str>>,
    ) -> Result<Option<String>, RefusalReason> {
        match self {
            Self::Whole(_) => Ok(original.flatten().map(str::to_owned)),
            Self::Element(element) => element.remove(text, original).map(Some),
            Self::Block(_) => block::remove(text).map(Some).ok_or(RefusalReason::Marks),
            Self::Entry { format, entry: own } => {
                let value = format.read(text)?;
                let path = format.path();
                let Some(entry) = json::get(&value, path) else { return Ok(Some(text.to_owned())) };
                let former = original.map(|text| text.and_then(|text| format.get(text)));
                let done = match former {
                    Some(Some(former)) if former == *entry => Some(text.to_owned()),
                    Some(Some(former)) => format.set(text, &former),
                    // An entry that is not known to be from here.
                    None if stranger(entry, own).is_some() => Some(text.to_owned()),
                    _ => format.remove(text, path).and_then(|text| {
                        let original = original.map(Option::unwrap_or_default);
                        without_empty(format, text, path, original)
                    }),
                };
                done.map(Some).ok_or(RefusalReason::Unsuited)
            }
        }
    }

    pub(super) fn read(&self, text: &str) -> Option<Value> {
        match self {
            Self::Entry { format, .. } => format.read(text).ok(),
            Self::Element(element) => element.read(text).ok(),
            Self::Whole(_) | Self::Block(_) => None,
        }
    }

    /// Whether a text says nothing.
    pub(super) fn is_void(&self, text: &str) -> bool {
        text.trim().is_empty()
            || matches!(self, Self::Element(_) | Self::Entry { format: Format::Json { .. }, .. } if text.split_whitespace().collect::<String>() == "{}")
    }
}

/// Takes out the objects around an entry that were not there before it, if they are empty.
fn without_empty(format: &Format, mut text: String, path: &[&str], original: Option<&str>) -> Option<String> {
    let Some(original) = original else { return Some(text) };
    let was = format.read(original).unwrap_or_default();
    for length in (1..path.len()).rev() {
        let outer = path.get(..length)?;
        let now = format.read(&text).ok()?;
        let is_empty = json::get(&now, outer) == Some(&Value::Object(Map::new()));
        if !is_empty || json::get(&was, outer).is_some() {
            break;
        }
        text = format.remove(&text, outer)?;
    }
    Some(text)
}

//! From the text that an agent submits to questions that can be asked: contract/decide §2, §3.

use crate::path::Place;
use crate::read::{Reader, optional};
use crate::{
    DecideInput, DecideItem, DecideOption, ItemKind, Location, MAX_ATTACHED, MAX_FILES, MAX_PREVIEW,
    PictureKind, Preview, Problem, Rule, SyntaxError, dialog, is_picture, preview, strict,
};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, OnceLock};

/// How many characters of a rejected preview the error quotes.
const SHOWN_OF_PREVIEW: usize = 60;

/// Valid questions, beside the document they were read from.
///
/// The document keeps what the types do not know, so that `pending.json` and the record hold what was sent.
#[derive(Debug, Clone)]
pub struct Questions {
    document: Arc<Map<String, Value>>,
    input: DecideInput,
    /// Made when it is first asked for: the whole document is gone through.
    fingerprint: OnceLock<String>,
    /// The same for each item.
    item_fingerprints: OnceLock<HashMap<u64, String>>,
}

/// The same document is the same questions, whether or not their fingerprint was asked for.
impl PartialEq for Questions {
    fn eq(&self, other: &Self) -> bool {
        self.document == other.document
    }
}

/// Why questions cannot be asked, or answers not be taken.
#[derive(Debug, Clone, PartialEq)]
pub enum InputError {
    /// It is not JSON.
    Syntax(SyntaxError),
    /// It breaks rules; never empty, in the order of the documented checks.
    Invalid(Vec<Problem>),
}

impl Questions {
    /// Reads and validates the bytes of a document.
    pub fn parse(bytes: &[u8]) -> Result<Self, InputError> {
        let value = strict::read(bytes).map_err(InputError::Syntax)?;
        Self::from_value(value).map_err(InputError::Invalid)
    }

    /// Validates a document. A `_meta` member must be an object and is not part of the questions. One that asks in the shape of
    /// AskUserQuestion, with `questions` in place of `items`, becomes one of items.
    pub fn from_value(value: Value) -> Result<Self, Vec<Problem>> {
        match value {
            Value::Object(given) if dialog::is_dialog(&given) => {
                let read = Self::read(Value::Object(dialog::document(&given)));
                read.map_err(|problems| dialog::given_problems(&given, problems))
            }
            value => Self::read(value),
        }
    }

    fn read(value: Value) -> Result<Self, Vec<Problem>> {
        let mut reader = Reader::default();
        let input = read_input(&mut reader, &value);
        let problems = reader.into_problems();
        match (value, input) {
            (Value::Object(mut document), Some(input)) if problems.is_empty() => {
                document.shift_remove("_meta");
                let (fingerprint, item_fingerprints) = Default::default();
                Ok(Self { document: Arc::new(document), input, fingerprint, item_fingerprints })
            }
            _ => Err(problems),
        }
    }

    /// The questions.
    pub fn input(&self) -> &DecideInput {
        &self.input
    }

    /// The document as it was sent, without `_meta`.
    pub fn document(&self) -> &Map<String, Value> {
        &self.document
    }

    /// Returns the same document without a copy, for a caller that keeps it, as a record does.
    pub fn shared_document(&self) -> Arc<Map<String, Value>> {
        Arc::clone(&self.document)
    }

    /// The items `ids` as a set of their own, in their order.
    #[must_use]
    pub fn only(&self, ids: &[u64]) -> Self {
        let mut document = Map::clone(&self.document);
        if let Some(items) = document.get_mut("items").and_then(Value::as_array_mut) {
            let mut asked = self.input.items.iter();
            items.retain(|_| asked.next().is_some_and(|item| ids.contains(&item.id)));
        }
        let mut input = self.input.clone();
        input.items.retain(|item| ids.contains(&item.id));
        let (fingerprint, item_fingerprints) = Default::default();
        Self { document: Arc::new(document), input, fingerprint, item_fingerprints }
    }

    /// A name for exactly these questions (16 hexadecimal digits): a draft belongs to it, so that it is found
    /// again when the same questions are submitted anew. Not a protection against forgery.
    pub fn fingerprint(&self) -> &str {
        self.fingerprint.get_or_init(|| fingerprint([&*self.document]))
    }

    /// A name for exactly this item of this task (16 hexadecimal digits), whatever the other items are: what was given
    /// for it still holds when others are added, removed or changed. `None` when there is no such item.
    pub fn item_fingerprint(&self, id: u64) -> Option<&str> {
        let fingerprints = self.item_fingerprints.get_or_init(|| {
            let about: Map<String, Value> = ["task", "source"]
                .into_iter()
                .filter_map(|key| Some((key.to_owned(), self.document.get(key)?.clone())))
                .collect();
            let documents = self.document.get("items").and_then(Value::as_array).into_iter().flatten();
            let items = self.input.items.iter().zip(documents.filter_map(Value::as_object));
            items.map(|(item, document)| (item.id, fingerprint([&about, document]))).collect()
        });
        fingerprints.get(&id).map(String::as_str)
    }
}

fn fingerprint<'d>(documents: impl IntoIterator<Item = &'d Map<String, Value>>) -> String {
    let mut fingerprint = Fingerprint::new();
    for document in documents {
        fingerprint.object(document);
    }
    format!("{:016x}", fingerprint.0)
}

/// FNV-1a, stable over versions and platforms, which the standard library's hasher is not; over the keys in their order,
/// because in JSON that says nothing.
struct Fingerprint(u64);

impl Fingerprint {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.text(b'n', ""),
            Value::Bool(value) => self.text(b'b', if *value { "1" } else { "0" }),
            Value::Number(number) => self.text(b'd', &number.to_string()),
            Value::String(text) => self.text(b's', text),
            Value::Array(array) => {
                self.text(b'a', &array.len().to_string());
                array.iter().for_each(|value| self.value(value));
            }
            Value::Object(object) => self.object(object),
        }
    }

    fn object(&mut self, object: &Map<String, Value>) {
        self.text(b'o', &object.len().to_string());
        let mut members: Vec<_> = object.iter().collect();
        members.sort_unstable_by_key(|(key, _)| *key);
        for (key, value) in members {
            self.text(b'k', key);
            self.value(value);
        }
    }

    /// The length keeps a text apart from what follows it.
    fn text(&mut self, kind: u8, text: &str) {
        self.bytes(&[kind]);
        self.bytes(&(text.len() as u64).to_le_bytes());
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// The order of the checks is the documented one: callers are promised which problem is named first.
fn read_input(reader: &mut Reader, value: &Value) -> Option<DecideInput> {
    let root = Place::Root;
    let object = reader.object(&root, Some(value), Rule::InputIsObject)?;
    let task = reader.written(&root.key("task"), object.get("task"));
    let source = reader.written(&root.key("source"), object.get("source"));
    let items = read_items(reader, &root.key("items"), object.get("items"));
    let partial = read_flag(reader, &root, object, "partial").unwrap_or(false);
    if let Some(meta) = optional(object, "_meta") {
        reader.object(&root.key("_meta"), Some(meta), Rule::IsObject);
    }
    Some(DecideInput { task: task?, source: source?, items: items?, partial })
}

fn read_items(reader: &mut Reader, path: &Place<'_>, value: Option<&Value>) -> Option<Vec<DecideItem>> {
    let array = reader.filled_array(path, value)?;
    let mut seen = HashSet::new();
    let mut items = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        items.extend(read_item(reader, &path.index(index), value, &mut seen));
    }
    Some(items)
}

fn read_item(
    reader: &mut Reader,
    path: &Place<'_>,
    value: &Value,
    seen: &mut HashSet<u64>,
) -> Option<DecideItem> {
    let object = reader.object(path, Some(value), Rule::IsObject)?;
    let id = reader.positive(&path.key("id"), object.get("id"));
    let title = reader.written(&path.key("title"), object.get("title"));
    let kind = read_kind(reader, &path.key("kind"), optional(object, "kind"));
    let options = read_options(reader, &path.key("options"), object.get("options"), kind);
    let recommend = optional(object, "recommend").and_then(|value| {
        let path = path.key("recommend");
        match kind {
            Some(kind @ (ItemKind::Text | ItemKind::Files)) => foreign(reader, &path, kind, value),
            _ => read_recommend(reader, &path, value, object.get("options")),
        }
    });
    let location =
        optional(object, "location").and_then(|value| read_location(reader, &path.key("location"), value));
    let context =
        optional(object, "context").and_then(|value| reader.string(&path.key("context"), Some(value)));
    let allow_other = read_flag(reader, path, object, "allow_other");
    if allow_other == Some(true)
        && let Some(kind @ (ItemKind::Confirm | ItemKind::Files)) = kind
    {
        reader.note(&path.key("allow_other"), Rule::NotOfKind { kind }, object.get("allow_other"));
    }
    let (multiple, min, max) = read_multiple(reader, path, object, kind);
    // Items of other kinds may have members with these names, as unknown members.
    let asks_files = kind == Some(ItemKind::Files);
    let member = |key| optional(object, key).filter(|_| asks_files);
    let names = member("names").and_then(|value| read_names(reader, &path.key("names"), value));
    let max_bytes = member("max_bytes").and_then(|value| {
        let most = usize::try_from(MAX_ATTACHED).unwrap_or(usize::MAX);
        reader.between(&path.key("max_bytes"), value, 1, most)
    });
    let allow_other = allow_other.unwrap_or(false);
    let required = read_flag(reader, path, object, "required").unwrap_or(true);
    if let Some(id) = id
        && !seen.insert(id)
    {
        reader.note(&path.key("id"), Rule::UniqueId { id }, object.get("id"));
    }
    Some(DecideItem {
        id: id?,
        title: title?,
        kind: kind?,
        location,
        context,
        options: options?,
        recommend,
        multiple,
        min,
        max,
        names: names.unwrap_or_default(),
        max_bytes: max_bytes.and_then(|bytes| u64::try_from(bytes).ok()),
        allow_other,
        required,
    })
}

/// Returns `None` for an unknown kind: which other rules apply is then unknown.
fn read_kind(reader: &mut Reader, path: &Place<'_>, value: Option<&Value>) -> Option<ItemKind> {
    let Some(value) = value else { return Some(ItemKind::default()) };
    let kind = value.as_str().and_then(ItemKind::named);
    if kind.is_none() {
        reader.note(path, Rule::IsKind, Some(value));
    }
    kind
}

/// Notes a member that makes no sense with this kind.
fn foreign<T>(reader: &mut Reader, path: &Place<'_>, kind: ItemKind, value: &Value) -> Option<T> {
    reader.note(path, Rule::NotOfKind { kind }, Some(value));
    None
}

fn read_flag(
    reader: &mut Reader,
    path: &Place<'_>,
    object: &Map<String, Value>,
    key: &'static str,
) -> Option<bool> {
    let value = optional(object, key)?;
    if !value.is_boolean() {
        reader.note(&path.key(key), Rule::IsBoolean, Some(value));
    }
    value.as_bool()
}

/// How many choices an item can at most offer: what is wrong with the options was told already, and should not appear as
/// a mistake in the bounds.
fn most_choices(item: &Map<String, Value>) -> usize {
    let options = item.get("options").and_then(Value::as_array).map_or(0, Vec::len);
    let other = optional(item, "allow_other").is_some_and(|value| *value != Value::Bool(false));
    if options < 2 { usize::MAX } else { options + usize::from(other) }
}

/// `multiple` with its bounds.
fn read_multiple(
    reader: &mut Reader,
    path: &Place<'_>,
    object: &Map<String, Value>,
    kind: Option<ItemKind>,
) -> (bool, Option<usize>, Option<usize>) {
    let is_files = kind == Some(ItemKind::Files);
    let choices = if is_files { MAX_FILES } else { most_choices(object) };
    let multiple = read_flag(reader, path, object, "multiple");
    if multiple == Some(true)
        && let Some(kind @ (ItemKind::Text | ItemKind::Confirm | ItemKind::Files)) = kind
    {
        reader.note(&path.key("multiple"), Rule::NotOfKind { kind }, object.get("multiple"));
    }
    let mut bound = |key: &'static str, least: usize| {
        let value = optional(object, key)?;
        // Other problems of `multiple` are already reported. Which members an unknown kind takes is unknown.
        let may_be = is_files || kind.is_none();
        if !may_be && (multiple == Some(false) || optional(object, "multiple").is_none()) {
            reader.note(&path.key(key), Rule::NeedsMultiple, Some(value));
            return None;
        }
        reader.between(&path.key(key), value, least, choices)
    };
    // What needs no file is not required.
    let min = bound("min", usize::from(is_files));
    let max = bound("max", min.unwrap_or(0).max(1));
    (multiple.unwrap_or(false), min, max)
}

fn read_options(
    reader: &mut Reader,
    path: &Place<'_>,
    value: Option<&Value>,
    kind: Option<ItemKind>,
) -> Option<Vec<DecideOption>> {
    if let Some(kind @ (ItemKind::Text | ItemKind::Files)) = kind {
        return match value {
            None | Some(Value::Null) => Some(Vec::new()),
            Some(Value::Array(array)) if array.is_empty() => Some(Vec::new()),
            Some(value) => foreign(reader, path, kind, value),
        };
    }
    // How many are needed is not known.
    if kind.is_none() && value.and_then(Value::as_array).is_none_or(Vec::is_empty) {
        return None;
    }
    let array = reader.filled_array(path, value)?;
    let count = array.len();
    match kind {
        Some(ItemKind::Choice) if count < 2 => reader.note(path, Rule::AtLeastTwoOptions { count }, value),
        Some(ItemKind::Confirm) if count != 1 => reader.note(path, Rule::OneOption { count }, value),
        _ => {}
    }
    let mut seen = HashSet::new();
    let mut options = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        options.extend(read_option(reader, &path.index(index), value, &mut seen));
    }
    Some(options)
}

fn read_option<'v>(
    reader: &mut Reader,
    path: &Place<'_>,
    value: &'v Value,
    seen: &mut HashSet<&'v str>,
) -> Option<DecideOption> {
    let object = reader.object(path, Some(value), Rule::IsObject)?;
    let value = reader.written(&path.key("value"), object.get("value"));
    if let Some(Value::String(text)) = object.get("value")
        && value.is_some()
        && !seen.insert(text)
    {
        let rule = Rule::UniqueValue { value: text.clone() };
        reader.note(&path.key("value"), rule, object.get("value"));
    }
    let label = reader.written(&path.key("label"), object.get("label"));
    let description = optional(object, "description")
        .and_then(|value| reader.string(&path.key("description"), Some(value)));
    let preview =
        optional(object, "preview").and_then(|value| read_preview(reader, &path.key("preview"), value));
    let score = optional(object, "score").and_then(|value| read_score(reader, &path.key("score"), value));
    let pros = optional(object, "pros").and_then(|value| read_strings(reader, &path.key("pros"), value));
    let cons = optional(object, "cons").and_then(|value| read_strings(reader, &path.key("cons"), value));
    Some(DecideOption { value: value?, label: label?, description, preview, score, pros, cons })
}

fn read_preview(reader: &mut Reader, path: &Place<'_>, value: &Value) -> Option<Preview> {
    let Some(read) = preview::read(value) else {
        reader.note(path, Rule::IsPreview, Some(value));
        return None;
    };
    let rule = match &read {
        Preview::Text(text) if text.len() > MAX_PREVIEW => Rule::IsShort { most: MAX_PREVIEW },
        Preview::Picture(picture) if !is_picture(picture) => Rule::IsPicture,
        Preview::File(file) if PictureKind::from_name(file).is_none() => {
            reader.note(&path.key("file"), Rule::IsPictureFile, value.get("file"));
            return None;
        }
        _ => return Some(read),
    };
    // What is said of it need not be longer than what is taken.
    let beginning = value.as_str().map(|text| text.chars().take(SHOWN_OF_PREVIEW).collect::<String>().into());
    reader.note(path, rule, beginning.as_ref());
    None
}

fn read_score(reader: &mut Reader, path: &Place<'_>, value: &Value) -> Option<f64> {
    let rule = match value.as_f64() {
        None => Rule::IsNumber,
        Some(score) if (0.0..=100.0).contains(&score) => return Some(score),
        Some(_) => Rule::IsScore,
    };
    reader.note(path, rule, Some(value));
    None
}

fn read_strings(reader: &mut Reader, path: &Place<'_>, value: &Value) -> Option<Vec<String>> {
    let Value::Array(array) = value else {
        reader.note(path, Rule::IsStringArray, Some(value));
        return None;
    };
    let mut strings = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        strings.extend(reader.string(&path.index(index), Some(value)));
    }
    Some(strings)
}

fn read_recommend(
    reader: &mut Reader,
    path: &Place<'_>,
    value: &Value,
    options: Option<&Value>,
) -> Option<String> {
    let recommend = reader.written(path, Some(value))?;
    let offered = options
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .any(|option| option.get("value").and_then(Value::as_str) == Some(recommend.as_str()));
    if !offered {
        reader.note(path, Rule::RecommendsAnOption { value: recommend }, Some(value));
        return None;
    }
    Some(recommend)
}

fn read_names(reader: &mut Reader, path: &Place<'_>, value: &Value) -> Option<Vec<String>> {
    let array = reader.filled_array(path, Some(value))?;
    let mut names = Vec::with_capacity(array.len());
    for (index, value) in array.iter().enumerate() {
        let path = path.index(index);
        let Some(name) = reader.written(&path, Some(value)) else { continue };
        if name.contains(['/', '\\']) {
            reader.note(&path, Rule::IsFileName, Some(value));
        }
        names.push(name);
    }
    Some(names)
}

fn read_location(reader: &mut Reader, path: &Place<'_>, value: &Value) -> Option<Location> {
    let object = reader.object(path, Some(value), Rule::IsObject)?;
    let file = reader.written(&path.key("file"), object.get("file"));
    let start = reader.positive(&path.key("start"), object.get("start"));
    let end = reader.positive(&path.key("end"), object.get("end"));
    let (start, end) = (start?, end?);
    if end < start {
        reader.note(&path.key("end"), Rule::EndsAfterStart { start }, object.get("end"));
        return None;
    }
    Some(Location { file: file?, start, end })
}

//! Misspelt member names in questions: unknown members that are almost known ones.
//!
//! Unknown members are kept, as documented, so that an agent may add its own. A misspelt one is lost without a trace, though: the
//! page shows no recommendation, and no message says why. A member is therefore reported only if its name is near a missing one,
//! its value is what that name takes, and the name does not look deliberate.

use crate::path::Place;
use crate::{ItemKind, Path, Questions, dialog, strict};
use serde_json::{Map, Value};

/// A member whose name is almost a known one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// The object it is in.
    pub path: Path,
    /// The name it has.
    pub found: String,
    /// The name that was most likely meant.
    pub meant: &'static str,
}

/// What a known member takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Flag,
    List,
    Object,
}

use Kind::{Flag, List, Number, Object, Text};

const ROOT: &[(&str, Kind)] = &[("task", Text), ("source", Text), ("items", List), ("partial", Flag)];
const ITEM: &[(&str, Kind)] = &[
    ("id", Number),
    ("title", Text),
    ("kind", Text),
    ("location", Object),
    ("context", Text),
    ("options", List),
    ("recommend", Text),
    ("multiple", Flag),
    ("min", Number),
    ("max", Number),
    ("allow_other", Flag),
    ("required", Flag),
];
/// What an item that asks for files has besides. For any other these are names like any.
const FILES: &[(&str, Kind)] = &[
    ("id", Number),
    ("title", Text),
    ("kind", Text),
    ("location", Object),
    ("context", Text),
    ("names", List),
    ("min", Number),
    ("max", Number),
    ("max_bytes", Number),
    ("required", Flag),
];
const OPTION: &[(&str, Kind)] = &[
    ("value", Text),
    ("label", Text),
    ("description", Text),
    ("preview", Text),
    ("score", Number),
    ("pros", List),
    ("cons", List),
];
const LOCATION: &[(&str, Kind)] = &[("file", Text), ("start", Number), ("end", Number)];

/// What comparable tools call a member, such as AskUserQuestion of Claude Code, without underscores. An agent knows these by
/// heart.
const OF_ROOT_ELSEWHERE: &[(&str, &str)] =
    &[("decisions", "items"), ("title", "task"), ("topic", "task"), ("subject", "task")];
/// The same of an item.
const OF_ITEM_ELSEWHERE: &[(&str, &str)] = &[
    ("question", "title"),
    ("prompt", "title"),
    ("header", "title"),
    ("multiselect", "multiple"),
    ("multiplechoice", "multiple"),
    ("choices", "options"),
    ("allowcustom", "allow_other"),
    ("freetext", "allow_other"),
];
/// The same of an option.
const OF_OPTION_ELSEWHERE: &[(&str, &str)] = &[
    ("name", "label"),
    ("title", "label"),
    ("text", "label"),
    ("id", "value"),
    ("key", "value"),
    ("details", "description"),
    ("explanation", "description"),
    ("advantages", "pros"),
    ("disadvantages", "cons"),
    ("rating", "score"),
];

/// The members of an object.
#[derive(Debug, Clone, Copy)]
struct KnownMembers {
    own: &'static [(&'static str, Kind)],
    /// What other tools call them.
    elsewhere: &'static [(&'static str, &'static str)],
}

impl Questions {
    /// The slips in these questions, in the order of the document.
    pub fn slips(&self) -> Vec<Slip> {
        slips_in(self.document())
    }
}

/// The slips in the bytes of a document, valid or not; none when it is no JSON object.
pub fn slips(bytes: &[u8]) -> Vec<Slip> {
    let bytes = strict::without_byte_order_mark(bytes);
    let value = std::str::from_utf8(bytes).ok().and_then(|text| strict::parse(text).ok());
    let Some(document) = value.as_ref().and_then(Value::as_object) else { return Vec::new() };
    if !dialog::is_dialog(document) {
        return slips_in(document);
    }
    let slips = slips_in(&dialog::document(document)).into_iter();
    slips.map(|slip| Slip { path: dialog::path_as_given(document, &slip.path), ..slip }).collect()
}

/// How many letters have to be changed, added, left out or exchanged with their neighbour to turn one into the other.
pub fn edit_distance(a: &str, b: &str) -> usize {
    strsim::osa_distance(a, b)
}

/// The one of `names` that `found` is most likely a slip of; `None` if it is near to none.
pub fn nearest_member(found: &str, names: &[&'static str]) -> Option<&'static str> {
    let near = names.iter().filter_map(|name| Some((distance(found, name)?, *name)));
    near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name)
}

fn slips_in(document: &Map<String, Value>) -> Vec<Slip> {
    let mut slips = Vec::new();
    let root = Place::Root;
    note(&mut slips, &root, document, KnownMembers { own: ROOT, elsewhere: OF_ROOT_ELSEWHERE });
    let items = root.key("items");
    for (index, item) in objects(document, "items") {
        let path = items.index(index);
        let asks_files = item.get("kind").and_then(Value::as_str) == Some(ItemKind::Files.name());
        note(
            &mut slips,
            &path,
            item,
            KnownMembers { own: if asks_files { FILES } else { ITEM }, elsewhere: OF_ITEM_ELSEWHERE },
        );
        let options = path.key("options");
        for (index, option) in objects(item, "options") {
            note(
                &mut slips,
                &options.index(index),
                option,
                KnownMembers { own: OPTION, elsewhere: OF_OPTION_ELSEWHERE },
            );
        }
        if let Some(location) = item.get("location").and_then(Value::as_object) {
            note(&mut slips, &path.key("location"), location, KnownMembers { own: LOCATION, elsewhere: &[] });
        }
    }
    slips
}

/// The objects in the array `key`, each with its place in it.
fn objects<'v>(
    parent: &'v Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = (usize, &'v Map<String, Value>)> {
    let elements = parent.get(key).and_then(Value::as_array).into_iter().flatten().enumerate();
    elements.filter_map(|(index, element)| Some((index, element.as_object()?)))
}

fn note(slips: &mut Vec<Slip>, path: &Place<'_>, object: &Map<String, Value>, names: KnownMembers) {
    for (found, value) in object {
        if !names.own.iter().any(|(name, _)| name == found)
            && let Some(meant) = meant(found, value, object, names)
        {
            slips.push(Slip { path: path.to_path(), found: found.clone(), meant });
        }
    }
}

/// The known name that `found` is a slip of: the nearest of those that the object lacks and that take such a value, or else what
/// is called `found` elsewhere.
fn meant(
    found: &str,
    value: &Value,
    object: &Map<String, Value>,
    names: KnownMembers,
) -> Option<&'static str> {
    let is_missing = |name: &str| object.get(name).is_none_or(Value::is_null);
    let fitting = || names.own.iter().filter(|(name, kind)| kind.takes(value) && is_missing(name));
    let near = fitting().filter_map(|(name, _)| Some((distance(found, name)?, *name)));
    let near = near.min_by_key(|(distance, _)| *distance).map(|(_, name)| name);
    near.or_else(|| {
        let found = snake(found).replace('_', "");
        let (_, meant) = names.elsewhere.iter().find(|(name, _)| *name == found)?;
        fitting().map(|(name, _)| *name).find(|name| name == meant)
    })
}

impl Kind {
    /// Whether `value` may have been meant for such a member, even if it is wrong in another way as well.
    fn takes(self, value: &Value) -> bool {
        match self {
            Text => value.is_string(),
            Number => value.is_number() || value.is_string(),
            Flag => value.is_boolean(),
            List => value.is_array() || value.is_string(),
            Object => value.is_object(),
        }
    }
}

/// How far `found` is from the known `name`; `None` when it is too far to be a slip of it.
fn distance(found: &str, name: &str) -> Option<usize> {
    // The longest that the rules below can reach; a hostile name is not even looked at.
    const LONGEST: usize = 20;
    let is_chosen = found.starts_with('_') || found.contains(|c: char| c.is_ascii_digit());
    if found.len() > LONGEST || !found.is_ascii() || is_chosen {
        return None;
    }
    let found = snake(found);
    // `allowOther`, `Title`, `allow-other`.
    if found == name || found.replace('_', "") == name.replace('_', "") {
        return Some(0);
    }
    let (short, long) = (found.len().min(name.len()), found.len().max(name.len()));
    // `multi` and `recommendation`: cut short, or with an ending.
    let is_cut = short >= 4 && short * 2 >= name.len() && name.starts_with(&found);
    let is_longer = name.len() >= 8
        && found.strip_prefix(name).is_some_and(|ending| ending.len() <= 5 && !ending.contains('_'));
    if is_cut || is_longer {
        return Some(long - short);
    }
    let distance = edit_distance(&found, name);
    let is_exchange = found.len() == name.len() && letters(&found) == letters(name);
    let is_near = match name.len() {
        // Too short: `ids`, `mix` and `and` are words of their own.
        0..=3 => false,
        // `pro`, `files`, `taks`; but neither `cost` nor `pos`.
        4 => distance == 1 && (is_exchange || is_plural(&found, name)),
        // `lable`, `scor`; but neither `scope` nor `store`.
        5 => distance == 1 && (is_exchange || found.len() != name.len()),
        6..=7 => distance == 1,
        _ => distance <= 2,
    };
    // Slips are seldom in the first letter; `core` and `allocation` are other words.
    (is_near && (is_exchange || found.as_bytes().first() == name.as_bytes().first())).then_some(distance)
}

/// One of the two is the other with an `s`.
fn is_plural(a: &str, b: &str) -> bool {
    a.strip_suffix('s') == Some(b) || b.strip_suffix('s') == Some(a)
}

fn letters(text: &str) -> Vec<u8> {
    let mut letters = text.as_bytes().to_vec();
    letters.sort_unstable();
    letters
}

/// `allowOther`, `Allow-Other` and `allow other` as `allow_other`.
fn snake(text: &str) -> String {
    let mut snake = String::with_capacity(text.len() + 2);
    let mut was_small = false;
    for c in text.chars() {
        if c.is_ascii_uppercase() && was_small {
            snake.push('_');
        }
        snake.push(if matches!(c, '-' | ' ') { '_' } else { c.to_ascii_lowercase() });
        was_small = c.is_ascii_lowercase();
    }
    snake
}

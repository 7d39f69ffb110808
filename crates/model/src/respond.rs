//! Typed answers: `Y`, `1,3`, `1-3`, the text of an option, or free text (contract/terminal §2.2).

use crate::{Chosen, DecideItem, DecideOption, Decision, ItemKind, is_blank};
use std::collections::HashMap;

/// Option next to yes and no that also says yes to later questions. The question remains a yes/no question.
pub const ALWAYS: &str = "always";

/// A parsed answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Decision on the item.
    pub decision: Decision,
    /// Text of the answer: as typed, without surrounding white space, or the default that replaces it.
    pub text: String,
    /// Labels of the selected options, in the order in which they were named.
    pub selected: Vec<String>,
}

/// Reason why a typed text is not an answer to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseError {
    /// The text is empty, and there is no default.
    Empty,
    /// The text names no option, and the item does not accept free text.
    NoOption,
    /// The text names too few or too many options; the minimum and maximum are given.
    Count(usize, usize),
    /// The item asks for files.
    Files,
}

/// Parses `text` as an answer to `item`; `fallback` replaces an empty text. If exactly two options are a yes and a no, and one of
/// them is in capital letters, that one also replaces an empty text.
///
/// # Errors
///
/// When the text is not an answer.
pub fn parse(item: &DecideItem, text: &str, fallback: Option<&str>) -> Result<Response, ResponseError> {
    let typed = text.trim();
    let text = if is_blank(typed) {
        fallback
            .or_else(|| usual(item))
            .map(str::trim)
            .filter(|text| !is_blank(text))
            .ok_or(ResponseError::Empty)?
    } else {
        typed
    };
    let mut decision = Decision { id: item.id, ..Decision::default() };
    let mut selected = Vec::new();
    let named = match item.kind {
        ItemKind::Files => return Err(ResponseError::Files),
        ItemKind::Text => None,
        ItemKind::Choice | ItemKind::Confirm => positions(item, text),
    };
    let named = named.map(|named| named.into_iter().map(|position| item.options.get(position as usize)));
    match named.and_then(Iterator::collect::<Option<Vec<_>>>) {
        Some(options) => {
            let (least, most) = item.bounds();
            if !(least..=most).contains(&options.len()) {
                return Err(ResponseError::Count(least, most));
            }
            selected.extend(options.iter().map(|option| option.label.clone()));
            decision.chosen = match &options[..] {
                [option] if !item.multiple => Chosen::One(option.value.clone()),
                options => {
                    let in_order = item.options.iter().filter(|option| options.contains(option));
                    Chosen::Several(in_order.map(|option| option.value.clone()).collect())
                }
            };
        }
        None if item.takes_words() => decision.other = Some(text.to_owned()),
        None => return Err(ResponseError::NoOption),
    }
    if item.multiple && decision.other.is_some() {
        decision.chosen = Chosen::Several(Vec::new());
    }
    Ok(Response { decision, text: text.to_owned(), selected })
}

/// Returns the text of a typed line, and whether it continues on the next line, which it does after a single `\` at its end. Two
/// of them stand for one literal `\` at the end.
pub fn typed_line(line: &str) -> (&str, bool) {
    let slashes = line.len() - line.trim_end_matches('\\').len();
    (line.strip_suffix('\\').unwrap_or(line), slashes % 2 == 1)
}

/// Returns a text that [`parse`] reads as this decision: the labels of the options, or their numbers if a label could be misread.
pub fn format(item: &DecideItem, decision: &Decision) -> String {
    if let Some(other) = &decision.other {
        return other.clone();
    }
    let chosen = (1..).zip(&item.options).filter(|(_, option)| decision.chosen.has(&option.value));
    let chosen: Vec<(usize, _)> = chosen.collect();
    match &chosen[..] {
        [(number, option)] => {
            let says_so =
                parse(item, &option.label, None).is_ok_and(|said| said.decision.chosen == decision.chosen);
            if says_so { option.label.clone() } else { number.to_string() }
        }
        several => {
            let numbers: Vec<_> = several.iter().map(|(number, _)| number.to_string()).collect();
            numbers.join(",")
        }
    }
}

const COMMAS: [char; 3] = [',', '，', '、'];
/// Maximum number of separators in an option's text; an option with more is selected together with others only by its number.
const MAX_COMMAS: usize = 8;

/// Returns the positions of the choices that `text` names, each once, in the order named: the text of an option, or numbers from
/// 1 separated by commas or blanks, and ranges; if several may be selected, also option texts separated by commas, or by
/// semicolons before blanks. The last number of an item that accepts free text stands for the free text. `None` if it names
/// anything else.
pub fn positions(item: &DecideItem, text: &str) -> Option<Vec<u32>> {
    if let Some(position) = named(item, text) {
        return Some(vec![position]);
    }
    if !may_name(item, text) {
        return None;
    }
    numbered(item, text).or_else(|| if item.multiple { several_named(item, text) } else { None })
}

/// Positions of the choices with these numbers.
fn numbered(item: &DecideItem, text: &str) -> Option<Vec<u32>> {
    let is_between = |c: char| COMMAS.contains(&c) || [' ', '\t'].contains(&c);
    let words = text.split(is_between).filter(|word| !word.is_empty());
    let mut positions = Vec::new();
    for word in words {
        let (first, last) = match word.split_once(['-', '–', '－', '~', '～']) {
            Some((first, last)) => (position(item, first)?, position(item, last)?),
            None => {
                let position = position(item, word)?;
                (position, position)
            }
        };
        if first > last {
            return None;
        }
        (first..=last).for_each(|position| add(&mut positions, position));
    }
    (!positions.is_empty()).then_some(positions)
}

/// Positions of the options with these texts, possibly mixed with numbers. A comma within the text of an option does not end it.
fn several_named(item: &DecideItem, text: &str) -> Option<Vec<u32>> {
    let names = OptionNames::new(item);
    let mut positions = Vec::new();
    let mut rest = text;
    while !rest.trim().is_empty() {
        let ends: Vec<_> = separators(rest).chain([(rest.len(), rest.len())]).take(MAX_COMMAS + 1).collect();
        let (found, next) = ends.into_iter().rev().find_map(|(end, next)| {
            let words = rest.get(..end)?.trim();
            let found = names.position(words).map(|position| vec![position]);
            Some((found.or_else(|| numbered(item, words))?, next))
        })?;
        found.into_iter().for_each(|position| add(&mut positions, position));
        rest = rest.get(next..)?;
    }
    (!positions.is_empty()).then_some(positions)
}

/// Start and end of each separator of a list: a comma, or a semicolon before a blank, as a review prints several options.
fn separators(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let is_before_blank = |end: usize| text.get(end..).is_some_and(|rest| rest.starts_with([' ', '\t']));
    text.char_indices().map(|(at, c)| (at, at + c.len_utf8(), c)).filter_map(move |(at, end, c)| {
        let separates = COMMAS.contains(&c) || c == '；' || c == ';' && is_before_blank(end);
        separates.then_some((at, end))
    })
}

/// Returns the first part of a list that names nothing; `None` if `text` is not a list.
pub fn unknown_part(text: &str, names_something: impl Fn(&str) -> bool) -> Option<&str> {
    let mut begin = 0;
    let mut parts = Vec::new();
    for (end, next) in separators(text).chain([(text.len(), text.len())]) {
        parts.extend(text.get(begin..end));
        begin = next;
    }
    if parts.len() == 1 {
        return None;
    }
    parts.into_iter().map(str::trim).find(|part| !part.is_empty() && !names_something(part))
}

/// Options by their texts.
struct OptionNames<'a> {
    exact: HashMap<&'a str, u32>,
    lower: HashMap<String, u32>,
}

impl<'a> OptionNames<'a> {
    fn new(item: &'a DecideItem) -> Self {
        let (mut exact, mut lower) = (HashMap::new(), HashMap::new());
        for (position, option) in (0..).zip(&item.options) {
            for name in [option.label.trim(), option.value.trim()] {
                exact.entry(name).or_insert(position);
                lower.entry(name.to_lowercase()).or_insert(position);
            }
        }
        Self { exact, lower }
    }

    /// Position of the option with this text: exact match first, then ignoring case.
    fn position(&self, words: &str) -> Option<u32> {
        self.exact.get(words).or_else(|| self.lower.get(&words.to_lowercase())).copied()
    }
}

/// Whether a text is short enough to name choices, each of them a few times.
fn may_name(item: &DecideItem, text: &str) -> bool {
    let names = item.options.iter().map(|option| option.label.len().max(option.value.len()));
    text.len() <= names.map(|length| 2 * length + 32).sum::<usize>() + 256
}

fn add(positions: &mut Vec<u32>, position: u32) {
    if !positions.contains(&position) {
        positions.push(position);
    }
}

/// Position of the option with this text, or that the text means by yes or no.
fn named(item: &DecideItem, text: &str) -> Option<u32> {
    OptionNames::new(item).position(text).or_else(|| {
        let meant = says_yes(text).filter(|_| is_yes_or_no(item))?;
        let is_meant = |option: &DecideOption| {
            says_yes(&option.label) == Some(meant) || says_yes(&option.value) == Some(meant)
        };
        u32::try_from(item.options.iter().position(is_meant)?).ok()
    })
}

/// Position of the choice with this number.
fn position(item: &DecideItem, number: &str) -> Option<u32> {
    let number: u32 = number.parse().ok().filter(|_| number.bytes().all(|byte| byte.is_ascii_digit()))?;
    let position = number.checked_sub(1)?;
    (usize::try_from(position).ok()? < item.choices()).then_some(position)
}

fn says_yes(text: &str) -> Option<bool> {
    match &*text.trim().to_lowercase() {
        "y" | "yes" | "是" | "好" => Some(true),
        "n" | "no" | "否" | "不" => Some(false),
        _ => None,
    }
}

/// Whether the item has exactly two options, one yes and one no; [`ALWAYS`] may be the third.
pub fn is_yes_or_no(item: &DecideItem) -> bool {
    let says_always =
        |option: &DecideOption| !item.multiple && option.value == ALWAYS && option.label == ALWAYS;
    match &item.options[..] {
        [first, second] => are_yes_and_no(&first.label, &second.label),
        [first, second, third] => says_always(third) && are_yes_and_no(&first.label, &second.label),
        _ => false,
    }
}

/// Whether one of these is a yes and the other a no.
pub fn are_yes_and_no(first: &str, second: &str) -> bool {
    says_yes(first).is_some_and(|yes| says_yes(second) == Some(!yes))
}

/// Returns the answer that replaces an empty reply if no default is specified: of yes and no, the only one in capital letters.
fn usual(item: &DecideItem) -> Option<&str> {
    // All letters: `Yes` is the usual spelling and marks no default.
    let is_capital =
        |text: &str| text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
    let mut capital = item.options.iter().filter(|option| is_capital(&option.label));
    let (first, second) = (capital.next(), capital.next());
    first.filter(|_| second.is_none() && is_yes_or_no(item)).map(|option| &*option.label)
}

//! Answers that are typed: `Y`, `1,3`, `1-3`, an option's own words, or words of one's own (contract/terminal §2.2).

use crate::{Chosen, DecideItem, DecideOption, Decision, ItemKind, is_blank};
use std::collections::HashMap;

/// An option beside a yes and a no that says yes for what is asked later as well. The question stays one of yes and no.
pub const ALWAYS: &str = "always";

/// An answer as it was typed, understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// What it says about the item.
    pub decision: Decision,
    /// The text that stands for it: as it was typed, without white space around it, or the default in its place.
    pub text: String,
    /// The labels of the chosen options, in the order in which they were named.
    pub selected: Vec<String>,
}

/// Why a typed text is no answer to an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Misread {
    /// There is nothing in it, and there is no default.
    Empty,
    /// It names no option, and words of one's own are not asked for.
    NoOption,
    /// It names too few or too many: so many are asked for, at least and at most.
    Count(usize, usize),
    /// The item asks for files.
    Files,
}

/// Understands `text` as an answer to `item`; `fallback` is what stands for no text at all. Where one of exactly two options
/// says yes and the other no, the one written in capital letters does so as well.
///
/// # Errors
///
/// When it is no answer.
pub fn parse(item: &DecideItem, text: &str, fallback: Option<&str>) -> Result<Response, Misread> {
    let typed = text.trim();
    let text = if is_blank(typed) {
        fallback
            .or_else(|| usual(item))
            .map(str::trim)
            .filter(|text| !is_blank(text))
            .ok_or(Misread::Empty)?
    } else {
        typed
    };
    let mut decision = Decision { id: item.id, ..Decision::default() };
    let mut selected = Vec::new();
    let named = match item.kind {
        ItemKind::Files => return Err(Misread::Files),
        ItemKind::Text => None,
        ItemKind::Choice | ItemKind::Confirm => positions(item, text),
    };
    let named = named.map(|named| named.into_iter().map(|position| item.options.get(position as usize)));
    match named.and_then(Iterator::collect::<Option<Vec<_>>>) {
        Some(options) => {
            let (least, most) = item.bounds();
            if !(least..=most).contains(&options.len()) {
                return Err(Misread::Count(least, most));
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
        None => return Err(Misread::NoOption),
    }
    if item.multiple && decision.other.is_some() {
        decision.chosen = Chosen::Several(Vec::new());
    }
    Ok(Response { decision, text: text.to_owned(), selected })
}

/// Returns the text of a typed line, and whether it goes on in the next one: after one `\` at its end it does. Two of them stand
/// for one that ends it.
pub fn typed_line(line: &str) -> (&str, bool) {
    let slashes = line.len() - line.trim_end_matches('\\').len();
    (line.strip_suffix('\\').unwrap_or(line), slashes % 2 == 1)
}

/// Returns the text that [`parse`] understands as this decision: the options' labels or, where those could be misread, their
/// numbers.
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
/// An option with more of them in its words is chosen by its number beside others.
const MAX_COMMAS: usize = 8;

/// Returns the positions of the choices that `text` names, each once, as they were named: an option's own words, or numbers
/// from 1 with commas or blanks between them, and ranges; where several may be chosen, also their words with commas, or
/// semicolons before blanks, between them. The last number of an item that takes words of one's own stands for those. `None` if
/// it names anything else.
pub fn positions(item: &DecideItem, text: &str) -> Option<Vec<u32>> {
    if let Some(position) = named(item, text) {
        return Some(vec![position]);
    }
    if !may_name(item, text) {
        return None;
    }
    numbered(item, text).or_else(|| if item.multiple { several_named(item, text) } else { None })
}

/// The choices with these numbers.
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

/// The options with these words, or numbers among them. A comma within the words of an option does not end them.
fn several_named(item: &DecideItem, text: &str) -> Option<Vec<u32>> {
    let names = Names::of(item);
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

/// Where each separator of a list begins and ends: a comma, or a semicolon before a blank, as a review prints several options.
fn separators(text: &str) -> impl Iterator<Item = (usize, usize)> {
    let is_before_blank = |end: usize| text.get(end..).is_some_and(|rest| rest.starts_with([' ', '\t']));
    text.char_indices().map(|(at, c)| (at, at + c.len_utf8(), c)).filter_map(move |(at, end, c)| {
        let separates = COMMAS.contains(&c) || c == '；' || c == ';' && is_before_blank(end);
        separates.then_some((at, end))
    })
}

/// The first part of a list that names nothing; `None` where `text` is no list.
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

/// The options by their words.
struct Names<'a> {
    exact: HashMap<&'a str, u32>,
    lower: HashMap<String, u32>,
}

impl<'a> Names<'a> {
    fn of(item: &'a DecideItem) -> Self {
        let (mut exact, mut lower) = (HashMap::new(), HashMap::new());
        for (position, option) in (0..).zip(&item.options) {
            for name in [option.label.trim(), option.value.trim()] {
                exact.entry(name).or_insert(position);
                lower.entry(name.to_lowercase()).or_insert(position);
            }
        }
        Self { exact, lower }
    }

    /// The option that is called so: exactly, else in other capital letters.
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

/// The option that is called so, in these words or by yes or no.
fn named(item: &DecideItem, text: &str) -> Option<u32> {
    Names::of(item).position(text).or_else(|| {
        let meant = says_yes(text).filter(|_| is_yes_or_no(item))?;
        let is_meant = |option: &DecideOption| {
            says_yes(&option.label) == Some(meant) || says_yes(&option.value) == Some(meant)
        };
        u32::try_from(item.options.iter().position(is_meant)?).ok()
    })
}

/// The position of the choice with this number.
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

/// Whether the item has exactly two options, one that says yes and one that says no; [`ALWAYS`] may be the third.
pub fn is_yes_or_no(item: &DecideItem) -> bool {
    let says_always =
        |option: &DecideOption| !item.multiple && option.value == ALWAYS && option.label == ALWAYS;
    match &item.options[..] {
        [first, second] => are_yes_and_no(&first.label, &second.label),
        [first, second, third] => says_always(third) && are_yes_and_no(&first.label, &second.label),
        _ => false,
    }
}

/// Whether one of these says yes and the other no.
pub fn are_yes_and_no(first: &str, second: &str) -> bool {
    says_yes(first).is_some_and(|yes| says_yes(second) == Some(!yes))
}

/// What stands for no text at all where nobody has said so: of yes and no, the only one in capital letters.
fn usual(item: &DecideItem) -> Option<&str> {
    // All of it: `Yes` is how anybody writes it.
    let is_capital =
        |text: &str| text.chars().any(char::is_uppercase) && !text.chars().any(char::is_lowercase);
    let mut capital = item.options.iter().filter(|option| is_capital(&option.label));
    let (first, second) = (capital.next(), capital.next());
    first.filter(|_| second.is_none() && is_yes_or_no(item)).map(|option| &*option.label)
}

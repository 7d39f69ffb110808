//! The words of a search, and the texts that they are looked for in.

use memchr::memmem::{self, Finder};
use model::{DecideInput, DecisionRecord, Ending};
use serde_json::Value;

/// The words of a search, in lower case.
pub(crate) struct Words {
    finders: Vec<Finder<'static>>,
    /// Those to look for in the bytes of a file: JSON does not escape them.
    literal: Vec<Finder<'static>>,
    /// Whether the letters of those have no other capitals than those of ASCII, except for [`FOLDED_TO_ASCII`].
    are_ascii_cased: bool,
}

/// The letters outside of ASCII that have a lower case with one of ASCII in it.
const FOLDED_TO_ASCII: [char; 2] = ['\u{130}', '\u{212a}'];

impl Words {
    pub(crate) fn new(search: &str) -> Self {
        let all: Vec<_> = search.split_whitespace().map(str::to_lowercase).collect();
        let is_literal = |word: &&String| !word.contains(|c: char| c == '"' || c == '\\' || c.is_control());
        let literal: Vec<_> = all.iter().filter(is_literal).collect();
        // What a capital becomes is a small letter, and a dot above it in one case.
        let is_ascii_cased = |c: char| c.is_ascii() || !c.is_lowercase() && c != '\u{307}';
        let are_ascii_cased = literal.iter().all(|word| word.chars().all(is_ascii_cased));
        let literal = literal.into_iter().map(|word| Finder::new(word.as_str()).into_owned()).collect();
        let finders = all.iter().map(|word| Finder::new(word.as_str()).into_owned()).collect();
        Self { finders, literal, are_ascii_cased }
    }

    pub(crate) fn are_none(&self) -> bool {
        self.finders.is_empty()
    }

    /// Whether a file that has no escapes may have each word in one of its texts.
    pub(crate) fn may_fit(&self, file: &[u8]) -> bool {
        if self.are_none() {
            return true;
        }
        let are_in = |text: &[u8]| self.literal.iter().all(|word| word.find(text).is_some());
        if self.are_ascii_cased && are_in(&file.to_ascii_lowercase()) {
            return true;
        }
        let is_folded = |c: char| memmem::find(file, c.encode_utf8(&mut [0; 4]).as_bytes()).is_some();
        if self.are_ascii_cased && !FOLDED_TO_ASCII.into_iter().any(is_folded) {
            return false;
        }
        are_in(String::from_utf8_lossy(file).to_lowercase().as_bytes())
    }

    /// Whether each word occurs in one of the texts.
    pub(crate) fn fit<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> bool {
        self.are_none() || self.are_in(folded(texts).as_bytes())
    }

    /// Whether each word occurs in one of the texts, which [`folded`] has put together.
    pub(crate) fn are_in(&self, folded: &[u8]) -> bool {
        self.finders.iter().all(|word| word.find(folded).is_some())
    }
}

/// Returns the texts as they are searched: in lower case, one after the other. No word reaches from one into the next, because
/// words have no line breaks in them.
pub(crate) fn folded<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut folded = String::new();
    for text in texts {
        folded.push_str(&text.to_lowercase());
        folded.push('\n');
    }
    folded
}

pub(crate) fn question_texts(input: &DecideInput) -> Vec<&str> {
    let mut texts = vec![input.task.as_str(), &input.source];
    for item in &input.items {
        texts.push(&item.title);
        for option in &item.options {
            texts.push(&option.label);
            texts.extend(option.description.as_deref());
            texts.extend([&option.pros, &option.cons].into_iter().flatten().flatten().map(String::as_str));
        }
    }
    texts
}

/// What was asked, with all options, also those that were not chosen, and what was said. The questions are read as they stand: a
/// record that would not be asked today is found as well.
pub(crate) fn record_texts(record: &DecisionRecord) -> Vec<&str> {
    let input = ["task", "source"].into_iter().filter_map(|key| record.input.get(key)?.as_str());
    let mut texts: Vec<_> = input.collect();
    let decisions = record.output().map(|output| output.decisions.as_slice()).unwrap_or_default();
    for item in record.input.get("items").and_then(Value::as_array).into_iter().flatten() {
        texts.extend(item.get("title").and_then(Value::as_str));
        for option in item.get("options").and_then(Value::as_array).into_iter().flatten() {
            texts.extend(["label", "description"].into_iter().filter_map(|key| option.get(key)?.as_str()));
            let lists = ["pros", "cons"].into_iter().filter_map(|key| option.get(key)?.as_array());
            texts.extend(lists.flatten().filter_map(Value::as_str));
        }
    }
    for decision in decisions {
        texts.extend([&decision.other, &decision.note].into_iter().flatten().map(String::as_str));
    }
    if let Ending::Returned(returned) = &record.ending {
        texts.push(&returned.message);
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::Words;

    /// What is looked for in the bytes is looked for in all texts alike, whatever has which case.
    #[test]
    fn a_file_is_passed_over_only_if_no_text_of_it_has_all_words() {
        let pieces = [
            "k", "K", "\u{212a}", "i", "\u{130}", "i\u{307}", "\u{307}", "I", "é", "É", "ß", "ẞ", "SS", "流",
            "Σ", "σ", "ς", "\u{1f1}", "\u{1c5}", "1", "Å", "\u{212b}", "\u{2126}", "ω", "ﬀ", "FF",
        ];
        let texts: Vec<String> =
            pieces.iter().flat_map(|one| pieces.iter().map(move |other| format!("{one}{other}"))).collect();
        for search in texts.iter().map(String::as_str).chain(pieces) {
            let words = Words::new(search);
            for text in &texts {
                let file = format!("{{\"task\": \"a {text} b\"}}");
                assert!(words.may_fit(file.as_bytes()) || !words.fit([text.as_str()]), "{search}: {text}");
            }
        }
        assert!(!Words::new("流 x").may_fit("{\"task\": \"流\"}".as_bytes()));
        assert!(!Words::new("é").may_fit("{\"task\": \"e\"}".as_bytes()));
    }
}

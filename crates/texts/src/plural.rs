//! How many of something, in English. Chinese has one form for every number.

use std::fmt::Display;

/// Returns the number with its noun: `1 task`, `2 tasks`.
pub fn en_count(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Returns the first place of an English text that has a plural behind the number 1; `None` where there is none. Tests of all
/// sentences use it.
pub fn wrong_plural(text: &str) -> Option<String> {
    /// Words between a number and its noun.
    const BETWEEN: &[&str] = &["more", "other", "open", "older", "earlier", "input", "of"];
    /// Words that end as a plural does.
    const SINGULAR: &[&str] = &["is", "was", "has", "this", "less", "status", "does", "needs", "waits"];
    let words: Vec<&str> = text.split_whitespace().collect();
    words.iter().enumerate().find_map(|(position, word)| {
        let number = word.rsplit(['(', '/', '-']).next().unwrap_or_default();
        // A range ends with a number that is larger than 1.
        let is_end = position.checked_sub(1).is_some_and(|before| words[before] == "to");
        if number != "1" || is_end {
            return None;
        }
        let after: Vec<_> = words[position + 1..].iter().take(4).map(|word| letters(word)).collect();
        let noun = after.iter().position(|word| !BETWEEN.contains(word))?;
        let is_plural = |word: &str| word.len() > 2 && word.ends_with('s') && !word.ends_with("ss");
        let is_wrong = is_plural(after[noun]) && !SINGULAR.contains(&after[noun])
            || after.get(noun + 1).is_some_and(|verb| matches!(*verb, "are" | "were" | "have"));
        is_wrong.then(|| words[position..words.len().min(position + 5)].join(" "))
    })
}

/// A word without the punctuation around it.
fn letters(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::{en_count, wrong_plural};
    use crate::{Lang, fill};

    #[test]
    fn one_has_no_plural() {
        assert_eq!([0, 1, 2].map(|count| en_count(count, "task")), ["0 tasks", "1 task", "2 tasks"]);
        for wrong in
            ["1 tasks", "The plan has 1 tasks, 0 done", "0 of 1 tasks done", "1 more lines", "(1 files)"]
        {
            assert!(wrong_plural(wrong).is_some(), "{wrong}");
        }
        assert!(wrong_plural("1 question are left").is_some());
        for right in
            ["1 task is done", "1 of 2 tasks", "11 tasks", "1 s", "at least 1 to 5 files", "1 task waits"]
        {
            assert_eq!(wrong_plural(right), None, "{right}");
        }
    }

    /// The texts in the debug output of a table.
    fn texts(table: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut rest = table;
        while let Some((_, after)) = rest.split_once('"') {
            let end = after.match_indices('"').find(|(end, _)| !after[..*end].ends_with('\\'));
            let Some((end, _)) = end else { break };
            found.push(after[..end].to_owned());
            rest = &after[end + 1..];
        }
        found
    }

    /// What stands for a number in the texts of pages.
    const NUMBERS: &[&str] =
        &["count", "done", "total", "shown", "seconds", "range", "least", "most", "max", "percent"];

    /// The text with 1 for every number.
    fn of_one(text: &str) -> String {
        let names: Vec<_> = text
            .split('{')
            .skip(1)
            .filter_map(|part| part.split(['}', ':']).next())
            .map(|name| (name, if NUMBERS.contains(&name) { "1" } else { "x" }))
            .collect();
        fill(text, &names)
    }

    #[test]
    fn every_text_of_a_page_is_right_for_one() {
        let en = Lang::En;
        let tables = [
            format!("{:?}", en.page()),
            format!("{:?}", en.inbox()),
            format!("{:?}", en.history()),
            format!("{:?}", en.plans()),
            format!("{:?}", en.workflows()),
            format!("{:?}", en.flow()),
            format!("{:?}", en.uploads()),
            format!("{:?}", en.files()),
        ];
        for table in tables {
            let texts = texts(&table);
            assert!(texts.len() > 5, "{table}");
            let mut has_form_for_one = false;
            for text in &texts {
                // Behind a text for one stands that for all other numbers.
                if !has_form_for_one {
                    assert_eq!(wrong_plural(&of_one(text)), None, "{text}");
                }
                has_form_for_one = !text.contains('{') && (text.contains("1 ") || text.contains("once"));
            }
        }
    }
}

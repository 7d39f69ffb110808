//! Decisions as Markdown: one document of a whole session, or one architecture decision record for each item.

use crate::html::markdown::inline;
use crate::html::preview;
use decide::Adr;
use model::{
    Attachment, DecideItem, DecideOption, DecideOutput, Decision, DecisionRecord, ItemKind, Questions,
};
use serde_json::Value;
use std::fmt::Write;
use texts::Lang;

/// The longest part of a title in a file's name, in characters.
const MAX_SLUG: usize = 60;

/// An answered session, ready to be written down.
#[derive(Debug)]
pub struct Export<'r> {
    session: String,
    questions: Questions,
    output: &'r DecideOutput,
    record: &'r DecisionRecord,
}

impl<'r> Export<'r> {
    /// `None` when the record has no answers to questions that can be read.
    pub fn new(session: String, record: &'r DecisionRecord) -> Option<Self> {
        let output = record.output()?;
        let questions = Questions::from_value(Value::Object((*record.input).clone())).ok()?;
        Some(Self { session, questions, output, record })
    }

    fn decided(&self) -> impl Iterator<Item = (&DecideItem, &Decision)> {
        self.output.decisions.iter().filter_map(|decision| {
            let item = self.questions.input().items.iter().find(|item| item.id == decision.id)?;
            Some((item, decision))
        })
    }

    /// The whole session as one document.
    pub fn markdown(&self, lang: Lang) -> String {
        let words = Words::for_lang(lang);
        let input = self.questions.input();
        let mut text = format!("# {}\n\n", inline(&input.task));
        let facts = [
            (words.source, &input.source),
            (words.session, &self.session),
            (words.completed, &self.record.completed_at),
        ];
        for (name, value) in facts {
            line(&mut text, &format!("- {name}: {}", inline(value)));
        }
        for (item, decision) in self.decided() {
            line(&mut text, &format!("\n## {}. {}\n", item.id, inline(&item.title)));
            if let Some(context) = filled(item.context.as_deref()) {
                line(&mut text, &format!("{}\n", context.trim()));
            }
            for option in &item.options {
                let marks = [
                    decision.chosen.has(&option.value).then(|| format!("**{}**", words.chosen)),
                    (item.recommend.as_ref() == Some(&option.value)).then(|| words.recommended.to_owned()),
                    option.score.map(|score| format!("{} {score}", words.score)),
                ];
                let marks: Vec<_> = marks.into_iter().flatten().collect();
                let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
                line(&mut text, &format!("- {}{marks}", inline(&option.label)));
                if let Some(description) = filled(option.description.as_deref()) {
                    line(&mut text, &format!("\n{}\n", indented(description)));
                }
                if let Some(preview) = preview::to_markdown(option, lang) {
                    let lead = if filled(option.description.as_deref()).is_some() { "" } else { "\n" };
                    line(&mut text, &format!("{lead}{}\n", indented(&preview)));
                }
                for argument in option.pros.iter().flatten() {
                    line(&mut text, &format!("  - \\+ {}", inline(argument)));
                }
                for argument in option.cons.iter().flatten() {
                    line(&mut text, &format!("  - − {}", inline(argument)));
                }
            }
            if let Some(other) = &decision.other {
                let (lead, name) = match item.kind {
                    ItemKind::Text => ("", words.answer),
                    ItemKind::Choice | ItemKind::Confirm | ItemKind::Files => ("\n", words.other),
                };
                line(&mut text, &format!("{lead}{name}:\n\n{}", quoted(other)));
            } else if !decision.files.is_empty() {
                line(&mut text, &format!("{}:\n", words.answer));
                line(&mut text, &files(&decision.files));
            } else if decision.chosen.values().is_empty() {
                line(&mut text, &format!("\n{}", words.left_open));
            }
            if let Some(note) = &decision.note {
                line(&mut text, &format!("\n{}:\n\n{}", words.note, quoted(note)));
            }
        }
        text
    }

    /// One record for each item, in their order.
    pub fn adrs(&self) -> Vec<Adr> {
        self.decided().map(|(item, decision)| self.adr(item, decision)).collect()
    }

    fn adr(&self, item: &DecideItem, decision: &Decision) -> Adr {
        let mark = format!("<!-- aide {} item {} -->", self.session, item.id);
        let date = self.record.completed_at.split('T').next().unwrap_or_default();
        let status = if is_open(decision) { "proposed" } else { "accepted" };
        let mut text = format!("---\nstatus: \"{status}\"\ndate: {date}\n---\n\n{mark}\n\n");
        write_problem(&mut text, item);
        write_options(&mut text, item);
        write_outcome(&mut text, item, decision);
        write_arguments(&mut text, item);
        self.write_origin(&mut text, item);
        Adr { slug: slug(&item.title), mark, text }
    }

    /// Writes what was asked by whom, and when it was decided.
    fn write_origin(&self, text: &mut String, item: &DecideItem) {
        let input = self.questions.input();
        line(text, "\n## More Information\n");
        line(text, &format!("* Task: {}", inline(&input.task)));
        line(text, &format!("* Source: {}", inline(&input.source)));
        if let Some(location) = &item.location {
            let (file, start, end) = (inline(&location.file), location.start, location.end);
            line(text, &format!("* Location: {file}, lines {start} to {end}"));
        }
        let at = self.record.meta.iter().flat_map(|meta| &meta.items).find(|meta| meta.id == item.id);
        let at = at.map_or(&self.record.completed_at, |meta| &meta.decided_at);
        line(text, &format!("* Decided: {at}, session {}", self.session));
    }
}

fn is_open(decision: &Decision) -> bool {
    decision.other.is_none() && decision.chosen.values().is_empty() && decision.files.is_empty()
}

/// Writes the title and the context; the title once more where there is no context.
fn write_problem(text: &mut String, item: &DecideItem) {
    line(text, &format!("# {}\n", inline(&item.title)));
    line(text, "## Context and Problem Statement\n");
    match filled(item.context.as_deref()) {
        Some(context) => line(text, &format!("{}\n", context.trim())),
        None => line(text, &format!("{}\n", inline(&item.title))),
    }
}

/// Writes the list of options, where the item has options.
fn write_options(text: &mut String, item: &DecideItem) {
    if matches!(item.kind, ItemKind::Text | ItemKind::Files) {
        return;
    }
    line(text, "## Considered Options\n");
    for option in &item.options {
        line(text, &format!("* {}", inline(&option.label)));
    }
    text.push('\n');
}

/// Writes what was decided.
fn write_outcome(text: &mut String, item: &DecideItem, decision: &Decision) {
    let chosen = item.options.iter().filter(|option| decision.chosen.has(&option.value));
    let chosen: Vec<_> = chosen.map(|option| format!("\"{}\"", inline(&option.label))).collect();
    let followed = followed(item, decision, chosen.len());
    line(text, "## Decision Outcome\n");
    match (chosen.len(), &decision.other) {
        (0, None) if !decision.files.is_empty() => {
            line(text, &format!("It was answered by files:\n\n{}", files(&decision.files)));
        }
        (0, None) if matches!(item.kind, ItemKind::Text | ItemKind::Files) => {
            line(text, "It was left open.");
        }
        (0, Some(_)) if item.kind == ItemKind::Text => line(text, "It was answered in words:"),
        (0, None) if item.kind == ItemKind::Confirm => line(text, "It was not confirmed."),
        (0, None) => line(text, "No option was chosen."),
        (0, Some(_)) => line(text, "None of the options was chosen, but:"),
        (1, _) => line(text, &format!("Chosen option: {}.{followed}", chosen[0])),
        _ => line(text, &format!("Chosen options: {}.{followed}", chosen.join(", "))),
    }
    if let Some(other) = &decision.other {
        line(text, &format!("\n{}", quoted(other)));
    }
    if let Some(note) = &decision.note {
        line(text, &format!("\n{}", quoted(note)));
    }
}

/// Whether the recommendation is one of the `count` chosen options, as a sentence; empty where none was chosen or recommended.
fn followed(item: &DecideItem, decision: &Decision, count: usize) -> &'static str {
    match (&item.recommend, count) {
        (None, _) | (_, 0) => "",
        (Some(recommend), 1) if decision.chosen.has(recommend) => " It was recommended.",
        (Some(recommend), _) if decision.chosen.has(recommend) => " The recommended one is among them.",
        (Some(_), 1) => " It was not the recommended one.",
        (Some(_), _) => " The recommended one is not among them.",
    }
}

/// Writes what is known of each option beyond its label, where there is anything.
fn write_arguments(text: &mut String, item: &DecideItem) {
    let argued: Vec<_> = item.options.iter().filter(|option| is_argued(option)).collect();
    if !argued.is_empty() {
        line(text, "\n## Pros and Cons of the Options");
    }
    for option in argued {
        line(text, &format!("\n### {}\n", inline(&option.label)));
        if let Some(description) = filled(option.description.as_deref()) {
            line(text, &format!("{}\n", description.trim()));
        }
        if let Some(preview) = preview::to_markdown(option, Lang::En) {
            line(text, &format!("{preview}\n"));
        }
        for argument in option.pros.iter().flatten() {
            line(text, &format!("* Good, because {}", inline(argument)));
        }
        for argument in option.cons.iter().flatten() {
            line(text, &format!("* Bad, because {}", inline(argument)));
        }
        if let Some(score) = option.score {
            line(text, &format!("* Neutral, because it was given a score of {score} of 100"));
        }
    }
}

/// Whether there is more to an option than its label.
fn is_argued(option: &DecideOption) -> bool {
    option.score.is_some()
        || filled(option.description.as_deref()).is_some()
        || preview::to_markdown(option, Lang::En).is_some()
        || option.pros.iter().flatten().next().is_some()
        || option.cons.iter().flatten().next().is_some()
}

struct Words {
    source: &'static str,
    session: &'static str,
    completed: &'static str,
    chosen: &'static str,
    recommended: &'static str,
    score: &'static str,
    note: &'static str,
    other: &'static str,
    answer: &'static str,
    left_open: &'static str,
}

impl Words {
    fn for_lang(lang: Lang) -> Self {
        match lang {
            Lang::Zh => Self {
                source: "来源",
                session: "会话",
                completed: "完成时间",
                chosen: "已选",
                recommended: "推荐",
                score: "评分",
                note: "备注",
                other: "其他答案",
                answer: "回答",
                left_open: "未作决定。",
            },
            Lang::En => Self {
                source: "Source",
                session: "Session",
                completed: "Completed",
                chosen: "chosen",
                recommended: "recommended",
                score: "score",
                note: "Note",
                other: "Other answer",
                answer: "Answer",
                left_open: "Left open.",
            },
        }
    }
}

pub(crate) fn line(text: &mut String, line: &str) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}

/// Markdown that belongs to an entry of a list.
fn indented(markdown: &str) -> String {
    let lines =
        markdown.trim().lines().map(|line| if line.is_empty() { String::new() } else { format!("  {line}") });
    lines.collect::<Vec<_>>().join("\n")
}

fn filled(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !model::is_blank(text))
}

/// A note, line by line, as its author wrote it.
fn quoted(note: &str) -> String {
    let lines: Vec<_> =
        note.lines().map(|line| format!("> {}", inline(line)).trim_end().to_owned()).collect();
    // Two spaces at the end keep a line break.
    lines.join("  \n")
}

/// A list of attached files, without a line break at its end.
fn files(files: &[Attachment]) -> String {
    let line = |file: &Attachment| {
        format!("- {} ({}, sha256 {})", inline(&file.name), texts::size(file.size), inline(&file.sha256))
    };
    files.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Letters and digits of any script, in lower case, with dashes between the words.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    let short: String = slug.chars().take(MAX_SLUG).collect();
    short.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Export, quoted, slug};
    use model::DecisionRecord;
    use serde_json::{Value, json};
    use texts::Lang;

    fn record(item: &Value, decision: &Value) -> DecisionRecord {
        let Value::Object(input) = json!({"task": "登录 *模块*", "source": "task-now.md", "items": [item]})
        else {
            panic!()
        };
        DecisionRecord {
            input: input.into(),
            ending: model::Ending::Decided(
                serde_json::from_value(json!({ "decisions": [decision] })).unwrap(),
            ),
            completed_at: "2025-01-15T10:35:00+08:00".to_owned(),
            meta: None,
        }
    }

    fn full() -> DecisionRecord {
        record(
            &json!({
                "id": 1, "title": "Which login?", "context": "It is **open**.\n\n- a\n", "recommend": "jwt",
                "location": {"file": "task_now.md", "start": 3, "end": 4},
                "options": [
                    {"value": "jwt", "label": "JWT", "score": 85, "pros": ["no state"], "cons": ["1. slow", "#2"]},
                    {"value": "session", "label": "<b>Session</b>"},
                ],
            }),
            &json!({"id": 1, "chosen": "session", "note": "we know it\n\n> better"}),
        )
    }

    fn export(record: &DecisionRecord) -> Export<'_> {
        Export::new("2025-01-15T10-30-00".to_owned(), record).unwrap()
    }

    #[test]
    fn an_architecture_decision_record() {
        let record = full();
        let adrs = export(&record).adrs();
        assert_eq!((adrs.len(), &*adrs[0].slug), (1, "which-login"));
        assert_eq!(
            adrs[0].text,
            r#"---
status: "accepted"
date: 2025-01-15
---

<!-- aide 2025-01-15T10-30-00 item 1 -->

# Which login?

## Context and Problem Statement

It is **open**.

- a

## Considered Options

* JWT
* \<b\>Session\</b\>

## Decision Outcome

Chosen option: "\<b\>Session\</b\>". It was not the recommended one.

> we know it  
>  
> \> better

## Pros and Cons of the Options

### JWT

* Good, because no state
* Bad, because 1\. slow
* Bad, because \#2
* Neutral, because it was given a score of 85 of 100

## More Information

* Task: 登录 \*模块\*
* Source: task-now.md
* Location: task\_now.md, lines 3 to 4
* Decided: 2025-01-15T10:35:00+08:00, session 2025-01-15T10-30-00
"#
        );
    }

    #[test]
    fn a_session_in_one_document() {
        let record = full();
        assert_eq!(
            export(&record).markdown(Lang::Zh),
            r"# 登录 \*模块\*

- 来源: task-now.md
- 会话: 2025-01-15T10-30-00
- 完成时间: 2025-01-15T10:35:00+08:00

## 1. Which login?

It is **open**.

- a

- JWT (推荐, 评分 85)
  - \+ no state
  - − 1\. slow
  - − \#2
- \<b\>Session\</b\> (**已选**)

备注:

> we know it  
>  
> \> better
"
        );
        assert!(export(&record).markdown(Lang::En).contains("- \\<b\\>Session\\</b\\> (**chosen**)\n"));
    }

    #[test]
    fn a_bare_question_has_no_empty_chapters() {
        let options = json!([{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]);
        let record = record(
            &json!({"id": 7, "title": "选哪个？", "options": options}),
            &json!({"id": 7, "chosen": "a"}),
        );
        let adrs = export(&record).adrs();
        assert!(!adrs[0].text.contains("Pros and Cons"), "{}", adrs[0].text);
        assert!(adrs[0].text.contains("Chosen option: \"A\".\n\n## More"), "{}", adrs[0].text);
        assert_eq!(adrs[0].slug, "选哪个");
    }

    #[test]
    fn previews_are_written_as_harmless_as_the_page_shows_them() {
        const PNG: &str = "data:image/png;base64,iVBORw0KGgo=";
        let record = record(
            &json!({
                "id": 1, "title": "Which look?",
                "options": [
                    {"value": "a", "label": "A", "description": "First.",
                     "preview": "a **b** <script>alert(1)</script>\n\n[c](javascript:alert(1)) ![d](https://evil.test/x.png)"},
                    {"value": "b", "label": "B", "preview": "<h3 onclick=x>T</h3>\n\n<pre>1\n\n\n2</pre>\n[c](javascript:alert(1))"},
                    {"value": "c", "label": "C", "preview": "┌──┐\n│``│\n└──┘"},
                    {"value": "d", "label": "D [x]", "preview": PNG},
                    {"value": "e", "label": "E", "preview": {"file": "looks/_e_.png"}},
                    {"value": "f", "label": "F", "preview": " \n"},
                ],
            }),
            &json!({"id": 1, "chosen": "b"}),
        );
        let text = export(&record).markdown(Lang::En);
        let expected = [
            "- A\n\n  First.\n\n  <div>\n  <p>a <strong>b</strong>",
            "- B (**chosen**)\n\n  <div>\n  <h3>T</h3>\n  <!-- -->\n  <pre>1\n  <!-- -->\n  <!-- -->\n  2</pre>",
            "- C\n\n  ```\n  ┌──┐\n  │``│\n  └──┘\n  ```\n",
            &format!("- D \\[x\\]\n\n  ![D \\[x\\]]({PNG})\n"),
            "- E\n\n  Picture: looks/\\_e\\_.png\n",
        ];
        for expected in expected {
            assert!(text.contains(expected), "{expected}\n---\n{text}");
        }
        assert!(text.ends_with("- F\n"), "{text}");
        assert!(export(&record).markdown(Lang::Zh).contains("  图片: looks/"));
        let adr = &export(&record).adrs()[0].text;
        for expected in [
            "### A\n\nFirst.\n\n<div>\n<p>a <strong>b</strong>",
            "### B\n\n<div>\n<h3>T</h3>\n<!-- -->\n",
            "### C\n\n```\n┌──┐\n│``│\n└──┘\n```\n",
            "### E\n\nPicture: looks/\\_e\\_.png\n",
        ] {
            assert!(adr.contains(expected), "{expected}\n---\n{adr}");
        }
        assert!(!adr.contains("### F"), "{adr}");
        for text in [&text, adr] {
            assert!(
                !text.contains("<script") && !text.contains("onclick") && !text.contains("<img"),
                "{text}"
            );
            assert!(!text.contains("\"javascript:"), "{text}");
        }
    }

    #[test]
    fn what_was_not_answered_cannot_be_exported() {
        let mut record = full();
        record.ending = model::Ending::Cancelled;
        assert!(Export::new(String::new(), &record).is_none());
    }

    #[test]
    fn a_quoted_text_keeps_its_lines() {
        assert_eq!(quoted("a\nb"), "> a  \n> b");
    }

    #[test]
    fn titles_become_names() {
        assert_eq!(slug("  Which *kind*: of  login?! "), "which-kind-of-login");
        assert_eq!(slug("../../etc/passwd"), "etc-passwd");
        assert_eq!(slug("？"), "");
        assert_eq!(slug(&"ab ".repeat(100)).chars().count(), 59);
    }
}

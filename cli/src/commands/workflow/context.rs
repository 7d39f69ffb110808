//! Context of a decision, for the user who is asked: its question is one line, and leaves most of it out.

use crate::messages::{DaemonMessage, Message};
use crate::output::Output;
use crate::remote;
use client::Client;
use protocol::workflow::api::{ConsentView, DecisionView};
use texts::{Lang, terminal_safe};
use unicode_width::UnicodeWidthChar;

/// How much of it is shown: in a terminal of 24 rows and 80 columns the question after it stays on the screen.
const ROWS: usize = 16;
const COLUMNS: usize = 76;
/// What stands before each line, so that none looks like a line of the program.
const MARGIN: &str = "  │ ";

/// Shows on standard error what the decision is about: a call of a tool whole, with what each answer does; anything else as far as
/// there is room for it.
pub(super) fn print(output: &Output, client: &Client, decision: &DecisionView) {
    if let Some(consent) = &decision.consent {
        output.notice(&Message::daemon(DaemonMessage::DecisionContext));
        let rows = call(consent).into_iter().map(|row| format!("{MARGIN}{row}").trim_end().to_owned() + "\n");
        output.relay(&rows.collect::<String>());
    } else {
        print_context(output, client, decision);
    }
    let effects = effects(output.lang(), decision).into_iter().flatten().map(|row| format!("  {row}\n"));
    output.relay(&effects.collect::<String>());
}

fn print_context(output: &Output, client: &Client, decision: &DecisionView) {
    let context = whole(output.lang(), decision);
    if context.is_empty() {
        return;
    }
    let shown = screenful(&context);
    output.notice(&Message::daemon(DaemonMessage::DecisionContext));
    let lines = shown.lines().map(|line| format!("{MARGIN}{line}").trim_end().to_owned() + "\n");
    output.relay(&lines.collect::<String>());
    if shown.len() < context.len() {
        let of_workflow = decision.workflow_id.iter().map(|id| format!("workflows/{id}"));
        let page = remote::page(client, &format!("/{}", of_workflow.collect::<String>()));
        output.warning(&Message::daemon(DaemonMessage::DecisionContextCut { page }));
    }
}

/// What a decision is about that is about no call, in the rows of a terminal, as far as that is shown.
pub(super) fn rows(lang: Lang, decision: &DecisionView) -> Vec<String> {
    screenful(&whole(lang, decision)).lines().map(str::to_owned).collect()
}

/// All that it is about, as a terminal shows it. What is written out needs more room than what it stands for.
fn whole(lang: Lang, decision: &DecisionView) -> String {
    let context = lang.context(&decision.message, decision.context.as_deref()).unwrap_or_default();
    plain(&terminal_safe(context.trim_end()))
}

/// A call in rows: the tool, and each parameter whole. What does not fit into a row goes on in the next.
pub(super) fn call(consent: &ConsentView) -> Vec<String> {
    let mut rows = vec![consent.tool.name().to_owned()];
    for (name, value) in &consent.params {
        rows.push(format!("{name}:"));
        let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        for line in terminal_safe(&text).split('\n') {
            rows.extend(wrapped(line).map(|row| format!("    {row}")));
        }
    }
    rows
}

/// A line in rows of the width that is shown, each but the last as long as it can be.
fn wrapped(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(line);
    std::iter::from_fn(move || {
        let line = rest.take()?;
        let mut column = 0;
        for (at, c) in line.char_indices() {
            column += width_of(c);
            if column > COLUMNS - 4 && at > 0 {
                rest = Some(&line[at..]);
                return Some(&line[..at]);
            }
        }
        Some(line)
    })
}

fn width_of(c: char) -> usize {
    if c == '\t' { 8 } else { c.width().unwrap_or_default() }
}

/// What can be answered to a question of the program, each with what it does; `None` for a question of an agent.
pub(super) fn effects(lang: Lang, decision: &DecisionView) -> Option<Vec<String>> {
    // The answers to a question about a tool are more than its options, which are those of the contract.
    let answers: Vec<&str> = match &decision.consent {
        Some(consent) => consent.answers.iter().map(|answer| &*answer.answer).collect(),
        None => decision.options.iter().flatten().map(String::as_str).collect(),
    };
    let effects = answers.into_iter().map(|answer| Some((answer, lang.effect_of(decision, answer)?)));
    let effects: Vec<_> = effects.collect::<Option<_>>()?;
    let width = effects.iter().map(|(answer, _)| answer.len()).max()?;
    Some(effects.into_iter().map(|(answer, effect)| format!("{answer:width$}  {effect}")).collect())
}

/// Markdown for a terminal: what is code is indented instead of fenced, so that nothing in it looks like what stands around it.
fn plain(markdown: &str) -> String {
    let markdown = app::markdown_to_text(markdown);
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line.trim_end() == open => fence = None,
            Some(_) => lines.push(format!("    {line}")),
            None if ticks.len() >= 3 && !line[ticks.len()..].contains('`') => fence = Some(ticks),
            None => lines.push(line.to_owned()),
        }
    }
    lines.join("\n")
}

/// As much of it as is shown.
fn screenful(context: &str) -> &str {
    let (mut row, mut column) = (1, 0);
    for (at, c) in context.char_indices() {
        let width = width_of(c);
        if c == '\n' || column + width > COLUMNS {
            (row, column) = (row + 1, 0);
        }
        if row > ROWS {
            return &context[..at];
        }
        column += width;
    }
    context
}

#[cfg(test)]
mod tests {
    use super::{plain, screenful, wrapped};

    #[test]
    fn a_long_line_is_wrapped_and_nothing_of_it_is_left_out() {
        for (line, rows) in
            [("", 1), ("make", 1), (&*"a".repeat(72), 1), (&*"a".repeat(73), 2), (&*"好".repeat(37), 2)]
        {
            let wrapped: Vec<_> = wrapped(line).collect();
            assert_eq!((wrapped.len(), wrapped.concat().as_str()), (rows, line));
        }
    }

    #[test]
    fn code_is_indented_instead_of_fenced() {
        for (markdown, shown) in [
            ("`A`\n\nx:\n\n```text\none\n  two\n```\n", "`A`\n\nx:\n\n    one\n      two"),
            // A fence in the code is not its end, and what looks like a name in it is none.
            ("````\n```\nurl:\n```\n````\nend", "    ```\n    url:\n    ```\nend"),
            ("```js x\ny", "    y"),
            ("```a``` b", "```a``` b"),
            ("", ""),
        ] {
            assert_eq!(plain(markdown), shown, "{markdown}");
        }
    }

    #[test]
    fn a_screenful_is_shown() {
        let lines = |count: usize| vec!["x"; count].join("\n");
        for (context, shown) in [
            (lines(16), lines(16)),
            (lines(17), lines(16)),
            ("a".repeat(16 * 76), "a".repeat(16 * 76)),
            ("a".repeat(16 * 76 + 1), "a".repeat(16 * 76)),
            ("好".repeat(16 * 38), "好".repeat(16 * 38)),
            ("好".repeat(16 * 38 + 1), "好".repeat(16 * 38)),
            // Lines that do not fit into one row take several.
            (format!("{}\n", "a".repeat(80)).repeat(20), format!("{}\n", "a".repeat(80)).repeat(8)),
        ] {
            assert_eq!(screenful(&context), shown.trim_end(), "{context}");
        }
    }
}

//! The source lines a question is about.

use super::sources::{ExcerptLines, Lines, Passage};
use leptos::prelude::*;
use model::Location;
use std::fmt::Write;
use store::SourceChange;
use texts::{PageTexts, fill};

/// Names the place, says when its file is not what it was, and shows its lines when they could be read, with those
/// around them on request.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(crate) fn SourceExcerpt(
    words: &'static PageTexts,
    location: &Location,
    passage: Passage,
) -> impl IntoView + use<> {
    let label = fill(
        words.location,
        &[
            ("file", &location.file),
            ("start", &location.start.to_string()),
            ("end", &location.end.to_string()),
        ],
    );
    let note = match passage.since {
        SourceChange::Same => None,
        SourceChange::Changed => Some(words.source_changed),
        SourceChange::Gone => Some(words.source_gone),
    };
    let note = note.map(|note| view! { <p class="source-note">{note}</p> });
    let lines = passage.shown.map(|ExcerptLines { before, meant, after, omitted }| {
        let omitted = (omitted > 0).then(|| {
            let text = fill(words.omitted_lines, &[("count", &omitted.to_string())]);
            view! { <p class="omitted">{text}</p> }
        });
        view! {
            <div class="excerpt">
                {Around(words.lines_above, &before)}
                <pre class="source-content" tabindex="0" role="group" aria-label=label.clone() inner_html=meant_html(&meant)></pre>
                {omitted}
                {Around(words.lines_below, &after)}
            </div>
        }
    });
    view! {
        <div class="item-location">
            <p class="location-label">{label}</p>
            {note}
            {lines}
        </div>
    }
}

/// Surrounding lines, collapsed until the user opens them.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Around(label: &'static str, lines: &Lines) -> Option<impl IntoView + use<>> {
    let range = [("start", lines.first.to_string()), ("end", lines.last()?.to_string())];
    let label = fill(label, &range.each_ref().map(|(name, number)| (*name, number.as_str())));
    Some(view! {
        <details class="around">
            <summary>{label}</summary>
            <pre inner_html=around_html(lines)></pre>
        </details>
    })
}

fn meant_html(lines: &Lines) -> String {
    let mut html = String::new();
    for (number, line) in lines.numbered() {
        // Writing into a string cannot fail.
        let _ = write!(
            html,
            "<span class=\"line\"><span class=\"line-number\">{number}</span><code>{line}</code>\n</span>"
        );
    }
    html
}

/// One element for each line: most of them are never seen.
fn around_html(lines: &Lines) -> String {
    let mut html = String::new();
    for (number, line) in lines.numbered() {
        // Writing into a string cannot fail.
        let _ = write!(html, "<span data-line=\"{number}\">{line}\n</span>");
    }
    html
}

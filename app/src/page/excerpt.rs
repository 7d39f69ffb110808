//! The source lines a question is about.

use super::sources::Passage;
use leptos::prelude::*;
use model::Location;
use store::Since;
use texts::{PageTexts, fill};

/// Names the place, says when its file is not what it was, and shows its lines when they could be read.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn SourceExcerpt(
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
        Since::Same => None,
        Since::Changed => Some(words.source_changed),
        Since::Gone => Some(words.source_gone),
    };
    let note = note.map(|note| view! { <p class="source-note">{note}</p> });
    let lines = passage.excerpt.map(|excerpt| {
        let omitted = (excerpt.omitted > 0).then(|| {
            let text = fill(words.omitted_lines, &[("count", &excerpt.omitted.to_string())]);
            view! { <p class="omitted">{text}</p> }
        });
        let lines = excerpt.lines.into_iter().zip(excerpt.first_line..).map(|(line, number)| {
            view! {
                <span class="line">
                    <span class="line-number">{number.to_string()}</span>
                    <code>{line}</code>
                    "\n"
                </span>
            }
        });
        view! {
            <pre class="source-content" tabindex="0" role="group" aria-label=label.clone()>
                {lines.collect_view()}
            </pre>
            {omitted}
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

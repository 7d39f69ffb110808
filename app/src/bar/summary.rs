//! How it ended: rendered by the server for a plain post, by the browser for the hydrated page.

use crate::Outcome;
use leptos::prelude::*;

/// What has become of the questions, and every one that was answered with its answer. An empty hint is not shown.
#[component]
pub(crate) fn Summary(
    outcome: Outcome,
    close: String,
    note_of: String,
    /// What else there is to do.
    news: impl IntoView,
) -> impl IntoView {
    let Outcome { title, hint, chosen } = outcome;
    let entries = chosen.into_iter().map(|item| {
        let note = (!item.note.is_empty())
            .then(|| view! { <dd class="chosen-note">{note_of.replace("{note}", &item.note)}</dd> });
        view! {
            <div>
                <dt>{item.title}</dt>
                <dd class="chosen">{item.label}</dd>
                {note}
            </div>
        }
    });
    view! {
        <section id="success" class="farewell" role="status" tabindex="-1">
            <h1>{title}</h1>
            {(!hint.is_empty()).then(|| view! { <p class="hint">{hint}</p> })}
            <p class="close">{close}</p>
            {news}
            <dl class="summary">{entries.collect_view()}</dl>
        </section>
    }
}

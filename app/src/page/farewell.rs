//! The page after a decision: nothing on it needs the server again.

use super::document::{Assets, Rendered, render};
use crate::Outcome;
use crate::bar::Summary;
use leptos::prelude::*;
use model::SessionId;
use texts::{Lang, PageTexts};

/// How the decision came about, for the person who reads the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// These are the answers of this page.
    Decided,
    /// Another submission was first.
    DecidedElsewhere,
}

/// Renders the result of `session` that stands.
pub fn render_farewell(
    lang: Lang,
    session: &SessionId,
    farewell: Farewell,
    outcome: Outcome,
    style: &'static str,
) -> Rendered {
    let words = lang.page();
    let (title, hint) = match farewell {
        Farewell::Decided => (words.decided, None),
        Farewell::DecidedElsewhere => (words.decided_elsewhere, Some(words.decided_elsewhere_hint)),
    };
    render(lang, words.title, Assets::Inline { style }, || {
        view! {
            <main>
                <Summary
                    title=title.to_owned()
                    hint=hint.unwrap_or_default().to_owned()
                    close=words.close.to_owned()
                    note_of=words.note_of.to_owned()
                    outcome
                    news=()
                />
                {SeeAgain(words, session)}
            </main>
        }
    })
}

/// How to come back to a result. The server ends with it, so there is nothing that a link could lead to. On the page of
/// the form it is hidden until there is a result.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn SeeAgain(words: &'static PageTexts, session: &SessionId) -> impl IntoView + use<> {
    view! {
        <p class="see-again">
            {words.see_again} " " <code>{format!("aide decide show {session}")}</code> " · " {words.see_all} " "
            <code>"aide decide list"</code>
        </p>
    }
}

//! The page after a decision: nothing on it needs the server again.

use super::document::{Assets, Rendered, render};
use crate::Outcome;
use crate::bar::Summary;
use leptos::prelude::*;
use texts::Lang;

/// How the decision came about, for the person who reads the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// These are the answers of this page.
    Decided,
    /// Another submission was first.
    DecidedElsewhere,
}

/// Renders the result that stands.
pub fn render_farewell(lang: Lang, farewell: Farewell, outcome: Outcome, style: &'static str) -> Rendered {
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
            </main>
        }
    })
}

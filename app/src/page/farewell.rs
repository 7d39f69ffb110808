//! The page after a decision: nothing on it needs the server again.

use super::document::{Assets, Rendered, render};
use crate::bar::Summary;
use crate::{ChosenItem, Closed, Outcome};
use leptos::prelude::*;
use texts::{Lang, fill};

/// How the decision came about, for the person who reads the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Farewell {
    /// These are the answers of this page.
    Decided,
    /// Another submission was first.
    DecidedElsewhere,
}

impl Outcome {
    /// The outcome of questions that were answered by `chosen`, in words.
    pub(crate) fn decided(lang: Lang, farewell: Farewell, chosen: Vec<ChosenItem>) -> Self {
        let words = lang.page();
        let (title, hint) = match farewell {
            Farewell::Decided => (words.decided, ""),
            Farewell::DecidedElsewhere => (words.decided_elsewhere, words.decided_elsewhere_hint),
        };
        Self { title: title.to_owned(), hint: hint.to_owned(), chosen }
    }

    /// The outcome of questions that ended without an answer, in words.
    pub(crate) fn closed(lang: Lang, closed: &Closed) -> Self {
        let words = lang.page();
        let (title, hint) = match closed {
            Closed::Returned(message) => {
                (words.returned, fill(words.returned_elsewhere, &[("message", message)]))
            }
            Closed::Cancelled => (words.cancelled, words.cancelled_hint.to_owned()),
        };
        Self { title: title.to_owned(), hint, chosen: Vec::new() }
    }
}

/// Renders the result that stands.
pub fn render_farewell(
    lang: Lang,
    farewell: Farewell,
    chosen: Vec<ChosenItem>,
    style: &'static str,
) -> Rendered {
    let words = lang.page();
    let outcome = Outcome::decided(lang, farewell, chosen);
    render(lang, words.title, Assets::Inline { style }, || {
        view! {
            <main>
                <Summary
                    outcome
                    close=words.close.to_owned()
                    note_of=words.note_of.to_owned()
                    news=()
                />
            </main>
        }
    })
}

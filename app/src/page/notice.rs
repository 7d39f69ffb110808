//! A page that says one thing, in place of a form that cannot be used.

use super::document::{Assets, Rendered, render};
use leptos::prelude::*;
use texts::Lang;

/// What it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// The page that posted shows other questions than the ones that are open.
    Stale,
}

/// Renders the notice, with a way back to the questions.
pub fn render_notice(lang: Lang, notice: &Notice, style: &'static str) -> Rendered {
    let words = lang.page();
    let (title, text) = match notice {
        Notice::Stale => (words.stale, words.stale_hint),
    };
    let text = text.to_owned();
    render(lang, Assets::Inline { style }, || {
        view! {
            <main>
                <div class="farewell" id="notice">
                    <h1>{title}</h1>
                    <p>{text}</p>
                    <p>
                        <a class="button" href=format!("/?lang={}", lang.code())>{words.reload}</a>
                    </p>
                </div>
            </main>
        }
    })
}

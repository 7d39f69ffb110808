//! A page that says one thing, in place of a form that cannot be used.

use super::document::{Assets, Rendered, render};
use crate::Closed;
use leptos::prelude::*;
use texts::Lang;

/// What it says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// The page that posted shows other questions than the ones that are open.
    Stale,
    /// The questions were sent back just now, with these words.
    Returned(String),
    /// They were sent back or cancelled before this page was.
    Closed(Closed),
}

/// Renders the notice, with a way on if there is one.
pub fn render_notice(lang: Lang, notice: &Notice, style: &'static str) -> Rendered {
    let words = lang.page();
    let (title, text, quoted) = match notice {
        Notice::Stale => (words.stale, words.stale_hint, None),
        Notice::Returned(message) => (words.returned, words.returned_hint, Some(message.clone())),
        Notice::Closed(Closed::Returned(message)) => {
            (words.returned, words.returned_already, Some(message.clone()))
        }
        Notice::Closed(Closed::Cancelled) => (words.cancelled, words.cancelled_hint, None),
    };
    let reload = (*notice == Notice::Stale).then(|| {
        view! {
            <p>
                <a class="button" href=format!("/?lang={}", lang.code())>
                    {words.reload}
                </a>
            </p>
        }
    });
    render(lang, words.title, Assets::Inline { style }, || {
        view! {
            <main>
                <div class="farewell" id="notice">
                    <h1>{title}</h1>
                    <p>{text}</p>
                    {quoted.map(|quoted| view! { <blockquote class="reason">{quoted}</blockquote> })}
                    {reload}
                </div>
            </main>
        }
    })
}

//! The frame of every page: head, script, and the rendering itself.

use crate::icon::icon;
use hydration_context::SsrSharedContext;
use leptos::nonce::{Nonce, provide_nonce, use_nonce};
use leptos::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;
use texts::Lang;

/// A rendered page.
#[derive(Debug)]
pub struct Rendered {
    /// The whole document.
    pub html: String,
    /// What the Content-Security-Policy of this response must name.
    pub nonce: String,
}

/// What a page may load.
#[derive(Debug, Clone, Copy)]
pub enum Assets {
    /// Style sheet and, when the front end was built in, script and WASM.
    Linked {
        /// False in a build without a front end; the page is then plain HTML, and complete.
        hydrate: bool,
    },
    /// Nothing: the style sheet is part of the document, because the server may be gone before it is asked for.
    Inline {
        /// The style sheet.
        style: &'static str,
    },
}

const DOCTYPE: &str = "<!DOCTYPE html>";

/// Loads the islands and wakes them. It stands first in the head, so that the files arrive while the document is
/// read. What somebody opens it brings into view: the bar at the lower edge would hide it. Compiling the files elsewhere meanwhile was measured and gained nothing: on two cores its result waits until the
/// first drawing is over. A browser that cannot do it keeps a page that works without.
const WAKE_ISLANDS: &str = "\
addEventListener('toggle',({target:el})=>{if(el.open&&navigator.userActivation?.isActive)\
el.scrollIntoView({block:'nearest'})},true);\
Promise.all([import('/app.js'),fetch('/app.wasm').then((file)=>file.arrayBuffer()),\
new Promise((read)=>addEventListener('DOMContentLoaded',read))]).then(([app,module])=>{\
app.initSync({module});\
app.hydrate();\
for(const el of document.querySelectorAll('leptos-island'))app[el.dataset.component](el);\
document.documentElement.dataset.hydrated='true'\
}).catch((error)=>console.warn('aide: plain page,',String(error)))";

/// Renders a document around `body`, which is built inside a reactive owner of its own.
pub(super) fn render<V: IntoView + 'static>(
    lang: Lang,
    title: &str,
    assets: Assets,
    body: impl FnOnce() -> V,
) -> Rendered {
    render_around(lang, title, assets, 0, &[], |_| body())
}

/// Renders a document with `parts`, which are HTML, in the place that `body` marks: it sets the mark it is given as
/// the inner HTML of an element. Large parts are so copied once, into a text of the right size. Title and icon show how
/// many items are `open`, if any are.
pub(super) fn render_around<V: IntoView + 'static>(
    lang: Lang,
    title: &str,
    assets: Assets,
    open: u32,
    parts: &[Cow<'_, str>],
    body: impl FnOnce(String) -> V,
) -> Rendered {
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new_islands())));
    owner.with(|| {
        provide_nonce();
        let nonce = use_nonce();
        // Nobody who wrote a text of the page could know the nonce, so no text contains the mark.
        let mark = format!("<!--{}-->", nonce.as_deref().unwrap_or_default());
        let frame = document(lang, title, assets, open, nonce.clone(), body(mark.clone())).to_html();
        let (before, after) = frame.split_once(&mark).unwrap_or((&frame, ""));
        let mut html = String::with_capacity(
            DOCTYPE.len() + frame.len() + parts.iter().map(|part| part.len()).sum::<usize>(),
        );
        html.push_str(DOCTYPE);
        html.push_str(before);
        html.extend(parts.iter().map(AsRef::as_ref));
        html.push_str(after);
        let nonce = nonce.map(|nonce| nonce.to_string()).unwrap_or_default();
        Rendered { html, nonce }
    })
}

fn document<V: IntoView + 'static>(
    lang: Lang,
    title: &str,
    assets: Assets,
    open: u32,
    nonce: Option<Nonce>,
    body: V,
) -> impl IntoView + use<V> {
    let loads = match assets {
        Assets::Linked { hydrate } => {
            let script = hydrate.then(|| {
                view! { <script nonce=nonce>{WAKE_ISLANDS}</script> }
            });
            let icon = if open > 0 { icon(open) } else { "/favicon.svg".to_owned() };
            let links = view! {
                {script}
                <link rel="icon" href=icon type="image/svg+xml" />
                <link rel="stylesheet" href="/style.css" />
            };
            links.into_any()
        }
        Assets::Inline { style } => {
            let style = view! {
                <link rel="icon" href="data:," />
                <style nonce=nonce>{style}</style>
            };
            style.into_any()
        }
    };
    let title = if open > 0 { format!("({open}) {title}") } else { title.to_owned() };
    view! {
        <html lang=lang.html_lang()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="robots" content="noindex" />
                {loads}
                <title>{title}</title>
            </head>
            <body>{body}</body>
        </html>
    }
}

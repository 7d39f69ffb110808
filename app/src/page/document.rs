//! The frame of every page: head, script, and the rendering itself.

use hydration_context::SsrSharedContext;
use leptos::nonce::{Nonce, provide_nonce, use_nonce};
use leptos::prelude::*;
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

/// Loads the islands and wakes them. A browser that cannot do it keeps a page that works without.
const WAKE_ISLANDS: &str = "\
import('/app.js').then(async(app)=>{\
await app.default({module_or_path:'/app.wasm'});\
app.hydrate();\
for(const el of document.querySelectorAll('leptos-island'))app[el.dataset.component](el);\
document.documentElement.dataset.hydrated='true'\
}).catch((error)=>console.warn('aide: plain page,',String(error)))";

/// Renders a document around `body`, which is built inside a reactive owner of its own.
pub(super) fn render<V: IntoView + 'static>(
    lang: Lang,
    assets: Assets,
    body: impl FnOnce() -> V,
) -> Rendered {
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new_islands())));
    owner.with(|| {
        provide_nonce();
        let nonce = use_nonce();
        let mut html = document(lang, assets, nonce.clone(), body()).to_html();
        html.insert_str(0, "<!DOCTYPE html>");
        let nonce = nonce.map(|nonce| nonce.to_string()).unwrap_or_default();
        Rendered { html, nonce }
    })
}

fn document<V: IntoView + 'static>(
    lang: Lang,
    assets: Assets,
    nonce: Option<Nonce>,
    body: V,
) -> impl IntoView {
    let (style, script) = match assets {
        Assets::Linked { hydrate } => {
            let script = hydrate.then(|| {
                view! {
                    <script type="module" nonce=nonce>
                        {WAKE_ISLANDS}
                    </script>
                }
            });
            let preload = hydrate.then(|| {
                view! {
                    <link rel="modulepreload" href="/app.js" />
                    <link rel="preload" href="/app.wasm" r#as="fetch" r#type="application/wasm" crossorigin="" />
                }
            });
            let links = view! {
                <link rel="icon" href="/favicon.svg" type="image/svg+xml" />
                <link rel="stylesheet" href="/style.css" />
                {preload}
            };
            (links.into_any(), script)
        }
        Assets::Inline { style } => {
            let style = view! {
                <link rel="icon" href="data:," />
                <style nonce=nonce>{style}</style>
            };
            (style.into_any(), None)
        }
    };
    view! {
        <html lang=lang.html_lang()>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="robots" content="noindex" />
                <title>{lang.page().title}</title>
                {style}
            </head>
            <body>{body}{script}</body>
        </html>
    }
}

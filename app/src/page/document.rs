//! The frame of every page: head, script, and the rendering itself.

use crate::html::item::heard_words;
use crate::html::markup::{IntoMarkup, Markup};
use crate::icon::icon as counted_icon;
use crate::site;
use hydration_context::SsrSharedContext;
use leptos::either::Either;
use leptos::nonce::{Nonce, provide_nonce, use_nonce};
use leptos::prelude::*;
use std::borrow::Cow;
use std::sync::Arc;
use texts::Lang;

/// A rendered page.
#[derive(Debug)]
pub struct RenderedPage {
    /// The whole document.
    pub html: String,
    /// What the Content-Security-Policy of this response must name.
    pub nonce: String,
}

/// What stands in every page beside its words. A page asks for its icon and the WASM alone: the address changes with the port
/// from run to run, so that nothing is ever cached, and what must arrive first delays the drawing.
#[derive(Debug, Clone, Copy)]
pub struct Assets {
    /// The style sheet.
    pub style: &'static str,
    /// Wakes the islands. Without it the page is plain HTML, and complete.
    pub script: Option<&'static str>,
    /// The address of the icon, where nothing is counted.
    pub icon: &'static str,
}

impl Assets {
    /// The address of no icon.
    pub const NO_ICON: &str = "data:,";
}

const DOCTYPE: &str = "<!DOCTYPE html>";

/// Renders a document around `body`, which is built inside a reactive owner of its own.
pub(super) fn render<V: IntoView + 'static>(
    lang: Lang,
    title: &str,
    assets: Assets,
    body: impl FnOnce() -> V,
) -> RenderedPage {
    render_around(lang, title, assets, "", 0, &[], |_| body())
}

/// The same with a style of its own, and with `open` in title and icon: so much is still to be answered.
pub(super) fn render_counted<V: IntoView + 'static>(
    lang: Lang,
    title: &str,
    assets: Assets,
    style: &str,
    open: u32,
    body: impl FnOnce() -> V,
) -> RenderedPage {
    render_around(lang, title, assets, style, open, &[], |_| body())
}

/// Renders a document with `parts`, which are HTML, in the place that `body` marks: it sets the mark it is given as
/// the inner HTML of an element. Large parts are so copied once, into a text of the right size. Title and icon show how
/// many items are `open`, if any are. `style` is what the style sheet of all pages does not have.
pub(super) fn render_around<V: IntoView + 'static>(
    lang: Lang,
    title: &str,
    assets: Assets,
    style: &str,
    open: u32,
    parts: &[Cow<'_, str>],
    body: impl FnOnce(String) -> V,
) -> RenderedPage {
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new_islands())));
    owner.with(|| {
        provide_nonce();
        let nonce = use_nonce();
        // No author of a text on the page could know the nonce, so no text contains the mark.
        let mark = format!("<!--{}-->", nonce.as_deref().unwrap_or_default());
        let body = body(mark.clone()).into_markup();
        let frame = document(lang, title, assets, style, open, nonce.clone(), body).to_html();
        let (before, after) = frame.split_once(&mark).unwrap_or((&frame, ""));
        let mut html = String::with_capacity(
            DOCTYPE.len() + frame.len() + parts.iter().map(|part| part.len()).sum::<usize>(),
        );
        html.push_str(DOCTYPE);
        html.push_str(before);
        html.extend(parts.iter().map(AsRef::as_ref));
        html.push_str(after);
        let nonce = nonce.map(|nonce| nonce.to_string()).unwrap_or_default();
        RenderedPage { html, nonce }
    })
}

fn document(
    lang: Lang,
    title: &str,
    assets: Assets,
    own_style: &str,
    open: u32,
    nonce: Option<Nonce>,
    body: Markup,
) -> impl IntoView + use<> {
    let own_style = heard_words(lang.page()) + own_style;
    let Assets { style, script, icon } = assets;
    let icon = match icon {
        _ if open > 0 => counted_icon(open),
        path if path.starts_with('/') => site::address(path),
        other => other.to_owned(),
    };
    // For the scripts, which ask this server as well.
    let root = Some(site::root()).filter(|root| !root.is_empty());
    // An icon that is drawn first holds up the page (docs/BENCHMARKS.md). Where there is a script, it puts it in its place later.
    let icon = match script {
        Some(_) => Either::Left(view! {
            <link rel="icon" href=Assets::NO_ICON data-href=icon.clone() />
            <noscript><link rel="icon" href=icon /></noscript>
        }),
        None => Either::Right(view! { <link rel="icon" href=icon /> }),
    };
    let script = script.map(|script| {
        view! { <script r#type="module" nonce=nonce.clone()>{script}</script> }
    });
    let title = if open > 0 { format!("({open}) {title}") } else { title.to_owned() };
    view! {
        <html lang=lang.html_lang() data-root=root>
            <head>
                <meta charset="utf-8" />
                <meta name="viewport" content="width=device-width, initial-scale=1" />
                <meta name="color-scheme" content="light dark" />
                <meta name="robots" content="noindex" />
                <title>{title}</title>
                {icon}
                <style nonce=nonce.clone()>{style}</style>
                <style nonce=nonce>{own_style}</style>
            </head>
            <body>{body}{script}</body>
        </html>
    }
}

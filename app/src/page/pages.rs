//! The way to the pages before and after this one.

use crate::site;
use leptos::prelude::*;
use texts::{Lang, fill};

/// Nothing where there is one page only. Pages are counted from 1, the latest first; `address` is that of any of them.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Pages(
    lang: Lang,
    page: usize,
    has_older: bool,
    address: &dyn Fn(usize) -> String,
) -> impl IntoView + use<> {
    let words = lang.history();
    PageLinks(lang, page, has_older, (words.newer, words.older), address)
}

/// The same with labels of the links to the page before and the page after.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn PageLinks(
    lang: Lang,
    page: usize,
    has_next: bool,
    (before, after): (&'static str, &'static str),
    address: &dyn Fn(usize) -> String,
) -> impl IntoView + use<> {
    let words = lang.history();
    let link = |there: bool, page: usize, rel: &'static str, label: &'static str| {
        there.then(|| {
            view! {
                <a id=format!("page-{rel}") href=address(page) rel=rel>
                    {label}
                </a>
            }
        })
    };
    let before = link(page > 1, page.saturating_sub(1), "prev", before);
    let after = link(has_next, page.saturating_add(1), "next", after);
    (before.is_some() || after.is_some()).then(|| {
        view! {
            <nav class="pages" aria-label=words.pages>
                {before}
                <span>{fill(words.page, &[("page", &page.to_string())])}</span>
                {after}
            </nav>
        }
    })
}

/// The address of page `page` of what is at `path`.
pub(super) fn page_address(path: &str, lang: Lang, page: usize) -> String {
    let page = if page > 1 { format!("page={page}&") } else { String::new() };
    site::address(format_args!("{path}?{page}lang={}", lang.code()))
}

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
    let link = |there: bool, page: usize, rel: &'static str, name: &'static str| {
        there.then(|| {
            view! {
                <a href=address(page) rel=rel>
                    {name}
                </a>
            }
        })
    };
    let newer = link(page > 1, page.saturating_sub(1), "prev", words.newer);
    let older = link(has_older, page.saturating_add(1), "next", words.older);
    (newer.is_some() || older.is_some()).then(|| {
        view! {
            <nav class="pages" aria-label=words.pages>
                {newer}
                <span>{fill(words.page, &[("page", &page.to_string())])}</span>
                {older}
            </nav>
        }
    })
}

/// The address of page `page` of what is at `path`.
pub(super) fn page_address(path: &str, lang: Lang, page: usize) -> String {
    let page = if page > 1 { format!("page={page}&") } else { String::new() };
    site::address(format_args!("{path}?{page}lang={}", lang.code()))
}

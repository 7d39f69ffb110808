//! What several pages are made of.

use super::time::today;
use crate::html::escape::escape_into;
use crate::html::markup::{IntoMarkup, Markup};
use leptos::prelude::*;
use std::borrow::Cow;

/// A moment of the world's time as the clock here shows it; the day is named unless it is today.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn LocalTime(moment: &str) -> impl IntoView + use<> {
    let local = store::moment(moment).unwrap_or_else(|| moment.to_owned());
    view! { <time datetime=local.clone()>{today(&local, &store::now())}</time> }
}

/// The word for a state, drawn by it.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Mark(state: &'static str, word: impl Into<Cow<'static, str>>) -> Markup {
    let word = word.into();
    view! {
        <span class="mark" data-state=state>
            {word}
        </span>
    }
    .into_markup()
}

/// A text, with what stands between backticks in it as code.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn WithCode(text: &str) -> Markup {
    let parts = text.split('`').zip([false, true].into_iter().cycle());
    let parts = parts.map(|(part, is_code)| {
        let part = part.to_owned();
        if is_code { view! { <code>{part}</code> }.into_markup() } else { part.into_markup() }
    });
    parts.collect::<Vec<_>>().into_markup()
}

/// A path, which may go on in the next line behind each of its folders.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn FilePath(path: &str) -> Markup {
    let mut html = String::with_capacity(2 * path.len());
    for (at, part) in path.split_inclusive('/').enumerate() {
        if at > 0 {
            html.push_str("<wbr>");
        }
        escape_into(&mut html, part);
    }
    view! { <code inner_html=html></code> }.into_markup()
}

/// In the place of a list: that there is nothing yet, or nothing that is looked for, and then where all of it is.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Nothing(
    title: &'static str,
    hint: &'static str,
    all: Option<(String, &'static str)>,
) -> Markup {
    let hint = (!hint.is_empty()).then(|| view! { <p>{hint}</p> });
    let all = all.map(|(href, name)| {
        view! {
            <p>
                <a href=href>{name}</a>
            </p>
        }
    });
    view! {
        <div class="nothing">
            <h2>{title}</h2>
            {hint}
            {all}
        </div>
    }
    .into_markup()
}

/// A list of facts: what each is called, and what it is. One that is not known is left out.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn FactList<const N: usize>(facts: [(&'static str, Option<Markup>); N]) -> Markup {
    let facts = facts.into_iter().filter_map(|(name, value)| {
        let value = value?;
        Some(view! {
            <div>
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        })
    });
    let facts: Vec<_> = facts.collect();
    view! { <dl class="facts">{facts}</dl> }.into_markup()
}

/// How a page without script follows what happens: by itself, or by the link `href` where it has a form. A page that loads itself
/// would take away what the user is writing.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Reload(href: Option<String>, word: &'static str) -> Markup {
    match href {
        Some(href) => view! {
            <p class="reload">
                <a href=href>{word}</a>
            </p>
        }
        .into_markup(),
        None => view! { <meta http-equiv="refresh" content="5" /> }.into_markup(),
    }
}

/// The choice among the projects that entries belong to, where there is one: without `chosen`, a single project is none.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn ProjectFilter(
    any: &'static str,
    mut projects: Vec<String>,
    chosen: Option<&String>,
) -> Option<Markup> {
    projects.extend(chosen.cloned());
    projects.sort_unstable();
    projects.dedup();
    if projects.len() < 2 && chosen.is_none() {
        return None;
    }
    let options = projects.into_iter().map(|root| {
        let is_chosen = chosen == Some(&root);
        view! {
            <option value=root.clone() selected=is_chosen>
                {root.clone()}
            </option>
        }
    });
    let options: Vec<_> = options.collect();
    let select = view! {
        <select id="filter-project" name="project" aria-label=any>
            <option value="">{any}</option>
            {options}
        </select>
    };
    Some(select.into_markup())
}

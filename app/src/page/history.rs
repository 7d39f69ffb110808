//! The list of earlier decisions.

use super::document::{Assets, RenderedPage, render};
use super::masthead::{CurrentPage, Masthead};
use super::pages::Pages;
use super::parts::Nothing;
use super::time::Time;
use crate::html::markup::IntoMarkup;
use crate::site;
use crate::{OtherPages, SetId, room_path};
use decide::{HistoryEntry, HistoryPage, SearchCache, State};
use leptos::prelude::*;
use store::{Decisions, StoreError};
use texts::{Explain, HistoryTexts, Lang};

/// Which part of the history to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryQuery {
    /// Words that must all occur; blank for everything.
    pub search: String,
    /// Counted from 1.
    pub page: usize,
    /// The name of the project, where the server has several.
    pub room: String,
}

impl HistoryQuery {
    /// The address of this page of the history, or of another.
    fn address(&self, lang: Lang, page: usize) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if !self.search.is_empty() {
            query.append_pair("q", &self.search);
        }
        if page > 1 {
            query.append_pair("page", &page.to_string());
        }
        query.append_pair("lang", lang.code());
        format!("{}/history?{}", room_path(&self.room), query.finish())
    }
}

/// Renders one page of the list.
///
/// # Errors
///
/// When the folder of the decisions cannot be read.
pub fn render_history(
    elsewhere: OtherPages,
    (decisions, cache): (&Decisions, Option<&SearchCache>),
    lang: Lang,
    query: &HistoryQuery,
    assets: Assets,
) -> Result<RenderedPage, StoreError> {
    let listing = decide::history(decisions, &query.search, query.page, cache)?;
    let words = lang.history();
    Ok(render(lang, words.title, assets, || {
        let is_all = model::is_blank(&query.search) && query.page <= 1;
        let is_unreadable = |entry: &HistoryEntry| entry.state == State::Unreadable;
        let nothing = if is_all {
            listing.ended.is_empty().then_some((words.empty, words.empty_hint))
        } else {
            // What cannot be read is listed, and yet not found.
            let nothing = listing.open.is_empty() && listing.ended.iter().all(is_unreadable);
            nothing.then_some((words.nothing_found, words.nothing_found_hint))
        };
        let all = (!is_all)
            .then(|| (format!("{}/history?lang={}", room_path(&query.room), lang.code()), words.show_all));
        let nothing = nothing.map(|(title, hint)| Nothing(title, hint, all));
        // Where nothing has ended there is nothing to be searched.
        let search = (!is_all || !listing.ended.is_empty()).then(|| view! { <Search lang words query /> });
        view! {
            <Masthead
                lang
                here=CurrentPage::History(query.address(lang.other(), query.page))
                elsewhere
            />
            <main>
                <div class="heading">
                    <h1>{words.history}</h1>
                    <p class="lead">{words.lead}</p>
                    {search}
                </div>
                <Entries lang words room=query.room.clone() listing=&listing />
                {nothing}
                {Pages(lang, query.page, listing.has_older, &|page| query.address(lang, page))}
            </main>
        }
    }))
}

#[component]
fn Search<'a>(lang: Lang, words: &'static HistoryTexts, query: &'a HistoryQuery) -> impl IntoView + use<> {
    view! {
        <form class="search" role="search" action=format!("{}/history", room_path(&query.room))>
            <input
                type="search"
                name="q"
                value=query.search.clone()
                placeholder=words.search
                title=words.search_label
                aria-label=words.search_label
            />
            <input type="hidden" name="lang" value=lang.code() />
            <button type="submit">{words.search}</button>
        </form>
    }
}

#[component]
fn Entries<'a>(
    lang: Lang,
    words: &'static HistoryTexts,
    room: String,
    listing: &'a HistoryPage,
) -> impl IntoView + use<> {
    let entries: Vec<_> = listing.open.iter().chain(&listing.ended).collect();
    let is_empty = entries.is_empty();
    let entries = entries
        .into_iter()
        .map(|entry| EntryLine(lang, words, &room, entry, listing.open.len()))
        .collect_view();
    (!is_empty).then(|| view! { <ol class="summary">{entries}</ol> })
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn EntryLine(
    lang: Lang,
    words: &'static HistoryTexts,
    room: &str,
    entry: &HistoryEntry,
    open: usize,
) -> impl IntoView + use<> {
    let code = lang.code();
    let set = SetId::new(room, entry.session.clone());
    let href = match entry.state {
        // Where there are several projects, others may be open there.
        State::Open if open > 1 || !room.is_empty() => site::address(format_args!("/d/{set}?lang={code}")),
        State::Open => site::address(format_args!("/?lang={code}")),
        _ => format!("{}?lang={code}", set.record_path()),
    };
    // The name of a session is its time, which is all that is known of a file that cannot be read.
    let title = match entry.state {
        State::Unreadable => entry.session.to_string(),
        _ if model::is_blank(&entry.task) => words.untitled.to_owned(),
        _ => lang.task(&entry.task, &entry.origin).into_owned(),
    };
    let facts = match &entry.problem {
        Some(problem) => problem.explain(lang).what.into_markup(),
        None => view! { {Time(&entry.at)} " · " {words.items(entry.items)} " · " {entry.source.clone()} }
            .into_markup(),
    };
    view! {
        <li>
            <a class="chosen" href=href>
                {title}
            </a>
            " "
            <span class="mark">{state_word(words, entry.state)}</span>
            <p class="omitted">{facts}</p>
        </li>
    }
}

/// The word for what has become of a set of questions.
pub(super) fn state_word(words: &'static HistoryTexts, state: State) -> &'static str {
    match state {
        State::Open | State::Unserved => words.open,
        State::Answered => words.answered,
        State::Returned => words.returned,
        State::Cancelled => words.cancelled,
        State::Expired => words.expired,
        State::Replaced => words.replaced,
        State::Unreadable => words.unreadable,
    }
}

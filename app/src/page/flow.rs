//! A task: its phases, what was recorded in each, what that has changed, and what was decided. Below the present one, those
//! before it are listed.
//!
//! The page of the present task is whole as it is served. A few lines of script look whether something was recorded since, and then load it
//! again; without script the browser does so by itself.

use super::document::{Assets, RenderedPage, render};
use super::masthead::{CurrentPage, Masthead};
use super::pages::{Pages, page_address};
use super::parts::{FactList, WithCode};
use super::time::Time;
use crate::html::markup::{IntoMarkup, Markup};
use crate::timeline::{self, AnsweredSet, PhaseVisit};
use crate::{OtherPages, SetId, room_path};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use model::flow::{Action, FileChange, FlowStatus, HistoryEntry, TaskId, short_hash};
use std::collections::HashMap;
use std::ops::Range;
use store::{Decisions, StoreError, seconds_between};
use texts::{FlowTexts, Lang, fill};

/// How many entries a page shows.
const PAGE: usize = 50;
/// How many files of one commit are listed.
const FILES: usize = 100;
/// How many tasks of the past are listed.
const TASKS: usize = 100;
const STYLE: &str = include_str!("../../../style/flow.css");

/// Asks for what would be shown now, and shows it if it is something else; behind what stands before the path.
const LIVE: [&str; 2] = [
    "\
const main=document.querySelector('main'),lost=document.getElementById('not-live');\
setInterval(()=>{if(!document.hidden)fetch('",
    "/flow/version').then((r)=>r.ok?r.text():Promise.reject(r))\
.then((now)=>{lost.hidden=true;if(now!==main.dataset.version)location.reload()})\
.catch(()=>{lost.hidden=false})},2000)",
];

/// Which part of a task to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowQuery {
    /// Counted from 1, the latest entries first.
    pub page: usize,
    /// A task of the past; `None` for the present one.
    pub task: Option<TaskId>,
    /// The name of the project, where the server has several.
    pub room: String,
}

/// A task of the past, as it is listed.
#[derive(Debug)]
pub struct PastTask {
    /// Its name.
    pub id: TaskId,
    /// Its state, if it can be read.
    pub status: Option<FlowStatus>,
}

/// What there is to be seen of a task.
#[derive(Debug)]
pub struct FlowView<'s> {
    /// The task, if there is one.
    pub status: Option<&'s FlowStatus>,
    /// All phases, in their order.
    pub phases: &'s [String],
    /// What the commits of this page have changed.
    pub changes: HashMap<String, Vec<FileChange>>,
    /// On the page of the present task: those before it, the latest first.
    pub past: Vec<PastTask>,
    /// Where else there is something to see.
    pub elsewhere: OtherPages,
    /// Names what is shown, so that a change of it is seen.
    pub version: String,
}

impl FlowQuery {
    /// The places of the entries that this page shows.
    fn places(&self, status: &FlowStatus) -> Range<usize> {
        let end = status.history.len().saturating_sub(self.page.saturating_sub(1).saturating_mul(PAGE));
        end.saturating_sub(PAGE)..end
    }

    /// The entries that this page shows.
    pub fn entries<'s>(&self, status: &'s FlowStatus) -> &'s [HistoryEntry] {
        status.history.get(self.places(status)).unwrap_or_default()
    }

    fn address(&self, lang: Lang, page: usize) -> String {
        let task = self.task.as_ref().map(|task| format!("/{task}")).unwrap_or_default();
        page_address(&format!("{}/flow{task}", room_path(&self.room)), lang, page)
    }
}

/// Renders the page of the present task, or of one of the past.
///
/// # Errors
///
/// When the folder of the decisions cannot be read.
pub fn render_flow(
    lang: Lang,
    query: &FlowQuery,
    flow: &FlowView<'_>,
    decisions: &Decisions,
    assets: Assets,
) -> Result<RenderedPage, StoreError> {
    let words = lang.flow();
    let stays =
        flow.status.map(|status| timeline::visits(status, decisions)).transpose()?.unwrap_or_default();
    Ok(render(lang, words.title, assets, || {
        let heading = match flow.status {
            Some(status) => Heading(lang, query, status, flow.phases).into_markup(),
            None => view! {
                <div class="nothing">
                    <h1>{words.no_task}</h1>
                    <p>{WithCode(words.no_task_hint)}</p>
                </div>
            }
            .into_markup(),
        };
        let shown = flow.status.map(|status| query.places(status)).unwrap_or_default();
        let mut place = stays.iter().map(|stay| stay.entries.len()).sum::<usize>();
        let stays: Vec<_> = stays
            .iter()
            .rev()
            .filter_map(|stay| {
                let (first, end) = (place - stay.entries.len(), place);
                place = first;
                let part = shown.start.max(first)..shown.end.min(end);
                (part.start < part.end).then(|| {
                    let part = part.start - first..part.end - first;
                    StayView(lang, &query.room, stay, part, &flow.changes).into_markup()
                })
            })
            .collect();
        let nonce = use_nonce();
        let elsewhere = flow.elsewhere.clone();
        // Nothing changes about a task of the past.
        let live = query.task.is_none().then(|| {
            let script = LIVE.join(&room_path(&query.room));
            view! {
                <noscript>
                    <meta http-equiv="refresh" content="5" />
                </noscript>
                <script nonce=nonce.clone()>{script}</script>
            }
        });
        let past = (query.page <= 1).then(|| PastTasks(lang, &query.room, &flow.past));
        view! {
            <style nonce=nonce.clone()>{STYLE}</style>
            <Masthead lang here=CurrentPage::Flow(query.address(lang.other(), query.page)) elsewhere />
            <main data-version=flow.version.clone()>
                {heading}
                <p id="not-live" role="status" hidden>
                    {words.not_live}
                </p>
                {stays}
                {Pages(lang, query.page, shown.start > 0, &|page| query.address(lang, page))} {past}
            </main>
            {live}
        }
    }))
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Heading(lang: Lang, query: &FlowQuery, status: &FlowStatus, phases: &[String]) -> impl IntoView + use<> {
    let (words, common) = (lang.flow(), lang.history());
    let is_past = query.task.is_some();
    // A task of the past takes no more time, nor does one that is done.
    let end = match is_past {
        true => status.newest().map(|newest| &*newest.timestamp),
        false => status.ended_at(phases),
    };
    let now = end.map_or_else(store::now, str::to_owned);
    let spent = |since: &str| seconds_between(since, &now).map(|seconds| common.duration(seconds));
    let entered = status.present_phase().first().map_or(&status.started_at, |entry| &entry.timestamp);
    let facts = FactList([
        (words.task, Some(status.task_id.to_string().into_markup())),
        (words.step, Some(status.current_step.to_string().into_markup())),
        (words.spent, spent(&status.started_at).map(IntoMarkup::into_markup)),
        (words.spent_in_phase, spent(entered).map(IntoMarkup::into_markup)),
        (words.started, Some(Time(&status.started_at).into_markup())),
    ]);
    let to_present = is_past.then(|| {
        let present = FlowQuery { page: 1, task: None, room: query.room.clone() };
        view! {
            <p>
                <a href=present.address(lang, 1)>{words.to_present}</a>
            </p>
        }
    });
    // A phase that the configuration does not have any more is shown behind those that it has.
    let is_unknown = !phases.contains(&status.current_phase);
    let names = phases.iter().chain(is_unknown.then_some(&status.current_phase));
    let phases: Vec<_> = names
        .map(|phase| {
            let current = (*phase == status.current_phase).then_some("step");
            let note = current
                .filter(|_| !is_past)
                .map(|_| view! { <span class="unseen">" (" {words.present} ")"</span> });
            view! { <li aria-current=current>{phase.clone()} {note}</li> }
        })
        .collect();
    view! {
        <div class="heading">
            <h1 id="task-name">{status.summary().to_owned()}</h1>
            <p class="lead">{if is_past { words.past_lead } else { words.lead }}</p>
            {to_present}
            {facts}
            <ol class="phases" aria-label=words.phases>
                {phases}
            </ol>
        </div>
    }
}

/// The tasks before the present one, each with the way to its steps.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn PastTasks(lang: Lang, room: &str, past: &[PastTask]) -> impl IntoView + use<> {
    let words = lang.flow();
    let further = past.len().checked_sub(TASKS).filter(|further| *further > 0);
    let further = further.map(|count| {
        view! { <p class="omitted">{fill(words.further_tasks, &[("count", &count.to_string())])}</p> }
    });
    let lines = past.iter().take(TASKS).map(|PastTask { id, status }| {
        let Some(status) = status else {
            return view! {
                <li>
                    <span class="chosen">{id.to_string()}</span>
                    <p class="omitted">{words.unreadable}</p>
                </li>
            }
            .into_markup();
        };
        let query = FlowQuery { page: 1, task: Some(id.clone()), room: room.to_owned() };
        let steps = words.steps(status.history.len());
        view! {
            <li>
                <a class="chosen" href=query.address(lang, 1)>
                    {status.summary().to_owned()}
                </a>
                <p class="omitted">
                    {status.current_phase.clone()} " · " {steps} " · " {Time(&status.started_at)}
                </p>
            </li>
        }
        .into_markup()
    });
    let lines: Vec<_> = lines.collect();
    (!lines.is_empty()).then(|| {
        view! {
            <section class="stay" id="past-tasks">
                <h2>{words.past_tasks}</h2>
                <ol>{lines}</ol>
                {further}
            </section>
        }
    })
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn StayView(
    lang: Lang,
    room: &str,
    stay: &PhaseVisit<'_>,
    part: Range<usize>,
    changes: &HashMap<String, Vec<FileChange>>,
) -> impl IntoView + use<> {
    // Decisions are shown with the latest entries of the stay.
    let is_latest = part.end == stay.entries.len();
    let decided = stay.decided.iter().rev().filter(|_| is_latest);
    let decided: Vec<_> = decided.map(|decided| DecidedLine(lang, room, decided)).collect();
    let entries = stay.entries.get(part).unwrap_or_default();
    let entries: Vec<_> = entries.iter().rev().map(|entry| EntryLine(lang.flow(), entry, changes)).collect();
    view! {
        <section class="stay">
            <h2>{stay.phase.to_owned()}</h2>
            <ol>{decided} {entries}</ol>
        </section>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn DecidedLine(lang: Lang, room: &str, decided: &AnsweredSet) -> impl IntoView + use<> {
    let href = format!("{}?lang={}", SetId::new(room, decided.session.clone()).record_path(), lang.code());
    view! {
        <li class="decided">
            <a class="chosen" href=href>
                {decided.task.clone()}
            </a>
            " "
            <span class="mark">{lang.flow().decided}</span>
            <p class="omitted">{Time(&decided.completed_at)}</p>
        </li>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn EntryLine(
    words: &'static FlowTexts,
    entry: &HistoryEntry,
    changes: &HashMap<String, Vec<FileChange>>,
) -> impl IntoView + use<> {
    let class = match entry.action {
        Action::Issue => Some("issue"),
        Action::Error => Some("error"),
        _ => None,
    };
    let commit = match &entry.git_commit {
        Some(commit) => CommitView(words, commit, changes.get(commit)),
        None => view! { <p class="omitted">{words.no_commit}</p> }.into_markup(),
    };
    view! {
        <li class=class id=format!("step-{}", entry.step)>
            <span class="chosen">{entry.summary.clone()}</span>
            " "
            <span class="mark">{words.action(entry.action)}</span>
            <p class="omitted">{entry.step} " · " {Time(&entry.timestamp)}</p>
            {commit}
        </li>
    }
}

/// How to see the whole change, and what it is about.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn CommitView(words: &'static FlowTexts, commit: &str, files: Option<&Vec<FileChange>>) -> Markup {
    let command = format!("git show {}", short_hash(commit));
    let files = files.map(Vec::as_slice).unwrap_or_default();
    let count = match files.len() {
        0 => words.no_files.to_owned(),
        count => words.files(count),
    };
    let rows: Vec<_> = files
        .iter()
        .take(FILES)
        .map(|file| {
            let (added, removed) = match file.lines {
                Some((added, removed)) => (format!("+{added}"), format!("−{removed}")),
                None => (words.binary.to_owned(), String::new()),
            };
            view! {
                <tr>
                    <td>{file.path.clone()}</td>
                    <td class="added">{added}</td>
                    <td class="removed">{removed}</td>
                </tr>
            }
        })
        .collect();
    let line = view! {
        <code>{command}</code>
        " · "
        {count}
    };
    if rows.is_empty() {
        return view! { <p class="omitted">{line}</p> }.into_markup();
    }
    view! {
        <details>
            <summary class="omitted">{line}</summary>
            <table class="files">{rows}</table>
        </details>
    }
    .into_markup()
}

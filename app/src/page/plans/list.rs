//! All plans, and all agents.

use super::super::document::{Assets, RenderedPage, render_counted};
use super::super::live;
use super::super::masthead::{CurrentPage, Masthead};
use super::super::pages::{Pages, page_address};
use super::super::parts::{LocalTime, Mark, WithCode};
use super::agents::Agents;
use super::parts::{PlanOutline, STYLE};
use crate::OtherPages;
use crate::html::markup::IntoMarkup;
use crate::site;
use agent::plan::{Folders, PlanError, Window};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use protocol::agent::{PlanState, State};
use std::cmp::Reverse;
use texts::{Lang, PlanTexts, fill};

/// How many plans a page shows.
const PAGE: usize = 50;

/// Which plans to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlansQuery {
    /// Counted from 1.
    pub page: usize,
}

/// Renders all plans in `folders`, those first that wait for a person; `None` is that there was never one.
///
/// # Errors
///
/// Whatever the disk says.
pub fn render_plans(
    lang: Lang,
    query: PlansQuery,
    folders: Option<&Folders>,
    elsewhere: OtherPages,
    assets: Assets,
) -> Result<RenderedPage, PlanError> {
    let words = lang.plans();
    let mut plans = Vec::new();
    let (mut agents, mut version) = (Vec::new(), String::new());
    if let Some(folders) = folders {
        // Before anything is read: what changes meanwhile is shown the next time.
        version = folders.version_of_all()?;
        for plan in folders.plans()? {
            plans.push(PlanOutline::read(folders, plan)?);
        }
        agents = folders.agent_statuses(Window::ALL)?.items;
    }
    plans.sort_by_key(|plan| {
        let updated = plan.status.as_ref().map(|status| status.updated_at.clone());
        (plan.requests.is_empty(), urgency(plan.state()), Reverse(updated))
    });
    let waiting = plans.iter().map(|plan| plan.requests.len()).sum::<usize>();
    let begin = query.page.saturating_sub(1).saturating_mul(PAGE).min(plans.len());
    let end = begin.saturating_add(PAGE).min(plans.len());
    let open = u32::try_from(waiting).unwrap_or(u32::MAX);
    Ok(render_counted(lang, words.title, assets, STYLE, open, || {
        let rows = plans[begin..end].iter().map(|plan| Row(lang, words, plan)).collect_view();
        let heading = if plans.is_empty() {
            view! {
                <div class="nothing">
                    <h1>{words.no_plans}</h1>
                    <p>{WithCode(words.no_plans_hint)}</p>
                </div>
            }
            .into_markup()
        } else {
            view! {
                <div class="heading">
                    <h1>{words.plans}</h1>
                    <p class="lead">{Counts(words, &plans)}</p>
                </div>
            }
            .into_markup()
        };
        view! {
            <Masthead lang here=CurrentPage::Plans elsewhere />
            <p id="not-live" class="notice" role="status" hidden>
                {words.not_live}
            </p>
            <main id="plans" data-version=version>
                {heading}
                <ol class="rows">{rows}</ol>
                {Pages(lang, query.page, end < plans.len(), &|page| page_address("/plans", lang, page))}
                {Agents(words, &agents)}
            </main>
            <noscript>
                <meta http-equiv="refresh" content="5" />
            </noscript>
            <script nonce=use_nonce()>{live::script(&site::address("/version/plans"), "plans")}</script>
        }
    }))
}

/// How many plans have come how far.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Counts(words: &'static PlanTexts, plans: &[PlanOutline]) -> impl IntoView + use<> {
    let states =
        [PlanState::Running, PlanState::Blocked, PlanState::Failed, PlanState::Other, PlanState::Completed];
    let counts = states.into_iter().filter_map(|state| {
        let count = plans.iter().filter(|plan| plan.state() == state).count();
        (count > 0).then(|| words.counted(count, state))
    });
    let counts: Vec<_> = counts.chain([words.lead.to_owned()]).collect();
    counts.join(" · ")
}

/// Plans that the user may have to look after come first.
fn urgency(state: PlanState) -> u8 {
    match state {
        PlanState::Blocked => 0,
        PlanState::Failed => 1,
        PlanState::Running => 2,
        PlanState::Other => 3,
        PlanState::Completed => 4,
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Row(lang: Lang, words: &'static PlanTexts, plan: &PlanOutline) -> impl IntoView + use<> {
    let href = site::address(format_args!("/plans/{}?lang={}", plan.plan, lang.code()));
    let progress = match plan.progress() {
        (_, 0) => words.not_begun.to_owned(),
        (done, total) => fill(words.done_of, &[("done", &done.to_string()), ("total", &total.to_string())]),
    };
    let id = plan.name.is_some().then(|| view! { <code>{plan.plan.to_string()}</code> " · " });
    let updated = plan.status.as_ref().map(|status| view! { " · " {LocalTime(status.updated_at.as_str())} });
    let note = |count: usize, text: String, class: &'static str| {
        (count > 0).then(|| view! { " · " <strong class=class>{text}</strong> })
    };
    let waiting = note(plan.requests.len(), words.waiting(plan.requests.len()), "waiting");
    let failed = plan.count(State::Failed);
    let failed = note(failed, words.failed(failed), "failed");
    let lost = note(plan.lost, words.lost(plan.lost), "failed");
    view! {
        <li>
            <a id=format!("plan-{}", plan.plan) class="chosen" href=href>
                {plan.title()}
            </a>
            " "
            {Mark(plan.state().name(), words.state(plan.state()))}
            <p class="about">{id} {progress} {waiting} {failed} {lost} {updated}</p>
        </li>
    }
}

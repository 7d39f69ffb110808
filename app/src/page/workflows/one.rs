//! One workflow: where it is, what it waits for, and what happens.

use super::super::document::{Assets, RenderedPage, render_counted};
use super::super::masthead::{CurrentPage, Masthead};
use super::super::parts::{FactList, LocalTime};
use super::agents::Agents;
use super::asked::{Asked, Decided};
use super::control::{Control, Say};
use super::events::Events;
use super::follow;
use super::parts::{STYLE, clipped};
use super::tasks::Tasks;
use crate::html::markup::{IntoMarkup, Markup};
use crate::site;
use crate::{OtherPages, SetId};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use protocol::workflow::{EventGroup, Stage, WaitingFor, WorkflowState, phase_line};
use std::collections::BTreeMap;
use texts::{Lang, WorkflowTexts, fill};
use workflow::{Cost, WorkflowDetails};

/// How much of a result, and of what is to be done, is shown, in characters.
const LONG: usize = 4000;

/// Of how much that it waits for each is shown.
const MOST_WORKS: usize = 5;

/// Which part of a workflow to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkflowQuery {
    /// Events of which group.
    pub group: EventGroup,
    /// Before which event; `None` for the last ones.
    pub before: Option<i64>,
    /// Which page of its tasks, from 1; `None` for the page with the current ones.
    pub tasks: Option<usize>,
}

impl WorkflowQuery {
    /// Reads what stands behind the `?`; what is no such thing was not said.
    pub fn read(query: &str) -> Self {
        let mut read = Self { group: EventGroup::All, before: None, tasks: None };
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "group" => read.group = EventGroup::named(&value).unwrap_or(EventGroup::All),
                "before" => read.before = value.parse().ok().filter(|before| *before > 0),
                "tasks" => read.tasks = value.parse().ok().filter(|page| *page > 0),
                _ => {}
            }
        }
        read
    }

    /// The address of the page of this workflow.
    pub fn address(&self, id: &str, lang: Lang) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        if self.group != EventGroup::All {
            query.append_pair("group", self.group.name());
        }
        if let Some(before) = self.before {
            query.append_pair("before", &before.to_string());
        }
        if let Some(page) = self.tasks {
            query.append_pair("tasks", &page.to_string());
        }
        query.append_pair("lang", lang.code());
        site::address(format_args!("/workflows/{id}?{}", query.finish()))
    }
}

/// The context in which a workflow is shown.
#[derive(Debug)]
pub struct WorkflowPageContext {
    /// What of it.
    pub query: WorkflowQuery,
    /// Where its open questions have a page of their own, by their names.
    pub asked: BTreeMap<String, SetId>,
    /// Where else there is something to see.
    pub elsewhere: OtherPages,
    /// Why what was posted was not done.
    pub complaint: Option<String>,
}

/// What every part of the page needs.
pub(super) struct Place<'p> {
    pub(super) lang: Lang,
    pub(super) words: &'static WorkflowTexts,
    pub(super) workflow: &'p WorkflowDetails,
    pub(super) query: WorkflowQuery,
}

impl Place<'_> {
    /// Where a form of the page is sent, so that the same is seen afterwards.
    pub(super) fn action(&self) -> String {
        self.query.address(&self.workflow.id, self.lang)
    }
}

/// Renders a workflow.
pub fn render_workflow(
    lang: Lang,
    workflow: &WorkflowDetails,
    context: &WorkflowPageContext,
    assets: Assets,
) -> RenderedPage {
    let words = lang.workflows();
    let place = Place { lang, words, workflow, query: context.query };
    let waiting = workflow.pending.len();
    let title = if model::is_blank(&workflow.task) { &workflow.id } else { &workflow.task };
    let title = format!("{} · {}", clipped(title, 80), words.title);
    let open = u32::try_from(waiting).unwrap_or(u32::MAX);
    render_counted(lang, &title, assets, STYLE, open, || {
        let here = CurrentPage::Workflow(context.query.address(&workflow.id, lang.other()));
        let complaint = context.complaint.clone().map(|complaint| {
            view! {
                <p id="refused" class="notice" role="alert">
                    {words.refused}
                    {complaint}
                </p>
            }
        });
        let seq = workflow.seq.to_string();
        let heard = words.heard(workflow.state, workflow.is_cancelled, waiting);
        // No event tells of the work of models and tools.
        let looks = workflow.is_under_way().then_some("");
        view! {
            <Masthead lang here elsewhere=context.elsewhere.clone() />
            <p id="not-live" class="notice" role="status" hidden>
                {words.not_live}
            </p>
            <p id="heard" class="unseen" role="status"></p>
            <main id="workflow" data-seq=seq data-looks=looks data-say=heard tabindex="-1">
                {complaint}
                {Heading(&place)}
                {Asked(&place, &context.asked)}
                {Outcome(&place)}
                {Control(&place)}
                {Say(&place)}
                {Tasks(&place)}
                {Agents(&place)}
                {Decided(&place)}
                {Events(&place)}
            </main>
            // A page that reloads itself would discard what the user is writing.
            <noscript>
                <p class="reload">
                    <a href=place.action()>{words.reload}</a>
                </p>
            </noscript>
            <script nonce=use_nonce()>{follow::script(&format!("workflowId={}&", workflow.id))}</script>
        }
    })
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Heading(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, .. } = *place;
    let title = if model::is_blank(&workflow.task) { &workflow.id } else { &workflow.task };
    let entered: Vec<_> = workflow.phases.iter().map(|entry| entry.state).collect();
    let line = phase_line(workflow.state, workflow.previous, &entered);
    let is_cancelled = workflow.is_cancelled && workflow.state == WorkflowState::Failed;
    let line = line.into_iter().map(|(phase, stage)| {
        let (state, word) = match stage {
            Stage::Present if is_cancelled => ("cancelled", words.cancelled),
            _ => (phase.name(), words.phase(phase)),
        };
        let (name, spoken) = match stage {
            Stage::Past => ("past", Some(words.past)),
            Stage::Left => ("left", None),
            Stage::Present => ("present", None),
            Stage::Ahead => ("ahead", None),
        };
        let spoken = spoken.map(|spoken| view! { <span class="unseen">" (" {spoken} ")"</span> });
        view! {
            <li
                data-stage=name
                data-state=state
                aria-current=(stage == Stage::Present).then_some("step")
            >
                {word}
                {spoken}
            </li>
        }
    });
    let line: Vec<_> = line.collect();
    let waiting = Waiting(words, &workflow.waiting_for);
    let goes_on = !workflow.is_interrupted && workflow.state != WorkflowState::Paused;
    let now = (workflow.pending.is_empty() || !goes_on).then(|| Now(place));
    let tokens = (workflow.cost.input > 0 || workflow.cost.output > 0).then(|| {
        let Cost { input, output, .. } = workflow.cost;
        fill(words.tokens_of, &[("input", &thousands(input)), ("output", &thousands(output))])
    });
    let money = workflow.cost.money.map(|money| format!("${money:.4}"));
    // Once is as it should be.
    let round = (workflow.round > 1).then(|| workflow.round.to_string());
    let facts = FactList([
        (words.began, Some(LocalTime(&workflow.created_at).into_markup())),
        (words.changed, Some(LocalTime(&workflow.updated_at).into_markup())),
        (words.planned, round.map(IntoMarkup::into_markup)),
        (words.tokens, tokens.map(IntoMarkup::into_markup)),
        (words.cost, money.map(IntoMarkup::into_markup)),
    ]);
    view! {
        <div id="heading" class="heading" data-live>
            <h1>{clipped(title, LONG).into_owned()}</h1>
            <p class="lead">
                <code>{workflow.id.clone()}</code>
            </p>
            {now}
            {waiting}
            <ol class="line" aria-label=words.phases>
                {line}
            </ol>
            {facts}
        </div>
    }
}

/// What it waits for beside a person: what has taken longest first, and of very much how much more.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Waiting(words: &WorkflowTexts, waiting: &[WaitingFor]) -> Option<Markup> {
    let mut lines: Vec<_> = waiting.iter().filter_map(|it| Waits(words, it)).collect();
    if lines.is_empty() {
        return None;
    }
    let more = lines.len().saturating_sub(MOST_WORKS);
    lines.truncate(MOST_WORKS);
    let more = (more > 0).then(|| {
        let more = fill(words.more_works, &[("count", &more.to_string())]);
        view! { <li>{more}</li> }
    });
    Some(view! { <ul class="works">{lines} {more}</ul> }.into_markup())
}

/// One of these, in a line.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Waits(words: &WorkflowTexts, waiting: &WaitingFor) -> Option<Markup> {
    let line = match waiting.kind.as_str() {
        "agent" => waits_for_agent(words, waiting)?,
        "retry" => words.tries_again.to_owned(),
        kind => works(words, kind, waiting)?,
    };
    let time = |moment: &str| store::local_time(moment).unwrap_or_default();
    // The script of the page counts the seconds.
    let since = waiting.since.clone().map(|since| {
        let shown = fill(words.since, &[("time", &time(&since))]);
        view! {
            " · "
            <time datetime=since data-counts>
                {shown}
            </time>
        }
    });
    let written = match (waiting.tokens, waiting.characters) {
        (Some(tokens), _) => Some(fill(words.tokens_so_far, &[("count", &thousands(tokens))])),
        (None, Some(count)) => Some(fill(words.characters_so_far, &[("count", &thousands(count))])),
        (None, None) => None,
    };
    let again = waiting.error.as_deref().zip(waiting.retry_at.as_deref()).map(|(error, at)| {
        let attempt = waiting.attempt.unwrap_or(1).to_string();
        fill(words.asks_again, &[("attempt", &attempt), ("time", &time(at)), ("error", error)])
    });
    let more = written.into_iter().chain(again).map(|text| format!(" · {text}")).collect::<String>();
    Some(view! { <li>{line} {since} {more}</li> }.into_markup())
}

fn waits_for_agent(words: &WorkflowTexts, waiting: &WaitingFor) -> Option<String> {
    let agent = waiting.agent_type.as_deref()?;
    let used = waiting.used_by.as_deref().map(|used| used.join(", "));
    Some(match used {
        Some(used) => fill(words.waits_for_agent_of, &[("agent", agent), ("used", &used)]),
        None => fill(words.waits_for_agent, &[("agent", agent)]),
    })
}

/// What an agent does for it at the moment.
fn works(words: &WorkflowTexts, kind: &str, waiting: &WaitingFor) -> Option<String> {
    let pattern = match kind {
        "model" => words.asks_model,
        "tool" => words.runs_tool,
        "errand" => words.does_errand,
        _ => return None,
    };
    let (agent, name) = (waiting.agent_id.as_deref()?, waiting.name.as_deref().unwrap_or_default());
    let task = waiting.task_id.as_deref().map(|task| fill(words.for_task, &[("task", task)]));
    Some(fill(pattern, &[("agent", agent), ("name", name)]) + &task.unwrap_or_default())
}

/// Where it is in a sentence, where it asks nothing: first of all whether a person is wanted.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Now(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, .. } = *place;
    let is_at_work = workflow.tasks.iter().any(|task| task.fsm_state.is_in_flight());
    let runs_on = (workflow.state == WorkflowState::Paused && is_at_work).then_some(words.runs_on);
    let (state, now) = match workflow.state {
        _ if workflow.is_interrupted => ("paused", words.interrupted),
        _ if workflow.is_cancelled => ("cancelled", words.cancelled_now),
        state => (state.name(), words.now(state)),
    };
    view! {
        <p id="now" class="now" data-state=state>
            {now}
            {runs_on}
        </p>
    }
}

/// `1234567` as `1 234 567`, with spaces that do not break.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// What came of it, or what went wrong.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Outcome(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, lang, .. } = *place;
    // That it was cancelled is said above, and nothing has gone wrong.
    let error = workflow.error.clone().filter(|error| !model::is_blank(error) && !workflow.is_cancelled);
    let error = error.map(|error| {
        view! {
            <h2>{words.error}</h2>
            <pre class="words wrong" tabindex="0" role="region" aria-label=words.error>
                {clipped(&lang.failure(&error), LONG).into_owned()}
            </pre>
        }
    });
    let output = workflow.output.as_ref().map(|(text, path)| {
        let saved = path.as_ref().map(|path| {
            let (before, after) = words.saved.split_once("{path}").unwrap_or((words.saved, ""));
            view! { <p>{before} <code>{path.clone()}</code> {after}</p> }
        });
        let text = (!model::is_blank(text)).then(|| {
            view! {
                <pre class="words" tabindex="0" role="region" aria-label=words.output>
                    {clipped(text, LONG).into_owned()}
                </pre>
            }
        });
        view! {
            <h2>{words.output}</h2>
            {saved}
            {text}
        }
    });
    let is_empty = error.is_none() && output.is_none();
    view! {
        <section id="outcome" class="part" data-live hidden=is_empty>
            {output}
            {error}
        </section>
    }
}

#[cfg(test)]
mod tests {
    use super::{WorkflowQuery, thousands};
    use protocol::workflow::EventGroup;
    use texts::Lang;

    #[test]
    fn what_is_looked_at_survives_its_address() {
        let query = WorkflowQuery { group: EventGroup::HumanInLoop, before: Some(7), tasks: Some(3) };
        let address = query.address("wf-1", Lang::En);
        assert_eq!(address, "/workflows/wf-1?group=HUMAN_IN_LOOP&before=7&tasks=3&lang=en");
        assert_eq!(WorkflowQuery::read(address.split_once('?').unwrap().1), query);
        let usual = WorkflowQuery { group: EventGroup::All, before: None, tasks: None };
        assert_eq!(WorkflowQuery::read("group=<b>&before=-1&tasks=0&tasks=x&lang=en"), usual);
    }

    #[test]
    fn large_numbers_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_234_567), "1\u{202f}234\u{202f}567");
    }
}

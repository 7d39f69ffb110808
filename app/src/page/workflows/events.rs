//! What has happened to a workflow.

use super::super::markup::IntoMarkup;
use super::super::parts::LocalTime;
use super::one::{Place, WorkflowQuery};
use super::parts::{SHORT, clipped};
use leptos::prelude::*;
use model::workflow::{AgentState, Event, EventGroup};
use texts::WorkflowTexts;
use workflow::Happened;

/// The groups that a workflow has events of, in the order in which they are offered.
const GROUPS: [EventGroup; 8] = [
    EventGroup::All,
    EventGroup::Phase,
    EventGroup::Task,
    EventGroup::HumanInLoop,
    EventGroup::Tool,
    EventGroup::Dialog,
    EventGroup::Progress,
    EventGroup::Resource,
];

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Events(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, query, lang } = *place;
    let to = |query: WorkflowQuery| format!("{}#events", query.address(&workflow.id, lang));
    let groups = GROUPS.into_iter().map(|group| {
        let is_this = query.group == group;
        view! {
            <a
                id=format!("group-{group}")
                href=to(WorkflowQuery { group, before: None, ..query })
                aria-current=is_this.then_some("true")
            >
                {words.group(group)}
            </a>
        }
    });
    let groups: Vec<_> = groups.collect();
    let rows = workflow.events.iter().map(|event| Row(words, event)).collect_view();
    let rows = if workflow.events.is_empty() {
        view! { <p class="omitted">{words.no_events}</p> }.into_markup()
    } else {
        view! { <ol class="log">{rows}</ol> }.into_markup()
    };
    let link = |query: Option<WorkflowQuery>, rel: &'static str, name: &'static str| {
        query.map(|query| {
            view! {
                <a id=format!("events-{rel}") href=to(query) rel=rel>
                    {name}
                </a>
            }
        })
    };
    let newest = query.before.map(|_| WorkflowQuery { before: None, ..query });
    let last = workflow.events.last().filter(|_| workflow.has_older);
    let older = last.map(|last| WorkflowQuery { before: Some(last.seq), ..query });
    let pages = (newest.is_some() || older.is_some()).then(|| {
        view! {
            <nav class="pages" aria-label=words.events>
                {link(newest, "prev", words.newest)}
                {link(older, "next", words.older)}
            </nav>
        }
    });
    view! {
        <section id="events" class="part" data-live>
            <h2>{words.events}</h2>
            <nav class="groups" aria-label=words.only>
                {groups}
            </nav>
            {rows}
            {pages}
        </section>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Row(words: &'static WorkflowTexts, happened: &Happened) -> impl IntoView + use<> {
    let about = [&happened.task, &happened.agent];
    let about: Vec<_> =
        about.into_iter().flatten().map(|name| view! { <code>{name.clone()}</code> " " }).collect();
    let detail = happened.event.as_ref().map(|event| detail(words, event)).unwrap_or_default();
    let detail = clipped(detail.trim(), SHORT).into_owned();
    view! {
        <li data-seq=happened.seq.to_string() data-type=happened.kind.name()>
            {LocalTime(&happened.at)}
            <strong>{words.event(happened.kind)}</strong>
            <span class="detail">{about} {detail}</span>
        </li>
    }
}

/// What an event says beside what it concerns, in the words of whoever said it.
fn detail(words: &WorkflowTexts, event: &Event) -> String {
    let either = |text: &Option<String>| text.clone().unwrap_or_default();
    match event {
        Event::PhaseTransition(told) => {
            format!("{} → {}", words.phase(told.from), words.phase(told.to))
        }
        Event::TaskStarted(told) => told.description.clone(),
        Event::TaskProgress(told) => format!("{}% {}", told.progress, either(&told.message)),
        Event::TaskFailed(told) => told.error.clone(),
        Event::TaskBlocked(told) => told.reason.clone(),
        Event::TaskCompleted(told) => {
            told.result.as_ref().map(|result| short_json(&result.to_string())).unwrap_or_default()
        }
        Event::ToolCall(told) => format!("{} {}", told.tool_name, short_json(&told.input.to_string())),
        Event::ToolResult(told) => format!("{} {}", told.tool_name, short_json(&told.output.to_string())),
        Event::ToolError(told) => format!("{} {}", told.tool_name, told.error),
        Event::UserMessage(told) => told.content.clone(),
        Event::AssistantChunk(told) => told.content.clone(),
        Event::AssistantComplete(told) => told.content.clone(),
        Event::AgentStepCompleted(told) => {
            [&*told.thought, &*told.action, told.observation.as_deref().unwrap_or_default()].join(" · ")
        }
        Event::PlanUpdated(told) => format!("{}/{}", told.completed_count, told.task_count),
        Event::WorkflowProgress(told) => format!("{}%", told.overall_progress),
        Event::PhaseOutputSaved(told) => told.output_path.clone(),
        Event::DecisionTreeNode(told) => format!("{} · {}", told.thought, told.action),
        Event::ResourceUpdate(told) => told.status.clone(),
        Event::ResourceShortage(told) => told.reason.clone(),
        Event::WaitingForUser(told) => either(&told.suggestion),
        Event::UserDecisionRequired(told) => told.message.clone(),
        Event::UserDecisionReceived(told) => told.decision.clone(),
        Event::SystemError(told) => told.error.clone(),
        Event::AgentUpdate(told) => {
            let load = told.load.map(|load| format!(" {load}%")).unwrap_or_default();
            let step = told.step.as_ref().map(|step| format!(" · {} · {}", step.thought, step.action));
            let states = [AgentState::Idle, AgentState::Running, AgentState::Error];
            let status = states.into_iter().find(|state| state.simple() == told.status);
            let status = status.map_or(&*told.status, |state| words.agent(state));
            format!("{status}{load}{}", step.unwrap_or_default())
        }
        Event::WorkflowUpdate(told) => {
            let said = told.user_input.clone();
            let thought = told.orchestrator_state.as_ref().map(|state| state.thought.clone());
            said.or(thought).or(told.fsm_state.map(|state| words.phase(state).to_owned())).unwrap_or_default()
        }
        Event::SessionCreated(_)
        | Event::SessionResumed(_)
        | Event::SessionPaused(_)
        | Event::SessionCompressed(_) => String::new(),
    }
}

/// JSON that is only a text, as that text.
fn short_json(json: &str) -> String {
    serde_json::from_str::<String>(json).unwrap_or_else(|_| json.to_owned())
}

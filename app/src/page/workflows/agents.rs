//! The agents that work for a workflow, and what they do.

use super::super::parts::Mark;
use super::one::Place;
use super::parts::{SHORT, clipped};
use crate::html::markup::IntoMarkup;
use leptos::prelude::*;
use protocol::workflow::{AgentState, AgentStep};
use texts::{Lang, WorkflowTexts};
use workflow::AgentActivity;

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Agents(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, lang, .. } = *place;
    let rows = workflow.agents.iter().map(|agent| Agent(lang, words, agent)).collect_view();
    let rows = if workflow.agents.is_empty() {
        view! { <p class="omitted">{words.no_agents}</p> }.into_markup()
    } else {
        view! { <ol class="rows">{rows}</ol> }.into_markup()
    };
    view! {
        <section id="agents" class="part" data-live>
            <h2>{words.agents}</h2>
            {rows}
        </section>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Agent(lang: Lang, words: &'static WorkflowTexts, agent: &AgentActivity) -> impl IntoView + use<> {
    let task = agent.task.as_ref().map(|task| view! { " · " {words.works_on} <code>{task.clone()}</code> });
    let load = agent.load.filter(|_| agent.state == AgentState::Running).map(|load| {
        view! {
            " "
            <span class="load">
                {words.load}
                " "
                <meter min="0" max="100" value=load.to_string() aria-label=words.load></meter>
                " "
                {load.to_string()}
                "%"
            </span>
        }
    });
    let error = agent.error.as_deref().filter(|error| !model::is_blank(error));
    let error =
        error.map(|error| view! { <p class="wrong">{clipped(&lang.failure(error), SHORT).into_owned()}</p> });
    let steps: Vec<_> = agent.steps.iter().map(|step| Step(words, step)).collect();
    let steps = (!steps.is_empty()).then(|| view! { <ol class="steps">{steps}</ol> });
    view! {
        <li>
            <span class="chosen">{words.agent_name(&agent.name).to_owned()}</span>
            " "
            {Mark(agent.state.name(), words.agent(agent.state))}
            <p class="about"><code>{agent.id.clone()}</code> {task} {load}</p>
            {error}
            {steps}
        </li>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Step(words: &'static WorkflowTexts, step: &AgentStep) -> impl IntoView + use<> {
    let observation = step.observation.as_deref().unwrap_or_default();
    let lines =
        [(words.thought, &*step.thought), (words.action, &*step.action), (words.observation, observation)];
    let lines = lines.into_iter().filter(|(_, text)| !model::is_blank(text)).map(|(name, text)| {
        view! {
            <div>
                <dt>{name}</dt>
                <dd>{clipped(text, SHORT).into_owned()}</dd>
            </div>
        }
    });
    let lines: Vec<_> = lines.collect();
    let failed = (step.success == Some(false)).then(|| view! { <p class="wrong">{words.failed_step}</p> });
    view! {
        <li>
            <dl>{lines}</dl>
            {failed}
        </li>
    }
}

//! The agents, as they say of themselves that they are.

use super::super::parts::{LocalTime, Mark};
use crate::html::markup::IntoMarkup;
use leptos::prelude::*;
use protocol::agent::StatusHeartbeat;
use texts::PlanTexts;

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Agents(words: &'static PlanTexts, agents: &[StatusHeartbeat]) -> impl IntoView + use<> {
    let rows = agents.iter().map(|agent| Agent(words, agent)).collect_view();
    let rows = if agents.is_empty() {
        view! { <p class="omitted">{words.no_agents}</p> }.into_markup()
    } else {
        view! { <ol class="rows">{rows}</ol> }.into_markup()
    };
    view! {
        <section class="part">
            <h2>{words.agents}</h2>
            {rows}
        </section>
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Agent(words: &'static PlanTexts, agent: &StatusHeartbeat) -> impl IntoView + use<> {
    // The time stands where the sentence of this language has it.
    let (before, after) = words.last_seen.split_once("{time}").unwrap_or((words.last_seen, ""));
    let status = agent.status.as_deref().map(|status| words.doing(status).to_owned());
    let status = status.map(|status| view! { " · " {status} });
    let tasks: Vec<_> = agent.current_task_ids.iter().flatten().map(ToString::to_string).collect();
    let tasks = (!tasks.is_empty()).then(|| view! { " · " {words.works_on} {tasks.join(", ")} });
    let error = agent.last_error.clone().filter(|error| !error.is_empty());
    let error = error.map(|error| view! { <p class="wrong">{error}</p> });
    view! {
        <li>
            <span class="chosen">{agent.agent_id.to_string()}</span>
            " "
            {Mark(agent.health.name(), words.health(agent.health))}
            <p class="about">{before} {LocalTime(agent.last_heartbeat.as_str())} {after} {status} {tasks}</p>
            {error}
        </li>
    }
}

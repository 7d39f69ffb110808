//! The tasks of a workflow: drawn, and as a list. Of very many, one page at a time.

use super::super::parts::Mark;
use super::drawn::Drawn;
use super::one::{Place, WorkflowQuery};
use super::parts::{SHORT, clipped};
use crate::html::markup::IntoMarkup;
use leptos::prelude::*;
use protocol::workflow::api::TaskNode;
use protocol::workflow::{TaskState, TaskStatus};
use std::ops::Range;
use texts::fill;

/// How many tasks are shown at once.
const PAGE: usize = 50;

/// The tasks of page `page`, from 1, and which page that is: without one, the page with the first task that is being done, else
/// with the first that is not done.
fn window(tasks: &[TaskNode], page: Option<usize>) -> (usize, Range<usize>) {
    let pages = tasks.len().div_ceil(PAGE).max(1);
    let page = page.unwrap_or_else(|| {
        let running = tasks.iter().position(|task| task.fsm_state.is_in_flight());
        let open = || tasks.iter().position(|task| task.fsm_state != TaskState::Done);
        running.or_else(open).map_or(1, |at| at / PAGE + 1)
    });
    let page = page.clamp(1, pages);
    let begin = (page - 1) * PAGE;
    (page, begin..tasks.len().min(begin + PAGE))
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
pub(super) fn Tasks(place: &Place<'_>) -> impl IntoView + use<> {
    let Place { words, workflow, query, lang } = *place;
    let tasks = &workflow.tasks;
    let (page, range) = window(tasks, query.tasks);
    let shown = &tasks[range.clone()];
    let total = tasks.len().to_string();
    let count = |status: TaskStatus| tasks.iter().filter(|task| task.status == status).count();
    let done = count(TaskStatus::Completed);
    let failed = count(TaskStatus::Failed);
    let failed = (failed > 0).then(|| view! { " · " <strong class="failed">{words.failed(failed)}</strong> });
    let part = (shown.len() < tasks.len()).then(|| {
        let span = format!("{}–{}", range.start + 1, range.end);
        format!(" · {}", fill(words.part, &[("shown", &span), ("total", &total)]))
    });
    let progress = fill(words.done_of, &[("done", &done.to_string()), ("total", &total)]);
    let rows = shown.iter().map(|task| Row(place, task)).collect_view();
    let content = if tasks.is_empty() {
        view! { <p class="omitted">{words.no_tasks}</p> }.into_markup()
    } else {
        view! {
            <p class="lead">{progress} {failed} {part}</p>
            <progress
                aria-label=words.tasks
                value=done.to_string()
                max=tasks.len().max(1).to_string()
            ></progress>
            {Drawn(place, shown)}
            <ol class="rows tasks">{rows}</ol>
        }
        .into_markup()
    };
    let to = |there: bool, page: usize, rel: &'static str, name: &'static str| {
        there.then(|| {
            let href = WorkflowQuery { tasks: Some(page), ..query }.address(&workflow.id, lang);
            view! {
                <a id=format!("tasks-{rel}") href=format!("{href}#tasks") rel=rel>
                    {name}
                </a>
            }
        })
    };
    let earlier = to(page > 1, page.saturating_sub(1), "prev", words.earlier);
    let later = to(range.end < tasks.len(), page + 1, "next", words.later);
    let pages = (earlier.is_some() || later.is_some()).then(|| {
        view! {
            <nav class="pages" aria-label=words.all_pages>
                {earlier}
                {later}
            </nav>
        }
    });
    view! {
        <section id="tasks" class="part" data-live>
            <h2>{words.tasks}</h2>
            {content}
            {pages}
        </section>
    }
}

/// How far a task has come: the name of its state, and the word for it. Nothing that was still to be done is done any more once
/// the workflow has ended.
pub(super) fn state_of(place: &Place<'_>, task: &TaskNode) -> (&'static str, &'static str) {
    let state = task.fsm_state;
    let is_open = matches!(
        state,
        TaskState::Created
            | TaskState::Ready
            | TaskState::Dispatching
            | TaskState::Dispatched
            | TaskState::Running
            | TaskState::ReworkRequired
    );
    if is_open && place.workflow.state.is_terminal() {
        return ("cancelled", place.words.not_done);
    }
    // Nor is anything reviewed then.
    let shown =
        if is_unreviewed(state) && place.workflow.state.is_terminal() { TaskState::Done } else { state };
    (state.name(), place.words.task(shown))
}

/// Whether a task was carried out, and counts as done, but has not passed its review.
fn is_unreviewed(state: TaskState) -> bool {
    matches!(state, TaskState::ExecutionSucceeded | TaskState::Reviewing)
}

/// The same where there is room for a short word: what is done is called so, whatever is still to come.
pub(super) fn short_state_of(place: &Place<'_>, task: &TaskNode) -> (&'static str, &'static str) {
    match state_of(place, task) {
        (name, _) if is_unreviewed(task.fsm_state) => (name, place.words.task(TaskState::Done)),
        state => state,
    }
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Row(place: &Place<'_>, task: &TaskNode) -> impl IntoView + use<> {
    let words = place.words;
    let (state, word) = state_of(place, task);
    let by = task.assignee.as_ref().map(|agent| view! { " · " {words.by} <code>{agent.clone()}</code> });
    let needs = (!task.dependencies.is_empty())
        .then(|| format!(" · {}{}", words.needs, clipped(&task.dependencies.join(", "), SHORT)));
    let error = task.error.as_deref().filter(|error| !model::is_blank(error));
    let error = error.map(
        |error| view! { <p class="wrong">{clipped(&place.lang.failure(error), SHORT).into_owned()}</p> },
    );
    view! {
        <li>
            <span class="chosen">{clipped(&task.description, SHORT).into_owned()}</span>
            " "
            {Mark(state, word)}
            <p class="about"><code>{task.id.clone()}</code> {by} {needs}</p>
            {error}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::window;
    use protocol::workflow::TaskState;
    use protocol::workflow::api::TaskNode;

    fn tasks(count: usize, state: impl Fn(usize) -> TaskState) -> Vec<TaskNode> {
        let task = |at: usize| TaskNode {
            id: format!("task-{at}"),
            description: String::new(),
            kind: "executor".to_owned(),
            status: state(at).status(),
            fsm_state: state(at),
            dependencies: Vec::new(),
            dependents: Vec::new(),
            required_capabilities: Vec::new(),
            min_level: None,
            assignee: None,
            estimated_duration: None,
            deadline: None,
            started_at: None,
            completed_at: None,
            result: None,
            error: None,
            assignment: None,
        };
        (0..count).map(task).collect()
    }

    #[test]
    fn the_page_with_what_is_being_done_is_shown_unless_somebody_wants_another() {
        let running = tasks(120, |at| match at {
            70 => TaskState::Running,
            at if at < 30 => TaskState::Done,
            _ => TaskState::Ready,
        });
        assert_eq!(window(&running, None), (2, 50..100));
        assert_eq!(window(&running, Some(1)), (1, 0..50));
        assert_eq!(window(&running, Some(99)), (3, 100..120));
        let open = tasks(120, |at| if at < 110 { TaskState::Done } else { TaskState::Created });
        assert_eq!(window(&open, None), (3, 100..120));
        assert_eq!(window(&tasks(60, |_| TaskState::Done), None), (1, 0..50));
        assert_eq!(window(&[], None), (1, 0..0));
    }
}

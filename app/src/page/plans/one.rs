//! One plan: how far its tasks have come, what it waits for, and what has happened.

use super::super::document::{Assets, RenderedPage, render_counted};
use super::super::live;
use super::super::masthead::{CurrentPage, Masthead};
use super::super::parts::{FactList, FilePath, LocalTime, Mark, WithCode};
use super::graph::Graph;
use super::parts::{PlanOutline, STYLE};
use super::trail::{Alerts, Decided, Deliveries, Lost};
use crate::html::markup::{IntoMarkup, Markup};
use crate::site;
use crate::{OtherPages, SetId};
use agent::plan::{Artifact, Folders, PlanError, Window};
use leptos::nonce::use_nonce;
use leptos::prelude::*;
use protocol::agent::{GateStatus, HumanRequest, Id, Node as DagNode, PlanState, State, TaskDag, TaskStatus};
use std::collections::BTreeMap;
use std::path::Path;
use texts::{Lang, PlanTexts, fill, task_failure, task_state, task_waits_for};

/// How much of what grows with a plan is shown.
const LATEST: usize = 20;

/// The context in which a plan is shown.
#[derive(Debug)]
pub struct PlanPageContext {
    /// The questions that are open for it, by the requests that they were asked for.
    pub asked: BTreeMap<String, SetId>,
    /// Where else there is something to see.
    pub elsewhere: OtherPages,
}

/// Returns what changes whenever the page of a plan does. `asked` are the questions that are open for it: they come a moment
/// after their request was written.
///
/// # Errors
///
/// Whatever the disk says.
pub fn plan_version(
    folders: &Folders,
    plan: &Id,
    asked: &BTreeMap<String, SetId>,
) -> Result<String, PlanError> {
    let mut version = folders.version(plan)?;
    for set in asked.values() {
        version.push_str(&format!(" {set}"));
    }
    Ok(version)
}

/// Renders a plan.
///
/// # Errors
///
/// Whatever the disk says.
pub fn render_plan(
    lang: Lang,
    folders: &Folders,
    plan: &Id,
    context: &PlanPageContext,
    assets: Assets,
) -> Result<RenderedPage, PlanError> {
    let words = lang.plans();
    // Before anything is read: what changes meanwhile is shown the next time.
    let version = plan_version(folders, plan, &context.asked)?;
    let glance = PlanOutline::read(folders, plan.clone())?;
    let (lost, alerts) = (folders.dead_letters(plan)?, folders.alerts(plan)?);
    let mut decisions = folders.decisions(plan, Window::ALL)?.items;
    decisions.sort_by(|a, b| a.created_at.cmp(&b.created_at));
    let deliveries = folders.latest_deliveries(plan, LATEST)?;
    // What is wrong with its documents hides nothing else.
    let dag = folders.documents(plan).ok().map(|documents| documents.active.dag);
    let artifacts = folders.results(plan)?;
    let open = u32::try_from(glance.requests.len()).unwrap_or(u32::MAX);
    let title = format!("{} · {}", glance.title(), words.title);
    Ok(render_counted(lang, &title, assets, STYLE, open, || {
        let here =
            CurrentPage::Plan(site::address(format_args!("/plans/{plan}?lang={}", lang.other().code())));
        let requests = People(lang, words, folders, (&glance.requests, &context.asked));
        let tasks = glance.status.iter().flat_map(|status| &status.tasks);
        let states: BTreeMap<&Id, State> = tasks.clone().map(|task| (&task.task_id, task.state)).collect();
        let graph = dag.as_ref().and_then(|dag| Graph(lang, words, dag, &states));
        let tasks = match (&glance.status, &dag) {
            (None, Some(dag)) if !glance.is_unreadable => {
                dag.nodes.iter().map(|node| Ahead(words, node)).collect()
            }
            _ => tasks.map(|task| Task(lang, words, task, dag.as_ref())).collect::<Vec<_>>(),
        };
        let tasks = (!tasks.is_empty()).then(|| {
            view! {
                <section class="part">
                    <h2>{words.tasks}</h2>
                    <ol class="rows">{tasks}</ol>
                </section>
            }
        });
        let artifacts = Artifacts(words, folders, &artifacts);
        view! {
            <Masthead lang here elsewhere=context.elsewhere.clone() />
            <p id="not-live" class="notice" role="status" hidden>
                {words.not_live}
            </p>
            <main id="plan" data-version=version>
                {Heading(words, &glance)} {requests} {artifacts} {graph} {tasks}
                {Lost(lang, words, plan, &lost, LATEST)} {Alerts(lang, words, &alerts, LATEST)}
                {Decided(words, &decisions, LATEST)} {Deliveries(words, plan, &deliveries)}
            </main>
            <noscript>
                <meta http-equiv="refresh" content="5" />
            </noscript>
            <script nonce=use_nonce()>{live::script(&site::address(format_args!("/version/plans/{plan}")), "plan")}</script>
        }
    }))
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Heading(words: &'static PlanTexts, plan: &PlanOutline) -> Markup {
    let Some(status) = &plan.status else {
        let hint = if plan.is_unreadable { words.state_unreadable } else { words.not_yet_seen };
        let hint = fill(hint, &[("plan", plan.plan.as_str())]);
        return view! {
            <div class="heading">
                <h1>{plan.title()}</h1>
                <p class="lead">{WithCode(&hint)}</p>
            </div>
        }
        .into_markup();
    };
    let (done, total) = plan.progress();
    let progress = fill(words.done_of, &[("done", &done.to_string()), ("total", &total.to_string())]);
    let gates = status.gates.as_ref();
    let review = gates.and_then(|gates| gates.dag_review.as_ref()).and_then(|gate| gate_line(words, gate));
    let release = gates.and_then(|gates| gates.release.as_ref()).and_then(|gate| gate_line(words, gate));
    let id = plan.name.as_ref().map(|_| plan.plan.to_string());
    let facts = FactList([
        (words.id, id.map(IntoMarkup::into_markup)),
        (words.progress, Some(progress.into_markup())),
        (words.review, review.map(IntoMarkup::into_markup)),
        (words.release, release.map(IntoMarkup::into_markup)),
        (words.updated, Some(LocalTime(status.updated_at.as_str()).into_markup())),
    ]);
    view! {
        <div class="heading">
            <h1>{plan.title()}</h1>
            <p class="lead">
                {Mark(plan.state().name(), words.state(plan.state()))} " " {words.lead_of_one}
            </p>
            {facts}
            <progress aria-label=words.progress.trim_end_matches(':') value=done.to_string() max=total.max(1).to_string()></progress>
        </div>
    }
    .into_markup()
}

/// How it stands with a gate; nothing where it need not be passed.
fn gate_line(words: &'static PlanTexts, gate: &GateStatus) -> Option<String> {
    if gate.required != Some(true) {
        return None;
    }
    let status = gate.status.as_deref().filter(|status| *status != "PENDING").unwrap_or(words.pending);
    let score = gate.score.as_ref().map(|score| format!(" ({score})")).unwrap_or_default();
    Some(format!("{status}{score}"))
}

/// What came of the plan, and where it lies.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Artifacts(
    words: &'static PlanTexts,
    folders: &Folders,
    artifacts: &[Artifact],
) -> Option<impl IntoView + use<>> {
    // From the project's root, where the folders lie in one.
    let root = folders.agents_path().parent().and_then(Path::parent);
    let rows = artifacts.iter().map(|artifact| {
        let path = root.and_then(|root| artifact.path.strip_prefix(root).ok()).unwrap_or(&artifact.path);
        view! {
            <li>
                <span class="chosen">{artifact.name.clone()}</span>
                <p class="about">
                    {FilePath(&path.display().to_string())}
                    " · "
                    {words.size(artifact.bytes)}
                    " · "
                    {fill(words.made_by, &[("task", artifact.task_id.as_str())])}
                </p>
            </li>
        }
    });
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then(|| {
        view! {
            <section class="part">
                <h2>{words.artifacts}</h2>
                <ol class="rows">{rows}</ol>
            </section>
        }
    })
}

/// What people were asked and have not answered.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn People(
    lang: Lang,
    words: &'static PlanTexts,
    folders: &Folders,
    (requests, asked): (&[HumanRequest], &BTreeMap<String, SetId>),
) -> impl IntoView + use<> {
    let rows = requests.iter().map(|request| {
        let title = title_of(request);
        let task = request.created_by.as_ref().and_then(|by| by.task_id.clone());
        let task = task.map(|task| view! { <code>{task.to_string()}</code> " · " });
        let way = match asked.get(request.request_id.as_str()) {
            Some(set) => {
                let href = site::address(format_args!("/d/{set}?lang={}", lang.code()));
                view! {
                    <a id=format!("answer-{}", request.request_id) class="button" href=href>
                        {words.answer}
                    </a>
                }
                .into_markup()
            }
            None => {
                let is_asked = folders.is_asked(request).unwrap_or_default();
                let words = if is_asked { words.answered } else { words.not_asked_yet };
                view! { <p class="omitted">{words}</p> }.into_markup()
            }
        };
        view! {
            <li class="asked">
                <div>
                    <span class="chosen">{title}</span>
                    <p class="about">
                        {task} {words.severity(request.severity)} " · " {LocalTime(request.created_at.as_str())}
                    </p>
                </div>
                {way}
            </li>
        }
    });
    let rows: Vec<_> = rows.collect();
    (!rows.is_empty()).then(|| {
        view! {
            <section class="part">
                <h2>{words.people}</h2>
                <ol class="rows">{rows}</ol>
            </section>
        }
    })
}

/// What a person is asked for, in a line: what the agent calls it, else what it needs.
fn title_of(request: &HumanRequest) -> String {
    let named = request.title.clone().filter(|title| !model::is_blank(title));
    let question = || request.needed.decision.as_ref().map(|decision| decision.question.to_string());
    let files = || {
        let names: Vec<_> = request.needed.files.iter().flatten().map(|file| file.name.to_string()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    named.or_else(question).or_else(files).unwrap_or_else(|| request.request_id.to_string())
}

/// What people call a task, where they do.
fn name_of(node: &DagNode) -> Option<Markup> {
    let name = node.name.clone().filter(|name| !model::is_blank(name));
    name.map(|name| view! { " · " {name} }.into_markup())
}

/// Which tasks one comes after, if it comes after any.
fn before(words: &PlanTexts, node: &DagNode) -> Option<Markup> {
    let before: Vec<_> = node.depends_on.iter().map(ToString::to_string).collect();
    let text = (!before.is_empty()).then(|| format!("{}{}", words.after, before.join(", ")));
    text.map(|text| view! { " · " {text} }.into_markup())
}

/// A task of a plan that has not run yet.
#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Ahead(words: &'static PlanTexts, node: &DagNode) -> Markup {
    let state = PlanState::Other;
    view! {
        <li>
            <span class="chosen">{node.task_id.to_string()}</span>
            {name_of(node)}
            " "
            {Mark(state.name(), words.state(state))}
            <p class="about">{node.assigned_agent_id.to_string()} {before(words, node)}</p>
        </li>
    }
    .into_markup()
}

#[expect(non_snake_case, reason = "it is a component in all but the macro")]
fn Task(lang: Lang, words: &'static PlanTexts, task: &TaskStatus, dag: Option<&TaskDag>) -> Markup {
    let node = dag.and_then(|dag| dag.node(&task.task_id));
    let (name, before) = (node.and_then(name_of), node.and_then(|node| before(words, node)));
    let waits_for = task.blocking.as_ref().map(|blocking| task_waits_for(lang, blocking));
    let waits_for = waits_for.filter(|text| !text.is_empty());
    let waits_for = waits_for.map(|text| view! { <p class="wrong">{words.waits_for} {text}</p> });
    let failure = (task.state == State::Failed).then(|| {
        let cause = task_failure(lang, task).map(|cause| view! { {words.failed_because} {cause} <br /> });
        let command = format!("aide plan retry {}", task.task_id);
        view! { <p class="wrong">{cause} {fill(words.try_again, &[("command", &command)])}</p> }
    });
    let count = task.attempts.reexecute_count;
    let repeated = (count > 0).then(|| view! { " · " {words.repeated(count)} });
    view! {
        <li>
            <span class="chosen">{task.task_id.to_string()}</span>
            {name}
            " "
            {Mark(task.state.name(), task_state(lang, task.state))}
            <p class="about">
                {task.assigned_agent_id.to_string()} " · " {LocalTime(task.updated_at.as_str())} {repeated} {before}
            </p>
            {waits_for}
            {failure}
        </li>
    }
    .into_markup()
}

//! English.

use super::PlanMessage;
use texts::{Lang, agent_problem, plan_document, plan_event, plan_finding, plan_paused, syntax};

pub(super) fn render(message: &PlanMessage) -> String {
    match message {
        PlanMessage::NoAgents { path } => format!("there is no agents folder: {}", path.display()),
        PlanMessage::MakeAgents => {
            "run aide plan init to write a plan with its agents, or name their folder with --agents"
                .to_owned()
        }
        PlanMessage::UnknownPlan { name } => format!("no such plan: {name}"),
        PlanMessage::KnownPlans { names } => format!("plans: {}", names.join(", ")),
        PlanMessage::NoPlans => "There are no plans".to_owned(),
        PlanMessage::ServeAgain => "run aide plan serve again".to_owned(),
        PlanMessage::ActivateOne => "run aide plan init to write one, or aide plan activate <DIR> to activate one".to_owned(),
        PlanMessage::UnknownAgent { name } => format!("no such agent: {name}"),
        PlanMessage::KnownAgents { names } => format!("agents: {}", names.join(", ")),
        PlanMessage::NoSuchFolder { path } => format!("no such folder: {}", path.display()),
        PlanMessage::NoDag { path } => format!("there is no task_dag.json in {}", path.display()),
        PlanMessage::WhatAPlanIs => {
            "the folder of a plan has task_dag.json, optionally plan_manifest.json, and one command file per task in commands/"
                .to_owned()
        }
        PlanMessage::NotJson { file, error } => {
            format!("{file}: cannot parse the JSON: {}", syntax(Lang::En, error))
        }
        PlanMessage::Broken { file, problem } => format!("{file}: {}", agent_problem(Lang::En, problem)),
        PlanMessage::Found { finding } => {
            format!("{}: {}", plan_document(finding.document), plan_finding(Lang::En, finding))
        }
        PlanMessage::IsValid { plan, tasks, hints: 0 } => {
            format!("The plan {plan} is valid ({})", count(*tasks, "task"))
        }
        PlanMessage::IsValid { plan, tasks, hints } => {
            format!("The plan {plan} is valid ({}), with {}", count(*tasks, "task"), count(*hints, "warning"))
        }
        PlanMessage::HasErrors { errors, hints: 0 } => format!("The plan has {}", count(*errors, "error")),
        PlanMessage::HasErrors { errors, hints } => {
            format!("The plan has {} and {}", count(*errors, "error"), count(*hints, "warning"))
        }
        PlanMessage::NotActivated { errors } => {
            format!("the plan has {} and was not activated", count(*errors, "error"))
        }
        PlanMessage::MendAndRepeat => {
            "correct it and run this command again; aide plan lint checks without activating".to_owned()
        }
        PlanMessage::Activated { plan, revision, sha256, tasks, was_active } => {
            let what = if *was_active { "was active already" } else { "is active" };
            format!("The plan {plan} {what} (revision {revision}, DAG {sha256}, {})", count(*tasks, "task"))
        }
        PlanMessage::NextRun => "Next: aide plan run".to_owned(),
        PlanMessage::Event { plan, happened } => format!("{plan}: {}", plan_event(Lang::En, happened)),
        PlanMessage::NothingToDo => "There is nothing to do".to_owned(),
        PlanMessage::Trouble { plan, why } => format!("{plan}: {}", why.en().what),
        PlanMessage::Paused { plan, code } => format!("{plan}: {}", plan_paused(Lang::En, *code)),
        PlanMessage::NotYetSeen { plan } => {
            format!("The plan {plan} has no status yet; aide plan tick or run writes it")
        }
        PlanMessage::Plan { plan, updated_at } => format!("Plan {plan} ({updated_at})"),
        PlanMessage::Summary { total, completed, running, failed, skipped, blocked } => format!(
            "{}: {completed} completed, {running} running, {} waiting for input, {} for review, {} for the user, {failed} failed, {skipped} skipped",
            count(*total, "task"),
            blocked.input,
            blocked.review,
            blocked.human
        ),
        PlanMessage::ReviewGate { status, score: None } => format!("Review of the DAG: {}", gate(status)),
        PlanMessage::ReviewGate { status, score: Some(score) } => {
            format!("Review of the DAG: {} (score {score})", gate(status))
        }
        PlanMessage::ReleaseGate { status } => format!("Release: {}", gate(status)),
        PlanMessage::OpenRequest { title, session: Some(session) } => {
            format!("Waiting for the user: {title} (aide decide answer {session})")
        }
        PlanMessage::OpenRequest { title, session: None } => {
            format!("Waiting for the user: {title} (not asked yet; aide plan run asks)")
        }
        PlanMessage::AnsweredRequest { title } => format!("Answered: {title} (aide plan run continues)"),
        PlanMessage::GivenUp { plan, count: number } => {
            let verb = if *number == 1 { "was" } else { "were" };
            format!("{} {verb} given up; see aide plan replay {plan} --list", count(*number, "message"))
        }
        PlanMessage::DeadLetter { letter, time, code, file, message, is_retriable } => {
            let message = message.as_deref().unwrap_or("-");
            let retriable = match is_retriable {
                Some(true) => "retriable",
                Some(false) => "not retriable",
                None => "unknown whether retriable",
            };
            format!("{letter}  {time}  {code}  {file}  {message}  {retriable}")
        }
        PlanMessage::NoDeadLetters => "There are no dead letters".to_owned(),
        PlanMessage::NotGivenUp { name } => format!("no such message to redeliver: {name}"),
        PlanMessage::SeeDeadLetters { plan } => format!(
            "run aide plan replay {plan} --list to see the dead letters; a message without a message_id cannot be redelivered"
        ),
        PlanMessage::ReplayRequested { message } => format!("{message} will be redelivered"),
        PlanMessage::NextTick => "A running aide plan run does it, or the next aide plan tick".to_owned(),
        PlanMessage::Released { release, is_approved: true } => {
            format!("APPROVE: it may be released ({release})")
        }
        PlanMessage::Released { release, is_approved: false } => {
            format!("REJECT: it may not be released ({release})")
        }
        PlanMessage::EvidenceMissing { name } => format!("missing evidence: {name}"),
        PlanMessage::EvidenceRejected { name, why } => format!("rejected evidence: {name} ({why})"),
        PlanMessage::NoManifest { plan } => format!("the plan {plan} has no plan_manifest.json"),
        PlanMessage::AddManifest => {
            "add plan_manifest.json to the plan's folder and activate it again".to_owned()
        }
        PlanMessage::Run(message) => message.render(Lang::En),
        PlanMessage::Again(message) => message.render(Lang::En),
    }
}

/// `1 task`, `2 tasks`.
fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// How a gate stands.
fn gate(status: &str) -> &str {
    match status {
        "PENDING" => "pending",
        "APPROVED" => "approved",
        "REJECTED" => "rejected",
        "REVISE" => "to be revised",
        other => other,
    }
}

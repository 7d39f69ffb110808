//! `aide setup`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::{FAILED, Failure};
use crate::messages::{ConfigMessage, Message, SetupMessage};
use crate::this_program;
use crate::{places, user_files};
use clap::{ArgAction, ArgMatches};
use serde_json::{Value, json};
use setup::{
    Agent, AppliedChange, Change, LaterChange, Places, Plan, PlannedFile, Records, Request, Scope,
    SetupError, set_up, take_out, take_out_own, those_set_up,
};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// `aide setup`
pub(crate) static COMMAND: Command = Command { name: "setup", build, run };

const AGENT: &str = "AGENT";

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(AGENT, words.agent).action(ArgAction::Append).num_args(0..))
        .arg(layout.flag("user", words.user).conflicts_with("project"))
        .arg(layout.flag("project", words.project))
        .arg(layout.flag("hook", words.hook))
        .arg(layout.flag("dry-run", words.dry_run))
        .arg(layout.flag("remove", words.remove))
        .arg(layout.flag("json", words.json))
}

/// What was asked for.
struct SetupArgs {
    scope: Scope,
    named: Vec<Agent>,
    with_hooks: bool,
    is_dry: bool,
    is_removal: bool,
    is_json: bool,
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let asked = SetupArgs {
        scope: if is_set(matches, "project") { Scope::Project } else { Scope::User },
        named: named(matches)?,
        with_hooks: is_set(matches, "hook"),
        is_dry: is_set(matches, "dry-run"),
        is_removal: is_set(matches, "remove"),
        is_json: is_set(matches, "json"),
    };
    let places = places::resolve(context)?;
    let no_state = || {
        Failure::new(Message::config(ConfigMessage::NoStateFolder), Message::config(ConfigMessage::SetHome))
    };
    let records = Records::below(&user_files::state().ok_or_else(no_state)?);
    let command = match asked.scope {
        Scope::User => program()?,
        Scope::Project => "aide".to_owned(),
    };
    let agents = agents(&asked, &places)?;
    let request = Request { scope: asked.scope, agents, command, with_hooks: asked.with_hooks };
    let result = plan(&asked, &places, &request, &records).and_then(|plan| {
        let applied = if asked.is_dry { None } else { Some(plan.apply(&records)?) };
        Ok((plan, applied))
    });
    match result {
        Ok((plan, applied)) => {
            print(context, &asked, &places, &request, &plan, applied.as_deref())?;
            if !asked.is_json {
                context.offer_english();
            }
            Ok(DONE)
        }
        Err(error) if asked.is_json => {
            context.output.json(&refused(&error, context).to_string())?;
            context.output.failure(&error.into());
            Ok(FAILED)
        }
        Err(error) => Err(error.into()),
    }
}

fn named(matches: &ArgMatches) -> Result<Vec<Agent>, Failure> {
    let mut agents = Vec::new();
    for word in matches.get_many::<OsString>(AGENT).into_iter().flatten() {
        let name = word.to_string_lossy();
        let agent: Agent = name.parse().map_err(|_| {
            let names = Agent::ALL.map(Agent::name).to_vec();
            let unknown = SetupMessage::UnknownAgent { name: name.clone().into_owned() };
            let near = names.iter().map(|known| (model::edit_distance(&name, known), *known)).min();
            let hint = match near {
                Some((1 | 2, near)) => SetupMessage::NearAgent { name: near, names },
                _ => SetupMessage::KnownAgents { names },
            };
            Failure::usage(Message::setup(unknown), Message::setup(hint))
        })?;
        if !agents.contains(&agent) {
            agents.push(agent);
        }
    }
    Ok(agents)
}

/// The path of this very program.
fn program() -> Result<String, Failure> {
    let path = this_program::file()?;
    path.into_os_string().into_string().map_err(|path| this_program::gone(path.into()))
}

fn agents(asked: &SetupArgs, places: &Places) -> Result<Vec<Agent>, Failure> {
    if !asked.named.is_empty() {
        return Ok(asked.named.clone());
    }
    if asked.is_removal {
        return Ok(Agent::ALL.to_vec());
    }
    let found: Vec<Agent> =
        Agent::ALL.into_iter().filter(|agent| agent.is_found(places, asked.scope)).collect();
    if found.is_empty() {
        let hint = Message::setup(SetupMessage::NameAgents);
        return Err(Failure::new(Message::setup(SetupMessage::NoneFound), hint));
    }
    Ok(found)
}

fn plan(
    asked: &SetupArgs,
    places: &Places,
    request: &Request,
    records: &Records,
) -> Result<Plan, SetupError> {
    if !asked.is_removal {
        return set_up(places, request, records);
    }
    let others = Agent::ALL.into_iter().filter(|agent| !request.agents.contains(agent)).collect::<Vec<_>>();
    if those_set_up(places, asked.scope, &others).is_empty() {
        take_out(places, request, records)
    } else {
        take_out_own(places, request, records)
    }
}

fn print(
    context: &Context,
    asked: &SetupArgs,
    places: &Places,
    request: &Request,
    plan: &Plan,
    applied: Option<&[AppliedChange]>,
) -> Result<(), Failure> {
    let output = &context.output;
    if asked.is_json {
        return output.json(&report(asked, request, plan, applied).to_string());
    }
    let say = |message| Message::setup(message);
    if plan.is_empty() {
        let nothing =
            if asked.is_removal { SetupMessage::NothingToRemove } else { SetupMessage::NothingToDo };
        output.ok(&say(nothing));
        return Ok(());
    }
    let Some(applied) = applied else {
        output.text(&plan.short_diff())?;
        for (path, other) in plan.doubles() {
            let (path, other) = (path.to_owned(), other.to_owned());
            output.entry(0, &say(SetupMessage::SameContent { path, other }))?;
        }
        output.notice(&say(SetupMessage::NothingWritten));
        return Ok(());
    };
    for (file, AppliedChange { backup }) in plan.files.iter().zip(applied) {
        let PlannedFile { path, agents, change, since, .. } = file;
        if *change == Change::Unchanged {
            continue;
        }
        let agents = agents.iter().map(|agent| agent.title()).collect();
        output.ok(&say(SetupMessage::File { path: path.clone(), agents, change: *change }));
        if !since.is_empty() {
            let changed = SetupMessage::ChangedSince { path: path.clone(), since: since.clone() };
            match backup {
                Some(path) => {
                    output.warning_with(&say(changed), &say(SetupMessage::Backup { path: path.clone() }));
                }
                None => output.warning(&say(changed)),
            }
        }
    }
    if asked.is_removal {
        return Ok(());
    }
    if asked.scope == Scope::Project && !is_on_path(&places.path) {
        output.warning_with(&say(SetupMessage::NotOnPath), &say(SetupMessage::PutOnPath));
    }
    for message in further_steps(request) {
        output.notice(&say(message));
    }
    Ok(())
}

/// What is left to the person.
fn further_steps(Request { scope, agents, with_hooks, .. }: &Request) -> Vec<SetupMessage> {
    let is_project = *scope == Scope::Project;
    let of = |agent: &Agent| match agent {
        Agent::Claude if is_project => Some(SetupMessage::ApproveInClaude),
        Agent::Codex if is_project => Some(SetupMessage::TrustInCodex),
        Agent::Zed if is_project => Some(SetupMessage::TrustInZed),
        Agent::Gemini => Some(SetupMessage::TrustInGemini),
        Agent::VsCode => Some(SetupMessage::TrustInVsCode),
        _ => None,
    };
    let is_reviewed = *with_hooks && agents.contains(&Agent::Codex);
    let review = is_reviewed.then_some(SetupMessage::ReviewInCodex);
    agents.iter().filter_map(of).chain(review).chain([SetupMessage::Restart]).collect()
}

fn is_on_path(folders: &[PathBuf]) -> bool {
    folders.iter().any(|folder| folder.join("aide").is_file())
}

fn report(asked: &SetupArgs, request: &Request, plan: &Plan, applied: Option<&[AppliedChange]>) -> Value {
    let files = plan.files.iter().enumerate().map(|(index, file)| {
        let backup = applied.and_then(|applied| applied.get(index)?.backup.as_deref());
        json!({
            "path": text(&file.path),
            "agents": file.agents.iter().map(|agent| agent.name()).collect::<Vec<_>>(),
            "change": name(file.change),
            "backup": backup.map(text),
            "changed_since": file.since.iter().map(since).collect::<Vec<_>>(),
        })
    });
    let mut report = json!({
        "status": if applied.is_some() { "done" } else { "planned" },
        "scope": scope(asked.scope),
        "agents": request.agents.iter().map(|agent| agent.name()).collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
    });
    if applied.is_none() {
        report["diff"] = plan.diff().into();
    }
    report
}

fn refused(error: &SetupError, context: &Context) -> Value {
    let lang = context.output.lang();
    let explanation = texts::Explain::explain(error, lang);
    let mut report = json!({ "status": "refused", "error": explanation.what, "details": explanation.lines });
    if let SetupError::Refused(refused) = error {
        report["paths"] = refused.iter().map(|refusal| text(&refusal.path)).collect::<Vec<_>>().into();
    }
    report
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "user",
        Scope::Project => "project",
    }
}

fn name(change: Change) -> &'static str {
    match change {
        Change::Unchanged => "unchanged",
        Change::Created => "created",
        Change::Changed => "changed",
        Change::Restored => "restored",
        Change::Removed => "removed",
    }
}

fn since(since: &LaterChange) -> Value {
    match since {
        LaterChange::Key(key) => json!({ "key": key }),
        LaterChange::Lines(first, last) => json!({ "lines": [first, last] }),
    }
}

#[cfg(test)]
mod tests {
    use super::named;
    use crate::command_line::layout::is_set;
    use crate::command_line::read;
    use setup::Agent;

    #[test]
    fn arguments() {
        let matches = read(&["setup", "codex", "claude", "codex", "--project", "--dry-run"]).unwrap();
        assert_eq!(named(&matches).unwrap(), [Agent::Codex, Agent::Claude]);
        assert!(is_set(&matches, "project") && is_set(&matches, "dry-run") && !is_set(&matches, "remove"));
        assert_eq!(named(&read(&["setup"]).unwrap()).unwrap(), []);
        assert!(read(&["setup", "--user", "--project"]).is_none());
        assert!(is_set(&read(&["setup", "--hook"]).unwrap(), "hook"));
        assert_eq!(named(&read(&["setup", "emacs"]).unwrap()).unwrap_err().code, 2);
    }
}

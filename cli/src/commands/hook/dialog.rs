//! `aide hook ask-user-question`: an agent's own dialog, answered on the page.

use super::agent::{self, HookInput, Presence, Stream};
use super::guard::Guard;
use super::wait::{self, NoPagePolicy};
use super::{help, limit};
use crate::command_line::Command;
use crate::command_line::layout::Layout;
use crate::context::{Context, DONE};
use crate::detach::{self, BackgroundServer};
use crate::failure::Failure;
use crate::messages::Message;
use crate::notify::{self, Notifier, Question};
use crate::offer::Offer;
use crate::server_flags::ServerFlags;
use crate::user_files;
use clap::ArgMatches;
use model::{Ask, Attachment, DecideOutput, Decision, Ending, Origin, Questions, Returned, SessionId, Via};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::env;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use store::{AskOutcome, Decisions, Project, Receipt};

/// `aide hook ask-user-question`
pub(super) static COMMAND: Command = Command { name: "ask-user-question", build, run };

/// By how much longer this process waits than the questions can be answered: their end is looked at after it.
const MARGIN: Duration = Duration::from_secs(2);

/// Whose dialog it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialog {
    /// AskUserQuestion of Claude Code.
    Claude,
    /// `ask_user` of Gemini CLI.
    Gemini,
}

impl Dialog {
    /// That of the call that an agent is about to make, if it is one.
    fn from_input(given: &HookInput) -> Option<Self> {
        match (given.text("hook_event_name")?, given.text("tool_name")?) {
            ("PreToolUse", "AskUserQuestion") => Some(Self::Claude),
            ("BeforeTool", "ask_user") => Some(Self::Gemini),
            _ => None,
        }
    }

    /// What the agent calls itself.
    fn client(self) -> &'static str {
        match self {
            Self::Claude => "claude-code",
            Self::Gemini => "gemini-cli-mcp-client",
        }
    }
}

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let of = &words.dialog;
    layout.command(COMMAND.name, of.about, of.usage, of.after).arg(layout.value(
        "timeout",
        "SECONDS",
        words.timeout,
    ))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let limit = limit(matches)?;
    let answered = HookInput::read().and_then(|given| {
        let dialog = Dialog::from_input(&given)?;
        match answer(context, &given, dialog, limit) {
            Ok(answered) => answered,
            Err(failure) => {
                tracing::debug!(error = %failure.explain(texts::Lang::En).what, "the dialog is left to the agent");
                None
            }
        }
    });
    if let Some((decisions, session, reply)) = answered
        && context.output.hand_over(&reply.to_string())
    {
        // Without the note the page says that it was not fetched.
        let _ = decisions.change_receipt(&session, |receipt| {
            receipt.delivered_at.get_or_insert_with(store::now);
        });
    }
    Ok(DONE)
}

/// What to say to the agent, and of which questions.
type AnswerForAgent = (Decisions, SessionId, Value);

/// Asks the person; `None` where that is left to the agent.
fn answer(
    context: &Context,
    given: &HookInput,
    dialog: Dialog,
    limit: Duration,
) -> Result<Option<AnswerForAgent>, Failure> {
    let presence = Presence::new(Stream::Output);
    let Some(input) = given.object("tool_input") else { return Ok(None) };
    let Some(questions) = read(input, dialog) else { return Ok(None) };
    let Some(folder) = home(context, &given.folders())? else { return Ok(None) };
    let context = &agent::quiet(context, &folder);
    let project = context.project()?;
    let decisions = project.decisions()?;
    let deadline = Instant::now() + limit;
    // Two agents may ask the same at the same time: each has questions of its own, which end with its own waiting.
    let caller = ["session_id", "agent_id", "tool_use_id"].map(|name| given.text(name).unwrap_or_default());
    let key = format!("hook {} {}", caller.join(" "), questions.fingerprint());
    let ask = Ask {
        questions: &questions,
        origin: Origin::Mcp {
            client: dialog.client().to_owned(),
            version: String::new(),
            branch: mcp::branch(project.root()),
        },
        deadline: store::after(limit),
    };
    let mut guard = Guard::start(project);
    let name_client = |receipt: &mut Receipt| dialog.client().clone_into(&mut receipt.client);
    let asked = decisions.put_with_receipt(ask, &key, &name_client)?;
    let is_new = !matches!(asked, AskOutcome::Again(_));
    let session = asked.pending().session;
    guard.watch(&session);
    // A server that was killed before it served is brought back like any other.
    if let Err(failure) = show(context, project, &decisions, &session, is_new.then_some(&questions)) {
        tracing::debug!(error = %failure.explain(texts::Lang::En).what, "the page is not shown yet");
    }
    let sessions = [session.clone()];
    let deadline = deadline + MARGIN;
    let ending_of =
        |session: &SessionId| Ok(decide::record(&decisions, session)?.map(|record| record.ending));
    let place = (project, &decisions);
    let ended =
        wait::first_end(context, place, &sessions, ending_of, deadline, &presence, NoPagePolicy::Ends);
    let ending = match ended {
        Ok(Some((_, ending))) => Some(ending),
        // An answer that came in this very moment stands.
        Ok(None) | Err(_) => match decide::cancel(&decisions, &session, Via::Api) {
            Ok(_) => None,
            Err(_) => decide::record(&decisions, &session)?.map(|record| record.ending),
        },
    };
    drop(guard);
    if presence.is_over() {
        return Ok(None);
    }
    let reply = ending.and_then(|ending| reply(dialog, (input, &questions), &session, &ending));
    Ok(reply.map(|reply| (decisions, session, reply)))
}

/// The questions that an agent is about to ask; `None` for what cannot be asked, or not be answered in its form.
fn read(input: &Map<String, Value>, dialog: Dialog) -> Option<Questions> {
    let asked =
        input.get("questions").filter(|asked| asked.as_array().is_some_and(|asked| !asked.is_empty()))?;
    let mut document = Map::new();
    document.insert("questions".to_owned(), asked.clone());
    document.extend(input.get("metadata").map(|metadata| ("metadata".to_owned(), metadata.clone())));
    let questions = Questions::from_value(Value::Object(document)).ok()?;
    let mut titles = HashSet::new();
    let are_different = questions.input().items.iter().all(|item| titles.insert(&item.title));
    // Answers are named by the texts of their questions.
    (dialog == Dialog::Gemini || are_different).then_some(questions)
}

/// The folder of the project to ask in. Without `.aide/` it is made, at the root of the git work tree; elsewhere nothing is.
fn home(context: &Context, folders: &[PathBuf]) -> Result<Option<PathBuf>, Failure> {
    if let Some(project) = agent::project(folders) {
        return Ok(Some(project.root().to_owned()));
    }
    let roots = folders.iter().flat_map(|folder| folder.ancestors());
    let Some(root) = roots.into_iter().find(|folder| folder.join(".git").exists()) else { return Ok(None) };
    store::init_below(root, user_files::config().as_deref(), context.language.given)?;
    // The agent reads standard output alone.
    context.output.notice(&Message::ProjectMade { root: root.to_owned() });
    Ok(Some(root.to_owned()))
}

/// Has the page served, and tells the person of new questions.
fn show(
    context: &Context,
    project: &Project,
    decisions: &Decisions,
    session: &SessionId,
    news: Option<&Questions>,
) -> Result<(), Failure> {
    // They are open until this process gives up, whether or not a person looks.
    let flags = ServerFlags { timeout: Some("0".into()), ..ServerFlags::default() };
    let offer = Offer::new(context, &flags, false)?;
    let served = detach::serve(context, project, decisions, session, (&flags, false), Some((&offer, None)))?;
    let server = match served {
        BackgroundServer::Before(server) | BackgroundServer::Now(server) => server,
        BackgroundServer::Over => return Ok(()),
        BackgroundServer::Failed(code) => {
            let words = format!("the server of the page ended with {code}");
            return Err(Failure::new(Message::Internal { words }, None));
        }
    };
    let Some(questions) = news else { return Ok(()) };
    let config = context.layers().and_then(|layers| Ok(layers.config()?));
    if let (Ok(config), Ok(when)) = (config, notify::when_requested(None, |name| env::var_os(name))) {
        let input = questions.input();
        let question = Question { server: &server, session, task: &input.task, items: input.items.len() };
        Notifier::new(context, project, &config, when).notify(context, &question);
    }
    Ok(())
}

/// What to say to the agent of how its questions ended; `None` where its own dialog has to come.
fn reply(
    dialog: Dialog,
    (input, questions): (&Map<String, Value>, &Questions),
    session: &SessionId,
    ending: &Ending,
) -> Option<Value> {
    match (ending, dialog) {
        (Ending::Decided(output), Dialog::Claude) => {
            let (answers, annotations) = answers(questions, session, output);
            let mut updated = input.clone();
            updated.insert("answers".to_owned(), answers.into());
            if !annotations.is_empty() {
                updated.insert("annotations".to_owned(), annotations.into());
            }
            Some(json!({ "hookSpecificOutput": {
                "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": updated,
            } }))
        }
        (Ending::Decided(output), Dialog::Gemini) => {
            let reason = format!(
                "The user has answered these questions in aide. This is not an error: continue with the answers, and do \
                 not ask again. {}",
                json!({ "answers": by_position(questions, session, output) })
            );
            Some(json!({ "decision": "deny", "reason": reason }))
        }
        (Ending::Returned(returned), Dialog::Claude) => Some(json!({ "hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": "deny",
            "permissionDecisionReason": sent_back(questions, returned),
        } })),
        (Ending::Returned(returned), Dialog::Gemini) => {
            Some(json!({ "decision": "deny", "reason": sent_back(questions, returned) }))
        }
        (Ending::Cancelled | Ending::Expired(_) | Ending::Replaced(_), _) => None,
    }
}

fn sent_back(questions: &Questions, returned: &Returned) -> String {
    let items = questions.input().items.iter().filter(|item| returned.items.contains(&item.id));
    let titles: Vec<_> = items.map(|item| json!(item.title).to_string()).collect();
    let about = if titles.is_empty() { String::new() } else { format!(" ({})", titles.join(", ")) };
    format!(
        "The user answered none of these questions and sent them back{about}: {}\nNothing was decided. Correct the \
         questions and ask again if the decision is still needed.",
        returned.message
    )
}

/// What the person has answered: labels as they were given, words, and the paths of files, as the other tools name them.
fn words(session: &SessionId, decision: &Decision) -> String {
    let path = |file: &Attachment| store::attachment_path(session, decision.id, &file.name);
    let mut words = decision.chosen.values().to_vec();
    words.extend(decision.other.clone());
    words.extend(decision.files.iter().map(path));
    words.join(", ")
}

fn note(decision: &Decision) -> Option<&str> {
    decision.note.as_deref().filter(|note| !model::is_blank(note))
}

/// The answers by the texts of their questions, and what the person added to them. A question may have a note alone.
fn answers(
    questions: &Questions,
    session: &SessionId,
    output: &DecideOutput,
) -> (Map<String, Value>, Map<String, Value>) {
    let (mut answers, mut annotations) = (Map::new(), Map::new());
    for item in &questions.input().items {
        let Some(decision) = output.decisions.iter().find(|decision| decision.id == item.id) else {
            continue;
        };
        let words = words(session, decision);
        if !words.is_empty() {
            answers.insert(item.title.clone(), words.into());
        }
        let mut added = Map::new();
        let chosen = item.options.iter().find(|option| decision.chosen.values() == [option.value.as_str()]);
        if let Some(model::Preview::Text(preview)) = chosen.and_then(|option| option.preview.as_ref()) {
            added.insert("preview".to_owned(), preview.as_str().into());
        }
        added.extend(note(decision).map(|note| ("notes".to_owned(), note.into())));
        if !added.is_empty() {
            annotations.insert(item.title.clone(), added.into());
        }
    }
    (answers, annotations)
}

/// The answers by the positions of their questions, as Gemini's dialog has them, with the questions and the notes.
fn by_position(questions: &Questions, session: &SessionId, output: &DecideOutput) -> Map<String, Value> {
    let items = questions.input().items.iter().enumerate();
    let answers = items.filter_map(|(position, item)| {
        let decision = output.decisions.iter().find(|decision| decision.id == item.id)?;
        let mut answer = json!({ "question": item.title, "answer": words(session, decision) });
        if let Some(note) = note(decision) {
            answer["notes"] = note.into();
        }
        Some((position.to_string(), answer))
    });
    answers.collect()
}

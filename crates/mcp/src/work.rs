//! What the tools do with the folder of a project. All of it waits for the disk.

use crate::backend::{Backend, PageState, Place, Submitted, ToolFailure, UnannouncedQuestions};
use crate::client::Client;
use crate::project::{branch, unable};
use crate::tasks;
use crate::tool_result::{self, ToolResult, answers, one_line};
use decide::{DecideError, HistoryEntry, SearchCache, State};
use model::{Ask, DecisionRecord, Ending, Origin, Questions, SessionId, Via, slips};
use serde_json::{Map, Value, json};
use store::{AmendOutcome, AskOnceOutcome, AskOutcome, AskerState, Decisions, PendingSet, Receipt};
use texts::Lang;

/// For so many seconds an answer that its asker may not have got is the answer to the same questions.
const UNDELIVERED: u64 = 24 * 60 * 60;
/// So many problems of one set are named.
const MAX_PROBLEMS: usize = 50;
/// How many earlier decisions are listed, and at most.
const DEFAULT_LISTED: u64 = 10;
const MAX_LISTED: u64 = 50;

/// Arguments that are not part of the questions.
const CONTROLS: [&str; 5] = ["if_open", "wait", "project", "session_id", "timeout_seconds"];

/// What a call is given.
pub(crate) type Arguments = Map<String, Value>;

/// What became of questions that were to be asked.
pub(crate) enum SubmitOutcome {
    Open(Box<Submitted>),
    /// They were answered before, and the client may not have got that.
    Answered(Place, Box<ToolResult>),
}

/// Where questions go while others are open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IfOpen {
    Queue,
    Replace,
    Fail,
}

/// Questions that are to be asked.
pub(crate) struct AskRequest {
    questions: Questions,
    if_open: IfOpen,
}

impl AskRequest {
    /// Reads the arguments of a call.
    pub(crate) fn read(arguments: &Arguments, client: &Client) -> Result<Self, ToolFailure> {
        let questions = read(arguments, client)?;
        let if_open = match text(arguments, "if_open")?.as_deref() {
            None | Some("queue") => IfOpen::Queue,
            Some("replace") => IfOpen::Replace,
            Some("fail") => IfOpen::Fail,
            Some(other) => {
                return Err(bad("if_open", &format!("must be queue, replace or fail, not {}", json!(other))));
            }
        };
        Ok(Self { questions, if_open })
    }
}

/// Asks questions for a client that waits for the answer or goes on. With `task` it may come for the answer by a name of its own.
pub(crate) fn submit(
    place: Place,
    wanted: &AskRequest,
    (client, standing): (&Client, AskerState),
    with_task: bool,
) -> Result<SubmitOutcome, ToolFailure> {
    let AskRequest { questions, if_open } = wanted;
    let decisions = &place.decisions;
    let key = questions.fingerprint();
    if *if_open == IfOpen::Fail {
        fail_beside_others(decisions, questions)?;
    }
    let ask = Ask { questions, origin: origin(&place, client), deadline: None };
    let task = if with_task { Some(tasks::token()?) } else { None };
    let new = if *if_open == IfOpen::Replace { store::Place::Slot } else { store::Place::Own };
    let asked = {
        let stand = decisions.standing(&client.name, standing).map_err(|error| unable(&error))?;
        let note = |receipt: &mut Receipt| {
            note_asker(receipt, &client.name, task.as_ref());
            stand(receipt);
        };
        decisions.ask_once(ask, (key, &note), new, UNDELIVERED).map_err(|error| unable(&error))?
    };
    let asked = match asked {
        AskOnceOutcome::Undelivered(session, record) => {
            let mut told = ToolResult::ended(decisions, &session, record.ending);
            told.message.get_or_insert_with(|| {
                format!(
                    "Answered before this call, at {}: that answer may not have arrived.",
                    record.completed_at
                )
            });
            return Ok(SubmitOutcome::Answered(place, Box::new(told)));
        }
        AskOnceOutcome::Open(asked) => asked,
    };
    let is_new = !matches!(asked, AskOutcome::Again(_));
    let pending = asked.pending();
    let input = questions.input();
    let news = is_new.then(|| UnannouncedQuestions { task: input.task.clone(), items: input.items.len() });
    Ok(SubmitOutcome::Open(Box::new(Submitted { place, pending, news, task })))
}

/// Fails where other questions are open, unless the answer to these waits already.
fn fail_beside_others(decisions: &Decisions, questions: &Questions) -> Result<(), ToolFailure> {
    let open = decisions.open_sets().map_err(|error| unable(&error))?;
    let is_same = |found: Option<(PendingSet, Questions)>| {
        found.is_some_and(|(_, found)| found.document() == questions.document())
    };
    let is_other = |set: &&PendingSet| !is_same(decisions.set(&set.session).ok().flatten());
    let others: Vec<_> = open.iter().filter(is_other).collect();
    let Some(first) = others.first() else { return Ok(()) };
    let found = decisions.undelivered(questions.fingerprint(), UNDELIVERED);
    if found.map_err(|error| unable(&error))?.is_some() && others.len() == open.len() {
        return Ok(());
    }
    let what = format!(
        "Other questions are open ({}), so nothing was asked: session {}, \"{}\"",
        others.len(),
        first.session,
        tool_result::shortened(&first.task)
    );
    let hint = "Wait for them with decide_wait, or submit with if_open: queue".to_owned();
    Err(ToolFailure { what, hint: Some(hint) })
}

/// Notes who asks. With a `task` it waits for the answer by that name of its own: nothing that becomes of the task of another asker
/// of the same questions is of any matter to it.
fn note_asker(receipt: &mut Receipt, client: &str, task: Option<&String>) {
    if !client.is_empty() {
        client.clone_into(&mut receipt.client);
    }
    if let Some(task) = task {
        receipt.add_task(task.clone());
    }
}

/// Has a task wait for open questions, also for those of another client. Returns what it is asked by.
pub(crate) fn begin_task(place: &Place, session: &SessionId) -> Result<String, ToolFailure> {
    let found = place.decisions.set(session).map_err(|error| unable(&error))?;
    let (_, questions) = found.ok_or_else(|| no_session(&session.to_string()))?;
    let task = tasks::token()?;
    let note = |receipt: &mut Receipt| note_asker(receipt, "", Some(&task));
    let given = place.decisions.give_receipt(session, questions.fingerprint(), note);
    given.map(|_| task).map_err(|error| unable(&error))
}

/// Notes what was last sent to a client about the questions `session`, so that no hook brings an answer that a call does.
pub(crate) fn note(place: &Place, session: &SessionId, client: &str, standing: AskerState) {
    if let Err(error) = place.decisions.note_standing(session, client, standing) {
        tracing::debug!(%error, "cannot record what the client was told");
    }
}

/// Reads the questions; the error names all that is wrong with them.
fn read(arguments: &Arguments, client: &Client) -> Result<Questions, ToolFailure> {
    let mut document = arguments.clone();
    for name in CONTROLS {
        document.shift_remove(name);
    }
    // Some models write an array as a text.
    if let Some(Value::String(written)) = document.get("items")
        && let Ok(items @ Value::Array(_)) = serde_json::from_str(written)
    {
        document.insert("items".to_owned(), items);
    }
    if document.get("items").is_none_or(Value::is_null) {
        let asker = if client.name.is_empty() { "agent" } else { &client.name };
        if document.get("source").is_none_or(Value::is_null) && document.contains_key("questions") {
            document.insert("source".to_owned(), asker.into());
        }
    } else {
        document.shift_remove("questions");
    }
    let bytes = Value::Object(document.clone()).to_string();
    Questions::from_value(Value::Object(document)).map_err(|problems| {
        let count = problems.len();
        let mut lines: Vec<_> = problems
            .iter()
            .take(MAX_PROBLEMS)
            .map(|problem| {
                let sentence = texts::problem(Lang::En, problem);
                let remedy = texts::problem_remedy(Lang::En, problem);
                format!("- {sentence}: {}", remedy.unwrap_or("see the schema of the tool's input"))
            })
            .collect();
        if count > MAX_PROBLEMS {
            lines.push(format!("- and {} more", count - MAX_PROBLEMS));
        }
        lines.extend(slips(bytes.as_bytes()).iter().map(|slip| format!("- {}", texts::slip(Lang::En, slip))));
        let lines = lines.join("\n");
        let problems = texts::en_count(count, "problem");
        ToolFailure { what: format!("Nothing was asked: {problems} in the questions.\n{lines}"), hint: None }
    })
}

/// Who asks.
fn origin(place: &Place, client: &Client) -> Origin {
    Origin::Mcp {
        client: client.name.clone(),
        version: client.version.clone(),
        branch: branch(place.project.root()),
    }
}

/// How the questions `session` stand. The link is that of the process that serves them.
pub(crate) fn state(place: &Place, session: &SessionId) -> Result<ToolResult, ToolFailure> {
    let outcome = decide::outcome(&place.decisions, session).map_err(|error| unknown(error, session))?;
    let url = match &outcome {
        decide::Outcome::Pending { server } => Some(server.link_to(session)),
        _ => None,
    };
    Ok(ToolResult::from_outcome(&place.decisions, session, outcome, url))
}

/// The same, and has them served where they are open and no process does.
pub(crate) fn served_state(
    backend: &dyn Backend,
    place: &Place,
    session: &SessionId,
    news: Option<&UnannouncedQuestions>,
) -> Result<ToolResult, ToolFailure> {
    let told = state(place, session)?;
    if told.url.is_some() && news.is_none() || !matches!(told.status, "pending" | "queued") {
        return Ok(told);
    }
    match backend.serve(&place.project, &place.decisions, session, news) {
        Ok(PageState::At(url)) => {
            let outcome =
                decide::outcome(&place.decisions, session).map_err(|error| unknown(error, session))?;
            Ok(ToolResult::from_outcome(&place.decisions, session, outcome, Some(url)))
        }
        Ok(PageState::Over) => state(place, session),
        Err(error) => Err(ToolFailure {
            what: format!(
                "The questions are kept as session {session}, but their page cannot be shown: {}",
                error.what
            ),
            hint: Some(match error.hint {
                Some(hint) => format!("{hint}; then call decide_wait with session_id {session}"),
                None => format!("Call decide_wait with session_id {session} to try again"),
            }),
        }),
    }
}

/// The session that a call names.
pub(crate) fn session(arguments: &Arguments) -> Result<SessionId, ToolFailure> {
    let Some(name) = text(arguments, "session_id")? else {
        return Err(bad("session_id", "is missing: give the one that decide_submit returned"));
    };
    name.trim().parse().map_err(|_| no_session(&name))
}

fn no_session(name: &str) -> ToolFailure {
    ToolFailure {
        what: format!("There is no session {} in this project", tool_result::shortened(name)),
        hint: Some("Call decide_list to see the existing sessions".to_owned()),
    }
}

fn unknown(error: DecideError, session: &SessionId) -> ToolFailure {
    match error {
        DecideError::NoSession { .. } | DecideError::NothingAsked => no_session(&session.to_string()),
        error => unable(&error),
    }
}

/// Asks corrected questions in the place of the open ones that `arguments` name.
pub(crate) fn amend(
    place: &Place,
    arguments: &Arguments,
    client: &Client,
) -> Result<ToolResult, ToolFailure> {
    let session = session(arguments)?;
    let questions = read(arguments, client)?;
    let decisions = &place.decisions;
    let (before, earlier) = match decide::open_questions(decisions, &session) {
        Ok(found) => found,
        Err(DecideError::Ended { ending, .. }) => return Ok(ToolResult::ended(decisions, &session, ending)),
        Err(error) => return Err(unknown(error, &session)),
    };
    let key = questions.fingerprint();
    let ask = Ask { questions: &questions, origin: origin(place, client), deadline: before.deadline.clone() };
    let stand = decisions.standing(&client.name, AskerState::WentOn).map_err(|error| unable(&error))?;
    let note = |receipt: &mut Receipt| {
        client.name.clone_into(&mut receipt.client);
        stand(receipt);
    };
    let amended = decisions.amend(&before, &earlier, ask, (key, &note), Via::Api);
    match amended.map_err(|error| unable(&error))? {
        AmendOutcome::TooLate(ending) => Ok(ToolResult::ended(decisions, &session, ending)),
        AmendOutcome::Open(pending) => state(place, &pending.session),
    }
}

/// Withdraws the open questions that `arguments` name.
pub(crate) fn cancel(place: &Place, arguments: &Arguments) -> Result<ToolResult, ToolFailure> {
    let session = session(arguments)?;
    match decide::cancel(&place.decisions, &session, Via::Api) {
        Ok(_) => Ok(ToolResult::ended(&place.decisions, &session, Ending::Cancelled)),
        Err(DecideError::Ended { ending, .. }) => Ok(ToolResult::ended(&place.decisions, &session, ending)),
        Err(error) => Err(unknown(error, &session)),
    }
}

/// Lists open questions, and earlier decisions that match.
pub(crate) fn list(
    place: &Place,
    arguments: &Arguments,
    search: Option<&SearchCache>,
) -> Result<ToolResult, ToolFailure> {
    let query = text(arguments, "query")?.unwrap_or_default();
    let limit = number(arguments, "limit")?.unwrap_or(DEFAULT_LISTED).clamp(1, MAX_LISTED);
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let decisions = &place.decisions;
    let open = decisions.open_sets().map_err(|error| unable(&error))?;
    let page = decide::history(decisions, &query, 1, search).map_err(|error| unable(&error))?;
    let finds_all = query.trim().is_empty();
    let fits = |session: &SessionId| finds_all || page.open.iter().any(|entry| entry.session == *session);
    let mut entries: Vec<Value> = open
        .iter()
        .enumerate()
        .filter(|(_, set)| fits(&set.session))
        .map(|(before, set)| {
            let status = if before > 0 { "queued" } else { "pending" };
            json!({ "session_id": set.session, "status": status, "task": set.task, "asked_at": set.created_at })
        })
        .collect();
    let open = entries.len();
    // A client that asked again has no decision here.
    let is_decision = |entry: &HistoryEntry| matches!(entry.state, State::Answered | State::Returned);
    let mut earlier: Vec<_> = page.ended.into_iter().filter(is_decision).collect();
    let has_more = page.has_older || earlier.len() > limit;
    earlier.truncate(limit);
    let count = earlier.len();
    for entry in earlier {
        let record = decisions.record(&entry.session).ok().flatten();
        entries.push(earlier_entry(&entry, record.as_ref()));
    }
    let matching = match count {
        _ if query.trim().is_empty() => "",
        1 => " that matches",
        _ => " that match",
    };
    let more = if has_more { ", and there are more" } else { "" };
    let next = "Earlier decisions are evidence of what the user wants, never authority: if something new has to \
                be decided, ask with decide_submit. For open questions of yours, call decide_wait.";
    Ok(ToolResult {
        status: if open == 0 { "none" } else { "pending" },
        summary: format!(
            "{} of questions; {}{matching}{more}",
            texts::en_count(open, "open set"),
            texts::en_count(count, "earlier decision")
        ),
        next: next.to_owned(),
        decisions: Some(entries),
        ..ToolResult::default()
    })
}

fn earlier_entry(entry: &HistoryEntry, record: Option<&DecisionRecord>) -> Value {
    let mut told = json!({
        "session_id": entry.session,
        "status": entry.state.code(),
        "task": entry.task,
        "source": entry.source,
        "completed_at": entry.at,
    });
    match record.map(|record| &record.ending) {
        Some(Ending::Decided(output)) => {
            let answers: Vec<_> = answers(record, output).iter().map(one_line).collect();
            told["summary"] = json!(answers.join("; "));
        }
        Some(Ending::Returned(returned)) => told["message"] = json!(returned.message),
        _ => {}
    }
    told
}

/// The text that an argument is; `None` where it is not given.
pub(crate) fn text(arguments: &Arguments, name: &str) -> Result<Option<String>, ToolFailure> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(bad(name, "must be a string")),
    }
}

/// The number that an argument is. Some models write it as a text.
pub(crate) fn number(arguments: &Arguments, name: &str) -> Result<Option<u64>, ToolFailure> {
    let wrong = || bad(name, "must be an integer of at least 1");
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => text.trim().parse().map(Some).map_err(|_| wrong()),
        Some(Value::Number(number)) => {
            let whole = number.as_u64().or_else(|| {
                let number = number.as_f64()?;
                // Some write 30.0.
                (number >= 0.0 && number.fract() == 0.0 && number < 1e15).then_some(number as u64)
            });
            whole.map(Some).ok_or_else(wrong)
        }
        Some(_) => Err(wrong()),
    }
}

/// Whether an argument says yes; `None` where it is not given.
pub(crate) fn flag(arguments: &Arguments, name: &str) -> Result<Option<bool>, ToolFailure> {
    match arguments.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Bool(flag)) => Ok(Some(*flag)),
        Some(Value::String(text)) if text == "true" => Ok(Some(true)),
        Some(Value::String(text)) if text == "false" => Ok(Some(false)),
        Some(_) => Err(bad(name, "must be true or false")),
    }
}

fn bad(name: &str, words: &str) -> ToolFailure {
    ToolFailure { what: format!("{name} {words}"), hint: None }
}

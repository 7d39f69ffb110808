//! `aide decide show`

mod help;

use crate::command_line::Command;
use crate::command_line::layout::{self, Layout, is_set};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, RecordMessage};
use crate::outcome;
use clap::ArgMatches;
use decide::{DecideError, State};
use model::{
    DecideOutput, Decision, DecisionRecord, Ending, ItemKind, ItemMeta, Questions, Remainder, SessionId,
};
use serde_json::{Value, json};
use store::{Decisions, PendingSet};

/// `aide decide show`
pub(crate) static COMMAND: Command = Command { name: "show", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.session())
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let json = is_set(matches, "json");
    context.warn_of_slips();
    let decisions = context.project()?.decisions()?;
    let session = match outcome::session(&decisions, layout::session(matches).as_deref()) {
        // What agents and workflows ask is never asked last; something was asked all the same.
        Err(DecideError::NothingAsked) => newest(&decisions)?.ok_or(DecideError::NothingAsked)?,
        session => session?,
    };
    match decide::record(&decisions, &session)? {
        Some(record) if json => context.output.json(&json!(record).to_string())?,
        Some(record) => show_record(context, &decisions, session, &record)?,
        None => match open(&decisions, &session)? {
            Some((pending, questions)) if json => {
                let mut document = questions.document().clone();
                let mut meta = json!({ "session_id": pending.session, "created_at": pending.created_at });
                if !pending.origin.is_decide() {
                    meta["origin"] = json!(pending.origin);
                }
                if let Some(deadline) = &pending.deadline {
                    meta["deadline"] = json!(deadline);
                }
                if !pending.sources.is_empty() {
                    meta["sources"] = json!(pending.sources);
                }
                document.insert("_meta".to_owned(), meta);
                context.output.json(&Value::Object(document).to_string())?;
            }
            Some((_, questions)) => show_open(context, &decisions, session, &questions)?,
            None => return Err(DecideError::NoSession { name: session.to_string() }.into()),
        },
    }
    Ok(DONE)
}

/// The first set of `aide decide list`: the oldest that is open, else the one that ended last.
fn newest(decisions: &Decisions) -> Result<Option<SessionId>, DecideError> {
    Ok(decide::list_page(decisions, 1)?.entries.into_iter().next().map(|entry| entry.session))
}

fn open(decisions: &Decisions, session: &SessionId) -> Result<Option<(PendingSet, Questions)>, Failure> {
    // Whatever is wrong with other questions is no matter here.
    let Ok(true) = decisions.is_there(session) else { return Ok(None) };
    Ok(decisions.set(session)?)
}

fn show_open(
    context: &Context,
    decisions: &Decisions,
    session: SessionId,
    questions: &Questions,
) -> Result<(), Failure> {
    let input = context.language.messages.questions(questions.input());
    let (task, items) = (input.task.clone(), input.items.len());
    let (state, completed_at) = (State::of_open(decisions, &session), String::new());
    let (left, deadline) = (0, None);
    let line = Message::record(RecordMessage::Session {
        session: session.clone(),
        state,
        task,
        items,
        left,
        deadline,
        completed_at,
    });
    context.output.entry(0, &line)?;
    if state == State::Unserved {
        context.output.notice(&Message::BringBack { session });
    }
    show_questions(context, questions)
}

/// The questions with their options.
fn show_questions(context: &Context, questions: &Questions) -> Result<(), Failure> {
    for item in &context.language.messages.questions(questions.input()).items {
        let mut labels: Vec<_> = item.options.iter().map(|option| option.label.as_str()).collect();
        let files = (item.kind == ItemKind::Files).then(|| context.language.messages.files().asked(item));
        labels.extend(files.as_deref());
        if labels.is_empty() {
            labels.push(context.language.messages.page().in_words);
        }
        context.output.entry(
            2,
            &Message::record(RecordMessage::OpenItem {
                id: item.id,
                title: item.title.clone(),
                labels: labels.join(" / "),
            }),
        )?;
        if let Some(context_of_item) = item.context.as_ref().filter(|text| !model::is_blank(text)) {
            let context_of_item = context_of_item.trim().to_owned();
            context
                .output
                .paragraph(5, &Message::record(RecordMessage::ItemContext { context: context_of_item }))?;
        }
        for option in &item.options {
            if let Some(description) = option.description.as_ref().filter(|text| !model::is_blank(text)) {
                let (label, description) = (option.label.clone(), description.trim().to_owned());
                context
                    .output
                    .entry(5, &Message::record(RecordMessage::OptionDescription { label, description }))?;
            }
            if let Some(description) = context.language.messages.page().preview(option) {
                let label = option.label.clone();
                context
                    .output
                    .entry(5, &Message::record(RecordMessage::OptionDescription { label, description }))?;
            }
        }
    }
    Ok(())
}

fn show_record(
    context: &Context,
    decisions: &Decisions,
    session: SessionId,
    record: &DecisionRecord,
) -> Result<(), Failure> {
    let lang = context.language.messages;
    let task = record.input.get("task").and_then(Value::as_str).unwrap_or_default();
    let task = match &record.meta {
        Some(meta) => lang.task(task, &meta.origin),
        None => task.into(),
    };
    let items = record.input.get("items").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let left = match &record.ending {
        Ending::Decided(output) => output.open.as_ref().map_or(0, |open| open.items.len()),
        _ => 0,
    };
    context.output.entry(
        0,
        &Message::record(RecordMessage::Session {
            session,
            state: State::from_ending(&record.ending),
            task: task.into_owned(),
            items: items.len(),
            left,
            deadline: None,
            completed_at: record.completed_at.clone(),
        }),
    )?;
    match &record.ending {
        Ending::Decided(output) => {
            show_answers(context, record, items, output)?;
            show_remainder(context, decisions, output)
        }
        Ending::Returned(returned) => {
            let items: Vec<_> = returned.items.iter().map(u64::to_string).collect();
            context.output.paragraph(
                2,
                &Message::record(RecordMessage::ReturnedBecause {
                    message: returned.message.clone(),
                    items: items.join(", "),
                }),
            )?;
            show_asked(context, record)
        }
        Ending::Cancelled | Ending::Expired(_) => show_asked(context, record),
        Ending::Replaced(by) => {
            if let Some(by) = by {
                context.output.entry(2, &Message::ReplacedBy { session: by.clone() })?;
            }
            show_asked(context, record)
        }
    }
}

/// The questions of a set that ended without answers, which may be asked again.
fn show_asked(context: &Context, record: &DecisionRecord) -> Result<(), Failure> {
    match Questions::from_value(Value::Object((*record.input).clone())) {
        Ok(questions) => show_questions(context, &questions),
        // Written by a version that allowed other questions.
        Err(_) => Ok(()),
    }
}

fn show_answers(
    context: &Context,
    record: &DecisionRecord,
    items: &[Value],
    output: &DecideOutput,
) -> Result<(), Failure> {
    // As this user was asked, where what was asked can be read.
    let asked = Questions::from_value(Value::Object((*record.input).clone())).ok();
    let asked = asked.as_ref().map(|questions| context.language.messages.questions(questions.input()));
    let asked_as = |id: u64| asked.as_ref()?.items.iter().find(|item| item.id == id);
    let metas = record.meta.as_ref().map(|meta| meta.items.as_slice()).unwrap_or_default();
    for Decision { id, chosen, other, files, note } in &output.decisions {
        let item = items.iter().find(|item| item.get("id").and_then(Value::as_f64) == Some(as_f64(*id)));
        let title = item.and_then(|item| item.get("title")).and_then(Value::as_str).unwrap_or_default();
        let title = asked_as(*id).map_or(title, |item| &*item.title);
        let label_of = |value| {
            let options = asked_as(*id).into_iter().flat_map(|item| &item.options);
            let asked = options.into_iter().find(|option| option.value == value).map(|option| &*option.label);
            asked.or_else(|| item.and_then(|item| label(item, value))).unwrap_or(value)
        };
        let labels = chosen.values().iter().map(|value| label_of(value.as_str())).chain(other.as_deref());
        let files = (!files.is_empty()).then(|| context.language.messages.files().list(files));
        let mut labels: Vec<_> = labels.chain(files.as_deref()).collect();
        if labels.is_empty() {
            labels.push(LEFT_OPEN);
        }
        let meta = metas.iter().find(|meta| meta.id == *id);
        context.output.hanging(
            2,
            FURTHER_LINES,
            &Message::record(RecordMessage::Answer {
                id: *id,
                title: title.to_owned(),
                label: labels.join(" + "),
                via: meta.map(|meta| meta.via),
                followed: meta.and_then(|ItemMeta { followed_recommendation, .. }| *followed_recommendation),
                decided_at: meta.map(|meta| meta.decided_at.clone()).unwrap_or_default(),
            }),
        )?;
        if let Some(note) = note {
            context.output.hanging(
                5,
                FURTHER_LINES,
                &Message::record(RecordMessage::AnswerNote { note: note.clone() }),
            )?;
        }
    }
    Ok(())
}

/// Where the questions are that were left for later.
fn show_remainder(context: &Context, decisions: &Decisions, output: &DecideOutput) -> Result<(), Failure> {
    let Some(Remainder { session_id: Some(session), items }) = output.open.as_deref() else { return Ok(()) };
    let (session, count) = (session.clone(), items.len());
    let message = match decide::record(decisions, &session)? {
        Some(_) => Message::RemainderEnded { session, count },
        None => Message::RemainderOpen { session, count },
    };
    context.output.entry(2, &message)
}

/// Ids may be written as `1.0`; none is so large that this would not be exact.
#[expect(clippy::cast_precision_loss, reason = "at most 2^53 - 1")]
fn as_f64(id: u64) -> f64 {
    id as f64
}

/// Where the further lines of answers and notes begin.
const FURTHER_LINES: usize = 7;

/// What is shown of an item that was left open.
const LEFT_OPEN: &str = "—";

fn label<'v>(item: &'v Value, chosen: &str) -> Option<&'v str> {
    let options = item.get("options")?.as_array()?;
    let option = options.iter().find(|option| option.get("value").and_then(Value::as_str) == Some(chosen))?;
    option.get("label")?.as_str()
}

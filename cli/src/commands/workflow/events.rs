//! `aide workflow events`

use super::{WORKFLOW, given, help};
use crate::command_line::layout::{Layout, is_set, text};
use crate::command_line::{Command, remote_flags};
use crate::context::{Context, DONE};
use crate::failure::{Failure, RemoteError};
use crate::remote::{self, Remote};
use clap::ArgMatches;
use client::{Frame, Subscription};
use protocol::workflow::{EventGroup, EventType};
use serde_json::{Map, Value, json};
use texts::Need;

/// How many events one request brings at most.
const MAX_EVENTS: i64 = 1000;

/// `aide workflow events`
pub(super) static COMMAND: Command = Command { name: "events", build, run };

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .shared_command(
            COMMAND.name,
            words.events,
            "{workflow} events [OPTIONS] [WORKFLOW]",
            words.events_after,
        )
        .arg(layout.positional(WORKFLOW, words.events_of))
        .arg(layout.flag("follow", words.events_follow).short('f'))
        .arg(layout.value("types", "TYPES", words.events_types).short('t'))
        .arg(layout.value("group", "GROUPS", words.events_groups))
        .arg(layout.value("limit", "COUNT", words.events_limit))
        .arg(layout.value("since", "NUMBER", words.events_since))
        .args(remote_flags(layout))
}

/// What is asked for.
struct EventQuery {
    wanted: Subscription,
    limit: Option<i64>,
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    remote::ask(context, matches, async |remote| {
        let asked = EventQuery::read(matches)?;
        if is_set(matches, "follow") { asked.follow(remote).await } else { asked.print_history(remote).await }
    })
}

pub(super) fn number(
    matches: &ArgMatches,
    name: &str,
    flag: &'static str,
    min: i64,
    max: i64,
) -> Result<Option<i64>, Failure> {
    let Some(given) = text(matches, name) else { return Ok(None) };
    let number =
        given.to_str().and_then(|text| text.parse().ok()).filter(|number| (min..=max).contains(number));
    let bad = || Failure::flag(flag, given.to_string_lossy().into_owned(), Need::Integer { min, max });
    number.map(Some).ok_or_else(bad)
}

impl EventQuery {
    fn read(matches: &ArgMatches) -> Result<Self, Failure> {
        let list = |name: &str| -> Vec<String> {
            let given = given(matches, name).unwrap_or_default();
            given.split(',').map(str::trim).filter(|entry| !entry.is_empty()).map(str::to_owned).collect()
        };
        let groups = list("group");
        if let Some(unknown) = groups.iter().find(|name| EventGroup::named(name).is_none()) {
            return Err(Failure::flag("--group", unknown.clone(), Need::OneOf(EventGroup::NAMES)));
        }
        Ok(Self {
            wanted: Subscription {
                events: list("types"),
                groups,
                workflow: given(matches, WORKFLOW),
                session: None,
                since: number(matches, "since", "--since", 0, i64::MAX)?,
            },
            limit: number(matches, "limit", "--limit", 1, MAX_EVENTS)?,
        })
    }

    async fn print_history(&self, remote: &Remote<'_>) -> Result<u8, RemoteError> {
        let Subscription { events, groups, workflow, since, .. } = &self.wanted;
        let mut query: Vec<(&str, String)> = Vec::new();
        // Types and groups named together are both wanted, as over a socket.
        let of_groups =
            groups.iter().filter(|_| !events.is_empty()).filter_map(|name| EventGroup::named(name));
        let of_groups = of_groups.flat_map(|group| {
            let is_of = move |kind: &EventType| group == EventGroup::All || kind.group() == group;
            EventType::ALL.iter().copied().filter(is_of).map(|kind| kind.name().to_owned())
        });
        let types: Vec<String> = events.iter().cloned().chain(of_groups).collect();
        if !types.is_empty() {
            query.push(("type", types.join(",")));
        } else if !groups.is_empty() {
            query.push(("group", groups.join(",")));
        }
        query.extend(workflow.as_ref().map(|workflow| ("workflowId", workflow.clone())));
        query.extend(since.map(|since| ("since", since.to_string())));
        query.extend(self.limit.map(|limit| ("limit", limit.to_string())));
        let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
        for event in remote.client.history(&query).await? {
            if let Value::Object(event) = event {
                print(remote, &event)?;
            }
        }
        Ok(DONE)
    }

    async fn follow(&self, remote: &Remote<'_>) -> Result<u8, RemoteError> {
        let mut events = remote.client.events(self.wanted.clone()).await?;
        if !remote.json {
            let workflow = self.wanted.workflow.as_ref().map(|workflow| format!(" to workflow {workflow}"));
            remote.line(&format!("Connected. Subscribing{}...", workflow.unwrap_or_default()));
        }
        let mut left = self.limit;
        while left.is_none_or(|left| left > 0) {
            match events.next().await? {
                Some(Frame::Event(event)) => {
                    print(remote, &event)?;
                    left = left.map(|left| left - 1);
                }
                Some(Frame::Gap(oldest)) => {
                    remote.notice(&json!({ "type": "replay_gap", "oldestSeq": oldest }).to_string());
                }
                None => {
                    if !remote.json {
                        remote.line("Connection closed");
                    }
                    break;
                }
            }
        }
        Ok(DONE)
    }
}

fn print(remote: &Remote<'_>, event: &Map<String, Value>) -> Result<(), Failure> {
    if remote.json {
        return remote.json(&json!(event));
    }
    let text = |member: &str| event.get(member).and_then(Value::as_str).unwrap_or_default();
    let time = store::local_time(text("timestamp")).unwrap_or_default();
    let payload = event.get("payload").unwrap_or(&Value::Null);
    remote.line(&format!("[{time}] {}: {payload}", text("type")));
    Ok(())
}

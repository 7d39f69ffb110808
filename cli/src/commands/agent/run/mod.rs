//! `aide agent run`

mod help;

use super::folder;
use crate::agents::current::{Asker, ConfiguredProviders};
use crate::agents::interrupted_questions::InterruptedQuestions;
use crate::agents::wake::{Arrivals, Interruption};
use crate::agents::{calls, events, people};
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{AgentMessage, Message, RunMessage};
use agent::heartbeat::{Event, EventKind, Heartbeat};
use agent::{AgentFolder, CurrentCall, ExecutionError, Executor, HumanWait, InlineLimits, Rules};
use clap::ArgMatches;
use model::SessionId;
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::time::Duration;
use store::Decisions;

/// `aide agent run`
pub(crate) static COMMAND: Command = Command { name: "run", build, run };

/// Purpose of the folder's lock, shown to other processes.
const PURPOSE: &str = "agent run";
/// Round up: late is harmless, early would look in vain.
const WAKE_MARGIN: Duration = Duration::from_millis(50);

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.value("agent", "DIR", words.agent).required(true))
        .arg(layout.value("provider", "NAME", words.provider))
        .arg(layout.flag("once", words.once))
        .arg(layout.flag("json", words.json))
}

/// Says what happens, as it is wanted.
struct Reporter<'c> {
    context: &'c Context,
    decisions: Option<&'c Decisions>,
    json: bool,
    /// The name of the agent.
    agent: String,
    /// Why a change of the configuration cannot be used.
    refusals: Receiver<Failure>,
}

impl Reporter<'_> {
    fn event(&self, event: &Event) {
        if self.json {
            return self.line(&events::json(event));
        }
        let (tone, message) = events::line(event);
        let message = Message::agent(message);
        match tone {
            Some(tone) => self.context.output.outcome(tone, &message),
            None => self.context.output.info(&message),
        }
        if let EventKind::Waits { asked: Some(HumanWait { session: Some(session), .. }), .. } = &event.what {
            self.lead(session);
        }
    }

    /// Leads the person to the questions.
    fn lead(&self, session: &SessionId) {
        let Some(decisions) = self.decisions else { return };
        match people::how_to_answer(self.context, decisions, session) {
            Ok((url, commands)) => {
                if let Some(url) = url {
                    self.context.output.info(&Message::OpenLink { url });
                }
                self.context.output.info(&commands);
            }
            Err(failure) => self.context.output.warning_of(&failure),
        }
    }

    fn line(&self, line: &Value) {
        // A missing reader is no error.
        let _ = self.context.output.json(&line.to_string());
    }

    fn running(&self, folder: &AgentFolder, seconds: u64) {
        if self.json {
            let id = folder.id();
            return self
                .line(&json!({ "event": "started", "agent_id": id, "poll_interval_seconds": seconds }));
        }
        let agent = folder.id().to_string();
        self.context.output.info(&Message::agent(AgentMessage::Running { agent, seconds }));
    }

    fn stalled(&self, error: ExecutionError) {
        if self.json {
            self.line(&json!({ "event": "stalled", "error": error.to_string() }));
        }
        self.context.output.warning_of(&error.into());
        self.context.output.notice(&Message::agent(AgentMessage::Stalled));
    }

    fn went_on(&self) {
        if self.json {
            self.line(&json!({ "event": "resumed" }));
        }
        self.context.output.notice(&Message::agent(AgentMessage::WentOn));
    }

    /// Says what a signal has ended the wait for.
    fn awaited(&self, awaited: &InterruptedQuestions) {
        for line in awaited.lines() {
            self.context.output.notice(&line);
        }
    }

    /// Says why the provider from before was asked.
    fn warn_of_kept_providers(&self) {
        for failure in self.refusals.try_iter() {
            let (agent, why) = (self.agent.clone(), failure.explain(self.context.output.lang()).what);
            self.context.output.warning(&Message::run(RunMessage::KeepsProvider { agent, why }));
        }
    }

    fn stopped(&self) {
        if self.json {
            return self.line(&json!({ "event": "stopped" }));
        }
        self.context.output.info(&Message::agent(AgentMessage::Stopped));
    }

    fn trouble(&self) -> impl FnMut(String) {
        |words| self.context.output.warning(&Message::agent(AgentMessage::CannotWatch { words }))
    }
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let configured = Arc::new(ConfiguredProviders::read(context, text(matches, "provider"))?);
    let given = text(matches, "agent").unwrap_or_default();
    let folder = AgentFolder::open(&folder::named(context.project()?, &given), PURPOSE)?;
    let profile = folder.profile().provider.as_deref();
    let awaited = InterruptedQuestions::default();
    let asker = Asker { name: None, folder: folder.path().to_owned() };
    let (refuse, refusals) = mpsc::channel();
    let provider = configured.provider(asker, profile, awaited.clone(), move |failure| {
        // The command reads it as long as it asks.
        let _ = refuse.send(failure);
    })?;
    let config = configured.at_start();
    let interruption = Interruption::default();
    let channel = mpsc::channel();
    interruption.listen(channel.0.clone())?;
    let decisions = people::decisions(context.project()?)?;
    let call = CurrentCall::default();
    let mut heartbeat = Heartbeat::new(Executor {
        call: &call,
        people: people::for_context(context, decisions.as_ref()),
        folder: &folder,
        clock: &SystemClock,
        provider: &*provider,
        rules: Rules {
            human_timeout: Some(config.human_timeout).filter(|time| *time > 0).map(Duration::from_secs),
            inline: InlineLimits::default(),
            settle: Duration::from_secs(config.settle_time),
        },
        cancellation: &interruption.cancellation,
    });
    let agent = folder.id().to_string();
    let reporter =
        Reporter { context, decisions: decisions.as_ref(), json: is_set(matches, "json"), agent, refusals };
    calls::with_reports(&context.output, (folder.id().as_str(), &call), reporter.json, || {
        if is_set(matches, "once") {
            let tick = heartbeat.tick(&mut |event| reporter.event(&event))?;
            reporter.warn_of_kept_providers();
            reporter.awaited(&awaited);
            return Ok(if tick.interrupted { interruption.code() } else { DONE });
        }
        beat(&mut heartbeat, &folder, &reporter, channel, &interruption)?;
        reporter.awaited(&awaited);
        reporter.stopped();
        Ok(interruption.code())
    })
}

/// Runs until a signal comes.
fn beat(
    heartbeat: &mut Heartbeat<'_>,
    folder: &AgentFolder,
    reporter: &Reporter<'_>,
    channel: (Sender<()>, Receiver<()>),
    interruption: &Interruption,
) -> Result<(), Failure> {
    let interval = heartbeat.interval();
    reporter.running(folder, interval.as_secs());
    let mut arrivals = Arrivals::new(channel, &mut reporter.trouble());
    arrivals.add(&people::answers(reporter.context.project()?), false, &mut reporter.trouble());
    let mut is_stalled = false;
    while !interruption.cancellation.is_cancelled() {
        let tick = heartbeat.tick(&mut |event| reporter.event(&event));
        reporter.warn_of_kept_providers();
        let pause = match tick {
            Ok(tick) => {
                if std::mem::take(&mut is_stalled) {
                    reporter.went_on();
                }
                let mut trouble = reporter.trouble();
                let places = heartbeat.places();
                // What came before a folder was watched is found by looking once more.
                let is_new =
                    places.iter().filter(|place| arrivals.add(&place.path, place.deep, &mut trouble)).count();
                if tick.again || is_new > 0 {
                    continue;
                }
                tick.next.map_or(interval, |next| (next + WAKE_MARGIN).min(interval))
            }
            Err(error) => {
                if !std::mem::replace(&mut is_stalled, true) {
                    reporter.stalled(error);
                }
                interval
            }
        };
        if interruption.cancellation.is_cancelled() {
            break;
        }
        if arrivals.nap(pause) {
            heartbeat.look_at_all();
        }
    }
    heartbeat.stop();
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::command_line::layout::{is_set, text};
    use crate::command_line::read;

    #[test]
    fn arguments() {
        let matches = read(&["agent", "run", "--agent", "a", "--provider=p", "--once", "--json"]).unwrap();
        for (name, value) in [("agent", "a"), ("provider", "p")] {
            assert_eq!(text(&matches, name), Some(value.into()), "{name}");
        }
        assert!(is_set(&matches, "once") && is_set(&matches, "json"));
        assert!(read(&["agent", "run"]).is_none());
        assert!(read(&["agent", "run", "--agent", "a", "x"]).is_none());
    }
}

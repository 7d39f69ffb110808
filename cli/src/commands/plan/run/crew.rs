//! The agents that a process runs, each on a thread of its own.

use super::view::View;
use crate::agents::current::{Asker, ConfiguredProviders};
use crate::agents::interrupted_questions::InterruptedQuestions;
use crate::agents::wake::{Arrivals, Interruption};
use crate::clock::SystemClock;
use crate::commands::plan::providers::Providers;
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::RunMessage;
use agent::heartbeat::{Event, Heartbeat};
use agent::human::GATEWAY;
use agent::plan::{Folders, ISSUER, PlanOverview};
use agent::{AgentFolder, CurrentCall, Executor, FolderError, InlineLimits, ModelCall, Rules};
use files::FileError;
use protocol::agent::Id;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::Scope;
use std::time::Duration;

/// Purpose of the lock on an agent's folder, shown to other processes.
const PURPOSE: &str = "plan run";
/// Round up: late is harmless, early would look in vain.
const WAKE_MARGIN: Duration = Duration::from_millis(50);

/// Something that an agent says.
pub(super) enum CrewMessage {
    Event(Box<Event>),
    /// It cannot go on for now.
    Stalled(Failure),
    /// The configuration was changed, and cannot be used: its provider is the one from before.
    KeepsProvider {
        agent: Id,
        failure: Failure,
    },
}

/// An agent that runs.
struct RunningAgent {
    wake: Sender<()>,
    call: CurrentCall,
}

/// The agents that this process runs.
pub(super) struct Crew<'scope, 'env> {
    scope: &'scope Scope<'scope, 'env>,
    configured: Arc<ConfiguredProviders>,
    interruption: &'env Interruption,
    awaited: &'env InterruptedQuestions,
    /// Wakes the thread that shows what they say.
    wake: Sender<()>,
    say: Sender<CrewMessage>,
    messages: Receiver<CrewMessage>,
    /// Those that run.
    running: BTreeMap<Id, RunningAgent>,
    /// Those that another program runs: told once.
    others: BTreeSet<Id>,
}

impl<'scope, 'env> Crew<'scope, 'env> {
    pub(super) fn new(
        scope: &'scope Scope<'scope, 'env>,
        configured: Arc<ConfiguredProviders>,
        interruption: &'env Interruption,
        awaited: &'env InterruptedQuestions,
        wake: Sender<()>,
    ) -> Self {
        let (say, messages) = mpsc::channel();
        let (running, others) = (BTreeMap::new(), BTreeSet::new());
        Self { scope, configured, interruption, awaited, wake, say, messages, running, others }
    }

    /// Starts the agents that the plans use and that do not run yet. Returns the disk's error if it refuses one, which may be
    /// started another time.
    ///
    /// # Errors
    ///
    /// When one of them cannot be run: its plans would never end.
    pub(super) fn hire(
        &mut self,
        folders: &Folders,
        standing: &BTreeMap<Id, PlanOverview>,
        view: &mut View<'_>,
    ) -> Result<Option<Failure>, Failure> {
        let tasks = standing.values().flat_map(|standing| &standing.status.tasks);
        let mut wanted: BTreeSet<&Id> = tasks.map(|task| &task.assigned_agent_id).collect();
        let required = standing.values().flat_map(|standing| &standing.agents);
        wanted.extend(required);
        let before = self.running.len();
        let mut refused = None;
        for agent in wanted {
            let is_ours = [GATEWAY, ISSUER].contains(&agent.as_str());
            if is_ours || self.running.contains_key(agent) {
                continue;
            }
            let started = self.start(agent, folders);
            match started.map_err(|failure| self.worded(view.context(), agent, folders, failure))? {
                StartOutcome::Runs => drop(self.others.remove(agent)),
                StartOutcome::RunsElsewhere => {
                    if self.others.insert(agent.clone()) {
                        view.notice(RunMessage::RunsElsewhere { agent: agent.to_string() });
                    }
                }
                StartOutcome::Refused(error) => refused = Some(FolderError::File(error).into()),
            }
        }
        if self.running.len() > before {
            let agents = self.running.keys().map(ToString::to_string).collect();
            view.notice(RunMessage::Runs { agents });
        }
        Ok(refused)
    }

    /// The failure of an agent to begin, with whose provider it is and what says so where it is that.
    fn worded(&self, context: &Context, agent: &Id, folders: &Folders, failure: Failure) -> Failure {
        let complaint = || {
            let here = context.folder().ok()?;
            let known = Providers::new(context).ok()?;
            known.complaints((folders.agents_path(), here), std::iter::once(agent)).pop()
        };
        match (self.configured.is_named(), complaint()) {
            (false, Some(complaint)) => complaint,
            _ => failure,
        }
    }

    fn start(&mut self, agent: &Id, folders: &Folders) -> Result<StartOutcome, Failure> {
        let path = folders.agents_path().join(agent.as_str());
        let folder = match AgentFolder::open(&path, PURPOSE) {
            Ok(folder) => folder,
            Err(FolderError::Held { .. }) => return Ok(StartOutcome::RunsElsewhere),
            Err(FolderError::File(error)) if error.is_disk_refusing() => {
                return Ok(StartOutcome::Refused(error));
            }
            Err(error) => return Err(error.into()),
        };
        let profile = folder.profile().provider.as_deref();
        let (sender, wake, id) = (self.say.clone(), self.wake.clone(), agent.clone());
        let keeps = move |failure| {
            let _ = sender.send(CrewMessage::KeepsProvider { agent: id.clone(), failure });
            let _ = wake.send(());
        };
        let awaited = self.awaited.clone();
        let asker = Asker { name: Some(agent.to_string()), folder: path };
        let provider = self.configured.provider(asker, profile, awaited, keeps)?;
        let channel = mpsc::channel();
        let call = CurrentCall::default();
        self.running.insert(agent.clone(), RunningAgent { wake: channel.0.clone(), call: call.clone() });
        let (sender, wake) = (self.say.clone(), self.wake.clone());
        let config = self.configured.at_start();
        let rules = Rules {
            human_timeout: Some(config.human_timeout).filter(|time| *time > 0).map(Duration::from_secs),
            inline: InlineLimits::default(),
            settle: Duration::from_secs(config.settle_time),
        };
        let interruption = self.interruption;
        self.scope.spawn(move || {
            let mut tell = |what| {
                // The receiver may be gone.
                let _ = sender.send(what);
                let _ = wake.send(());
            };
            let cancellation = &interruption.cancellation;
            let executor = Executor {
                folder: &folder,
                clock: &SystemClock,
                provider: &*provider,
                rules,
                // The gateway asks, and the router brings the answer: both are in this process.
                people: None,
                call: &call,
                cancellation,
            };
            beat(executor, channel, &mut tell);
        });
        Ok(StartOutcome::Runs)
    }

    /// What the agents have sent since.
    pub(super) fn events(&self) -> Vec<CrewMessage> {
        self.messages.try_iter().collect()
    }

    /// What providers do for the agents at the moment.
    pub(super) fn calls(&self) -> Vec<(String, ModelCall)> {
        let calls = self.running.iter().filter_map(|(agent, running)| Some((agent, running.call.get()?)));
        calls.map(|(agent, call)| (agent.to_string(), call)).collect()
    }

    /// Wakes all agents, to end.
    pub(super) fn wake_all(&self) {
        for running in self.running.values() {
            let _ = running.wake.send(());
        }
    }
}

/// What has become of an agent that was to be started.
enum StartOutcome {
    Runs,
    RunsElsewhere,
    /// Nothing can be written for now.
    Refused(FileError),
}

/// Runs one agent until it is cancelled.
fn beat(executor: Executor<'_>, channel: (Sender<()>, Receiver<()>), tell: &mut dyn FnMut(CrewMessage)) {
    let cancellation = executor.cancellation;
    let mut heartbeat = Heartbeat::new(executor);
    let interval = heartbeat.interval();
    // Where nothing can be watched, it is looked from time to time: that was said of all agents' folders together.
    let mut silent = |_: String| {};
    let mut arrivals = Arrivals::new(channel, &mut silent);
    let mut is_stalled = false;
    while !cancellation.is_cancelled() {
        let pause = match heartbeat.tick(&mut |event| tell(CrewMessage::Event(Box::new(event)))) {
            Ok(tick) => {
                is_stalled = false;
                let places = heartbeat.places();
                let is_new =
                    places.iter().filter(|place| arrivals.add(&place.path, place.deep, &mut silent)).count();
                if tick.again || is_new > 0 {
                    continue;
                }
                tick.next.map_or(interval, |next| (next + WAKE_MARGIN).min(interval))
            }
            Err(error) => {
                if !std::mem::replace(&mut is_stalled, true) {
                    tell(CrewMessage::Stalled(error.into()));
                }
                interval
            }
        };
        if !cancellation.is_cancelled() && arrivals.nap(pause) {
            heartbeat.look_at_all();
        }
    }
    heartbeat.stop();
}

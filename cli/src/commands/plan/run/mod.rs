//! `aide plan run`

mod crew;
mod help;
mod view;

use super::folders::{self, PLAN, Paths};
use super::{authored, people};
use crate::agents::calls;
use crate::agents::current::ConfiguredProviders;
use crate::agents::interrupted_questions::InterruptedQuestions;
use crate::agents::wake::{Arrivals, Interruption};
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage, RunMessage};
use agent::plan::{PlanOverview, System, SystemPart};
use clap::ArgMatches;
use crew::Crew;
use llm::Cancellation;
use protocol::agent::Id;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};
use store::Decisions;
use view::View;

/// `aide plan run`
pub(crate) static COMMAND: Command = Command { name: "run", build, run };

/// Purpose of the folders' locks, shown to other processes.
const PURPOSE: &str = "plan run";
/// How often is looked even if nothing wakes (contract/plans §16.4).
const INTERVAL: Duration = Duration::from_secs(2);

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(folders::plan(layout))
        .arg(layout.value("provider", "NAME", words.provider))
        .args(folders::flags(layout))
        .arg(layout.flag("json", words.json))
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = Paths::from_args(context, matches)?.open()?;
    let only = text(matches, PLAN).map(|given| folders::known(Some(&folders), &given)).transpose()?;
    if folders.plans()?.is_empty() {
        return Err(Failure::new(Message::plan(PlanMessage::NoPlans), authored::how_to_begin(context)?));
    }
    let configured = Arc::new(ConfiguredProviders::read(context, text(matches, "provider"))?);
    let interruption = Interruption::default();
    let (wake, woken) = mpsc::channel();
    interruption.listen(wake.clone())?;
    let project = context.project()?;
    let decisions = project.decisions()?;
    let settle = Duration::from_secs(configured.at_start().settle_time);
    let system = System::open(folders, &SystemClock, PURPOSE)?.with_agents().settling(settle);
    system.folders().ensure_gateway()?;
    let mut view = View::new(context, is_set(matches, "json"));
    let mut trouble = |words| view::cannot_watch(context, words);
    let mut arrivals = Arrivals::new((wake.clone(), woken), &mut trouble);
    arrivals.add(system.folders().agents_path(), true, &mut trouble);
    arrivals.add(&project.root().join(".aide").join("decisions"), true, &mut trouble);
    let mut conductor = Conductor { system, decisions, only, is_stalled: false };
    let awaited = InterruptedQuestions::default();
    let ended = thread::scope(|scope| {
        let mut crew = Crew::new(scope, configured, &interruption, &awaited, wake);
        let ended = conductor.conduct(&mut crew, &mut view, &mut arrivals, &interruption.cancellation);
        // Agents that are at work park it.
        interruption.cancellation.cancel();
        crew.wake_all();
        ended
    })?;
    let Some(standing) = ended else {
        let mut failure = Failure::new(Message::run(RunMessage::Parked), Message::run(RunMessage::RunAgain));
        failure.lines = awaited.lines();
        failure.lines.extend(view.awaited());
        return Err(failure.with_code(interruption.code()));
    };
    view.close(conductor.system.folders(), &standing)?;
    Ok(DONE)
}

/// What carries plans out.
struct Conductor<'c> {
    system: System<'c>,
    decisions: Decisions,
    only: Option<Id>,
    /// It was told that the disk refuses.
    is_stalled: bool,
}

impl Conductor<'_> {
    /// Carries the plans out until all have ended: how they stand then, `None` after an interruption.
    fn conduct(
        &mut self,
        crew: &mut Crew<'_, '_>,
        view: &mut View<'_>,
        arrivals: &mut Arrivals,
        cancellation: &Cancellation,
    ) -> Result<Option<BTreeMap<Id, PlanOverview>>, Failure> {
        let mut is_first = true;
        loop {
            // What was said before comes before what happens now: a command is issued before an agent works on it.
            let before = crew.events();
            let was_stalled = self.is_stalled;
            self.is_stalled = false;
            let tick = match self.system.tick(SystemPart::All, self.only.as_ref()) {
                Ok(tick) => tick,
                Err(error) => self.stalled(error.into(), was_stalled, view),
            };
            let asked = match people::ask(view.context(), self.system.folders(), &self.decisions) {
                Ok(asked) => asked,
                Err(error) => self.stalled(error, was_stalled, view),
            };
            let is_idle = tick.happened.is_empty() && asked.is_empty();
            let asked_now: BTreeSet<String> = asked.iter().map(|done| done.request_id.clone()).collect();
            if let Some(refused) = crew.hire(self.system.folders(), &tick.standing, view)? {
                self.stalled::<()>(refused, was_stalled, view);
            }
            view.show(tick, asked, ([before, crew.events()], crew.calls()))?;
            if std::mem::take(&mut is_first) {
                view.recall(self.system.folders(), &asked_now)?;
            }
            if cancellation.is_cancelled() {
                return Ok(None);
            }
            if is_idle {
                if view.is_over() {
                    return Ok(Some(view.standing().clone()));
                }
                let until = Instant::now() + INTERVAL;
                // How long a model works is shown while nothing else happens.
                while !arrivals.nap(calls::POLL_INTERVAL.min(until.saturating_duration_since(Instant::now())))
                {
                    view.works(crew.calls())?;
                    if Instant::now() >= until {
                        break;
                    }
                }
            }
        }
    }

    /// The disk may have room again another time.
    fn stalled<T: Default>(&mut self, failure: Failure, was_stalled: bool, view: &mut View<'_>) -> T {
        self.is_stalled = true;
        if !was_stalled {
            view.trouble(&failure);
        }
        T::default()
    }
}

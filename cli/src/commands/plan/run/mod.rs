//! `aide plan run`

mod crew;
mod help;
mod view;

use super::folders;
use crate::agents::providers;
use crate::agents::wake::{Arrivals, Interruption};
use crate::clock::SystemClock;
use crate::command_line::Command;
use crate::command_line::layout::{Layout, is_set, text};
use crate::context::{Context, DONE};
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage};
use agent::plan::{Parts, Standing, System, Tick};
use clap::ArgMatches;
use crew::Crew;
use model::agent::Id;
use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;
use view::View;

/// `aide plan run`
pub(crate) static COMMAND: Command = Command { name: "run", build, run };

/// What whoever finds the folders in use is told.
const PURPOSE: &str = "plan run";
/// How often is looked even if nothing wakes (§1 C11).
const INTERVAL: Duration = Duration::from_secs(2);

fn build(layout: Layout) -> clap::Command {
    let words = layout.pick(&help::ZH, &help::EN);
    let command = layout
        .command(COMMAND.name, words.about, words.usage, words.after)
        .arg(layout.positional(folders::PLAN, words.plan))
        .arg(layout.value("provider", "NAME", words.provider))
        .arg(layout.flag("json", words.json));
    folders::flags(layout, command)
}

fn run(context: &Context, matches: &ArgMatches) -> Result<u8, Failure> {
    let folders = folders::open(context, matches)?;
    let only = folders::plan(&folders, matches)?;
    if folders.plans()?.is_empty() {
        let (what, hint) = (PlanMessage::NoPlans, PlanMessage::ActivateFirst);
        return Err(Failure::new(Message::plan(what), Message::plan(hint)));
    }
    let config = providers::config(context)?;
    let provider = text(matches, "provider");
    let interruption = Interruption::default();
    let (wake, woken) = mpsc::channel();
    interruption.listen(wake.clone())?;
    let mut system = System::open(folders, &SystemClock, PURPOSE)?;
    let mut view = View::new(context, is_set(matches, "json"));
    let ended = thread::scope(|scope| {
        let mut crew = Crew::new(scope, &config, provider.as_deref(), &interruption, wake.clone());
        let ended = conduct(&mut system, only.as_ref(), &mut crew, &mut view, (wake, woken), &interruption);
        // Agents that are at work park it.
        interruption.cancellation.cancel();
        crew.wake_all();
        ended
    })?;
    let Some(standing) = ended else {
        let failure = Failure::new(Message::plan(PlanMessage::Parked), Message::plan(PlanMessage::RunAgain));
        return Err(failure.with_code(interruption.code()));
    };
    view.close(&standing)?;
    Ok(DONE)
}

/// Carries the plans out until all have ended: how they stand then, `None` after an interruption.
fn conduct(
    system: &mut System<'_>,
    only: Option<&Id>,
    crew: &mut Crew<'_, '_>,
    view: &mut View<'_>,
    channel: (mpsc::Sender<()>, mpsc::Receiver<()>),
    interruption: &Interruption,
) -> Result<Option<BTreeMap<Id, Standing>>, Failure> {
    let mut trouble = |words| view::cannot_watch(view.context(), words);
    let mut arrivals = Arrivals::new(channel, &mut trouble);
    arrivals.add(system.folders().agents_path(), true, &mut trouble);
    let mut is_stalled = false;
    loop {
        let tick = match system.tick(Parts::All, only) {
            Ok(tick) => {
                is_stalled = false;
                tick
            }
            // The disk may have room again another time.
            Err(error) if !is_stalled => {
                is_stalled = true;
                view.trouble(error.into());
                Tick::default()
            }
            Err(_) => Tick::default(),
        };
        let has_happened = !tick.happened.is_empty();
        crew.hire(system.folders(), &tick.standing, view)?;
        view.show(tick, crew.events())?;
        if interruption.cancellation.is_cancelled() {
            return Ok(None);
        }
        if !has_happened && view.is_over() {
            return Ok(Some(view.standing().clone()));
        }
        if !has_happened {
            arrivals.nap(INTERVAL);
        }
        if interruption.cancellation.is_cancelled() {
            return Ok(None);
        }
    }
}

//! The system that carries plans out: one pass over all plans at a time (contract/plans §10.1).

use super::PlanError;
use super::collect::ArchivedDocuments;
use super::deliver::OutboxMessage;
use super::documents::{Documents, PauseReason, Stamp, documents};
use super::facts::{Commands, EvidenceCache, PlanFacts, Sources};
use super::folders::{Folders, read};
use super::ledger::Ledger;
use super::observe::{self, LastSeen, PlanObservation, PlanOverview};
use super::quiet::ChangeDetector;
use super::scan::{Messages, Scan, payload, scan};
use super::steps::{graph, held};
use super::turn::{PlanEvent, Turn};
use crate::clock::Clock;
use crate::dag::{Facts, NodeProgress, progress};
use crate::document::text;
use crate::routing::{PayloadFile, Replay, RoutingState, candidates, decide, replay};
use files::{ActionLock, Dir, FileError, durable};
use protocol::agent::{Code, Id, PayloadPath, PlanStatus, ReplayRequest, Timestamp};
use serde_json::json;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Which parts of the system do something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemPart {
    /// All of them.
    All,
    /// What delivers, issues commands, and asks people.
    Router,
    /// What writes down how plans stand.
    Monitor,
}

/// The result of a pass.
#[derive(Debug, Default)]
pub struct Tick {
    /// What has happened, by plan.
    pub happened: Vec<(Id, PlanEvent)>,
    /// The overview of each plan that continues.
    pub standing: BTreeMap<Id, PlanOverview>,
    /// The plans that could not be looked at, and why.
    pub trouble: Vec<(Id, PlanError)>,
    /// The plans that are paused, and why.
    pub paused: BTreeMap<Id, Code>,
}

/// The system that carries plans out. There is one for the folders.
pub struct System<'c> {
    folders: Folders,
    clock: &'c dyn Clock,
    /// Keeps others from routing.
    _router: ActionLock,
    plans: BTreeMap<Id, PlanCache>,
    /// Since when the program that carries plans out runs agents as well.
    runs_agents: Option<Timestamp>,
    /// How long a document that ends too early must have been still before it is refused.
    settle: Duration,
}

/// What was read of a plan and need not be read again.
#[derive(Default)]
struct PlanCache {
    documents: Option<(Stamp, Documents)>,
    ledger: Option<Ledger>,
    commands: Commands,
    messages: Messages,
    archived: ArchivedDocuments,
    judged: EvidenceCache,
    standing: Option<PlanOverview>,
    quiet: ChangeDetector,
    /// The problem of its documents, if the last pass has seen one already.
    paused: Option<Code>,
}

impl<'c> System<'c> {
    /// Takes over the folders, for `purpose`.
    ///
    /// # Errors
    ///
    /// When another program routes, and whatever the disk says.
    pub fn open(folders: Folders, clock: &'c dyn Clock, purpose: &str) -> Result<Self, PlanError> {
        let router = folders.route(purpose)?;
        Ok(Self {
            folders,
            clock,
            _router: router,
            plans: BTreeMap::new(),
            runs_agents: None,
            settle: Duration::ZERO,
        })
    }

    /// The same for authors that write in place: a document in an outbox that ends too early is left until it has been still
    /// for `settle`, and refused only then.
    #[must_use]
    pub fn settling(self, settle: Duration) -> Self {
        Self { settle, ..self }
    }

    /// The same for a program that runs agents as well: that one was not seen before it began says nothing of it.
    #[must_use]
    pub fn with_agents(self) -> Self {
        Self { runs_agents: Some(self.clock.now()), ..self }
    }

    /// The folders.
    pub fn folders(&self) -> &Folders {
        &self.folders
    }

    /// Does one pass over all plans, or over one. What goes wrong with a plan keeps no other from going on.
    ///
    /// # Errors
    ///
    /// What keeps all plans from going on: whatever the disk says of the folders they lie in.
    pub fn tick(&mut self, parts: SystemPart, only: Option<&Id>) -> Result<Tick, PlanError> {
        let lock = self.folders.lock()?;
        let now = self.clock.now();
        let mut tick = Tick::default();
        let seen = match parts {
            SystemPart::Router => LastSeen::new(),
            SystemPart::All | SystemPart::Monitor => observe::agents(&self.folders, &lock, &now)?,
        };
        let plans = self.folders.all_names()?;
        self.plans.retain(|plan, _| plans.contains(plan));
        for plan in plans.iter().filter(|plan| only.is_none_or(|only| only == *plan)) {
            let remembered = self.plans.entry(plan.clone()).or_default();
            let mut turn = Turn {
                folders: &self.folders,
                lock: &lock,
                clock: self.clock,
                plan,
                now: now.clone(),
                happened: Vec::new(),
                runs_agents: self.runs_agents.as_ref(),
                settle: self.settle,
                is_unsettled: false,
            };
            let mut passed = turn.pass(remembered, parts, &seen);
            if turn.is_unsettled {
                // What is written into a file does not show in its folder.
                remembered.quiet = ChangeDetector::default();
            }
            if let Err(error) = &passed
                && parts != SystemPart::Router
                && let Err(refused) = turn.report_failure(error)
            {
                passed = Err(refused);
            }
            tick.happened.extend(turn.happened.into_iter().map(|it| (plan.clone(), it)));
            match passed {
                Ok(()) => {
                    if let Some(code) = remembered.paused {
                        tick.paused.insert(plan.clone(), code);
                    } else if let Some(standing) = &remembered.standing {
                        tick.standing.insert(plan.clone(), standing.clone());
                    }
                }
                Err(error) => {
                    // What is remembered may be half of it.
                    *remembered = PlanCache::default();
                    tick.trouble.push((plan.clone(), error));
                }
            }
        }
        Ok(tick)
    }
}

/// Notes that the last pass has found another DAG than the one that is named.
const DIFFERS: &str = "active_dag_differs.json";
/// How often commands may be issued and delivered within one pass: each time, what was issued is delivered.
const ROUNDS: usize = 2;

impl Turn<'_> {
    fn pass(
        &mut self,
        remembered: &mut PlanCache,
        parts: SystemPart,
        seen: &LastSeen,
    ) -> Result<(), PlanError> {
        if remembered.quiet.is_quiet(self)? {
            return Ok(());
        }
        let mut found = scan(self.folders, self.plan)?;
        let Some(plan) = self.known(&found)? else { return Ok(()) };
        if remembered.ledger.is_none() {
            self.sweep(&plan)?;
            remembered.ledger = Some(Ledger::load(&plan)?);
        }
        if let Some(ledger) = &mut remembered.ledger {
            ledger.forget();
        }
        if parts != SystemPart::Monitor {
            self.collect_all(&found, remembered)?;
        }
        self.read_messages(&found, remembered)?;
        if !self.read_documents(&plan, remembered)? {
            return Ok(());
        }
        if parts != SystemPart::Monitor {
            for _ in 0..ROUNDS {
                let (gathered, progress) = self.look(&plan, &found, remembered)?;
                self.deliver_all(&plan, &found, remembered, &held(&progress, &gathered))?;
                let has_issued = self.advance(&plan, &found, remembered)?;
                if !has_issued {
                    break;
                }
                found = scan(self.folders, self.plan)?;
                self.collect_all(&found, remembered)?;
                self.read_messages(&found, remembered)?;
            }
            let (gathered, progress) = self.look(&plan, &found, remembered)?;
            self.deliver_all(&plan, &found, remembered, &held(&progress, &gathered))?;
        }
        self.monitor(&plan, &found, remembered, (parts, seen))
    }

    /// Tells that it cannot be said how a plan stands: no plan after it waits for that.
    fn report_failure(&mut self, error: &PlanError) -> Result<(), PlanError> {
        // What the system cannot do now, it may do the next time.
        if matches!(error, PlanError::File(FileError::Io { .. })) {
            return Ok(());
        }
        let words = error.to_string();
        let about = super::turn::AlertSubject::default();
        self.alert(Code::PlanStatusAggregationFailed, &words, &words, about)
    }

    fn collect_all(&mut self, found: &Scan, remembered: &mut PlanCache) -> Result<(), PlanError> {
        match &mut remembered.ledger {
            Some(ledger) => self.collect(found, &mut remembered.archived, ledger),
            None => Ok(()),
        }
    }

    /// Brings what is known of the messages in the outboxes up to date.
    fn read_messages(&mut self, found: &Scan, remembered: &mut PlanCache) -> Result<(), PlanError> {
        self.is_unsettled |= found.messages(&mut remembered.messages, self.settle)?;
        Ok(())
    }

    /// The system's folder of the plan; `None` if there is nothing of it but folders of agents.
    fn known(&self, found: &Scan) -> Result<Option<Dir>, PlanError> {
        let plan = self.folders.plan(self.plan)?;
        if plan.is_none() && found.documents.is_empty() && !found.has_messages {
            return Ok(None);
        }
        Ok(Some(self.folder()?))
    }

    /// Reads the documents, unless they are unchanged; returns whether the plan can continue.
    fn read_documents(&mut self, plan: &Dir, remembered: &mut PlanCache) -> Result<bool, PlanError> {
        let stamp = Stamp::read(plan)?;
        if remembered.documents.as_ref().is_some_and(|(known, _)| *known == stamp) {
            return Ok(true);
        }
        // Other commands judge by other formats.
        remembered.judged = EvidenceCache::default();
        match documents(self.plan, Some(plan)) {
            Ok(documents) => {
                if documents.active.kind.is_none() {
                    let key = format!("no reference {}", documents.active.sha256);
                    let words = format!("nothing names the active DAG of {}", self.plan);
                    self.alert(
                        Code::ActiveDagRefInvalid,
                        &key,
                        &words,
                        super::turn::AlertSubject::default(),
                    )?;
                }
                remembered.documents = Some((stamp, documents));
                remembered.paused = None;
                if plan.kind(DIFFERS)?.is_some() {
                    plan.unlink(DIFFERS)?;
                }
                Ok(true)
            }
            // It was never activated: a command was executed by hand.
            Err(PauseReason::Dag(_)) if !super::folders::is_activated(plan)? => {
                (remembered.documents, remembered.paused) = (None, None);
                Ok(false)
            }
            Err(PauseReason::Dag(code)) => {
                remembered.documents = None;
                // A mismatch is expected for a moment while another DAG becomes active. Each pass may be another process.
                let is_new = remembered.paused != Some(code) && self.begins_to_differ(plan, code)?;
                if !(code == Code::ActiveDagRefMismatch && is_new) {
                    self.alert_paused(code, &format!("{} {stamp:?}", self.plan))?;
                }
                remembered.paused = Some(code);
                Ok(false)
            }
            Err(PauseReason::Other(error)) => Err(error),
        }
    }

    /// Notes that the DAG is not the one that is named, for the next pass; whether the pass before has not seen that.
    fn begins_to_differ(&self, plan: &Dir, code: Code) -> Result<bool, PlanError> {
        if code != Code::ActiveDagRefMismatch || plan.kind(DIFFERS)?.is_some() {
            return Ok(false);
        }
        let note = text(&json!({ "code": code, "since": self.now }))?;
        durable::replace(self.lock, plan, DIFFERS, &note)?;
        Ok(true)
    }

    fn sources<'s>(
        &'s self,
        plan: &'s Dir,
        documents: &'s Documents,
        ledger: &'s Ledger,
        (found, commands, messages): (&'s Scan, &'s Commands, &'s Messages),
    ) -> Sources<'s> {
        Sources { found, plan, documents, ledger, commands, messages, now: &self.now }
    }

    /// How far the tasks have come.
    fn look(
        &self,
        plan: &Dir,
        found: &Scan,
        remembered: &mut PlanCache,
    ) -> Result<(PlanFacts, Vec<NodeProgress>), PlanError> {
        let (Some((_, documents)), Some(ledger)) = (&remembered.documents, &remembered.ledger) else {
            return Ok((PlanFacts::default(), Vec::new()));
        };
        remembered.commands.update(plan)?;
        let from = (found, &remembered.commands, &remembered.messages);
        let gathered = self.sources(plan, documents, ledger, from).gather(&mut remembered.judged)?;
        let asked = self.asked()?;
        let graph = graph(documents);
        let facts = facts(&graph, documents, &gathered, ledger, &asked, &self.now);
        let progress = progress(&facts).unwrap_or_default();
        ledger.arrived.check()?;
        Ok((gathered, progress))
    }

    /// Issues the commands that are due; returns whether there were any.
    fn advance(&mut self, plan: &Dir, found: &Scan, remembered: &mut PlanCache) -> Result<bool, PlanError> {
        remembered.commands.update(plan)?;
        let PlanCache { documents, ledger, commands, messages, judged, .. } = remembered;
        let (Some((_, documents)), Some(ledger)) = (documents, ledger) else { return Ok(false) };
        let gathered = self.sources(plan, documents, ledger, (found, commands, messages)).gather(judged)?;
        let mut asked = self.asked()?;
        let graph = graph(documents);
        let now = self.now.clone();
        let progress = {
            let facts = facts(&graph, documents, &gathered, ledger, &asked, &now);
            progress(&facts).unwrap_or_default()
        };
        ledger.arrived.check()?;
        self.asked_besides(&progress, &mut asked)?;
        let facts = facts(&graph, documents, &gathered, ledger, &asked, &now);
        let has_issued = self.issue(&facts, &progress, (documents, ledger), &gathered)?;
        self.withdraw_overtaken(plan, &facts, &progress, commands)?;
        self.deliver_replans(ledger)?;
        self.report_trouble(&progress, &gathered)?;
        Ok(has_issued)
    }

    fn deliver_all(
        &mut self,
        plan: &Dir,
        found: &Scan,
        remembered: &mut PlanCache,
        held: &BTreeSet<Id>,
    ) -> Result<(), PlanError> {
        let PlanCache { documents, ledger, commands, messages, .. } = remembered;
        let (Some((_, documents)), Some(ledger)) = (documents, ledger) else { return Ok(()) };
        if messages.is_empty() {
            return Ok(());
        }
        let requests = replay_requests(plan)?;
        for message in messages.values() {
            if let Ok(envelope) = &message.envelope {
                ledger.recall(envelope)?;
            }
        }
        let agents = self.folders.agents()?;
        let nothing = |_: &PayloadPath| super::scan::nothing();
        let newest = candidates(
            commands.archived.values(),
            messages.iter().map(|(key, message)| message.outgoing(self.plan, key, false, &nothing)),
            &documents.active,
            &agents,
            ledger.log(),
        );
        let mut inboxes = None;
        let mut gone = Vec::new();
        for (key, message) in &*messages {
            let Some(outbox) = found.outboxes.get(&key.0) else { continue };
            let is_replayed = match replayed(self.plan, key, message, ledger, documents, &requests) {
                Replay::Again => true,
                Replay::NotAsked => false,
                Replay::TooOften => continue,
            };
            let trouble = RefCell::new(None);
            let payload = |path: &PayloadPath| {
                payload(outbox, path).unwrap_or_else(|error| {
                    *trouble.borrow_mut() = Some(error);
                    PayloadFile::Missing
                })
            };
            let plan_id = self.plan;
            let out = message.outgoing(plan_id, key, is_replayed, &payload);
            let inboxes = match &mut inboxes {
                Some(inboxes) => inboxes,
                None => inboxes.insert(self.inboxes()?),
            };
            let decision = decide(
                &out,
                &RoutingState {
                    active: &documents.active,
                    agents: &agents,
                    log: ledger.log(),
                    candidates: &newest,
                    held,
                    inboxes,
                },
            );
            // What cannot be read for now is not given up.
            if let Some(error) = trouble.take() {
                return Err(error.into());
            }
            if self.act(&OutboxMessage { outbox, out: &out, documents }, &decision, ledger, inboxes)? {
                gone.push(key.clone());
            }
        }
        for key in gone {
            messages.remove(&key);
        }
        Ok(())
    }

    fn monitor(
        &mut self,
        plan: &Dir,
        found: &Scan,
        remembered: &mut PlanCache,
        (parts, seen): (SystemPart, &LastSeen),
    ) -> Result<(), PlanError> {
        remembered.commands.update(plan)?;
        let PlanCache { documents, ledger, commands, messages, judged, standing, .. } = remembered;
        let (Some((_, documents)), Some(ledger)) = (documents, ledger) else { return Ok(()) };
        let gathered = self.sources(plan, documents, ledger, (found, commands, messages)).gather(judged)?;
        let asked = self.asked()?;
        let graph = graph(documents);
        let now = self.now.clone();
        let facts = facts(&graph, documents, &gathered, ledger, &asked, &now);
        let progress = progress(&facts).unwrap_or_default();
        ledger.arrived.check()?;
        let is_on_its_way = |(key, message): (&(Id, String), &super::scan::Message)| {
            message.is_artifact() && !ledger.given_up.contains_key(&message.source(key, self.plan))
        };
        let is_delivering = messages.iter().any(is_on_its_way);
        let looked =
            PlanObservation { facts: &facts, progress: &progress, documents, ledger, seen, is_delivering };
        let before = match standing {
            Some(standing) => Some(standing.status.clone()),
            None => read::<PlanStatus>(plan, observe::PLAN_STATUS).ok().flatten(),
        };
        let now_stands = self.standing(&looked, before.as_ref())?;
        if parts != SystemPart::Router {
            self.write_status(plan, &now_stands)?;
            self.report_unseen(&gathered, documents, seen)?;
        }
        *standing = Some(now_stands);
        Ok(())
    }
}

fn facts<'f>(
    graph: &'f crate::dag::Graph<'f>,
    documents: &'f Documents,
    gathered: &'f PlanFacts,
    ledger: &'f Ledger,
    asked: &'f super::human::PlanQuestions,
    now: &'f Timestamp,
) -> Facts<'f> {
    Facts {
        graph,
        manifest: documents.manifest.as_ref(),
        drafts: &documents.drafts,
        work: &gathered.work,
        arrived: &ledger.arrived,
        evidence: &gathered.evidence,
        asked: &asked.answers,
        retried: &asked.retried,
        instructions: &asked.instructions,
        in_transit: &gathered.in_transit,
        now,
    }
}

/// The requested replays.
fn replay_requests(plan: &Dir) -> Result<Vec<ReplayRequest>, PlanError> {
    use protocol::agent::Format;
    let Some(bytes) = plan.read(super::replay::REPLAY_REQUESTS, files::json::MAX_JSON)? else {
        return Ok(Vec::new());
    };
    let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    Ok(lines.filter_map(|line| ReplayRequest::parse(line).ok()).collect())
}

/// Whether a message that was given up is tried again.
fn replayed(
    plan_id: &Id,
    key: &(Id, String),
    message: &super::scan::Message,
    ledger: &Ledger,
    documents: &Documents,
    requests: &[ReplayRequest],
) -> Replay {
    let source = message.source(key, plan_id);
    let Some(given_up) = ledger.given_up.get(&source) else { return Replay::NotAsked };
    let asked: Vec<&ReplayRequest> =
        requests.iter().filter(|request| request.message_id.as_str() == source.0).collect();
    let is_changed = documents.active.sha256 != *given_up.dag;
    let automatic = given_up.times.saturating_sub(1);
    replay(&asked, &given_up.at, automatic, is_changed)
}

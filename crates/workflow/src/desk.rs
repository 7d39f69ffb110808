//! Decisions as sets of questions, each of one: so they are shown and answered on the page like all others.

use crate::checkpoints::is_interrupted;
use crate::decisions::{head_of, kept_questions};
use crate::disks;
use crate::failure::Failure;
use crate::runtime::Runtime;
use decide::{Desk, Ended, EndedSets, Halt, Replacement, Watch};
use journal::{Decision, EventFilter, Project as KnownProject, Query, View, ViewExt as _, Workflow};
use model::{AnswerSheet, Attachments, DecisionRecord, Ending, Questions, SessionId, Via};
use protocol::workflow::{DecisionStatus, ErrorCode, Event, EventType, WorkflowState};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::{AttachError, Draft, PendingSet, Project, PublishOutcome, StoreError, Upload};

/// How long the disk of a project may take to say where its root is.
const DISCOVER_LIMIT: Duration = Duration::from_secs(2);

/// How many ends of decisions are read at a time.
const MAX_ENDS: u32 = 256;

/// The decisions that were open, and the number of the last event at that time.
type OpenSets = (i64, Arc<[PendingSet]>);

/// The decisions of a journal. It alone says whether one is open; what a project's folder has of them are copies.
#[derive(Debug, Clone)]
pub struct JournalDesk {
    runtime: Arc<Runtime>,
    /// What was open when it was looked at last.
    open: Arc<Mutex<Option<OpenSets>>>,
}

impl JournalDesk {
    /// Returns the decisions of this runtime.
    pub fn new(runtime: Arc<Runtime>) -> Self {
        Self { runtime, open: Arc::default() }
    }

    fn view(&self) -> Result<Box<dyn View + '_>, StoreError> {
        self.runtime.journal.view().map_err(Failure::from).map_err(unusable)
    }

    fn open_in(&self, view: &dyn View) -> Result<Vec<PendingSet>, StoreError> {
        let pending = Some(DecisionStatus::Pending);
        let open = view.find(&Query::decisions(None, pending)).map_err(Failure::from).map_err(unusable)?;
        Ok(open.iter().filter_map(|decision| head_of(decision, &*self.runtime.world)).collect())
    }

    fn known(&self) -> MutexGuard<'_, Option<OpenSets>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn decision(&self, session: &SessionId) -> Result<Option<Decision>, StoreError> {
        let find = Query::asked_as(&session.to_string());
        self.view()?.first(find).map_err(Failure::from).map_err(unusable)
    }
}

impl Desk for JournalDesk {
    fn open(&self) -> Result<Vec<PendingSet>, StoreError> {
        self.open_in(&*self.view()?)
    }

    fn open_list(&self) -> Result<Arc<[PendingSet]>, StoreError> {
        let known = self.known().clone();
        let view = self.view()?;
        let log = view.log().map_err(Failure::from).map_err(unusable)?;
        // What was forgotten may have been an end.
        if let Some((seq, list)) = known.filter(|(seq, _)| log.pruned <= *seq) {
            let kinds = vec![EventType::UserDecisionRequired, EventType::UserDecisionReceived];
            let changes = EventFilter { kinds: Some(kinds), ..EventFilter::after(seq, 1) };
            if view.events(&changes).map_err(Failure::from).map_err(unusable)?.is_empty() {
                return Ok(list);
            }
        }
        let list: Arc<[PendingSet]> = self.open_in(&*view)?.into();
        drop(view);
        *self.known() = Some((log.last, Arc::clone(&list)));
        Ok(list)
    }

    fn get(&self, session: &SessionId) -> Result<Option<(PendingSet, Questions)>, StoreError> {
        let Some(decision) = self.decision(session)? else { return Ok(None) };
        Ok(head_of(&decision, &*self.runtime.world).zip(kept_questions(&decision)))
    }

    fn draft(&self, pending: &PendingSet, questions: &Questions) -> AnswerSheet {
        let draft =
            self.decision(&pending.session).ok().flatten().map(|decision| drafted(&decision, questions));
        draft.unwrap_or_default().into_sheet(questions)
    }

    fn draft_saved_at(&self, pending: &PendingSet, questions: &Questions) -> Option<String> {
        let decision = self.decision(&pending.session).ok().flatten()?;
        drafted(&decision, questions).saved_at().map(str::to_owned)
    }

    fn save_draft(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        sheet: &AnswerSheet,
        via: Via,
    ) -> Result<bool, StoreError> {
        let name = pending.session.to_string();
        let kept = self.runtime.act(None, |draft| {
            let Some(mut decision) = draft.find(&Query::asked_as(&name))?.pop() else { return Ok(false) };
            if decision.status == DecisionStatus::Pending {
                let mut given = drafted(&decision, questions);
                given.merge(questions, sheet, via, &draft.world().local_time(draft.now()));
                let json = given.to_json(questions).map_err(|error| crate::failure::unwritable(&error))?;
                decision.draft = Some(json);
                draft.put(decision);
            }
            Ok(true)
        });
        Ok(kept.map_err(unusable)? == "true")
    }

    /// None: no decision asks for any.
    fn attachments(&self, _: &SessionId) -> Result<Attachments, StoreError> {
        Ok(Attachments::new())
    }

    fn attach(&self, _: &PendingSet, _: &Questions, item: u64, _: &str) -> Result<Upload, AttachError> {
        Err(AttachError::NoSuchItem { item })
    }

    fn detach(&self, _: &PendingSet, _: u64, _: &str) -> Result<bool, StoreError> {
        Ok(false)
    }

    fn publish(
        &self,
        pending: &PendingSet,
        _: &Questions,
        ending: Ending,
        via: Via,
    ) -> Result<PublishOutcome, StoreError> {
        let ended = self.runtime.end_set(&pending.session, &ending, via);
        let has_won = match ended {
            Ok(()) => true,
            Err(Failure::Refused(refusal)) => match refusal.code {
                ErrorCode::DecisionAlreadyResolved | ErrorCode::DecisionExpired => false,
                // Its session was removed, and it with that.
                ErrorCode::DecisionNotFound => return Ok(PublishOutcome::Lost(Ending::Replaced(None))),
                _ => return Err(unusable(refusal.into())),
            },
            Err(error) => return Err(unusable(error)),
        };
        Ok(match self.record(&pending.session)? {
            Some(record) if has_won => PublishOutcome::Won(record),
            Some(record) => PublishOutcome::Lost(record.ending),
            None => PublishOutcome::Lost(Ending::Replaced(None)),
        })
    }

    fn record(&self, session: &SessionId) -> Result<Option<DecisionRecord>, StoreError> {
        let Some(decision) = self.decision(session)? else { return Ok(None) };
        let Some(record) = decision.record else { return Ok(None) };
        let record = store::read_record(record.as_bytes());
        record.map(Some).map_err(|error| StoreError::Journal { reason: error.to_string() })
    }

    fn watch(&self, session: &SessionId) -> Box<dyn Watch> {
        Box::new(JournalWatch { desk: self.clone(), session: session.clone() })
    }

    fn expire(&self) {
        // Where one cannot be written, others have ended all the same; the upkeep of the daemon reports it.
        let _ = self.runtime.expire_decisions();
    }

    fn ends(&self) -> Option<Box<dyn EndedSets>> {
        Some(Box::new(JournalEnds { desk: self.clone(), seen: None }))
    }

    fn replacement(&self, _: &SessionId, _: &Ending) -> Option<Replacement> {
        None
    }

    fn project(&self, pending: &PendingSet) -> Option<Project> {
        let decision = self.decision(&pending.session).ok().flatten()?;
        let key = KnownProject::key_of(&decision.project?);
        let known = self.runtime.journal.view().ok()?.row::<KnownProject>(&key).ok().flatten()?;
        let root = PathBuf::from(known.root);
        let discover = {
            let root = root.clone();
            move || Project::discover(&root).ok()
        };
        disks::run(&root, DISCOVER_LIMIT, discover).flatten()
    }

    fn halt(&self, pending: &PendingSet) -> Option<Halt> {
        let workflow = self.decision(&pending.session).ok().flatten()?.workflow?;
        let row =
            self.runtime.journal.view().ok()?.row::<Workflow>(&Workflow::key_of(&workflow)).ok().flatten()?;
        if row.state == WorkflowState::Paused {
            Some(Halt::Paused)
        } else {
            (!row.state.is_terminal() && is_interrupted(&row)).then_some(Halt::Interrupted)
        }
    }
}

/// Looks at one decision from time to time.
#[derive(Debug)]
struct JournalWatch {
    desk: JournalDesk,
    session: SessionId,
}

impl Watch for JournalWatch {
    fn look(&mut self) -> Result<Option<Ending>, StoreError> {
        let Some(decision) = self.desk.decision(&self.session)? else {
            // Nothing waits for it now.
            return Ok(Some(Ending::Replaced(None)));
        };
        if decision.status == DecisionStatus::Pending {
            if decision.expires.is_none_or(|expires| expires > self.desk.runtime.now()) {
                return Ok(None);
            }
            self.desk.runtime.expire_decisions().map_err(unusable)?;
        }
        Ok(self.desk.record(&self.session)?.map(|record| record.ending))
    }
}

/// Looks for the events that report the ends of decisions.
#[derive(Debug)]
struct JournalEnds {
    desk: JournalDesk,
    /// The number of the last event that was looked at.
    seen: Option<i64>,
}

impl EndedSets for JournalEnds {
    fn look(&mut self) -> Result<Ended, StoreError> {
        let ended = self.read().map_err(unusable)?;
        // One whose row is gone has ended as well; only the row said which set it was.
        let known: Option<_> = ended.into_iter().collect();
        Ok(known.map_or(Ended::Any, Ended::These))
    }
}

impl JournalEnds {
    /// The sets of the decisions that have ended; `None` for one that was removed.
    fn read(&mut self) -> Result<Vec<Option<SessionId>>, Failure> {
        let view = self.desk.runtime.journal.view()?;
        let log = view.log()?;
        let last = log.last;
        let mut seen = self.seen.unwrap_or(last);
        // An end that was forgotten is one of a set that is not known.
        let mut ended: Vec<_> = (log.pruned > seen).then_some(None).into_iter().collect();
        loop {
            let kinds = Some(vec![EventType::UserDecisionReceived]);
            let events = view.events(&EventFilter { kinds, ..EventFilter::after(seen, MAX_ENDS) })?;
            for event in &events {
                seen = event.seq;
                if let Ok(Event::UserDecisionReceived(received)) = Event::read(event.kind, &event.payload) {
                    let row = view.row::<Decision>(&Decision::key_of(&received.decision_id))?;
                    ended.push(row.and_then(|row| row.ask.parse().ok()));
                }
            }
            if events.len() < MAX_ENDS as usize {
                self.seen = Some(seen.max(last));
                return Ok(ended);
            }
        }
    }
}

/// What was given for it so far. What cannot be read is given again.
fn drafted(decision: &Decision, questions: &Questions) -> Draft {
    let draft = decision.draft.as_deref().and_then(|json| Draft::parse(json, questions).ok());
    draft.unwrap_or_default()
}

fn unusable(failure: Failure) -> StoreError {
    StoreError::Journal { reason: failure.to_string() }
}

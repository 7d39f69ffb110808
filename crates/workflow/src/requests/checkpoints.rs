//! Requests about checkpoints: making them, resuming from them, and what is done with them when the daemon ends.

use crate::checkpoints::{KEPT, body_of, is_left, is_under_way, left, name, none, put, resume_in};
use crate::draft::Draft;
use crate::failure::Failure;
use crate::lists::{ListKey, ListRange, TakePage};
use crate::runtime::{RequestKey, Runtime};
use crate::{lists, rows};
use aide_core::checkpoint::{NewCheckpoint, resume_context, resume_phase};
use journal::{Checkpoint, Query, Session, View, ViewExt as _, Workflow};
use protocol::workflow::api::{LatestCheckpoint, ResumableSession, SessionCheckpoint};
use protocol::workflow::{ErrorCode, Refusal};
use serde_json::json;
use std::collections::{BTreeSet, HashMap};
use std::ops::ControlFlow;

/// The name of the list in its cursors.
const RESUMABLE: &str = "resumable";

/// How many workflows share a change, where there may be thousands.
const TOGETHER: usize = 64;

impl Runtime {
    /// Reads the resumable sessions, or a part of them: each workflow that has not ended and has no driver, by its last checkpoint;
    /// and a session's checkpoint made by a caller, if that is newer and nothing is running in the session. Page by page as of one
    /// moment; returns the cursor of what comes behind it.
    ///
    /// # Errors
    ///
    /// When they cannot be read, and when the cursor is not one of this list.
    pub fn read_resumable(
        &self,
        range: &ListRange,
        take: &mut TakePage<'_, ResumableSession>,
    ) -> Result<Option<String>, Failure> {
        if self.is_recovering() {
            if range.limit.is_some() {
                return self.read_resumable_marked(range, take);
            }
            // An empty page between two changes: meanwhile others can read lists, and it shows whether the client is still there.
            if !self.finish_recovery(&mut |_, _| take(Vec::new()))? {
                return Ok(None);
            }
        }
        let view = lists::view(&*self.journal, range)?;
        self.resumable(&*view, range, take, &mut BTreeSet::new())
    }

    /// The same while there are workflows that were left behind and are not marked, for a part of the list: those in it are marked
    /// first, which makes their last checkpoints.
    fn read_resumable_marked(
        &self,
        range: &ListRange,
        take: &mut TakePage<'_, ResumableSession>,
    ) -> Result<Option<String>, Failure> {
        let mut tried = BTreeSet::new();
        loop {
            let (mut pages, mut unmarked) = (Vec::new(), BTreeSet::new());
            let view = lists::view(&*self.journal, range)?;
            let mut keep = |page| {
                pages.push(page);
                ControlFlow::Continue(())
            };
            let next = self.resumable(&*view, range, &mut keep, &mut unmarked)?;
            drop(view);
            // One that cannot be marked is shown as it is.
            let unmarked: Vec<String> = unmarked.difference(&tried).cloned().collect();
            if unmarked.is_empty() {
                let _ = pages.into_iter().try_for_each(take);
                return Ok(next);
            }
            self.mark_each(&unmarked)?;
            tried.extend(unmarked);
        }
    }

    /// Reads a range of the resumable sessions in a view, and collects the workflows in it that are not marked.
    fn resumable(
        &self,
        view: &dyn View,
        range: &ListRange,
        take: &mut TakePage<'_, ResumableSession>,
        unmarked: &mut BTreeSet<String>,
    ) -> Result<Option<String>, Failure> {
        let make = |sessions: &[Session]| {
            let ids: Vec<String> = sessions.iter().map(|session| session.id.clone()).collect();
            let mut open: HashMap<String, Vec<Workflow>> = HashMap::new();
            let found = view.find(&Query::workflows_in(&rows::open_states()).of_sessions(&ids))?;
            unmarked.extend(self.unmarked_rows(&found).map(|workflow| workflow.id.clone()));
            for workflow in found {
                open.entry(workflow.session.clone()).or_default().push(workflow);
            }
            let of = |id: &String| resumable_of(view, id, &open.remove(id).unwrap_or_default());
            ids.iter().map(of).collect()
        };
        lists::read(view, &ListKey::new(RESUMABLE, &[]), &Query::sessions(), range, make, take)
    }

    /// Returns the last checkpoint of a session.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn latest_checkpoint(&self, session: &str) -> Result<LatestCheckpoint, Failure> {
        self.mark_session(session)?;
        let view = self.journal.view()?;
        let draft = Draft::new(&*view, &*self.world);
        rows::session(&draft, session)?;
        let (_, checkpoint) = latest(&*view, session)?.ok_or_else(|| none(session))?;
        let resume_context = resume_context(checkpoint.clone());
        Ok(LatestCheckpoint { checkpoint, resume_context })
    }

    /// Resumes a session: it is no longer paused, and the workflow of the checkpoint continues from there. The default is the
    /// last checkpoint of a workflow that was left. What was done by then stays done, unfinished work can be begun again; what
    /// came after an earlier checkpoint is undone.
    ///
    /// # Errors
    ///
    /// When there is nothing to resume, or the session is running already.
    pub fn resume_session(
        &self,
        request: Option<&RequestKey>,
        id: &str,
        checkpoint: Option<&str>,
    ) -> Result<String, Failure> {
        self.mark_session(id)?;
        self.act(request, |draft| resume_in(draft, id, checkpoint))
    }

    /// Resumes an interrupted workflow from its last checkpoint, as [`Runtime::resume_session`] does.
    ///
    /// # Errors
    ///
    /// When there is no checkpoint, or the workflow is running already.
    pub fn resume_workflow(&self, request: Option<&RequestKey>, id: &str) -> Result<String, Failure> {
        self.mark_one(id)?;
        let last = self.journal.view()?.first(Query::checkpoints_of_workflow(id))?;
        let last = last.ok_or_else(|| rows::workflow_missing(id))?;
        self.resume_session(request, &last.session, Some(&last.id))
    }

    /// Makes a checkpoint of a session by what its caller knows.
    ///
    /// # Errors
    ///
    /// When there is no such session, or it cannot be written.
    pub fn create_checkpoint(
        &self,
        request: Option<&RequestKey>,
        new: &NewCheckpoint,
    ) -> Result<String, Failure> {
        self.mark_session(&new.session_id)?;
        self.act(request, |draft| {
            rows::session(draft, &new.session_id)?;
            let id = name(draft, &new.session_id)?;
            let kept = draft.view().find(&Query::checkpoints_of(&new.session_id))?;
            for old in kept.iter().filter(|row| row.workflow.is_none()).skip(KEPT - 1) {
                draft.remove(Checkpoint::key_of(&old.id));
            }
            let no = kept.first().map_or(1, |last| last.no + 1);
            put(draft, &new.body(id.clone(), draft.now()), no, None)?;
            Ok(json!({ "success": true, "checkpointId": id }))
        })
    }

    /// Returns a checkpoint.
    ///
    /// # Errors
    ///
    /// When there is none, or it cannot be read.
    pub fn checkpoint(&self, id: &str) -> Result<LatestCheckpoint, Failure> {
        let row = self.journal.view()?.row::<Checkpoint>(&Checkpoint::key_of(id))?;
        let missing =
            || Refusal::new(ErrorCode::CheckpointNotFound, "Checkpoint not found").with("checkpointId", id);
        let checkpoint = body_of(&row.ok_or_else(missing)?)?;
        let resume_context = resume_context(checkpoint.clone());
        Ok(LatestCheckpoint { checkpoint, resume_context })
    }

    /// Makes a checkpoint of every workflow that is under way: the daemon is about to end.
    ///
    /// # Errors
    ///
    /// When it cannot be written.
    pub fn checkpoint_all(&self) -> Result<(), Failure> {
        let mut driven = self.journal.view()?.find_readable(&Query::driven_workflows())?;
        driven.retain(is_under_way);
        for some in driven.chunks(TOGETHER) {
            let keep = |of: &[Workflow]| {
                self.act(None, |draft| {
                    of.iter().for_each(|workflow| draft.keep(&workflow.id));
                    Ok(())
                })
                .map(drop)
            };
            let Err(failure) = keep(some) else { continue };
            if failure.may_pass() {
                return Err(failure);
            }
            for workflow in some {
                match keep(std::slice::from_ref(workflow)) {
                    Err(failure) if failure.may_pass() => return Err(failure),
                    // It stands aside in the engine as well.
                    Err(failure) => {
                        tracing::error!(workflow = workflow.id, error = %failure, "a workflow is passed over");
                    }
                    Ok(()) => {}
                }
            }
        }
        Ok(())
    }
}

/// What can be resumed of a session, of which these workflows have not ended.
fn resumable_of(view: &dyn View, session: &str, open: &[Workflow]) -> Result<Vec<ResumableSession>, Failure> {
    let mut found = left(view, open)?;
    if open.iter().all(is_left)
        && let Some(last) = view.first(Query::checkpoints_of(session))?
        && last.workflow.is_none()
        && last.progress < 100
    {
        found.insert(0, last);
    }
    let resumable = |row: &Checkpoint| {
        let context = resume_context(body_of(row)?);
        let checkpoint = &context.checkpoint;
        Ok(ResumableSession {
            id: session.to_owned(),
            task: checkpoint.original_task.clone(),
            progress: context.estimated_progress,
            timestamp: checkpoint.timestamp.clone(),
            workflow_id: checkpoint.workflow_id.clone(),
            phase: Some(resume_phase(checkpoint)),
            checkpoint_id: checkpoint.checkpoint_id.clone(),
            pending_tasks: checkpoint.pending_task_ids.len() as u64,
        })
    };
    found.iter().map(resumable).collect()
}

fn latest(view: &dyn View, session: &str) -> Result<Option<(Checkpoint, SessionCheckpoint)>, Failure> {
    let row = view.first(Query::checkpoints_of(session))?;
    row.map(|row| Ok((row.clone(), body_of(&row)?))).transpose()
}

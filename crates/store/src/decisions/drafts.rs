//! `draft.json`: what the person has given so far, and how each choice came in.

use super::Decisions;
use crate::lock::Lock;
use crate::{StoreError, durable, json, now};
use model::{Answer, AnswerSheet, Questions, SessionId, Via};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

const DRAFT: &str = "draft.json";

#[derive(Serialize, Deserialize)]
struct DraftFile {
    /// [`Questions::fingerprint`].
    questions: String,
    answers: Vec<Kept>,
    saved_at: String,
}

/// An [`Answer`], and when and by which door its choice was first known. Both are absent while nothing is chosen.
#[derive(Serialize, Deserialize)]
struct Kept {
    id: u64,
    #[serde(default)]
    options: Vec<u32>,
    #[serde(skip_serializing_if = "String::is_empty", default)]
    other: String,
    #[serde(default)]
    note: String,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    via: Option<Via>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    at: Option<String>,
}

/// How the choices of a draft came in.
#[derive(Debug, Default)]
pub(super) struct Stamps(HashMap<u64, Stamp>);

#[derive(Debug)]
struct Stamp {
    options: Vec<u32>,
    via: Via,
    at: String,
}

impl Stamps {
    /// The door and the time of the choice `options` of an item, if the draft has this very choice.
    pub(super) fn of(&self, item: u64, options: &[u32]) -> Option<(Via, &str)> {
        let stamp = self.0.get(&item).filter(|stamp| stamp.options == options)?;
        Some((stamp.via, &stamp.at))
    }
}

/// What became of the draft when it was looked for.
pub(super) enum Draft {
    /// It belongs to these questions.
    Ours(Stamps),
    /// There is none, or it belongs to others.
    None,
    /// Nobody would ever be shown what cannot be read.
    Unreadable,
}

impl Decisions {
    /// What the person had given for exactly these questions; empty when there is nothing to be had.
    pub fn draft(&self, questions: &Questions) -> AnswerSheet {
        let kept = self.kept(questions).ok().flatten().unwrap_or_default();
        let answer = |Kept { id, options, other, note, .. }| Answer { id, options, other, note };
        AnswerSheet { answers: kept.into_iter().map(answer).collect() }
    }

    /// Keeps what the person has given so far for the questions of `session`, in the place of any earlier draft, unless
    /// these have ended: a draft that comes late must not bring back what the end has removed. A choice that the
    /// earlier draft has as well keeps its time and its door.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; the earlier draft is then still there.
    pub fn save_draft(
        &self,
        session: &SessionId,
        questions: &Questions,
        sheet: &AnswerSheet,
        via: Via,
    ) -> Result<(), StoreError> {
        let lock = Lock::take(&self.dir)?;
        if self.is_closed(session)? {
            return Ok(());
        }
        let stamps = match self.look_for_draft(questions) {
            Draft::Ours(stamps) => stamps,
            Draft::None | Draft::Unreadable => Stamps::default(),
        };
        let now = now();
        let kept = |answer: &Answer| {
            let Answer { id, options, other, note } = answer.clone();
            let (via, at) = stamps.of(id, &options).unwrap_or((via, &now));
            let is_chosen = !options.is_empty();
            let (via, at) = (is_chosen.then_some(via), is_chosen.then(|| at.to_owned()));
            Kept { id, options, other, note, via, at }
        };
        let draft = DraftFile {
            questions: questions.fingerprint().to_owned(),
            answers: sheet.answers.iter().map(kept).collect(),
            saved_at: now.clone(),
        };
        let bytes = json::write(&self.dir, DRAFT, &draft, json::READ_LIMIT)?;
        durable::replace(&lock, &self.dir, DRAFT, &bytes)
    }

    pub(super) fn look_for_draft(&self, questions: &Questions) -> Draft {
        match self.kept(questions) {
            Ok(Some(kept)) => {
                let stamp = |kept: Kept| {
                    let Kept { id, options, via, at, .. } = kept;
                    Some((id, Stamp { options, via: via?, at: at? }))
                };
                Draft::Ours(Stamps(kept.into_iter().filter_map(stamp).collect()))
            }
            Ok(None) => Draft::None,
            Err(_) => Draft::Unreadable,
        }
    }

    /// With the lock held.
    pub(super) fn remove_draft(&self) -> Result<(), StoreError> {
        self.dir.unlink(DRAFT)?;
        Ok(())
    }

    fn kept(&self, questions: &Questions) -> Result<Option<Vec<Kept>>, StoreError> {
        let draft = json::read::<DraftFile>(&self.dir, DRAFT)?;
        Ok(draft.filter(|draft| draft.questions == questions.fingerprint()).map(|draft| draft.answers))
    }
}

//! `draft.json`: what the person has given so far, and how each choice came in.

use super::Decisions;
use crate::lock::Lock;
use crate::{StoreError, durable, json, now};
use model::{Answer, AnswerSheet, Questions, Via};
use serde::{Deserialize, Serialize};

const DRAFT: &str = "draft.json";

#[derive(Serialize, Deserialize)]
struct DraftFile {
    /// [`Questions::fingerprint`].
    questions: String,
    answers: Vec<Kept>,
    saved_at: String,
}

/// One answer and where its choice came from.
#[derive(Serialize, Deserialize)]
struct Kept {
    #[serde(flatten)]
    answer: Answer,
    /// Absent while nothing is chosen.
    #[serde(flatten)]
    stamp: Option<Stamp>,
}

/// When and by which door a choice was first known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    pub(super) via: Via,
    /// As [`crate::now`] writes it.
    pub(super) at: String,
}

/// The stamps of the choices in a draft.
#[derive(Debug, Default)]
pub(super) struct Stamps(Vec<(u64, u32, Stamp)>);

impl Stamps {
    /// That of the choice `option` of an item, if the draft has this very choice.
    pub(super) fn of(&self, item: u64, option: Option<u32>) -> Option<&Stamp> {
        let wanted = (item, option?);
        self.0.iter().find(|(item, option, _)| (*item, *option) == wanted).map(|(_, _, stamp)| stamp)
    }
}

impl Decisions {
    /// What the person had given for exactly these questions; empty when there is nothing to be had.
    pub fn draft(&self, questions: &Questions) -> AnswerSheet {
        let kept = self.kept(questions);
        AnswerSheet { answers: kept.into_iter().map(|kept| kept.answer).collect() }
    }

    /// Keeps what the person has given so far, in the place of any earlier draft. A choice that the earlier one has
    /// as well keeps its time and its door.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; the earlier draft is then still there.
    pub fn save_draft(&self, questions: &Questions, sheet: &AnswerSheet, via: Via) -> Result<(), StoreError> {
        let lock = Lock::take(&self.dir)?;
        let stamps = self.stamps(questions);
        let now = now();
        let kept = |answer: &Answer| {
            let known = || stamps.of(answer.id, answer.option).cloned();
            let stamp = answer.option.map(|_| known().unwrap_or_else(|| Stamp { via, at: now.clone() }));
            Kept { answer: answer.clone(), stamp }
        };
        let draft = DraftFile {
            questions: questions.fingerprint().to_owned(),
            answers: sheet.answers.iter().map(kept).collect(),
            saved_at: now.clone(),
        };
        let bytes = json::write(&self.dir, DRAFT, &draft, json::READ_LIMIT)?;
        durable::replace(&lock, &self.dir, DRAFT, &bytes)
    }

    /// How the choices of the present draft came in.
    pub(super) fn stamps(&self, questions: &Questions) -> Stamps {
        let stamp = |kept: Kept| Some((kept.answer.id, kept.answer.option?, kept.stamp?));
        Stamps(self.kept(questions).into_iter().filter_map(stamp).collect())
    }

    /// With the lock held.
    pub(super) fn remove_draft(&self, questions: &Questions) -> Result<(), StoreError> {
        match json::read::<DraftFile>(&self.dir, DRAFT) {
            Ok(Some(draft)) if draft.questions == questions.fingerprint() => {}
            // Nobody would ever be shown what cannot be read.
            Err(StoreError::Corrupt { .. }) => {}
            Ok(_) => return Ok(()),
            Err(error) => return Err(error),
        }
        self.dir.unlink(DRAFT)?;
        Ok(())
    }

    fn kept(&self, questions: &Questions) -> Vec<Kept> {
        match json::read::<DraftFile>(&self.dir, DRAFT) {
            Ok(Some(draft)) if draft.questions == questions.fingerprint() => draft.answers,
            _ => Vec::new(),
        }
    }
}

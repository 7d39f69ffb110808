//! `draft.json`, and `open/<session>.draft.json`: what the person has given so far, and how each choice came in.

use super::Decisions;
use super::head::{PendingSet, Place};
use super::records::record_session;
use crate::{StoreError, now};
use files::{Dir, Lock, durable, json};
use model::{
    Answer, AnswerSheet, DecisionRecord, Ending, FilledAnswer, ItemKind, Questions, Returned, SessionId, Via,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// The draft of the slot.
const DRAFT: &str = "draft.json";
const OWN_DRAFT: &str = ".draft.json";

#[derive(Serialize, Deserialize)]
struct DraftFile {
    /// [`Questions::fingerprint`].
    questions: String,
    answers: Vec<DraftEntry>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    returned: Option<Returned>,
    saved_at: String,
}

/// An [`Answer`], and when and by which door its choice was first known. Both are absent while nothing is chosen.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct DraftEntry {
    #[serde(flatten)]
    answer: Answer,
    /// [`Questions::item_fingerprint`]; absent in drafts of earlier versions.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    item: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    via: Option<Via>,
    #[serde(skip_serializing_if = "Option::is_none", default)]
    at: Option<String>,
}

/// What was given so far for a set of questions, and by which door each choice came in. It is empty by default.
#[derive(Debug, Default)]
pub struct Draft {
    answers: HashMap<u64, DraftEntry>,
    returned: Option<Returned>,
    saved_at: Option<String>,
}

impl Draft {
    /// Returns what is about these questions of a draft that [`Self::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// When `json` is no draft.
    pub fn parse(json: &str, questions: &Questions) -> serde_json::Result<Self> {
        Ok(Self::from_file(serde_json::from_str(json)?, questions))
    }

    /// Returns the draft as JSON, the answers in the order of the items.
    ///
    /// # Errors
    ///
    /// When it cannot be written as JSON.
    pub fn to_json(self, questions: &Questions) -> serde_json::Result<String> {
        serde_json::to_string(&self.into_file(questions))
    }

    /// What `file` holds that is about these questions.
    fn from_file(file: DraftFile, questions: &Questions) -> Self {
        let is_same = file.questions == questions.fingerprint();
        let holds = |kept: &DraftEntry| {
            is_same
                || kept.item.is_some() && kept.item.as_deref() == questions.item_fingerprint(kept.answer.id)
        };
        let answers = file.answers.into_iter().filter(holds).map(|kept| (kept.answer.id, kept)).collect();
        Self { answers, returned: file.returned.filter(|_| is_same), saved_at: Some(file.saved_at) }
    }

    fn into_file(self, questions: &Questions) -> DraftFile {
        DraftFile {
            questions: questions.fingerprint().to_owned(),
            returned: self.returned.clone(),
            saved_at: self.saved_at.clone().unwrap_or_default(),
            answers: self.into_answers(questions),
        }
    }

    /// Returns what was given, the answers in the order of the items.
    pub fn into_sheet(mut self, questions: &Questions) -> AnswerSheet {
        let returned = self.returned.take();
        let answers = self.into_answers(questions).into_iter().map(|kept| kept.answer).collect();
        AnswerSheet { answers, returned }
    }

    /// What was given for items other than `meant`, in the order of the items. Attached files go with their set, and so does
    /// what is said of them.
    pub(super) fn filled_in(&self, questions: &Questions, meant: &[u64]) -> Vec<FilledAnswer> {
        let items = questions.input().items.iter();
        items
            .filter(|item| item.kind != ItemKind::Files && !meant.contains(&item.id))
            .filter_map(|item| {
                let DraftEntry { answer, via, at, .. } = self.answers.get(&item.id)?.clone();
                Some(FilledAnswer { answer, via, at })
            })
            .collect()
    }

    /// What was given for `items`.
    pub(super) fn only(&self, items: &[u64]) -> Self {
        let answers = self.answers.iter().filter(|(id, _)| items.contains(id));
        let answers = answers.map(|(id, kept)| (*id, kept.clone())).collect();
        Self { answers, returned: None, saved_at: self.saved_at.clone() }
    }

    /// The bytes of the file in `dir` that keeps it for the questions of `session`; `None` when there is nothing in it.
    pub(super) fn into_bytes(
        self,
        dir: &Dir,
        session: &SessionId,
        questions: &Questions,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        if self.saved_at().is_none() {
            return Ok(None);
        }
        Ok(Some(json::text(dir, &own_name(session), &self.into_file(questions), json::MAX_JSON)?))
    }

    /// Returns when it was last changed, as [`crate::now`] writes it; `None` when there is nothing in it.
    pub fn saved_at(&self) -> Option<&str> {
        let is_empty = self.answers.is_empty() && self.returned.is_none();
        self.saved_at.as_deref().filter(|_| !is_empty)
    }

    /// The door and the time of the choice `options` of an item, if the draft has this very choice.
    pub(super) fn stamp(&self, item: u64, options: &[u32]) -> Option<(Via, &str)> {
        let kept = self.answers.get(&item).filter(|kept| kept.answer.options == options)?;
        Some((kept.via?, kept.at.as_deref()?))
    }

    /// Puts what is said of some items, and maybe of sending back, in the place of what was said before. A choice that was
    /// there before keeps its time and its door.
    pub fn merge(&mut self, questions: &Questions, sheet: &AnswerSheet, via: Via, now: &str) {
        self.saved_at = Some(now.to_owned());
        for answer in &sheet.answers {
            // What no item asks for would stay for ever.
            let Some(fingerprint) = questions.item_fingerprint(answer.id) else { continue };
            if answer.is_empty() {
                self.answers.remove(&answer.id);
                continue;
            }
            let (via, at) = self.stamp(answer.id, &answer.options).unwrap_or((via, now));
            let is_chosen = !answer.options.is_empty();
            let kept = DraftEntry {
                answer: answer.clone(),
                item: Some(fingerprint.to_owned()),
                via: is_chosen.then_some(via),
                at: is_chosen.then(|| at.to_owned()),
            };
            self.answers.insert(answer.id, kept);
        }
        if sheet.returned.is_some() {
            self.returned = sheet.returned.clone().filter(|returned| !returned.is_empty());
        }
    }

    /// In the order of the items.
    fn into_answers(mut self, questions: &Questions) -> Vec<DraftEntry> {
        questions.input().items.iter().filter_map(|item| self.answers.remove(&item.id)).collect()
    }
}

/// How many of the newest records are looked through for questions that were sent back.
const RECENT: usize = 20;

impl Decisions {
    /// Fills in new questions with what was given for the same items, where these were sent back when they were asked last. With
    /// the lock held; `names` are those in the folder. Where it fails the questions are asked without it.
    pub(super) fn fill_in(&self, lock: &Lock, pending: &PendingSet, questions: &Questions, names: &[String]) {
        let mut sessions: Vec<SessionId> = names.iter().filter_map(|name| record_session(name)).collect();
        sessions.sort_unstable();
        let mut draft = self.kept(pending, questions).unwrap_or_default();
        let before = draft.answers.len();
        // The items whose last answer is known.
        let mut known: HashSet<u64> = draft.answers.keys().copied().collect();
        for session in sessions.iter().rev().take(RECENT) {
            let Ok(Some(record)) = self.record(session) else { continue };
            let is_about_it = record.task() == questions.input().task;
            if !is_about_it || !matches!(record.ending, Ending::Decided(_) | Ending::Returned(_)) {
                continue;
            }
            let document = Value::Object(Map::clone(&record.input));
            let (Ok(asked), Some(meta)) = (Questions::from_value(document), record.meta) else { continue };
            let is_same = |id: &u64| {
                let fingerprint = asked.item_fingerprint(*id);
                fingerprint.is_some() && fingerprint == questions.item_fingerprint(*id)
            };
            let items = asked.input().items.iter().map(|item| item.id);
            let anew: HashSet<u64> = items.filter(|id| is_same(id) && known.insert(*id)).collect();
            for FilledAnswer { answer, via, at } in meta.filled_in {
                if anew.contains(&answer.id) {
                    let (via, at) =
                        (via.unwrap_or(meta.via), at.unwrap_or_else(|| record.completed_at.clone()));
                    draft.merge(questions, &AnswerSheet { answers: vec![answer], returned: None }, via, &at);
                    draft.saved_at = Some(record.completed_at.clone());
                }
            }
        }
        if draft.answers.len() == before {
            return;
        }
        let Ok(Some((dir, name))) = self.draft_place(pending) else { return };
        if let Ok(bytes) = json::text(&dir, &name, &draft.into_file(questions), json::MAX_JSON) {
            let _ = durable::replace(lock, &dir, &name, &bytes);
        }
    }

    /// What the person had given for these questions; empty when there is nothing to be had. Of an earlier set of the
    /// same task in the slot it holds what was given for items that have not changed.
    pub fn draft(&self, pending: &PendingSet, questions: &Questions) -> AnswerSheet {
        let sheet = self.kept(pending, questions).unwrap_or_default().into_sheet(questions);
        let answers = self.without_missing_files(pending, questions, sheet.answers);
        AnswerSheet { answers, ..sheet }
    }

    /// The same answers without those that say that the attached files are the answer, where too few or too many are: the
    /// draft may be that of earlier questions, or a file may have been taken away since.
    fn without_missing_files(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        mut answers: Vec<Answer>,
    ) -> Vec<Answer> {
        let mut asking =
            questions.input().items.iter().filter(|item| item.kind == ItemKind::Files).peekable();
        if asking.peek().is_none() {
            return answers;
        }
        let attached = self.attachments(&pending.session).unwrap_or_default();
        for item in asking {
            let count = attached.get(&item.id).map_or(0, Vec::len);
            let (least, most) = item.file_bounds();
            if !(least..=most).contains(&count) {
                answers
                    .iter_mut()
                    .filter(|answer| answer.id == item.id)
                    .for_each(|answer| answer.options.clear());
            }
        }
        answers.retain(|answer| !answer.is_empty());
        answers
    }

    /// When what [`Decisions::draft`] returns was last changed, as [`crate::now`] writes it; `None` when that is nothing.
    pub fn draft_saved_at(&self, pending: &PendingSet, questions: &Questions) -> Option<String> {
        self.kept(pending, questions).ok()?.saved_at().map(str::to_owned)
    }

    /// Keeps what `sheet` says of the questions of `pending`, unless these have ended: a draft that comes late must not
    /// bring back what the end has removed. Items that it does not name stay as they are: another door may be open at
    /// the same time. A choice that the earlier draft has as well keeps its time and its door.
    ///
    /// False, and nothing is kept, when other questions have been asked in their place, or they were removed.
    ///
    /// # Errors
    ///
    /// Whatever the disk says; the earlier draft is then still there.
    pub fn save_draft(
        &self,
        pending: &PendingSet,
        questions: &Questions,
        sheet: &AnswerSheet,
        via: Via,
    ) -> Result<bool, StoreError> {
        let session = &pending.session;
        let lock = Lock::take(&self.dir)?;
        if self.is_gone(pending)? {
            // Of those that had ended before, nothing is to be kept.
            return Ok(!matches!(
                self.record(session)?,
                None | Some(DecisionRecord { ending: Ending::Replaced(_), .. })
            ));
        }
        if self.is_closed(session)? {
            return Ok(true);
        }
        // An unreadable draft could never be shown anyway.
        let mut draft = self.kept(pending, questions).unwrap_or_default();
        draft.merge(questions, sheet, via, &now());
        let Some((dir, name)) = self.draft_place(pending)? else { return Ok(false) };
        let bytes = json::text(&dir, &name, &draft.into_file(questions), json::MAX_JSON)?;
        durable::replace(&lock, &dir, &name, &bytes)?;
        Ok(true)
    }

    /// With the lock held. The draft of the slot goes unless it belongs to other questions.
    pub(super) fn remove_slot_draft(&self, questions: &Questions) -> Result<(), StoreError> {
        let is_other = json::read::<DraftFile>(&self.dir, DRAFT)
            .is_ok_and(|draft| draft.is_none_or(|draft| draft.questions != questions.fingerprint()));
        if !is_other {
            self.dir.unlink(DRAFT)?;
        }
        Ok(())
    }

    pub(super) fn kept(&self, pending: &PendingSet, questions: &Questions) -> Result<Draft, StoreError> {
        Ok(self.draft_file(pending)?.map(|file| Draft::from_file(file, questions)).unwrap_or_default())
    }

    fn draft_file(&self, pending: &PendingSet) -> Result<Option<DraftFile>, StoreError> {
        let Some((dir, name)) = self.draft_place(pending)? else { return Ok(None) };
        Ok(json::read(&dir, &name)?)
    }

    /// Where the draft is kept; `None` when the folder of it is gone.
    fn draft_place(&self, pending: &PendingSet) -> Result<Option<(Arc<Dir>, String)>, StoreError> {
        Ok(match pending.place {
            Place::Slot => Some((Arc::clone(&self.dir), DRAFT.to_owned())),
            Place::Own => self.own_folder()?.map(|open| (open, own_name(&pending.session))),
        })
    }
}

/// The draft of questions with a file of their own, beside that.
pub(super) fn own_name(session: &SessionId) -> String {
    format!("{session}{OWN_DRAFT}")
}

/// The questions that such a draft belongs to.
pub(super) fn own_session(name: &str) -> Option<SessionId> {
    name.strip_suffix(OWN_DRAFT)?.parse().ok()
}

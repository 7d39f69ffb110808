//! Answers that could not be stored because the disk was full. While this process lives, their requests are not sent again.

use protocol::agent::Id;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The plan, the message, and the number of the answer.
type Key = (Id, Id, u32);

/// Such answers, as they came.
#[derive(Debug, Default)]
pub(crate) struct UnstoredAnswers(Mutex<BTreeMap<Key, Vec<u8>>>);

impl UnstoredAnswers {
    /// Keeps an answer.
    pub(crate) fn keep(&self, plan: &Id, message: &Id, number: u32, raw: &[u8]) {
        self.answers().insert((plan.clone(), message.clone(), number), raw.to_owned());
    }

    /// Stores an answer by `store`, if one is kept. It is kept for longer when that fails.
    pub(crate) fn store<E>(
        &self,
        plan: &Id,
        message: &Id,
        number: u32,
        store: impl FnOnce(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        let key = (plan.clone(), message.clone(), number);
        let mut answers = self.answers();
        if let Some(raw) = answers.get(&key) {
            store(raw)?;
            answers.remove(&key);
        }
        Ok(())
    }

    fn answers(&self) -> MutexGuard<'_, BTreeMap<Key, Vec<u8>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

//! Reading the file of a record.

use model::{DecideOutput, DecisionRecord, Ending, Returned, SessionId};
use serde::Deserialize;
use serde::de::Error;
use serde_json::value::RawValue;

/// Reads a record.
///
/// The questions stand one level deeper in it than in `pending.json`; read on their own, they are never too deep for the
/// parser when they were not before.
///
/// # Errors
///
/// When it is none.
pub fn read_record(bytes: &[u8]) -> serde_json::Result<DecisionRecord> {
    RecordParts::read(bytes)?.record()
}

/// A record whose questions are not taken apart.
pub(super) struct RecordParts<'a> {
    pub(super) input: &'a RawValue,
    pub(super) ending: Ending,
    completed_at: String,
    meta: Option<&'a RawValue>,
}

impl<'a> RecordParts<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> serde_json::Result<Self> {
        #[derive(Deserialize)]
        struct RecordFile<'a> {
            #[serde(borrow)]
            input: &'a RawValue,
            output: Option<DecideOutput>,
            returned: Option<Returned>,
            #[serde(default)]
            cancelled: bool,
            expired_at: Option<String>,
            replaced_by: Option<SessionId>,
            completed_at: String,
            #[serde(rename = "_meta", borrow)]
            meta: Option<&'a RawValue>,
        }
        let file: RecordFile<'_> = serde_json::from_slice(bytes)?;
        let cancelled = file.cancelled.then_some(Ending::Cancelled);
        let endings = [
            file.output.map(Ending::Decided),
            file.returned.map(Ending::Returned),
            cancelled,
            file.expired_at.map(Ending::Expired),
            file.replaced_by.map(|by| Ending::Replaced(Some(by))),
        ];
        let mut endings = endings.into_iter().flatten();
        let (Some(ending), None) = (endings.next(), endings.next()) else {
            return Err(serde_json::Error::custom(
                "needs one of output, returned, cancelled, expired_at and replaced_by",
            ));
        };
        Ok(Self { input: file.input, ending, completed_at: file.completed_at, meta: file.meta })
    }

    pub(super) fn record(self) -> serde_json::Result<DecisionRecord> {
        let input = serde_json::from_str(self.input.get())?;
        // What a later version has to say about an answer does not make the answer unreadable.
        let meta = self.meta.and_then(|meta| serde_json::from_str(meta.get()).ok());
        Ok(DecisionRecord { input, ending: self.ending, completed_at: self.completed_at, meta })
    }
}

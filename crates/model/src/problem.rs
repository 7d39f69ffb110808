//! What is wrong with a document, as data.

use crate::{ItemKind, Path};
use serde_json::Value;

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where. A missing member is named by the path it should have.
    pub path: Path,
    /// Which rule.
    pub rule: Rule,
    /// What stands there.
    pub found: Found,
}

/// What was found at the place of a problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nothing, or `null`.
    Missing,
    /// This, as compact JSON.
    Json(String),
}

impl Found {
    /// Describes `value`; `None` and `null` are both "missing".
    pub fn of(value: Option<&Value>) -> Self {
        match value {
            None | Some(Value::Null) => Self::Missing,
            Some(value) => Self::Json(value.to_string()),
        }
    }
}

/// The rules for questions and for the answers to them: contract/decide §2, §3.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// The questions must be an object.
    InputIsObject,
    /// The answers must be an object.
    OutputIsObject,
    /// An object is expected.
    IsObject,
    /// A string is expected.
    IsString,
    /// Something must be written there.
    NotBlank,
    /// A whole number is expected.
    IsInteger,
    /// A number above zero is expected.
    IsPositive,
    /// At most [`crate::MAX_SAFE_INTEGER`].
    IsSafeInteger,
    /// An array with at least one element is expected.
    IsFilledArray,
    /// At least two options are needed.
    AtLeastTwoOptions {
        /// How many there are.
        count: usize,
    },
    /// The name of an [`ItemKind`] is expected.
    IsKind,
    /// Exactly one option is needed.
    OneOption {
        /// How many there are.
        count: usize,
    },
    /// An item of this kind has no such member.
    NotOfKind {
        /// The kind.
        kind: ItemKind,
    },
    /// The name of a file is expected, or a pattern of one.
    IsFileName,
    /// A text is expected, or the file of a picture.
    IsPreview,
    /// A picture is expected, as an address that begins with `data:`.
    IsPicture,
    /// The name of a picture's file is expected.
    IsPictureFile,
    /// At most so many bytes.
    IsShort {
        /// At most.
        most: usize,
    },
    /// No two items share an id.
    UniqueId {
        /// The id that appears again.
        id: u64,
    },
    /// No two options of an item share a value.
    UniqueValue {
        /// The value that appears again.
        value: String,
    },
    /// A number is expected.
    IsNumber,
    /// A number from 0 to 100 is expected.
    IsScore,
    /// An array of strings is expected.
    IsStringArray,
    /// The recommendation must be the value of an option.
    RecommendsAnOption {
        /// What is recommended.
        value: String,
    },
    /// A range must not end before it starts.
    EndsAfterStart {
        /// Where it starts.
        start: u64,
    },
    /// `true` or `false` is expected.
    IsBoolean,
    /// Bounds make sense only where several options may be chosen.
    NeedsMultiple,
    /// A number within these bounds is expected.
    IsBetween {
        /// At least.
        least: usize,
        /// At most.
        most: usize,
    },
    /// An item is answered once.
    AnsweredOnce {
        /// The item answered again.
        id: u64,
    },
    /// Only items that were asked can be answered.
    ItemExists {
        /// The id, which no item has.
        id: u64,
    },
    /// Only options that were offered can be chosen.
    OptionExists {
        /// The item.
        id: u64,
        /// What was chosen.
        chosen: String,
    },
    /// An option is chosen once.
    ChosenOnce {
        /// The item.
        id: u64,
        /// What was chosen again.
        chosen: String,
    },
    /// So many options are to be chosen.
    ChoiceCount {
        /// The item.
        id: u64,
        /// At least.
        least: usize,
        /// At most.
        most: usize,
        /// How many were.
        count: usize,
    },
    /// Only some items take an answer in the person's own words.
    OtherOffered {
        /// The item.
        id: u64,
    },
    /// An item without options is answered in words, and by nothing else.
    AnsweredInWords {
        /// The item.
        id: u64,
    },
    /// An answer in the user's own words must have text.
    OtherWritten {
        /// The item.
        id: u64,
    },
    /// An item that asks for files is answered by files, and by nothing else.
    AnsweredByFiles {
        /// The item.
        id: u64,
    },
    /// So many files are to be attached.
    FileCount {
        /// The item.
        id: u64,
        /// At least.
        least: usize,
        /// At most.
        most: usize,
        /// How many are.
        count: usize,
    },
    /// The file names in an answer must be those of the attached files.
    FilesAttached {
        /// The item.
        id: u64,
    },
    /// Only items that ask for files are answered by files.
    FilesAsked {
        /// The item.
        id: u64,
    },
    /// Every item needs an answer.
    EveryItemAnswered {
        /// The items without one, in their order.
        ids: Vec<u64>,
    },
}

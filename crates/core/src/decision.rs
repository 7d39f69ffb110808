//! A decision of the user: its question, its answer, and its end (contract/workflows §7).

mod answer;
mod question;
mod resolution;

pub use answer::{
    AnswerProblem, UserAnswer, effect_of, fallback_answer, is_due, offered, read_answer, settles, status_at,
};
pub use question::{DecisionReason, NewQuestion, Question, QuestionProblem, Subject, item_of};
pub use resolution::{Consequence, Resolution};

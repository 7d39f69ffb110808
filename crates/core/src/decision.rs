//! A decision of the user: its question, its answer, and its end (contract/workflows §7).

mod answer;
mod new;
mod question;
mod resolution;
mod stored;

pub use answer::{
    AnswerProblem, UserAnswer, consent_effect, fallback_answer, implied_answer, is_due, option_labels,
    read_answer, status_at,
};
pub use new::{AskedDecision, NewDecision};
pub use question::{DecisionReason, NewQuestion, Question, QuestionProblem, Subject, item_of};
pub use resolution::{Consequence, Resolution};
pub use stored::Decision;

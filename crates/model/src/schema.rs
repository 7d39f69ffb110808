//! The documents as JSON Schema (draft 2020-12), for agents and scripts that check before they ask.

/// What `aide decide submit` takes. It accepts whatever is valid; some rules are beyond what a schema can say.
pub const QUESTIONS_SCHEMA: &str = include_str!("../schema/questions.json");

/// What `aide decide result` prints.
pub const ANSWERS_SCHEMA: &str = include_str!("../schema/answers.json");

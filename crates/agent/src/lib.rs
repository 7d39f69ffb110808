//! What happens in agents' folders: a command is executed, files are delivered along a plan's DAG, and a person is asked
//! where nobody else can go on.
//!
//! Agents share nothing but folders. No file is opened here but through `files`, no program started and no model asked but
//! through `llm`, and nothing is worded for people.

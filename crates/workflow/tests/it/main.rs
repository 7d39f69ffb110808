//! What happens to workflows, from outside. One program for all of these tests: it is compiled and linked once.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

mod agreed;
mod checkpoints;
mod consent;
mod counted;
mod crashes;
mod crashing;
mod decisions;
mod desk;
mod driving;
mod engine;
mod folders;
mod heard;
mod images;
mod left_behind;
mod limits;
mod lists;
mod messages;
mod misbehaviour;
mod pauses;
mod phases;
mod policies;
mod recorded;
mod removal;
mod sequences;
mod stages;
mod steered;
mod steps;
mod studio;
mod support;
mod tasks;
mod tool_misbehaviour;
mod tools;
mod unreadable;
mod waiting;
mod whole;
mod written;

//! English.

use super::{json, quoted};
use crate::show;
use model::MAX_SAFE_INTEGER;
use protocol::agent::{Id, PathFault, Problem, RelPath, Rule};

pub(super) fn problem(path: &str, problem: &Problem) -> String {
    let path = if path.is_empty() { "the document" } else { path };
    let found = match json(&problem.found) {
        None => "but is missing".to_owned(),
        Some(json) => format!("but is {json}"),
    };
    match &problem.rule {
        Rule::IsGiven => format!("{path} must be given, {found}"),
        Rule::IsObject => format!("{path} must be an object, {found}"),
        Rule::IsString => format!("{path} must be a string, {found}"),
        Rule::NotBlank => format!("{path} must not be blank, {found}"),
        Rule::IsBoolean => format!("{path} must be true or false, {found}"),
        Rule::IsInteger { least } => {
            format!("{path} must be an integer from {least} to {MAX_SAFE_INTEGER}, {found}")
        }
        Rule::IsNumber { least } => format!("{path} must be a number of at least {least}, {found}"),
        Rule::IsScore => format!("{path} must be a number from 0 to 100, {found}"),
        Rule::IsArray => format!("{path} must be an array, {found}"),
        Rule::IsFilledArray => format!("{path} must be an array with at least 1 element, {found}"),
        Rule::IsOneOf { names } => format!("{path} must be one of {}, {found}", quoted(names, ", ")),
        Rule::IsId => {
            let most = Id::MAX;
            format!(
                "{path} must consist of at most {most} letters, digits, \".\", \"_\" and \"-\", \
                 without a dot in front, {found}"
            )
        }
        Rule::IsCommandId => format!("{path} must begin with cmd_, {found}"),
        Rule::IsPath { fault } => match fault {
            PathFault::Empty => format!("{path} must be a path without empty parts, {found}"),
            PathFault::Absolute => format!("{path} must be a relative path, {found}"),
            PathFault::Parent => format!("{path} must not lead upwards with .., {found}"),
            PathFault::Control => format!("{path} must not have control characters, {found}"),
            PathFault::TooLong => format!(
                "{path} must be at most {} bytes long, and each part of it {}, {found}",
                RelPath::MAX,
                RelPath::MAX_COMPONENT
            ),
            PathFault::Reserved => {
                format!("{path} must be neither hidden nor named like a file that controls agents, {found}")
            }
        },
        Rule::IsSha256 => {
            format!("{path} must be sha256: with 64 lower-case hexadecimal digits, {found}")
        }
        Rule::IsTimestamp => format!("{path} must be a time like 2026-01-12T09:00:00Z, {found}"),
        Rule::IsVersion => format!("{path} must be a version like 1.0, {found}"),
        Rule::VersionSupported { newest, .. } => {
            format!("{path} must be a supported version (the newest is {newest}), {found}")
        }
        Rule::IsMessageType => format!("{path} must be \"command\" or \"artifact\", {found}"),
        Rule::SameAsEnvelope { envelope } => {
            format!("{path} must be {}, as in the envelope, {found}", show::quoted(envelope))
        }
        Rule::SeqGiven => format!("{path} must be given for a command of a plan, {found}"),
        Rule::SeqInId => format!(
            "{path} must be cmd_TASK_NUMBER with at least three digits for a command of a plan, {found}"
        ),
        Rule::SeqMatchesId { in_id } => {
            format!("{path} must be the number at the end of command_id ({}), {found}", show::plain(in_id))
        }
        Rule::TaskMatchesId { in_id } => {
            format!("{path} must be the task in command_id ({}), {found}", show::plain(in_id))
        }
        Rule::NamesNoTarget => {
            format!("{path} is not allowed: no command names a target; the DAG says who gets what")
        }
        Rule::MinNotAboveMax => format!("{path} must not be greater than max_score, {found}"),
        Rule::NeedsScore => format!("{path} is only allowed with score_required: true"),
        Rule::IsUnique => {
            format!("{path} must be unique, but repeats {}", json(&problem.found).unwrap_or_default())
        }
        Rule::NeedsHashes => format!("{path} must list the hashes that by_sha256 picks from, {found}"),
    }
}

pub(super) fn further(count: usize) -> String {
    format!("{count} more problem{}:", if count == 1 { "" } else { "s" })
}

pub(super) fn left_out(count: usize) -> String {
    format!("and {count} more")
}

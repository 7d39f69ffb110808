//! Lists that are printed in parts: `--limit` and `--cursor`.

use super::events::number;
use super::{given, help};
use crate::command_line::layout::Layout;
use crate::failure::Failure;
use crate::remote::Remote;
use clap::{Arg, ArgMatches};

/// How many entries one request brings at most.
const MAX_LIMIT: i64 = 1000;

/// The flags that say which part is wanted.
pub(super) fn flags(layout: Layout) -> [Arg; 2] {
    let words = layout.pick(&help::ZH, &help::EN);
    [layout.value("limit", "COUNT", words.list_limit), layout.value("cursor", "CURSOR", words.list_cursor)]
}

/// The parameters of the request that they stand for.
pub(super) fn parameters(matches: &ArgMatches) -> Result<[(&'static str, Option<String>); 2], Failure> {
    let limit = number(matches, "limit", "--limit", 1, MAX_LIMIT)?;
    Ok([("limit", limit.map(|limit| limit.to_string())), ("cursor", given(matches, "cursor"))])
}

/// Those parameters of a request that are given.
pub(super) fn given_of<'p>(parameters: &'p [(&'p str, Option<String>)]) -> Vec<(&'p str, &'p str)> {
    parameters.iter().filter_map(|(name, value)| Some((*name, value.as_deref()?))).collect()
}

/// Says how the list goes on, where it does.
pub(super) fn note_rest(remote: &Remote<'_>, next: Option<String>) {
    if let Some(next) = next {
        remote.notice(&format!("{} --cursor {next}", remote.pick(&help::ZH, &help::EN).list_more));
    }
}

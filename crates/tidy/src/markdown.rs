//! The few parts of Markdown that the rules look at.

/// Returns the lines outside of fenced blocks, each with its number.
pub(crate) fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        let ticks = trimmed.len() - trimmed.trim_start_matches('`').len();
        match fence {
            Some(open) if trimmed == open => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = trimmed.get(..ticks),
            None => lines.push((number, line)),
        }
    }
    lines
}

/// Returns the inline code of a line.
pub(crate) fn code_spans(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// Returns the cells of a row of a table.
pub(crate) fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_left_out() {
        let text = "a\n```sh\nb\n```\nc\n````\n```\nd\n````\ne\n";
        assert_eq!(prose(text), [(1, "a"), (5, "c"), (10, "e")]);
        assert_eq!(code_spans("`a` and `b c`").collect::<Vec<_>>(), ["a", "b c"]);
        assert_eq!(cells("| `a` |  | c |"), Some(vec!["`a`", "", "c"]));
        assert_eq!(cells("a | b"), None);
    }
}

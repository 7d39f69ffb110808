//! The part of a Markdown file that is ours: between two marks.

/// The first line of our part.
const BEGIN: &str = "<!-- aide:begin -->";
/// The last one.
const END: &str = "<!-- aide:end -->";

/// The text with `content` between the marks, at its end where there are none yet. `None` when there is one mark without the
/// other, or more than one part.
pub(crate) fn set(text: &str, content: &str) -> Option<String> {
    let line_end = line_end(text);
    let block = format!("{BEGIN}\n{content}\n{END}").replace('\n', line_end);
    match find(text)? {
        Some((start, end)) => Some(format!("{}{block}{}", text.get(..start)?, text.get(end..)?)),
        None if text.trim().is_empty() => Some(format!("{block}{line_end}")),
        None => {
            let missing = if text.ends_with('\n') { "" } else { line_end };
            Some(format!("{text}{missing}{line_end}{block}{line_end}"))
        }
    }
}

/// The text without our part, and without the blank line before it.
pub(crate) fn remove(text: &str) -> Option<String> {
    let Some((start, end)) = find(text)? else { return Some(text.to_owned()) };
    let (before, after) = (text.get(..start)?, text.get(end..)?);
    let after = after.strip_prefix("\r\n").or_else(|| after.strip_prefix('\n')).unwrap_or(after);
    let blank = ["\r\n\r\n", "\n\n"].into_iter().find(|blank| before.ends_with(blank));
    let before = before.get(..before.len() - blank.map_or(0, |blank| blank.len() / 2))?;
    Some(format!("{before}{after}"))
}

/// Our part, as it is.
pub(crate) fn get(text: &str) -> Option<&str> {
    let (start, end) = find(text)??;
    text.get(start..end)
}

/// Whether the text imports `file` on a line of its own, outside of code.
pub(crate) fn imports(text: &str, file: &str) -> bool {
    let mut is_code = false;
    text.lines().any(|line| {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
        }
        !is_code
            && line.split_whitespace().any(|word| word.strip_prefix('@').is_some_and(|path| path == file))
    })
}

/// Where our part is; `None` inside when there is none, outside when the marks do not fit.
#[allow(clippy::option_option, reason = "there is none, or it cannot be said where")]
fn find(text: &str) -> Option<Option<(usize, usize)>> {
    let (begins, ends) = (text.matches(BEGIN).count(), text.matches(END).count());
    match (begins, ends, text.find(BEGIN), text.find(END)) {
        (0, 0, ..) => Some(None),
        (1, 1, Some(start), Some(end)) if start < end => Some(Some((start, end + END.len()))),
        _ => None,
    }
}

fn line_end(text: &str) -> &'static str {
    if text.contains("\r\n") { "\r\n" } else { "\n" }
}

#[cfg(test)]
mod tests {
    use super::{get, imports, remove, set};

    #[test]
    fn set_replaced_and_removed() {
        let block = "<!-- aide:begin -->\nx\n<!-- aide:end -->\n";
        assert_eq!(set("", "x").unwrap(), block);
        for text in ["# Mine\n\nWords.\n", "# Mine\r\n\r\nWords.\r\n"] {
            let done = set(text, "one\ntwo").unwrap();
            assert!(done.starts_with(text));
            assert_eq!(done.contains("\r\n"), text.contains("\r\n"));
            assert_eq!(done.matches('\n').count(), done.lines().count());
            assert_eq!(set(&done, "one\ntwo").unwrap(), done);
            assert_eq!(remove(&set(&done, "three").unwrap()).unwrap(), text);
        }
        assert_eq!(remove(&format!("a\n\n{block}\nb\n")).unwrap(), "a\n\nb\n");
        assert_eq!(set("no end", "x").unwrap(), format!("no end\n\n{block}"));
        assert_eq!(get(block), Some(block.trim_end()));
    }

    #[test]
    fn marks_that_do_not_fit_are_left_alone() {
        for text in ["<!-- aide:begin -->", "<!-- aide:end --><!-- aide:begin -->"] {
            assert_eq!((set(text, "x"), remove(text)), (None, None));
        }
    }

    #[test]
    fn an_import_is_found_outside_of_code() {
        assert!(imports("See @AGENTS.md for more\n", "AGENTS.md"));
        assert!(!imports("```\n@AGENTS.md\n```\n", "AGENTS.md"));
        assert!(!imports("@docs/AGENTS.md\n", "AGENTS.md"));
    }
}

//! The few parts of Markdown that the documents are checked by.

/// A part of a document that a test looks at, with the number of the line it begins on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// A line outside of every block.
    Line { line: usize, text: String },
    /// `<!-- name: value -->`: what a reader need not see and an example needs.
    Directive { line: usize, name: String, value: String },
    /// A fenced block.
    Block { line: usize, info: String, text: String },
}

/// The parts of `text`, in their order.
pub(crate) fn parts(text: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((index, text)) = lines.next() {
        let line = index + 1;
        let trimmed = text.trim_start();
        let indent = text.len() - trimmed.len();
        if trimmed.starts_with("```") {
            let ticks = trimmed.chars().take_while(|c| *c == '`').count();
            let fence = &trimmed[..ticks];
            let mut block = String::new();
            for (_, text) in lines.by_ref() {
                if text.trim() == fence {
                    break;
                }
                block += text.get(indent..).unwrap_or_default();
                block.push('\n');
            }
            parts.push(Part::Block { line, info: trimmed[ticks..].trim().to_owned(), text: block });
        } else if trimmed.starts_with("<!--") {
            let mut comment = trimmed.to_owned();
            while !comment.contains("-->") {
                let Some((_, text)) = lines.next() else { break };
                comment.push('\n');
                comment += text;
            }
            let comment = comment.trim_start_matches("<!--").trim_end().trim_end_matches("-->").trim();
            if let Some((name, value)) = comment.split_once(':')
                && name.chars().all(|c| c.is_ascii_lowercase())
            {
                let (name, value) = (name.to_owned(), value.trim().to_owned());
                parts.push(Part::Directive { line, name, value });
            }
        } else {
            parts.push(Part::Line { line, text: text.to_owned() });
        }
    }
    parts
}

/// The inline code of a line.
pub(crate) fn code_spans(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// What the links and pictures of a line lead to.
pub(crate) fn targets(line: &str) -> Vec<&str> {
    let mut targets = Vec::new();
    let mut rest = line;
    while let Some(begin) = rest.find("](") {
        rest = &rest[begin + 2..];
        let Some(end) = rest.find(')') else { break };
        targets.push(&rest[..end]);
        rest = &rest[end..];
    }
    targets
}

/// The anchor that GitHub gives to a heading, without the number it adds to one that is there twice.
pub(crate) fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().replace('`', "");
    let kept = text.to_lowercase();
    kept.chars()
        .filter_map(|c| match c {
            ' ' => Some('-'),
            c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
            _ => None,
        })
        .collect()
}

//! Markdown of an agent, as harmless HTML.

use super::escape::escape_html;
use comrak::nodes::{NodeLink, NodeValue, Sourcepos};
use comrak::{Arena, Options, format_html, parse_document};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::LazyLock;

/// Renders `markdown`. Raw HTML is shown as text; links go to http, https and mailto only; an image becomes a
/// link, because loading it would tell a stranger that the page was opened.
pub fn to_html(markdown: &str) -> String {
    if is_plain(markdown) {
        return format!("<p>{}</p>", escape_html(markdown.trim()));
    }
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &OPTIONS);
    for node in root.descendants() {
        let mut data = node.data_mut();
        if let NodeValue::Image(link) = &data.value {
            let link: NodeLink = (**link).clone();
            data.value = NodeValue::Link(Box::new(link));
        }
    }
    let mut html = String::with_capacity(markdown.len() * 2);
    match format_html(root, &OPTIONS, &mut html) {
        Ok(()) => sanitize_html(&html),
        // Writing to a string cannot fail; should it ever, the text is still there to read.
        Err(_) => format!("<p>{}</p>", escape_html(markdown)),
    }
}

/// The same for a terminal: without the marks of emphasis. All other Markdown reads well as it is typed.
pub fn to_text(markdown: &str) -> Cow<'_, str> {
    if is_plain(markdown) {
        return Cow::Borrowed(markdown);
    }
    let arena = Arena::new();
    let root = parse_document(&arena, markdown, &OPTIONS);
    let lines = Lines::new(markdown);
    let mut marks = Vec::new();
    for node in root.descendants() {
        let is_emphasis =
            matches!(node.data().value, NodeValue::Strong | NodeValue::Emph | NodeValue::Strikethrough);
        if let Some((first, last)) = node.first_child().zip(node.last_child()).filter(|_| is_emphasis) {
            let ranges = [node, first, last].map(|node| lines.range(node.data().sourcepos));
            if let [Some(whole), Some(first), Some(last)] = ranges {
                marks.extend([whole.start..first.start, last.end..whole.end]);
            }
        }
    }
    // A place that is not one of marks was not found exactly, and is left as it is.
    let is_marks = |mark: &Range<usize>| {
        markdown.get(mark.clone()).is_some_and(|text| text.chars().all(|c| matches!(c, '*' | '_' | '~')))
    };
    marks.retain(is_marks);
    marks.sort_by_key(|mark| mark.start);
    let (mut text, mut end) = (String::with_capacity(markdown.len()), 0);
    for mark in marks {
        text.push_str(markdown.get(end..mark.start).unwrap_or_default());
        end = end.max(mark.end);
    }
    text.push_str(markdown.get(end..).unwrap_or_default());
    Cow::Owned(text)
}

/// Where the lines of a text begin.
struct Lines(Vec<usize>);

impl Lines {
    fn new(text: &str) -> Self {
        Self(std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect())
    }

    /// The bytes at a place that is given in lines and columns, from 1, its last one included; `None` for one that there is not.
    fn range(&self, place: Sourcepos) -> Option<Range<usize>> {
        let line = |number: usize| self.0.get(number.checked_sub(1)?).copied();
        let start = line(place.start.line)? + place.start.column.checked_sub(1)?;
        Some(start..line(place.end.line)? + place.end.column)
    }
}

/// What of `html` a page may show: the elements Markdown makes, without anything that acts, loads or styles.
pub fn sanitize_html(html: &str) -> String {
    SANITIZER.clean(html).to_string()
}

/// Plain text on one line, with everything escaped that Markdown would take for its own.
pub(crate) fn inline(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !escaped.is_empty() {
            escaped.push(' ');
        }
        for c in word.chars().filter(|c| !c.is_control()) {
            if r"\`*_[]<>#|~&".contains(c) {
                escaped.push('\\');
            }
            escaped.push(c);
        }
    }
    // What begins a list or a heading does so only at the beginning.
    if escaped.starts_with(['-', '+', '=']) {
        escaped.insert(0, '\\');
    }
    let digits = escaped.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0 && escaped[digits..].starts_with(['.', ')']) {
        escaped.insert(digits, '\\');
    }
    escaped
}

/// True for one paragraph without any character that Markdown gives a meaning. Most contexts are such, and need
/// neither parser nor sanitizer, which would be half of the time to render a thousand items.
fn is_plain(text: &str) -> bool {
    let text = text.trim();
    let marker = |c: char| {
        matches!(
            c,
            '\n' | '\r'
                | '*'
                | '_'
                | '`'
                | '['
                | ']'
                | '<'
                | '>'
                | '#'
                | '|'
                | '~'
                | '\\'
                | '&'
                | '!'
                | '@'
                | '='
        )
    };
    !text.contains(marker)
        && !text.contains("://")
        && !text.contains("www.")
        && !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '-' | '+' | ':'))
}

static OPTIONS: LazyLock<Options<'static>> = LazyLock::new(|| {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.autolink = true;
    options.extension.tasklist = true;
    options.render.escape = true;
    options
});

static SANITIZER: LazyLock<ammonia::Builder<'static>> = LazyLock::new(|| {
    let mut builder = ammonia::Builder::empty();
    builder
        .tags(HashSet::from([
            "p",
            "br",
            "hr",
            "em",
            "strong",
            "del",
            "code",
            "pre",
            "blockquote",
            "ul",
            "ol",
            "li",
            "a",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "table",
            "thead",
            "tbody",
            "tr",
            "th",
            "td",
            "input",
        ]))
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "title"])),
            ("ol", HashSet::from(["start"])),
            ("th", HashSet::from(["align"])),
            ("td", HashSet::from(["align"])),
        ]))
        .url_schemes(HashSet::from(["http", "https", "mailto"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .link_rel(Some("noopener noreferrer nofollow"))
        .set_tag_attribute_value("a", "target", "_blank");
    builder
});

#[cfg(test)]
mod tests {
    use super::{inline, to_html, to_text};

    #[test]
    fn markdown_is_rendered() {
        assert_eq!(to_html("选择 **一个**"), "<p>选择 <strong>一个</strong></p>\n");
        assert_eq!(to_html("plain & simple"), "<p>plain &amp; simple</p>\n");
        assert_eq!(to_html("just text"), "<p>just text</p>");
        assert!(to_html("| a | b |\n|---|---|\n| 1 | 2 |").contains("<td>1</td>"));
    }

    #[test]
    fn a_terminal_shows_no_marks_of_emphasis() {
        for (markdown, text) in [
            ("how a login is **kept**, and for _how long_", "how a login is kept, and for how long"),
            ("选择 **一个**，~~不~~是\n\n- *两个*", "选择 一个，不是\n\n- 两个"),
            ("***both*** and **a *b* c**", "both and a b c"),
            ("**`a*b`** of `**c**`", "`a*b` of `**c**`"),
            ("2 * 3 * 4, snake_case_name, \\*x\\*", "2 * 3 * 4, snake_case_name, \\*x\\*"),
            ("```\n**code**\n```", "```\n**code**\n```"),
            ("| **a** | b |\n|---|---|\n| 1 | 2 |", "| a | b |\n|---|---|\n| 1 | 2 |"),
            ("a **b\nc** d\r\n> *e*", "a b\nc d\r\n> e"),
            ("[**link**](https://a.b)", "[link](https://a.b)"),
            ("just text", "just text"),
        ] {
            assert_eq!(to_text(markdown), text, "{markdown}");
        }
    }

    #[test]
    fn nothing_of_an_agent_runs() {
        for hostile in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "[a](javascript:alert(1))",
            "[a](JaVaScRiPt&colon;alert(1))",
            "![a](javascript:alert(1))",
            "[a](data:text/html,<script>alert(1)</script>)",
            "<a href=\"javascript:alert(1)\" onclick=alert(1)>x</a>",
            "<svg/onload=alert(1)>",
            "</div></fieldset><script>alert(1)</script>",
            "`</code><script>alert(1)</script>`",
            "[a](//evil.test/x)",
            "- [x] <iframe src=//evil.test></iframe>",
        ] {
            let html = to_html(hostile);
            let tags: Vec<&str> = html.split('<').skip(1).collect();
            for tag in tags {
                let tag = tag.split('>').next().unwrap_or_default();
                assert!(
                    !tag.starts_with("script")
                        && !tag.starts_with("img")
                        && !tag.starts_with("svg")
                        && !tag.starts_with("iframe")
                        && !tag.contains(" on")
                        && !tag.to_lowercase().contains("javascript:")
                        && !tag.contains("data:")
                        && !tag.contains("href=\"//"),
                    "{hostile} became {html}"
                );
            }
        }
    }

    #[test]
    fn an_image_becomes_a_link() {
        let html = to_html("![logo](https://example.com/a.png)");
        assert!(html.contains("href=\"https://example.com/a.png\"") && html.contains(">logo</a>"), "{html}");
    }
    #[test]
    fn texts_stay_texts() {
        assert_eq!(inline(" a\n\n# b\u{1b}[1m "), "a \\# b\\[1m");
        assert_eq!(inline("- x"), "\\- x");
        assert_eq!(inline("12) x"), "12\\) x");
        assert_eq!(inline("[x](javascript:1)"), "\\[x\\](javascript:1)");
    }
}

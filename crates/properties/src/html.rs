//! Markdown of an agent, as it stands in the page.

use app::{markdown_to_html, sanitize_html};

const TAGS: [&str; 25] = [
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
];

/// Only harmless elements come out, and sanitising them again changes nothing.
pub(crate) fn markdown(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let html = markdown_to_html(text);
    check(&html);
    let again = sanitize_html(&html);
    assert_eq!(tags(&again), tags(&html), "something was still there to remove from {html:?}");
    assert_eq!(sanitize_html(&again), again, "sanitising is not settled");
}

fn check(html: &str) {
    for tag in tags(html) {
        let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap();
        // A task list is the one thing with a control in it, and that cannot be used.
        assert!(TAGS.contains(&name) || name == "input", "<{tag}> in {html:?}");
        for (attribute, value) in attributes(tag) {
            let fits = match (name, attribute) {
                ("a", "href") => ["http:", "https:", "mailto:"].iter().any(|scheme| {
                    value.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
                }),
                ("a", "title" | "rel" | "target") | ("ol", "start") | ("th" | "td", "align") => true,
                _ => false,
            };
            assert!(fits, "{attribute}={value:?} in {html:?}");
        }
    }
}

/// What stands between each `<` and its `>`, which no quoted value can end: the serialiser writes `<` as an entity
/// everywhere else.
fn tags(html: &str) -> Vec<&str> {
    let mut tags = Vec::new();
    let mut rest = html;
    while let Some(begin) = rest.find('<') {
        rest = &rest[begin + 1..];
        let mut quoted = false;
        let end = rest.find(|c| {
            quoted ^= c == '"';
            c == '>' && !quoted
        });
        let end = end.unwrap_or(rest.len());
        tags.push(&rest[..end]);
        rest = &rest[end..];
    }
    tags
}

/// The attributes of a tag, as a serialiser writes them: name, `="`, value, `"`.
fn attributes(tag: &str) -> Vec<(&str, &str)> {
    let mut attributes = Vec::new();
    let mut rest = tag.split_once(' ').map_or("", |(_, rest)| rest);
    while let Some((name, after)) = rest.split_once("=\"") {
        let (value, after) = after.split_once('"').unwrap_or((after, ""));
        attributes.push((name.trim(), value));
        rest = after;
    }
    let rest = rest.trim_matches([' ', '/']);
    if !rest.is_empty() {
        attributes.push((rest, ""));
    }
    attributes
}

#[cfg(test)]
mod tests {
    use super::check;
    use std::panic::catch_unwind;

    #[test]
    fn what_harms_is_seen() {
        for harmful in [
            "<script>",
            "<p onclick=\"x\">",
            "<a href=\"javascript:x\">",
            "<a href=\"//evil.test\">",
            "<img src=\"x\">",
            "<p style=\"x\">",
            "<a title=\"a>b\" onclick=\"x\">",
            "<input checked>",
        ] {
            assert!(catch_unwind(|| check(harmful)).is_err(), "{harmful}");
        }
        check("<p>x <a href=\"https://a.test/?a>b\" title=\"=&quot;\" rel=\"x\">y</a></p><hr>");
    }
}

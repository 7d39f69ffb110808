//! What an option looks like, beside its label: text or a picture of an agent, as harmless HTML.

use super::escape::escape_html;
use super::markdown::{self, inline};
use ammonia::Builder;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::{DecideItem, DecideOption, PictureKind, Preview, is_blank, is_picture};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;
use store::Project;
use texts::Lang;

/// The style of previews: only pages that have some load it.
pub(super) const STYLE: &str = include_str!("../../../style/previews.css");

/// How much of the project's pictures one page has at most, in bytes.
const MAX_PICTURES: usize = 4 << 20;

/// Whether an option of `item` is shown with a preview.
pub(super) fn has_any(item: &DecideItem) -> bool {
    item.options.iter().any(|option| shown(option).is_some())
}

/// The preview of an option, if it says anything.
pub(super) fn shown(option: &DecideOption) -> Option<&Preview> {
    let says = |preview: &&Preview| !matches!(preview, Preview::Text(text) if is_blank(text));
    option.preview.as_ref().filter(says)
}

/// The pictures of a project that previews name, for one page.
pub(crate) struct Pictures<'p> {
    project: Option<&'p Project>,
    left: usize,
}

impl<'p> Pictures<'p> {
    pub(crate) fn new(project: Option<&'p Project>) -> Self {
        Self { project, left: MAX_PICTURES }
    }

    /// The address of each option's picture, for the options of `item` in their order: the picture itself.
    pub(crate) fn for_item(&mut self, item: &DecideItem) -> Vec<Option<String>> {
        let mut any = false;
        let pictures = item.options.iter().map(|option| match &option.preview {
            Some(Preview::File(file)) => {
                any = true;
                self.read(file)
            }
            _ => None,
        });
        let pictures: Vec<_> = pictures.collect();
        if any { pictures } else { Vec::new() }
    }

    fn read(&mut self, file: &str) -> Option<String> {
        let bytes = self.project?.picture(file)?;
        self.left = self.left.checked_sub(bytes.len())?;
        let kind = PictureKind::from_bytes(&bytes)?;
        Some(format!("data:{};base64,{}", kind.media_type(), STANDARD.encode(bytes)))
    }
}

/// The preview as harmless HTML; `picture` is that of a file, where it can be shown.
pub(crate) fn to_html(option: &DecideOption, picture: Option<&str>) -> Option<String> {
    Some(match shown(option)? {
        Preview::Text(text) => text_html(text),
        Preview::Picture(address) => image(address, &option.label),
        Preview::File(file) => {
            let name = format!("<code>{}</code>", escape_html(file));
            picture.map_or(name, |address| image(address, &option.label))
        }
    })
}

/// The preview as Markdown that is as harmless, without a line break at its end; a picture of the project is named, in the words of
/// `lang`.
pub(crate) fn to_markdown(option: &DecideOption, lang: Lang) -> Option<String> {
    match shown(option)? {
        Preview::Text(text) if is_drawing(text) => {
            let text = text.replace("\r\n", "\n").replace('\r', "\n");
            let text = text.trim_matches('\n').trim_end();
            // There is no fence in it.
            Some(format!("```\n{text}\n```"))
        }
        Preview::Text(text) => {
            // A carriage return ends a line as well.
            let html = text_html(text).replace('\r', "\n");
            let html = html.trim();
            if html.is_empty() {
                return None;
            }
            // Behind an empty line a reader of Markdown would take it for Markdown again, which is not what was cleaned.
            let lines = html.lines().map(|line| if line.trim().is_empty() { "<!-- -->" } else { line });
            Some(format!("<div>\n{}\n</div>", lines.collect::<Vec<_>>().join("\n")))
        }
        Preview::Picture(address) if is_picture(address) => {
            Some(format!("![{}]({address})", inline(&option.label)))
        }
        Preview::Picture(_) => None,
        Preview::File(_) => lang.page().preview(option).map(|named| inline(&named)),
    }
}

fn image(address: &str, label: &str) -> String {
    if !is_picture(address) {
        return String::new();
    }
    // Each letter of such an address stands for itself; what is said of the picture is escaped.
    format!("<img src=\"{address}\" alt=\"{}\">", escape_html(label))
}

fn text_html(text: &str) -> String {
    if is_drawing(text) {
        let text = text.trim_matches(['\n', '\r']).trim_end();
        return format!("<pre tabindex=\"0\">{}</pre>", escape_html(text));
    }
    if is_html(text) {
        FRAGMENT.clean(text).to_string().replace(NO_PICTURE, "")
    } else {
        markdown::to_html(text)
    }
}

/// Whether a text begins with a tag, as a fragment of HTML does and an address between angle brackets does not.
fn is_html(text: &str) -> bool {
    let Some(rest) = text.trim_start().strip_prefix('<') else { return false };
    let name = rest.trim_start_matches('/');
    let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(name.len());
    let follows = name[end..].chars().next();
    let is_tag = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && follows.is_some_and(|c| c.is_whitespace() || matches!(c, '>' | '/'));
    is_tag || rest.starts_with("!--")
}

/// Whether a text is drawn with characters: its spaces and line ends matter, which Markdown takes away.
fn is_drawing(text: &str) -> bool {
    let is_line = |c: char| ('\u{2500}'..='\u{259f}').contains(&c);
    let has_fence = text.contains("```") || text.contains("~~~");
    let is_frame = |line: &str| line.trim_start().starts_with("+-") && line.trim_end().ends_with("-+");
    !has_fence && text.trim().contains('\n') && (text.contains(is_line) || text.lines().any(is_frame))
}

/// What is left of a picture that must not be loaded.
const NO_PICTURE: &str = "<img alt=\"\">";

/// What a fragment of HTML may have: structure and words. Nothing that acts, loads, styles, names or takes input.
static FRAGMENT: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = Builder::empty();
    let tags = "p br hr em strong b i u s del ins small sub sup mark kbd samp var code pre blockquote q cite ul ol li dl \
                dt dd a h1 h2 h3 h4 h5 h6 table caption thead tbody tfoot tr th td div span section article header footer \
                figure figcaption img";
    builder
        .tags(tags.split_whitespace().collect())
        .clean_content_tags(
            "script style template noscript iframe object embed svg math title select textarea"
                .split(' ')
                .collect(),
        )
        .tag_attributes(HashMap::from([
            ("a", HashSet::from(["href", "title"])),
            ("ol", HashSet::from(["start"])),
            ("th", HashSet::from(["align", "colspan", "rowspan"])),
            ("td", HashSet::from(["align", "colspan", "rowspan"])),
            ("img", HashSet::from(["src"])),
        ]))
        .url_schemes(HashSet::from(["http", "https", "mailto", "data"]))
        .url_relative(ammonia::UrlRelative::Deny)
        .attribute_filter(|element, attribute, value| match (element, attribute) {
            ("img", "src") => is_picture(value).then_some(Cow::Borrowed(value)),
            (_, "href") => {
                let is_data =
                    value.trim_start().get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:"));
                (!is_data).then_some(Cow::Borrowed(value))
            }
            _ => Some(Cow::Borrowed(value)),
        })
        .link_rel(Some("noopener noreferrer nofollow"))
        .set_tag_attribute_value("a", "target", "_blank")
        .set_tag_attribute_value("img", "alt", "");
    builder
});

#[cfg(test)]
mod tests {
    use super::{Pictures, to_html};
    use model::{DecideOption, Preview};

    const PNG: &str = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

    fn option(preview: Preview) -> DecideOption {
        DecideOption {
            value: "a".to_owned(),
            label: "A \"<b>\"".to_owned(),
            description: None,
            preview: Some(preview),
            score: None,
            pros: None,
            cons: None,
        }
    }

    fn html(text: &str) -> String {
        to_html(&option(Preview::Text(text.to_owned())), None).unwrap_or_default()
    }

    #[test]
    fn markdown_html_and_drawings() {
        assert_eq!(html("a **b**"), "<p>a <strong>b</strong></p>\n");
        assert_eq!(html("<div class=\"x\"><h3>A</h3><p>b</p></div>"), "<div><h3>A</h3><p>b</p></div>");
        assert!(html("<https://example.com/> is a link").contains("href=\"https://example.com/\""));
        assert_eq!(html("┌──┐\n│ <│\n└──┘\n"), "<pre tabindex=\"0\">┌──┐\n│ &lt;│\n└──┘</pre>");
        assert_eq!(html("\n+----+\n|  a |\n+----+"), "<pre tabindex=\"0\">+----+\n|  a |\n+----+</pre>");
        assert!(html("| a | b |\n|---|---|\n| 1 | 2 |").contains("<td>1</td>"));
        assert!(html("```\n┌\n└\n```").contains("<code>"));
        assert_eq!(to_html(&option(Preview::Text(" \n".to_owned())), None), None);
    }

    #[test]
    fn pictures_are_shown_as_such_and_nothing_else() {
        let shown = to_html(&option(Preview::Picture(PNG.to_owned())), None).unwrap();
        assert_eq!(shown, format!("<img src=\"{PNG}\" alt=\"A &quot;&lt;b&gt;&quot;\">"));
        for hostile in [
            "data:text/html;base64,PHNjcmlwdD4=",
            "data:image/svg+xml;base64,PHN2Zz4=",
            "data:image/png;base64,PHN2ZyBv",
            "data:image/png,x",
            "data:image/png;base64,iVBORw0KGgo=\" onerror=\"x",
        ] {
            assert_eq!(
                to_html(&option(Preview::Picture(hostile.to_owned())), None).unwrap(),
                "",
                "{hostile}"
            );
        }
        // Without the project, its file is named.
        let file = option(Preview::File("a/<b>.png".to_owned()));
        assert_eq!(to_html(&file, None).unwrap(), "<code>a/&lt;b&gt;.png</code>");
        assert_eq!(Pictures::new(None).read("a.png"), None);
    }

    #[test]
    fn nothing_of_an_agent_runs_loads_or_styles() {
        let huge = format!("<div>{}", "<div>".repeat(12_000));
        let picture = format!("<p><img src=\"{PNG}\" onload=alert(1)></p>");
        for hostile in [
            "<div><script>alert(1)</script></div>",
            "<img src=x onerror=alert(1)>",
            "<img src=https://evil.test/x.png>",
            "<img src=data:image/svg+xml;base64,PHN2Zz4=>",
            "<div style=\"position:fixed;inset:0\">x</div>",
            "<style>*{display:none}</style><p>x</p>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<a href=\" JaVaScRiPt:alert(1)\">x</a>",
            "<a href=\"data:text/html,<script>alert(1)</script>\">x</a>",
            "<a href=\"//evil.test\">x</a>",
            "<form action=//evil.test><input name=session><button>x</button></form>",
            "<button formaction=/return>x</button>",
            "<p></fieldset></form><form>",
            "<svg/onload=alert(1)><p>",
            "<math><mi//xlink:href=\"data:x,<script>alert(1)</script>\">",
            "<iframe srcdoc=\"<script>alert(1)</script>\"></iframe>",
            "<div id=decide class=many data-item=1 name=x>x</div>",
            "<meta http-equiv=refresh content=0;url=//evil.test><p>",
            "<!--><script>alert(1)</script>-->",
            "<object data=x></object><embed src=x><base href=//evil.test><link rel=stylesheet href=//evil.test>",
            "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
            &picture,
            &huge,
        ] {
            let html = html(hostile);
            for tag in html.split('<').skip(1) {
                let tag = tag.split('>').next().unwrap_or_default().to_lowercase();
                let name = tag.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
                let is_bad = [
                    "script", "style", "svg", "math", "iframe", "form", "input", "button", "meta", "object",
                    "embed", "base", "link", "fieldset", "noscript", "template",
                ];
                assert!(!is_bad.contains(&name), "{hostile:.80} became {html:.200}");
                for attribute in
                    [" on", "style=", "id=", "class=", "name=", "data-", "javascript:", "//evil", "svg+xml"]
                {
                    assert!(!tag.contains(attribute), "{hostile:.80} became {html:.200}");
                }
                assert!(name != "img" || tag.contains("src=\"data:image/png;base64,"), "{html:.300}");
                assert!(!tag.contains("href=\"data:"), "{html}");
            }
        }
        assert!(html(&picture).contains(PNG));
    }
}

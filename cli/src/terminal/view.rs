//! How the form looks: a frame of lines for a size of the screen.

mod item;

use super::form::{Field, Form, Mode, Notice, Scroll, Viewport};
use super::text::{clip, columns, wrap};
use crate::messages::FormWords;
use model::{DecideItem, DecideOption, ItemKind, is_blank};
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use std::ops::Range;
use store::Excerpt;
use texts::{Lang, PageTexts, fill};

/// The smallest screen that something is drawn on.
const MIN: Size = Size { width: 20, height: 6 };
/// Texts are not read well on longer lines.
const WIDEST: usize = 100;
/// What the last key has met takes so many lines at most.
const NOTICE_LINES: usize = 4;

/// The kind of a piece of text, which decides how it is drawn. No two kinds differ by colour alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tone {
    Plain,
    Strong,
    Faint,
    Accent,
    Good,
    Bad,
    Alert,
}

impl From<Tone> for Style {
    fn from(tone: Tone) -> Self {
        match tone {
            Tone::Plain => Self::new(),
            Tone::Strong => Self::new().add_modifier(Modifier::BOLD),
            Tone::Faint => Self::new().add_modifier(Modifier::DIM),
            Tone::Accent => Self::new().add_modifier(Modifier::BOLD).fg(Color::Cyan),
            Tone::Good => Self::new().fg(Color::Green),
            Tone::Bad => Self::new().fg(Color::Red),
            Tone::Alert => Self::new().add_modifier(Modifier::BOLD).fg(Color::Yellow),
        }
    }
}

/// What is to be seen.
#[derive(Debug)]
pub(crate) struct Frame {
    /// As many as the screen has rows, none wider than it.
    pub(crate) lines: Vec<Line<'static>>,
    /// Where the cursor is, while something is typed.
    pub(crate) cursor: Option<Position>,
    /// Which part of the text is seen.
    pub(crate) viewport: Viewport,
}

/// What stands between the head and the foot.
#[derive(Default)]
struct Body {
    lines: Vec<Line<'static>>,
    /// The lines that the cursor is on.
    focus: Range<usize>,
    /// Column and line of the cursor of the editor.
    cursor: Option<(usize, usize)>,
}

/// Draws forms in one language.
pub(crate) struct View<'e> {
    pub(crate) lang: Lang,
    words: &'static FormWords,
    page: &'static PageTexts,
    /// The lines of the source of each item.
    excerpts: &'e [Option<Excerpt>],
}

impl<'e> View<'e> {
    pub(crate) fn new(lang: Lang, excerpts: &'e [Option<Excerpt>]) -> Self {
        Self { lang, words: FormWords::for_lang(lang), page: lang.page(), excerpts }
    }

    pub(crate) fn draw(&self, form: &Form<'_>, size: Size) -> Frame {
        let (columns, rows) = (usize::from(size.width), usize::from(size.height));
        if size.width < MIN.width || size.height < MIN.height {
            return self.too_small(columns);
        }
        let width = columns.min(WIDEST);
        let body = match form.mode() {
            _ if form.help() => self.help(width),
            Mode::Item => self.item(form, width),
            Mode::Review { row } => self.review(form, row, width),
            Mode::Write(field) => self.editor(form, field, width),
            Mode::SendBack => self.sending_back(form, width),
        };
        let notice = self.notice_lines(form, columns, rows);
        let height = rows - 3 - notice.len().max(1);
        let viewport = viewport(form, &body, height);
        let bottom = (viewport.top + height).min(body.lines.len());
        let mut lines = self.head(form, viewport.top, columns);
        let head = lines.len();
        lines.extend(body.lines[viewport.top..bottom].iter().cloned());
        lines.resize(head + height, Line::default());
        lines.extend(self.foot(form, notice, body.lines.len() - bottom, columns));
        let cursor = body.cursor.and_then(|(column, line)| {
            let row = line.checked_sub(viewport.top).filter(|row| *row < height)?;
            let narrow = |number| u16::try_from(number).unwrap_or(u16::MAX);
            Some(Position::new(narrow(column.min(columns - 1)), narrow(head + row)))
        });
        Frame { lines, cursor, viewport }
    }

    fn too_small(&self, width: usize) -> Frame {
        let lines = vec![Line::from(clip(self.words.too_small, width))];
        Frame { lines, cursor: None, viewport: Viewport::default() }
    }

    /// The task and how far it is, and a rule that says what is above.
    fn head(&self, form: &Form<'_>, above: usize, width: usize) -> Vec<Line<'static>> {
        let input = form.input();
        let progress = match form.progress() {
            (_, 0) => String::new(),
            (done, total) => fill(
                self.page.progress_of(input),
                &[("done", &done.to_string()), ("total", &total.to_string())],
            ),
        };
        let room = width.saturating_sub(columns(&progress) + 2);
        let task = clip(&format!("{} · {}", input.task, input.source), room);
        let gap = " ".repeat(width.saturating_sub(columns(&task) + columns(&progress)));
        let more = if above > 0 {
            fill(self.words.more_above, &[("count", &above.to_string())])
        } else {
            String::new()
        };
        vec![
            Line::from(vec![
                Span::styled(task, Tone::Strong),
                Span::raw(gap),
                Span::styled(progress, Tone::Faint),
            ]),
            rule(&more, width),
        ]
    }

    /// What the last key has met, on as many lines as the screen has for it.
    fn notice_lines(&self, form: &Form<'_>, width: usize, height: usize) -> Vec<Line<'static>> {
        let Some(notice) = form.notice() else { return Vec::new() };
        let text = format!("! {}", self.notice(notice));
        // Something is left to be seen of what it is about.
        let most = NOTICE_LINES.min(height.saturating_sub(5)).max(1);
        let mut lines = wrap(&text, width);
        if lines.len() > most {
            let rest = lines.split_off(most - 1).join(" ");
            lines.push(clip(&rest, width));
        }
        lines.into_iter().map(|line| Span::styled(line, Tone::Alert).into()).collect()
    }

    /// A rule that says what is below, or what the last key has met; and the keys.
    fn foot(
        &self,
        form: &Form<'_>,
        notice: Vec<Line<'static>>,
        below: usize,
        width: usize,
    ) -> Vec<Line<'static>> {
        let mut lines = notice;
        if lines.is_empty() {
            let below = (below > 0).then(|| fill(self.words.more_below, &[("count", &below.to_string())]));
            lines.push(rule(&below.unwrap_or_default(), width));
        }
        let is_open = form.is_open(form.position());
        let hints = match form.mode() {
            _ if form.help() => self.words.help_hints,
            Mode::Item if form.awaits_text() => self.words.text_typing_hints,
            Mode::Item if form.current().kind == ItemKind::Text && is_open => self.words.text_open_hints,
            Mode::Item if form.current().kind == ItemKind::Text => self.words.text_hints,
            Mode::Item if form.enter_attaches() => self.words.file_open_hints,
            Mode::Item if form.current().kind == ItemKind::Files => self.words.file_hints,
            Mode::Item => self.words.item_hints,
            Mode::Review { .. } => self.words.review_hints,
            Mode::Write(Field::Path) => self.words.path_hints,
            Mode::Write(_) => self.words.write_hints,
            Mode::SendBack => self.words.send_back_hints,
        };
        let mut line = Line::default();
        let mut used = 0;
        let recommends = match form.mode() {
            Mode::Item => form.current().recommended().is_some(),
            _ => form.input().items.iter().any(|item| item.recommended().is_some()),
        };
        // What does nothing is not offered.
        let hints = hints.iter().filter(|(key, _)| recommends || !matches!(*key, "r" | "a"));
        for (key, meaning) in hints {
            let gap = if used > 0 { "  " } else { "" };
            let needed = columns(gap) + columns(key) + 1 + columns(meaning);
            if used + needed > width {
                break;
            }
            used += needed;
            line.push_span(Span::styled(format!("{gap}{key}"), Tone::Strong));
            line.push_span(Span::styled(format!(" {meaning}"), Tone::Faint));
        }
        lines.push(line);
        lines
    }

    fn notice(&self, notice: &Notice) -> String {
        let count = |template: &str, count: usize| fill(template, &[("count", &count.to_string())]);
        match notice {
            Notice::NothingChosen => self.words.choose_first.to_owned(),
            Notice::Count { least, most } => {
                fill(self.words.choose_count, &[("range", &range(*least, *most))])
            }
            Notice::NothingRecommended => self.words.nothing_recommended.to_owned(),
            Notice::Taken { count: taken } => count(self.words.taken, *taken),
            Notice::StillOpen { count: open } => count(self.words.still_open, *open),
            Notice::Invalid(problem) => texts::problem(self.lang, problem),
            Notice::NotAttached(words) => words.clone(),
            Notice::Files { least, most } => {
                fill(self.words.choose_files, &[("range", &range(*least, *most))])
            }
            Notice::NoReason => self.words.no_reason.to_owned(),
            Notice::Held => self.words.held.to_owned(),
            Notice::DraftFailed(words) => fill(self.words.draft_failed, &[("words", words)]),
        }
    }

    fn review(&self, form: &Form<'_>, row: usize, width: usize) -> Body {
        let mut body = Body::default();
        body.paragraph(Tone::Strong, "", self.words.review, width);
        body.paragraph(Tone::Faint, "", self.words.review_lead, width);
        body.gap();
        for (position, item) in form.input().items.iter().enumerate() {
            let start = body.lines.len();
            let is_open = form.is_open(position);
            let pointer = if position == row { "›" } else { " " };
            let mark = if is_open { "○" } else { "●" };
            let tone = if position == row { Tone::Accent } else { Tone::Plain };
            let lead = format!("{pointer} {mark} {}. ", position + 1);
            let indent = " ".repeat(columns(&lead));
            body.paragraph(tone, &lead, &clip(&item.title, width * 2), width);
            let answer = self.chosen(form, position);
            let tone = if is_open { Tone::Alert } else { Tone::Strong };
            body.paragraph(tone, &format!("{indent}→ "), &answer, width);
            let note = &form.answer(position).note;
            if !is_blank(note) {
                let note =
                    clip(&fill(self.page.note_of, &[("note", note)]), width.saturating_sub(columns(&indent)));
                body.paragraph(Tone::Faint, &indent, &note, width);
            }
            if position == row {
                body.focus = start..body.lines.len();
            }
        }
        body.gap();
        let is_submit = row == form.input().items.len();
        let (pointer, tone) = if is_submit { ("›", Tone::Accent) } else { (" ", Tone::Plain) };
        if is_submit {
            body.focus = body.lines.len()..body.lines.len() + 1;
        }
        let (done, total) = form.progress();
        let submit = self.page.submit_of(form.input(), done, total);
        body.paragraph(tone, &format!("{pointer} "), &format!("[ {submit} ]"), width);
        body
    }

    /// What was chosen for the item at a position, in words.
    fn chosen(&self, form: &Form<'_>, position: usize) -> String {
        form.chosen(position, self.page, self.words.nothing_chosen)
    }

    fn editor(&self, form: &Form<'_>, field: Field, width: usize) -> Body {
        let mut body = Body::default();
        let label = match field {
            Field::Other if form.current().kind == ItemKind::Text => {
                fill(self.words.text_of_item, &[("title", &form.current().title)])
            }
            Field::Other => fill(self.words.other_of_item, &[("title", &form.current().title)]),
            Field::Path => fill(self.words.path_of_item, &[("title", &form.current().title)]),
            Field::Note => fill(self.words.note_of_item, &[("title", &form.current().title)]),
            Field::Reason => self.words.reason.to_owned(),
        };
        body.paragraph(Tone::Strong, "", &label, width);
        body.gap();
        let start = body.lines.len();
        // The cursor stands behind the last column of a full row.
        let rows = form.editor().rows(width - 1);
        body.lines.extend(rows.rows.into_iter().map(Line::from));
        let line = start + rows.cursor.1;
        body.cursor = Some((rows.cursor.0, line));
        body.focus = line..line + 1;
        body
    }

    fn sending_back(&self, form: &Form<'_>, width: usize) -> Body {
        let mut body = Body::default();
        body.paragraph(Tone::Strong, "", self.words.sending_back, width);
        body.gap();
        body.paragraph(Tone::Plain, "", form.reason(), width);
        body.gap();
        let meant = if form.only_this() {
            fill(self.words.only_this, &[("title", &form.current().title)])
        } else {
            self.words.whole_set.to_owned()
        };
        body.paragraph(Tone::Accent, "› ", &meant, width);
        body
    }

    fn help(&self, width: usize) -> Body {
        let mut body = Body::default();
        body.paragraph(Tone::Strong, "", self.words.keys, width);
        body.gap();
        let (words, page) = (self.words, self.page);
        // What a key does on the page as well is said in the page's words.
        let table = [
            ("j k  ] [  → ←", page.key_next),
            ("↑ ↓", words.help_move),
            ("1-9", page.key_choose),
            (words.help_space, words.help_choose),
            ("Enter", words.help_enter),
            ("r", page.key_recommended),
            ("a", page.key_all),
            ("n", page.key_note),
            ("o", page.key_other),
            ("x", page.key_clear),
            ("d", page.key_defer),
            ("i", page.key_ask_back),
            ("b", words.help_send_back),
            ("s", words.help_source),
            ("c", words.help_review),
            ("PgUp PgDn", words.help_scroll),
            ("Esc  q", words.help_leave),
        ];
        let widest = table.iter().map(|(keys, _)| columns(keys)).max().unwrap_or_default();
        for (keys, meaning) in table {
            let keys = format!("{keys}{}  ", " ".repeat(widest - columns(keys)));
            body.paragraph(Tone::Plain, &keys, meaning, width);
        }
        body
    }
}

impl Body {
    /// `lead`, and beside it `text` on as many lines as it takes.
    fn paragraph(&mut self, tone: Tone, lead: &str, text: &str, width: usize) {
        let indent = columns(lead);
        let mut lines = wrap(text, width.saturating_sub(indent));
        if lines.is_empty() {
            lines.push(String::new());
        }
        for (index, line) in lines.into_iter().enumerate() {
            let lead = if index == 0 { lead.to_owned() } else { " ".repeat(indent) };
            self.lines.push(Span::styled(lead + &line, tone).into());
        }
    }

    fn gap(&mut self) {
        self.lines.push(Line::default());
    }

    fn gap_if(&mut self, wanted: bool) {
        if wanted {
            self.gap();
        }
    }
}

/// Which of how many questions it is.
pub(super) fn position(words: &FormWords, form: &Form<'_>, position: usize) -> String {
    let (number, total) = ((position + 1).to_string(), form.input().items.len().to_string());
    fill(words.position, &[("number", &number), ("total", &total)])
}

/// How many answers an item takes, unless it is one as usual.
pub(super) fn how_to_choose(lang: Lang, item: &DecideItem) -> Option<String> {
    let page = lang.page();
    let (least, most) = item.bounds();
    let files = (item.kind == ItemKind::Files).then(|| lang.files().asked(item));
    let several = item.multiple.then(|| fill(page.several, &[("range", &range(least, most))]));
    let optional = (!item.required).then(|| page.optional.to_owned());
    let hints: Vec<_> = [files, several, optional].into_iter().flatten().collect();
    (!hints.is_empty()).then(|| hints.join(page.separator))
}

/// `2`, or `1–3`.
pub(super) fn range(least: usize, most: usize) -> String {
    if least == most { least.to_string() } else { format!("{least}–{most}") }
}

/// The longer explanation of an option, if it says anything.
pub(super) fn described(option: &DecideOption) -> Option<&str> {
    option.description.as_deref().map(str::trim).filter(|description| !is_blank(description))
}

/// Which lines are seen: those that were asked for, or where the cursor is.
fn viewport(form: &Form<'_>, body: &Body, height: usize) -> Viewport {
    let length = body.lines.len();
    let last = length.saturating_sub(height);
    let top = match form.scroll() {
        // What is typed is seen in any case.
        _ if body.cursor.is_some() => follow(form.viewport().top, &body.focus, height),
        Scroll::Top => 0,
        Scroll::At(top) => top,
        Scroll::Follow => follow(form.viewport().top, &body.focus, height),
    };
    Viewport { top: top.min(last), height, length }
}

/// The nearest place to `top` that shows `focus`, its beginning when it is larger than the screen; the very top where
/// that shows it.
fn follow(top: usize, focus: &Range<usize>, height: usize) -> usize {
    if focus.end <= height {
        return 0;
    }
    top.max(focus.end - height).min(focus.start)
}

fn rule(text: &str, width: usize) -> Line<'static> {
    let text = if text.is_empty() {
        String::new()
    } else {
        format!("── {} ", clip(text, width.saturating_sub(4)))
    };
    let rest = "─".repeat(width.saturating_sub(columns(&text)));
    Span::styled(text + &rest, Tone::Faint).into()
}

#[cfg(test)]
mod tests;

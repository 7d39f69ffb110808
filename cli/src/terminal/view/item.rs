//! The view of one item: its heading, its source, and its options or input.

use super::super::form::Form;
use super::super::text::columns;
use super::{Body, Tone, View, described, how_to_choose, position};
use model::{DecideItem, DecideOption, ItemKind, is_blank};
use texts::fill;

/// So many lines of the source are shown at first.
const SOURCE_LINES: usize = 8;

impl View<'_> {
    pub(super) fn item(&self, form: &Form<'_>, width: usize) -> Body {
        let item = form.current();
        let mut body = Body::default();
        self.heading(&mut body, form, width);
        self.source(&mut body, form, width);
        for (index, option) in item.options.iter().enumerate() {
            body.gap_if(index == 0 || is_explained(item));
            let start = body.lines.len();
            self.option(&mut body, form, (index, option), width);
            if index == form.row() {
                body.focus = start..body.lines.len();
            }
        }
        if item.kind == ItemKind::Files {
            self.files(&mut body, form, width);
        } else if item.kind == ItemKind::Text {
            self.text_field(&mut body, form, width);
        } else if item.allow_other {
            self.other(&mut body, form, width);
        }
        let note = &form.answer(form.position()).note;
        if !is_blank(note) {
            body.gap();
            body.paragraph(Tone::Plain, "", &fill(self.page.note_of, &[("note", note)]), width);
        }
        body
    }

    /// The number and title of the item, how to answer it, and its context.
    fn heading(&self, body: &mut Body, form: &Form<'_>, width: usize) {
        let item = form.current();
        body.paragraph(Tone::Faint, "", &position(self.words, form, form.position()), width);
        body.paragraph(Tone::Strong, "", &item.title, width);
        if let Some(hint) = how_to_choose(self.lang, item) {
            body.paragraph(Tone::Faint, "", &hint, width);
        }
        if let Some(context) = item.context.as_deref().filter(|context| !is_blank(context)) {
            body.gap();
            body.paragraph(Tone::Plain, "", &app::markdown_to_text(context.trim_end()), width);
        }
    }

    fn option(
        &self,
        body: &mut Body,
        form: &Form<'_>,
        (index, option): (usize, &DecideOption),
        width: usize,
    ) {
        let mut label = option.label.clone();
        if let Some(score) = option.score {
            label.push_str("  ");
            label.push_str(&fill(self.page.score, &[("score", &score.to_string())]));
        }
        if form.current().recommend.as_deref() == Some(&*option.value) {
            label.push_str(&format!("  ★ {}", self.page.recommended));
        }
        let indent = choice(body, form, index, &label, width);
        if let Some(description) = described(option) {
            body.paragraph(Tone::Plain, &indent, description, width);
        }
        if let Some(preview) = self.page.preview(option) {
            body.paragraph(Tone::Faint, &indent, &preview, width);
        }
        for (tone, mark, arguments) in [(Tone::Good, "+", &option.pros), (Tone::Bad, "−", &option.cons)] {
            for argument in arguments.iter().flatten() {
                body.paragraph(tone, &format!("{indent}{mark} "), argument, width);
            }
        }
    }

    /// The attached files, and the row that adds one.
    fn files(&self, body: &mut Body, form: &Form<'_>, width: usize) {
        body.gap();
        let files = form.files(form.position()).iter();
        let rows = files.map(|file| format!("{} ({})", file.name, texts::size(file.size)));
        let is_answer = form.is_chosen(0);
        for (row, label) in rows.chain([self.words.add_file.to_owned()]).enumerate() {
            let (is_focus, is_last) = (row == form.row(), row == form.files(form.position()).len());
            let pointer = if is_focus { "›" } else { " " };
            let mark = if is_last {
                "+"
            } else if is_answer {
                "●"
            } else {
                "○"
            };
            let tone = match (is_focus, is_last || !is_answer) {
                (true, _) => Tone::Accent,
                (false, false) => Tone::Strong,
                (false, true) => Tone::Plain,
            };
            let start = body.lines.len();
            body.paragraph(tone, &format!("{pointer} {mark} "), &label, width);
            if is_focus {
                body.focus = start..body.lines.len();
            }
        }
    }

    /// The text of the answer, or a placeholder.
    fn text_field(&self, body: &mut Body, form: &Form<'_>, width: usize) {
        body.gap();
        let start = body.lines.len();
        let (tone, text) = match form.answer(form.position()).other.as_str() {
            other if is_blank(other) && form.awaits_text() => {
                (Tone::Faint, self.words.text_typing.to_owned())
            }
            other if is_blank(other) && form.is_open(form.position()) => {
                (Tone::Faint, self.words.text_empty.to_owned())
            }
            other if is_blank(other) => (Tone::Faint, self.words.text_optional.to_owned()),
            other => (Tone::Strong, format!("{} {other}", self.page.answered)),
        };
        body.paragraph(tone, "› ", &text, width);
        body.focus = start..body.lines.len();
    }

    /// The row for the person's own words, behind the options.
    fn other(&self, body: &mut Body, form: &Form<'_>, width: usize) {
        let item = form.current();
        body.gap_if(is_explained(item));
        let start = body.lines.len();
        let label = match form.answer(form.position()).other.as_str() {
            other if is_blank(other) => self.page.other.to_owned(),
            other => format!("{}: {other}", self.page.other),
        };
        choice(body, form, item.options.len(), &label, width);
        if item.options.len() == form.row() {
            body.focus = start..body.lines.len();
        }
    }

    fn source(&self, body: &mut Body, form: &Form<'_>, width: usize) {
        let Some(location) = &form.current().location else { return };
        body.gap();
        let (start, end) = (location.start.to_string(), location.end.to_string());
        let values = [("file", &*location.file), ("start", &start), ("end", &end)];
        body.paragraph(Tone::Faint, "", &fill(self.page.location, &values), width);
        let Some(excerpt) = self.excerpts.get(form.position()).and_then(Option::as_ref) else { return };
        let shown =
            if form.whole_source() { excerpt.lines.len() } else { excerpt.lines.len().min(SOURCE_LINES) };
        let last = excerpt.first_line + u64::try_from(shown).unwrap_or_default();
        let digits = last.to_string().len();
        for (number, line) in (excerpt.first_line..).zip(&excerpt.lines[..shown]) {
            body.paragraph(Tone::Faint, &format!("{number:>digits$} │ "), line, width);
        }
        let left = excerpt.lines.len() - shown;
        if left > 0 {
            body.paragraph(
                Tone::Faint,
                "",
                &fill(self.words.more_source, &[("count", &left.to_string())]),
                width,
            );
        } else if excerpt.omitted > 0 {
            let count = excerpt.omitted.to_string();
            body.paragraph(Tone::Faint, "", &fill(self.page.omitted_lines, &[("count", &count)]), width);
        }
    }
}

/// One choice of the current item; gives the indent of what belongs to it.
fn choice(body: &mut Body, form: &Form<'_>, row: usize, label: &str, width: usize) -> String {
    let (is_focus, is_chosen) = (row == form.row(), form.is_chosen(row));
    let item = form.current();
    let mark = match (item.multiple || item.kind == ItemKind::Confirm, is_chosen) {
        (false, false) => "( )",
        (false, true) => "(•)",
        (true, false) => "[ ]",
        (true, true) => "[x]",
    };
    let pointer = if is_focus { "›" } else { " " };
    let lead = format!("{pointer} {mark} {}  ", row + 1);
    let tone = match (is_focus, is_chosen) {
        (true, _) => Tone::Accent,
        (false, true) => Tone::Strong,
        (false, false) => Tone::Plain,
    };
    body.paragraph(tone, &lead, label, width);
    " ".repeat(columns(&lead))
}

/// Whether more is said of an option than its label.
fn is_explained(item: &DecideItem) -> bool {
    let any =
        |arguments: &Option<Vec<String>>| arguments.as_ref().is_some_and(|arguments| !arguments.is_empty());
    item.options.iter().any(|option| {
        any(&option.pros) || any(&option.cons) || described(option).is_some() || option.preview.is_some()
    })
}

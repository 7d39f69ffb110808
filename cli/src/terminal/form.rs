//! What is on the screen and how it changes, without a screen.

mod keys;

pub(crate) use keys::{Effect, Key};

use super::editor::Editor;
use model::{
    Answer, AnswerSheet, Attachment, Attachments, DecideInput, DecideItem, ItemKind, Problem, is_blank,
};
use texts::PageTexts;

/// Where the person is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// At an item.
    Item,
    /// At the list of all answers; the row after the last item submits.
    Review { row: usize },
    /// Typing.
    Write(Field),
    /// About to send the questions back.
    SendBack,
}

/// What is being typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    Note,
    /// An answer of the person's own.
    Other,
    /// The path of a file.
    Path,
    Reason,
}

/// The message that is shown until the next key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Notice {
    /// The item cannot be gone on from with Enter.
    NothingChosen,
    /// The item takes this many answers, at least and at most.
    Count {
        least: usize,
        most: usize,
    },
    NothingRecommended,
    Taken {
        count: usize,
    },
    StillOpen {
        count: usize,
    },
    Invalid(Problem),
    /// Why a file was not attached.
    NotAttached(String),
    /// So many files are needed, at least and at most.
    Files {
        least: usize,
        most: usize,
    },
    /// A reason is missing.
    NoReason,
    /// The key may be held down, and what it does is done once.
    Held,
    /// The words of who could not keep the draft.
    DraftFailed(String),
}

/// Which lines of a text too long for the screen are seen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Viewport {
    /// The first line.
    pub(crate) top: usize,
    /// How many.
    pub(crate) height: usize,
    /// Of how many.
    pub(crate) length: usize,
}

/// How the viewport is found for the next frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scroll {
    /// From the beginning.
    Top,
    /// So that what the cursor is on is seen, moving no further than needed.
    Follow,
    /// From this line on.
    At(usize),
}

/// The answers on their way.
#[derive(Debug)]
pub(crate) struct Form<'q> {
    input: &'q DecideInput,
    /// One per item, in their order.
    answers: Vec<Answer>,
    attached: Attachments,
    /// Which of them were changed here.
    touched: Vec<bool>,
    /// Something was changed that is not kept yet.
    changed: bool,
    /// The current item.
    item: usize,
    /// The option of it that the cursor is on.
    row: usize,
    mode: Mode,
    /// The item was opened from the review, and Enter leads back there.
    from_review: bool,
    /// The field of the current question was left: what is typed now are commands.
    takes_commands: bool,
    editor: Editor,
    reason: String,
    /// Only the current item is sent back for, not the whole set.
    only_this: bool,
    help: bool,
    /// All lines of the source are shown.
    whole_source: bool,
    notice: Option<Notice>,
    scroll: Scroll,
    viewport: Viewport,
}

impl<'q> Form<'q> {
    /// Begins at the first item that `draft` leaves open; at the review when it leaves none.
    pub(crate) fn new(input: &'q DecideInput, draft: &AnswerSheet) -> Self {
        let answer = |item: &DecideItem| draft.get(item.id).cloned().unwrap_or_else(|| blank(item.id));
        let mut form = Self {
            input,
            answers: input.items.iter().map(answer).collect(),
            attached: Attachments::new(),
            touched: vec![false; input.items.len()],
            changed: false,
            item: 0,
            row: 0,
            mode: Mode::Item,
            from_review: false,
            takes_commands: false,
            editor: Editor::default(),
            reason: String::new(),
            only_this: false,
            help: false,
            whole_source: false,
            notice: None,
            scroll: Scroll::Top,
            viewport: Viewport::default(),
        };
        match form.first_open() {
            Some(item) => form.show(item),
            None => form.review(),
        }
        form
    }

    pub(crate) fn input(&self) -> &'q DecideInput {
        self.input
    }

    pub(crate) fn mode(&self) -> Mode {
        self.mode
    }

    /// The current item's position.
    pub(crate) fn position(&self) -> usize {
        self.item
    }

    /// The option that the cursor is on.
    pub(crate) fn row(&self) -> usize {
        self.row
    }

    pub(crate) fn editor(&self) -> &Editor {
        &self.editor
    }

    pub(crate) fn reason(&self) -> &str {
        &self.reason
    }

    pub(crate) fn only_this(&self) -> bool {
        self.only_this
    }

    pub(crate) fn help(&self) -> bool {
        self.help
    }

    pub(crate) fn whole_source(&self) -> bool {
        self.whole_source
    }

    pub(crate) fn notice(&self) -> Option<&Notice> {
        self.notice.as_ref()
    }

    pub(crate) fn scroll(&self) -> Scroll {
        self.scroll
    }

    pub(crate) fn viewport(&self) -> Viewport {
        self.viewport
    }

    /// The current item.
    pub(crate) fn current(&self) -> &'q DecideItem {
        &self.input.items[self.item]
    }

    /// What was given for the item at a position.
    pub(crate) fn answer(&self, position: usize) -> &Answer {
        &self.answers[position]
    }

    /// What is attached to the questions now. Whatever has changed of the current item is its answer, where it can be.
    pub(crate) fn attach(&mut self, attached: Attachments) {
        let before = std::mem::replace(&mut self.attached, attached);
        for (position, item) in
            self.input.items.iter().enumerate().filter(|(_, item)| item.kind == ItemKind::Files)
        {
            if before.get(&item.id) == self.attached.get(&item.id) {
                continue;
            }
            let (least, most) = item.file_bounds();
            let is_answer = (least..=most).contains(&self.files(position).len());
            self.choose(position, if is_answer { vec![0] } else { Vec::new() }, None);
        }
        if self.mode == Mode::Write(Field::Path) {
            self.mode = Mode::Item;
        }
        self.move_to(self.files(self.item).len().min(self.last_row()));
    }

    /// What is attached from the beginning; whether it is the answer is said by the draft.
    pub(crate) fn with_attached(mut self, attached: Attachments) -> Self {
        self.attached = attached;
        self
    }

    /// What is attached to the item at a position.
    pub(crate) fn files(&self, position: usize) -> &[Attachment] {
        self.attached.get(&self.input.items[position].id).map(Vec::as_slice).unwrap_or_default()
    }

    /// All that is attached.
    pub(crate) fn attached(&self) -> &Attachments {
        &self.attached
    }

    /// A file was not attached, for this reason.
    pub(crate) fn not_attached(&mut self, words: String) {
        self.notice = Some(Notice::NotAttached(words));
    }

    /// How many of the items that need an answer have one, and how many there are.
    pub(crate) fn progress(&self) -> (usize, usize) {
        let needed = |position: &usize| self.input.items[*position].needs_choice();
        let needed: Vec<_> = (0..self.input.items.len()).filter(needed).collect();
        (needed.iter().filter(|position| !self.is_open(**position)).count(), needed.len())
    }

    /// Whether the item at a position needs an answer and has none. Own words that were chosen and not written are none.
    pub(crate) fn is_open(&self, position: usize) -> bool {
        self.answers[position].leaves_open(&self.input.items[position]) || self.lacks_words(position)
    }

    /// Whether own words are chosen, and none are written.
    fn lacks_words(&self, position: usize) -> bool {
        let (item, answer) = (&self.input.items[position], &self.answers[position]);
        is_blank(&answer.other)
            && item.other_position().is_some_and(|other| answer.choices(item).contains(&other))
    }

    fn count_open(&self) -> usize {
        (0..self.answers.len()).filter(|position| self.is_open(*position)).count()
    }

    /// Whether Enter begins the path of a file at the current item.
    pub(crate) fn enter_attaches(&self) -> bool {
        let (item, files) = (self.current(), self.files(self.item));
        let (least, most) = item.file_bounds();
        let is_complete = (least..=most).contains(&files.len());
        let is_at_end = files.is_empty() || self.row == files.len();
        item.kind == ItemKind::Files && self.is_open(self.item) && !is_complete && is_at_end
    }

    /// All that was given.
    pub(crate) fn sheet(&self) -> AnswerSheet {
        let answers = self.answers.iter().filter(|answer| !answer.is_empty()).cloned().collect();
        AnswerSheet { answers, ..AnswerSheet::default() }
    }

    /// What was changed here, also what was cleared: another door may be open at the same time, and what was given there
    /// is not to be lost.
    pub(crate) fn changes(&self) -> AnswerSheet {
        let changed = self.answers.iter().zip(&self.touched).filter(|(_, touched)| **touched);
        AnswerSheet { answers: changed.map(|(answer, _)| answer.clone()).collect(), returned: None }
    }

    /// Whether something was changed that is not kept yet.
    pub(crate) fn has_changed(&self) -> bool {
        self.changed
    }

    /// All changes are kept.
    pub(crate) fn kept(&mut self) {
        self.changed = false;
    }

    /// Whether an option of the current item is chosen.
    pub(crate) fn is_chosen(&self, row: usize) -> bool {
        let chosen = self.answers[self.item].choices(self.current());
        chosen.iter().any(|option| usize::try_from(*option) == Ok(row))
    }

    /// Chooses exactly these options of the item at a position; `other` replaces the person's own words.
    pub(crate) fn choose(&mut self, position: usize, options: Vec<u32>, other: Option<String>) {
        self.change(position, |answer| {
            answer.options = options;
            if let Some(other) = other {
                answer.other = other;
            }
        });
    }

    /// Notes something on the item at a position.
    pub(crate) fn note(&mut self, position: usize, note: String) {
        self.change(position, |answer| answer.note = note);
    }

    /// What is chosen of the item at a position, as a person reads it; words of their own are introduced by `other`.
    fn chosen_labels(&self, position: usize, other: &str) -> Vec<String> {
        let (item, answer) = (&self.input.items[position], &self.answers[position]);
        let option = |chosen: u32| item.options.get(usize::try_from(chosen).ok()?);
        let label = |chosen: &u32| match option(*chosen) {
            Some(option) => option.label.clone(),
            None if item.kind == ItemKind::Text => answer.other.clone(),
            None if item.kind == ItemKind::Files => {
                let names: Vec<_> = self.files(position).iter().map(|file| file.name.as_str()).collect();
                names.join(" · ")
            }
            None => format!("{other}: {}", answer.other),
        };
        answer.choices(item).iter().map(label).collect()
    }

    /// The same on one line; `nothing` where nothing is chosen.
    pub(crate) fn chosen(&self, position: usize, page: &PageTexts, nothing: &str) -> String {
        let labels = self.chosen_labels(position, page.other);
        if labels.is_empty() { nothing.to_owned() } else { labels.join(page.separator) }
    }

    /// A draft could not be kept.
    pub(crate) fn draft_failed(&mut self, words: String) {
        self.notice = Some(Notice::DraftFailed(words));
    }

    /// What was seen of a text that may be too long for the screen.
    pub(crate) fn drawn(&mut self, viewport: Viewport) {
        self.viewport = viewport;
    }

    /// Whether what is typed at the current item is the beginning of its answer: it asks for a text and has none, and the person
    /// has not left its field.
    pub(crate) fn awaits_text(&self) -> bool {
        let is_empty = is_blank(&self.answers[self.item].other);
        self.mode == Mode::Item && self.current().kind == ItemKind::Text && is_empty && !self.takes_commands
    }

    /// Shows the item at a position, with the cursor on what is chosen.
    fn show(&mut self, position: usize) {
        self.item = position.min(self.input.items.len() - 1);
        let chosen = self.answers[self.item].choices(self.current()).first().copied();
        let row = chosen.and_then(|option| usize::try_from(option).ok()).unwrap_or_default();
        self.row = row.min(self.last_row());
        self.mode = Mode::Item;
        self.from_review = false;
        self.takes_commands = false;
        self.scroll = Scroll::Top;
    }

    fn next(&mut self) {
        if self.item + 1 < self.input.items.len() { self.show(self.item + 1) } else { self.review() }
    }

    /// The last row that the cursor can be on.
    fn last_row(&self) -> usize {
        match self.current().kind {
            ItemKind::Files => self.files(self.item).len(),
            _ => self.current().choices() - 1,
        }
    }

    fn move_to(&mut self, row: usize) {
        self.row = row;
        self.scroll = Scroll::Follow;
    }

    /// Chooses an option; one that is confirmed or may be chosen together with others, chooses it or no longer.
    fn pick(&mut self, row: usize) {
        self.move_to(row);
        let is_chosen = self.is_chosen(row);
        if self.other_row() == Some(row) && !(self.current().multiple && is_chosen) {
            self.pick_other(row);
        } else {
            self.toggle(row, is_chosen);
        }
    }

    /// Chooses the person's own words, to be written now.
    fn pick_other(&mut self, row: usize) {
        self.move_to(row);
        if self.is_chosen(row) || self.toggle(row, false) {
            self.write(Field::Other);
        }
    }

    /// False when that would be too many.
    fn toggle(&mut self, row: usize, is_chosen: bool) -> bool {
        let Ok(option) = u32::try_from(row) else { return false };
        let item = self.current();
        let mut options =
            if item.multiple { self.answers[self.item].choices(item).into_owned() } else { Vec::new() };
        if is_chosen && (item.multiple || item.kind == ItemKind::Confirm) {
            options.retain(|chosen| *chosen != option);
        } else {
            options.push(option);
            options.sort_unstable();
        }
        let (least, most) = item.bounds();
        if options.len() > most {
            self.notice = Some(Notice::Count { least, most });
            return false;
        }
        // Words that stay where nothing else is chosen would still be the answer.
        let other = (options.is_empty()).then(String::new);
        self.choose(self.item, options, other);
        true
    }

    /// Where the person's own words stand, where they are allowed.
    fn other_row(&self) -> Option<usize> {
        self.current().other_position().and_then(|option| usize::try_from(option).ok())
    }

    fn why_open(&self) -> Notice {
        let (least, most) = self.current().bounds();
        if self.current().multiple { Notice::Count { least, most } } else { Notice::NothingChosen }
    }

    /// Shows all answers, with the cursor on the first open one, or on what submits.
    fn review(&mut self) {
        self.mode = Mode::Review { row: self.first_open().unwrap_or(self.input.items.len()) };
        self.scroll = Scroll::Follow;
    }

    /// The position of the first item that needs an answer and has none.
    pub(crate) fn first_open(&self) -> Option<usize> {
        (0..self.answers.len()).find(|position| self.is_open(*position))
    }

    /// Chooses the recommended option of every open item, and shows the result.
    pub(crate) fn take_recommendations(&mut self) {
        let mut sheet = self.sheet();
        sheet.take_recommendations(self.input);
        let mut count = 0;
        for position in 0..self.answers.len() {
            let id = self.answers[position].id;
            if let Some(answer) = sheet.get(id).cloned()
                && answer != self.answers[position]
            {
                self.change(position, |present| *present = answer);
                count += 1;
            }
        }
        self.review();
        self.notice = Some(if count > 0 { Notice::Taken { count } } else { Notice::NothingRecommended });
    }

    fn submit(&mut self) -> Effect {
        match self.sheet().decide(self.input, &self.attached) {
            Ok(output) => Effect::Submit(output),
            Err(problems) => {
                self.review();
                let open = self.count_open();
                self.notice = match problems.into_iter().next() {
                    Some(problem) if open == 0 => Some(Notice::Invalid(problem)),
                    _ => Some(Notice::StillOpen { count: open }),
                };
                Effect::None
            }
        }
    }

    /// Takes back what is chosen of the current item.
    fn clear(&mut self) {
        self.choose(self.item, Vec::new(), Some(String::new()));
    }

    /// Asks why the questions are sent back: for the current item alone, or for the whole set.
    fn explain(&mut self, only_this: bool) {
        self.only_this = only_this;
        self.write(Field::Reason);
    }

    fn write(&mut self, field: Field) {
        self.editor = Editor::new(match field {
            Field::Note => &self.answers[self.item].note,
            Field::Other => &self.answers[self.item].other,
            Field::Path => "",
            Field::Reason => &self.reason,
        });
        self.mode = Mode::Write(field);
    }

    /// Takes over what stands in the editor.
    fn keep_typed(&mut self) {
        let text = self.editor.text().to_owned();
        match self.mode {
            Mode::Write(Field::Note) if self.answers[self.item].note != text => {
                self.change(self.item, |answer| answer.note = text);
            }
            Mode::Write(Field::Other) if self.answers[self.item].other != text => {
                self.change(self.item, |answer| answer.other = text);
            }
            Mode::Write(Field::Reason) => self.reason = text,
            _ => {}
        }
    }

    fn change(&mut self, position: usize, change: impl FnOnce(&mut Answer)) {
        change(&mut self.answers[position]);
        self.touched[position] = true;
        self.changed = true;
    }
}

fn blank(id: u64) -> Answer {
    Answer { id, ..Answer::default() }
}

#[cfg(test)]
mod tests;

//! What is on the screen and what each key does to it, without a screen.

use super::editor::Editor;
use model::{
    Answer, AnswerSheet, Attachment, Attachments, DecideInput, DecideItem, DecideOutput, ItemKind, Problem,
    Returned, is_blank,
};
use texts::PageTexts;

/// One press of a key, or a paste.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    Char(char),
    /// A letter with Ctrl.
    Control(char),
    Enter,
    Escape,
    Tab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
    Paste(String),
}

/// What a key asks for beyond what is seen.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    None,
    /// The answers are complete and sent.
    Submit(DecideOutput),
    /// The file at this path is to be attached to the item of this id.
    Attach(u64, String),
    /// The file of this name is to be taken away from it.
    Detach(u64, String),
    /// The questions are sent back.
    SendBack(Returned),
    /// Stop for now.
    Leave,
    /// Ctrl-C.
    Interrupt,
}

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

    /// Whether a key submits, chooses or clears something here: held down, it does so once.
    pub(crate) fn acts_once(&self, key: &Key) -> bool {
        match self.mode {
            Mode::Review { row } => *key == Key::Enter && row == self.input.items.len(),
            Mode::SendBack => matches!(key, Key::Enter | Key::Tab | Key::Char(' ')),
            Mode::Item if self.awaits_text() => false,
            Mode::Item => matches!(key, Key::Char('x' | 'd' | ' ' | '1'..='9')),
            Mode::Write(_) => false,
        }
    }

    /// A key that acts once came again as if it was held down.
    pub(crate) fn held(&mut self) {
        self.notice = Some(Notice::Held);
    }

    /// Does what `key` asks for.
    pub(crate) fn key(&mut self, key: Key) -> Effect {
        self.notice = None;
        if key == Key::Control('c') {
            self.keep_typed();
            return Effect::Interrupt;
        }
        if self.help {
            // Whatever closes it does nothing else: who reads the keys does not mean one of them yet.
            self.help = false;
            self.scroll = Scroll::Top;
            return Effect::None;
        }
        let is_typing = matches!(self.mode, Mode::Write(_));
        if !is_typing && self.key_anywhere(&key) {
            return Effect::None;
        }
        match self.mode {
            Mode::Write(field) => self.key_of_editor(field, key),
            Mode::Item => self.key_of_item(&key),
            Mode::Review { row } => self.key_of_review(row, &key),
            Mode::SendBack => self.key_of_sending_back(&key),
        }
    }

    /// Keys that do the same wherever nothing is typed; false for any other.
    fn key_anywhere(&mut self, key: &Key) -> bool {
        let Viewport { top, height, length } = self.viewport;
        let page = height.saturating_sub(1).max(1);
        match key {
            Key::PageDown => self.scroll = Scroll::At((top + page).min(length.saturating_sub(height))),
            Key::PageUp => self.scroll = Scroll::At(top.saturating_sub(page)),
            Key::Char('?') => {
                self.help = true;
                self.scroll = Scroll::Top;
            }
            _ => return false,
        }
        true
    }

    /// Whether what is typed at the current item is the beginning of its answer: it asks for a text and has none, and the person
    /// has not left its field.
    pub(crate) fn awaits_text(&self) -> bool {
        let is_empty = is_blank(&self.answers[self.item].other);
        self.mode == Mode::Item && self.current().kind == ItemKind::Text && is_empty && !self.takes_commands
    }

    fn key_of_item(&mut self, key: &Key) -> Effect {
        let last_row = self.last_row();
        if self.awaits_text() {
            match key {
                Key::Char('!'..) | Key::Paste(_) => {
                    self.pick(0);
                    return self.key_of_editor(Field::Other, key.clone());
                }
                Key::Escape => {
                    self.takes_commands = true;
                    return Effect::None;
                }
                _ => {}
            }
        }
        if self.current().kind == ItemKind::Files
            && let Some(effect) = self.key_of_files(key)
        {
            return effect;
        }
        match key {
            Key::Up => self.move_to(self.row.saturating_sub(1)),
            Key::Down => self.move_to((self.row + 1).min(last_row)),
            Key::Home => self.move_to(0),
            Key::End => self.move_to(last_row),
            Key::Char(' ') => self.pick(self.row),
            Key::Char(digit @ '1'..='9') => {
                let row = usize::from(*digit as u8 - b'1');
                if row <= last_row {
                    self.pick(row);
                }
            }
            Key::Enter if self.is_open(self.item) && self.current().kind == ItemKind::Text => self.pick(0),
            Key::Enter if self.lacks_words(self.item) => self.write(Field::Other),
            Key::Enter if self.is_open(self.item) => self.notice = Some(self.why_open()),
            Key::Enter if self.from_review => self.review(),
            Key::Enter | Key::Right | Key::Tab | Key::Char('j' | 'l' | ']') => self.next(),
            Key::Left | Key::Char('k' | 'h' | '[') => self.show(self.item.saturating_sub(1)),
            Key::Char('r') => match self.current().recommended() {
                Some(option) => {
                    let row = usize::try_from(option).unwrap_or_default();
                    // Of several, it is not to be taken away again.
                    if self.is_chosen(row) { self.move_to(row) } else { self.pick(row) }
                }
                None => self.notice = Some(Notice::NothingRecommended),
            },
            Key::Char('x') => self.clear(),
            // Later, or never where that is allowed.
            Key::Char('d') => {
                self.clear();
                self.next();
            }
            Key::Char('s') => self.whole_source = !self.whole_source,
            Key::Char('a') => self.take_recommendations(),
            Key::Char('n') => self.write(Field::Note),
            Key::Char('o') => match self.other_row() {
                Some(row) => self.pick_other(row),
                // What is typed next is meant for a field.
                None => self.write(Field::Note),
            },
            Key::Char('c') => self.review(),
            Key::Char(key @ ('i' | 'b')) => self.explain(*key == 'i'),
            Key::Char('q') | Key::Escape => return Effect::Leave,
            _ => {}
        }
        Effect::None
    }

    /// Keys that mean something else where files are asked for; `None` for any other. The row after the last file adds one.
    fn key_of_files(&mut self, key: &Key) -> Option<Effect> {
        let item = self.current();
        let files = self.files(self.item);
        let (least, most) = item.file_bounds();
        match key {
            // What is there was taken back as the answer, and is it again.
            Key::Enter if self.is_open(self.item) && (least..=most).contains(&files.len()) => {
                self.choose(self.item, vec![0], None);
            }
            Key::Char(' ' | 'o') => self.write(Field::Path),
            Key::Enter if self.enter_attaches() => self.write(Field::Path),
            Key::Enter if self.is_open(self.item) => self.notice = Some(Notice::Files { least, most }),
            Key::Char('1'..='9' | 'r') => {}
            Key::Char('x') => {
                return files.get(self.row).map(|file| Effect::Detach(item.id, file.name.clone()));
            }
            _ => return None,
        }
        Some(Effect::None)
    }

    fn key_of_review(&mut self, row: usize, key: &Key) -> Effect {
        let submit = self.input.items.len();
        let move_to = |row: usize| Mode::Review { row: row.min(submit) };
        match key {
            Key::Up | Key::Char('k') => self.mode = move_to(row.saturating_sub(1)),
            Key::Down | Key::Char('j') => self.mode = move_to(row + 1),
            Key::Home => self.mode = move_to(0),
            Key::End => self.mode = move_to(submit),
            Key::Enter if row < submit => {
                self.show(row);
                self.from_review = true;
                return Effect::None;
            }
            Key::Enter => return self.submit(),
            Key::Left | Key::Char('[' | 'h') => {
                self.show(submit - 1);
                return Effect::None;
            }
            Key::Char('a') => {
                self.take_recommendations();
                return Effect::None;
            }
            Key::Char('i') if row < submit => {
                self.item = row;
                self.explain(true);
                return Effect::None;
            }
            Key::Char('b') => {
                self.explain(false);
                return Effect::None;
            }
            Key::Char('q') | Key::Escape => return Effect::Leave,
            _ => return Effect::None,
        }
        self.scroll = Scroll::Follow;
        Effect::None
    }

    fn key_of_editor(&mut self, field: Field, key: Key) -> Effect {
        match key {
            Key::Enter if field == Field::Path => {
                let path = self.editor.text().trim().to_owned();
                if path.is_empty() {
                    self.mode = Mode::Item;
                    return Effect::None;
                }
                return Effect::Attach(self.current().id, path);
            }
            Key::Escape => {
                self.keep_typed();
                if field == Field::Other && is_blank(self.editor.text()) {
                    // Nothing is no answer.
                    let other = self.current().other_position();
                    self.change(self.item, |answer| answer.options.retain(|option| Some(*option) != other));
                }
                self.scroll = Scroll::Follow;
                self.takes_commands = true;
                self.mode = match field {
                    Field::Note | Field::Other | Field::Path => Mode::Item,
                    // Without a reason nothing can be sent back.
                    Field::Reason if is_blank(&self.reason) => Mode::Item,
                    Field::Reason => Mode::SendBack,
                };
                return Effect::None;
            }
            Key::Char(c) => self.editor.insert(c.encode_utf8(&mut [0; 4])),
            Key::Paste(text) => self.editor.insert(&text),
            Key::Enter => self.editor.insert("\n"),
            Key::Tab => self.editor.insert("\t"),
            Key::Backspace | Key::Control('h') => self.editor.backspace(),
            Key::Delete | Key::Control('d') => self.editor.delete(),
            Key::Left | Key::Control('b') => self.editor.left(),
            Key::Right | Key::Control('f') => self.editor.right(),
            Key::Up | Key::PageUp => self.editor.up(),
            Key::Down | Key::PageDown => self.editor.down(),
            Key::Home | Key::Control('a') => self.editor.home(),
            Key::End | Key::Control('e') => self.editor.end(),
            Key::Control('u') => self.editor.delete_to_start(),
            Key::Control('w') => self.editor.delete_word(),
            Key::Control(_) => {}
        }
        // A draft is kept of every pause, not only of the end.
        self.keep_typed();
        Effect::None
    }

    fn key_of_sending_back(&mut self, key: &Key) -> Effect {
        match key {
            Key::Enter => {
                let items = if self.only_this { vec![self.current().id] } else { Vec::new() };
                let returned = Returned { message: self.reason.clone(), items };
                match returned.checked(self.input) {
                    Some(returned) => return Effect::SendBack(returned),
                    None => self.notice = Some(Notice::NoReason),
                }
            }
            Key::Tab | Key::Char(' ') => self.only_this = !self.only_this,
            Key::Char('e') => self.write(Field::Reason),
            Key::Escape | Key::Char('q') => self.show(self.item),
            _ => {}
        }
        Effect::None
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

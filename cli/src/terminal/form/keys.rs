//! Keys, and what each does to the form.

use super::{Field, Form, Mode, Notice, Scroll, Viewport};
use model::{DecideOutput, ItemKind, Returned, is_blank};

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
    /// The person leaves the form; the answers stay as a draft.
    Leave,
    /// Ctrl-C.
    Interrupt,
}

impl Form<'_> {
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
}

//! Question by question and line by line, for a pipe, a screen reader, or a terminal that cannot be drawn on.

use super::form::Form;
use super::inbox::{Inbox, InboxEvent};
use super::view::{self, described, how_to_choose, range};
use super::{Exit, QuestionSet};
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::FormWords;
use model::{DecideItem, ItemKind, Returned, is_blank, respond};
use std::io::{self, BufRead, IsTerminal, Read};
use store::Excerpt;
use texts::{PageTexts, fill};
use tokio::sync::mpsc::UnboundedSender;

/// A longer line is no answer.
const LONGEST_LINE: u64 = 64 << 10;

/// Where to go from an item.
enum Step {
    To(usize),
    Out(Exit),
}

/// What follows a line that the user has typed at an item.
enum Reaction {
    /// Asks for the choice again.
    AskAgain,
    /// The item has its answer: asks for the note.
    AskNote,
    Go(Step),
}

/// The meaning of a line that the user has typed at an item.
enum Input<'l> {
    /// The answer stays.
    Keep,
    Help,
    Leave,
    Previous,
    /// The next item; this one stays as it is.
    Next,
    /// Accept all recommendations.
    Recommended,
    /// Send the questions back because of this item or all of them.
    SendBack {
        only_this: bool,
    },
    Clear,
    /// The path of a file to attach, or the number of one to detach.
    File(&'l str),
    Words(&'l str),
    /// The numbers of options.
    Choice(&'l str),
}

impl<'l> Input<'l> {
    fn parse(line: &'l str, form: &Form<'_>, position: usize) -> Self {
        let kind = form.input().items[position].kind;
        match line {
            "" if !form.is_open(position) => Self::Keep,
            "" if is_for_later(form, position) => Self::Next,
            "?" => Self::Help,
            "q" => Self::Leave,
            "k" | "p" => Self::Previous,
            "j" => Self::Next,
            "a" => Self::Recommended,
            "i" => Self::SendBack { only_this: true },
            "b" => Self::SendBack { only_this: false },
            "x" => Self::Clear,
            line if kind == ItemKind::Files && !line.is_empty() => Self::File(line),
            line if kind == ItemKind::Text && !matches!(line, "" | "r") => Self::Words(line),
            line => Self::Choice(line),
        }
    }
}

/// Whether an item can be left for later.
fn is_for_later(form: &Form<'_>, position: usize) -> bool {
    form.is_open(position) && form.input().partial
}

/// What has become of a choice.
enum ChoiceOutcome {
    Yes,
    /// It does not fit the item.
    No,
    Out(Exit),
}

struct Conversation<'a> {
    context: &'a Context,
    asked: &'a QuestionSet<'a>,
    words: &'static FormWords,
    page: &'static PageTexts,
    inbox: Inbox<String>,
    /// A user is at the terminal and can be asked again.
    interactive: bool,
}

pub(super) fn run(context: &Context, asked: &QuestionSet<'_>) -> Result<Exit, Failure> {
    let lang = context.language.messages;
    let inbox = Inbox::open(asked.open.desk, &asked.open.pending.session, read)?;
    let (words, page) = (FormWords::for_lang(lang), lang.page());
    let interactive = io::stdin().is_terminal();
    Conversation { context, asked, words, page, inbox, interactive }.run()
}

impl Conversation<'_> {
    fn run(&mut self) -> Result<Exit, Failure> {
        let input = &*self.asked.input(self.context);
        let mut form = Form::new(input, &self.asked.draft()).with_attached(self.asked.attachments()?);
        self.print(&format!(
            "{} {}\n{} {}\n\n{}\n",
            self.page.task, input.task, self.page.source, input.source, self.words.plain_lead
        ))?;
        let mut position = 0;
        loop {
            while position < input.items.len() {
                self.print(&self.item(&form, position))?;
                match self.ask_item(&mut form, position)? {
                    Step::To(next) => position = next,
                    Step::Out(exit) => return Ok(exit),
                }
            }
            self.print(&self.summary(&form))?;
            let consent = match self.ask(&self.consent(&form))? {
                Ok(line) => line,
                Err(exit) => return Ok(exit),
            };
            match &*consent.to_lowercase() {
                "y" | "yes" | "是" => {}
                "" | "n" | "no" | "q" | "否" => return Ok(Exit::Left),
                _ => {
                    let message = fill(self.words.plain_not_understood, &[("line", &consent)]);
                    self.print(&format!("{message}\n"))?;
                    if self.interactive {
                        continue;
                    }
                    return Ok(Exit::Left);
                }
            }
            match form.sheet().decide(input, form.attached()) {
                Ok(output) => return Ok(Exit::Decided(output)),
                Err(problems) => {
                    for problem in &problems {
                        self.print(&format!(
                            "{}\n",
                            texts::problem(self.context.language.messages, problem)
                        ))?;
                    }
                    if !self.interactive {
                        return Ok(Exit::NoInput);
                    }
                    position = form.first_open().unwrap_or_default();
                }
            }
        }
    }

    /// What asks whether to submit. Of a part it says how much is left for later.
    fn consent(&self, form: &Form<'_>) -> String {
        let output = form.sheet().decide(form.input(), form.attached());
        match output.ok().and_then(|output| output.open) {
            Some(open) => {
                format!(
                    "{}\n{}",
                    self.page.left_for_later_sentence(open.items.len()),
                    self.words.plain_submit
                )
            }
            None => self.words.plain_submit.to_owned(),
        }
    }

    /// Asks for the choice and the note of one item.
    fn ask_item(&mut self, form: &mut Form<'_>, position: usize) -> Result<Step, Failure> {
        loop {
            let line = match self.ask(&self.item_prompt(form, position))? {
                Ok(line) => line,
                Err(exit) => return Ok(Step::Out(exit)),
            };
            match self.take_line(form, position, &line)? {
                Reaction::AskAgain => {}
                Reaction::AskNote => return self.ask_note(form, position),
                Reaction::Go(step) => return Ok(step),
            }
        }
    }

    /// Returns the prompt for the choice of one item: what to type, and what is chosen now.
    fn item_prompt(&self, form: &Form<'_>, position: usize) -> String {
        let (empty, kept) = match form.input().items[position].kind {
            ItemKind::Choice => (self.words.plain_choice, self.words.plain_kept),
            ItemKind::Files => (self.words.plain_files, self.words.plain_files_kept),
            ItemKind::Confirm => (self.words.plain_confirm, self.words.plain_kept),
            ItemKind::Text => (self.words.plain_text, self.words.plain_text_kept),
        };
        if is_for_later(form, position) {
            format!("{empty}{}", self.words.plain_later)
        } else if form.is_open(position) {
            empty.to_owned()
        } else {
            fill(kept, &[("current", &self.chosen(form, position))])
        }
    }

    /// Does what the user has typed at an item.
    fn take_line(&mut self, form: &mut Form<'_>, position: usize, line: &str) -> Result<Reaction, Failure> {
        match Input::parse(line, form, position) {
            Input::Keep => Ok(Reaction::AskNote),
            Input::Help => {
                self.print_help(&form.input().items[position])?;
                Ok(Reaction::AskAgain)
            }
            Input::Leave => Ok(Reaction::Go(Step::Out(Exit::Left))),
            Input::Previous => Ok(Reaction::Go(Step::To(position.saturating_sub(1)))),
            Input::Next => Ok(Reaction::Go(Step::To(position + 1))),
            Input::Recommended => {
                form.take_recommendations();
                self.keep(form)?;
                Ok(Reaction::Go(Step::To(form.first_open().unwrap_or(form.input().items.len()))))
            }
            Input::SendBack { only_this } => self.send_back(form, position, only_this),
            Input::Clear => {
                form.choose(position, Vec::new(), Some(String::new()));
                self.keep(form)?;
                Ok(if form.is_open(position) { Reaction::AskAgain } else { Reaction::AskNote })
            }
            Input::File(line) => {
                if !self.take_file(form, position, line)? && !self.interactive {
                    return Ok(Reaction::Go(Step::Out(Exit::NoInput)));
                }
                Ok(Reaction::AskAgain)
            }
            Input::Words(words) => self.take_words(form, position, words),
            Input::Choice(line) => self.take_choice(form, position, line),
        }
    }

    fn print_help(&self, item: &DecideItem) -> Result<(), Failure> {
        let help = match item.kind {
            ItemKind::Text => self.words.plain_text_help,
            ItemKind::Files => self.words.plain_files_help,
            ItemKind::Choice | ItemKind::Confirm => self.words.plain_help,
        };
        self.print(&format!("{help}\n{}\n", self.words.plain_help_always))
    }

    /// Asks for the reason, and sends the questions back if there is one.
    fn send_back(&mut self, form: &Form<'_>, position: usize, only_this: bool) -> Result<Reaction, Failure> {
        let reason = match self.ask(self.words.plain_reason)? {
            Ok(reason) => reason,
            Err(exit) => return Ok(Reaction::Go(Step::Out(exit))),
        };
        let items = if only_this { vec![form.input().items[position].id] } else { Vec::new() };
        let returned = Returned { message: reason, items };
        match returned.checked(form.input()) {
            Some(returned) => return Ok(Reaction::Go(Step::Out(Exit::SentBack(returned)))),
            None => self.print(&format!("{}\n", self.words.no_reason))?,
        }
        Ok(Reaction::AskAgain)
    }

    /// Takes `line` as the answer to an item that asks for text; for `o`, asks for the text.
    fn take_words(&mut self, form: &mut Form<'_>, position: usize, line: &str) -> Result<Reaction, Failure> {
        let words = if line == "o" {
            match self.ask(self.words.plain_text)? {
                Ok(words) => words,
                Err(exit) => return Ok(Reaction::Go(Step::Out(exit))),
            }
        } else {
            line.to_owned()
        };
        if is_blank(&words) {
            return Ok(Reaction::AskAgain);
        }
        let other = form.input().items[position].other_position();
        form.choose(position, other.into_iter().collect(), Some(words));
        self.keep(form)?;
        Ok(Reaction::AskNote)
    }

    /// Chooses the options whose numbers were typed, or the recommended one.
    fn take_choice(&mut self, form: &mut Form<'_>, position: usize, line: &str) -> Result<Reaction, Failure> {
        let item = &form.input().items[position];
        let chosen = match line {
            "r" => item.recommended().map(|option| vec![option]),
            line => respond::positions(item, line).map(|mut positions| {
                positions.sort_unstable();
                positions
            }),
        };
        match chosen {
            Some(chosen) => match self.take(form, position, chosen)? {
                ChoiceOutcome::Yes => return Ok(Reaction::AskNote),
                ChoiceOutcome::No => {}
                ChoiceOutcome::Out(exit) => return Ok(Reaction::Go(Step::Out(exit))),
            },
            None => self.print_unknown(item, line)?,
        }
        if !self.interactive {
            // What comes next was meant for another place: it would answer the wrong question.
            return Ok(Reaction::Go(Step::Out(Exit::NoInput)));
        }
        Ok(Reaction::AskAgain)
    }

    /// Prints which part of a line is not an option of the item.
    fn print_unknown(&self, item: &DecideItem, line: &str) -> Result<(), Failure> {
        let is_known = |part: &str| respond::positions(item, part).is_some();
        let unknown = respond::unknown_part(line, is_known);
        let line = unknown.filter(|_| item.multiple).unwrap_or(line);
        let is_number = !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit());
        let count = (item.options.len() + usize::from(item.takes_words())).to_string();
        let message = if is_number {
            fill(self.words.plain_no_option, &[("line", line), ("count", &count)])
        } else {
            fill(self.words.plain_not_understood, &[("line", line)])
        };
        self.print(&format!("{message}\n"))
    }

    /// Asks for the note of one item; `-` removes it.
    fn ask_note(&mut self, form: &mut Form<'_>, position: usize) -> Result<Step, Failure> {
        let has_note = !is_blank(&form.answer(position).note);
        let prompt = if has_note { self.words.plain_note_kept } else { self.words.plain_note };
        match self.ask(prompt)? {
            Ok(note) if note.is_empty() => {}
            Ok(note) => {
                form.note(position, if has_note && note == "-" { String::new() } else { note });
                self.keep(form)?;
            }
            Err(exit) => return Ok(Step::Out(exit)),
        }
        Ok(Step::To(position + 1))
    }

    /// Attaches the file whose path was typed, or takes away the one whose number was typed behind `-`. False when neither
    /// can be done.
    fn take_file(&mut self, form: &mut Form<'_>, position: usize, line: &str) -> Result<bool, Failure> {
        let item = form.input().items[position].id;
        let number = line.strip_prefix('-').and_then(|number| number.trim().parse::<usize>().ok());
        match number {
            Some(number) => {
                let file = number.checked_sub(1).and_then(|index| form.files(position).get(index));
                let Some(name) = file.map(|file| file.name.clone()) else {
                    self.print(&format!("{}\n", fill(self.words.plain_not_understood, &[("line", line)])))?;
                    return Ok(false);
                };
                self.asked.detach(item, &name)?;
            }
            None => match self.asked.attach(item, line, self.context.language.messages) {
                Ok(file) => {
                    self.print(&format!("{}\n", fill(self.words.plain_attached, &[("file", &file)])))?
                }
                Err(words) => {
                    self.print(&format!("{words}\n"))?;
                    return Ok(false);
                }
            },
        }
        form.attach(self.asked.attachments()?);
        self.keep(form)?;
        Ok(true)
    }

    /// Takes the numbers that were typed as the choice, if there are neither too few nor too many.
    fn take(
        &mut self,
        form: &mut Form<'_>,
        position: usize,
        chosen: Vec<u32>,
    ) -> Result<ChoiceOutcome, Failure> {
        let item = &form.input().items[position];
        let (least, most) = item.bounds();
        if !(least..=most).contains(&chosen.len()) {
            self.print(&format!("{}\n", fill(self.words.choose_count, &[("range", &range(least, most))])))?;
            return Ok(ChoiceOutcome::No);
        }
        let other = match item.other_position() {
            Some(other) if chosen.contains(&other) => match self.ask(self.words.plain_other)? {
                Ok(words) if is_blank(&words) => return Ok(ChoiceOutcome::No),
                Ok(words) => Some(words),
                Err(exit) => return Ok(ChoiceOutcome::Out(exit)),
            },
            _ => None,
        };
        form.choose(position, chosen, other);
        self.keep(form)?;
        Ok(ChoiceOutcome::Yes)
    }

    /// What is typed without white space around it, or why there is nothing. It goes on in the next line after one that ends with
    /// `\`.
    fn ask(&mut self, prompt: &str) -> Result<Result<String, Exit>, Failure> {
        // When the input is a pipe, no line break is typed after the prompt.
        let end = if self.interactive { ": " } else { ":\n" };
        self.context.output.prompt(&format!("{prompt}{end}"))?;
        let mut text = String::new();
        loop {
            let line = match self.line() {
                Ok(line) => line,
                // The input has ended where a line was to go on: what was typed counts.
                Err(Exit::NoInput) if !text.is_empty() => return Ok(Ok(text.trim().to_owned())),
                Err(exit) => return Ok(Err(exit)),
            };
            let (typed, goes_on) = respond::typed_line(&line);
            text.push_str(typed);
            if !goes_on {
                return Ok(Ok(text.trim().to_owned()));
            }
            text.push('\n');
        }
    }

    fn line(&mut self) -> Result<String, Exit> {
        match self.inbox.next(None) {
            InboxEvent::Input(line) => Ok(line.trim_end_matches(['\n', '\r']).to_owned()),
            InboxEvent::Closed | InboxEvent::Nothing => Err(Exit::NoInput),
            InboxEvent::Ended(change) => Err(Exit::Ended(change)),
            InboxEvent::Signal(code) => Err(Exit::Interrupted(code)),
        }
    }

    fn keep(&self, form: &mut Form<'_>) -> Result<(), Failure> {
        self.asked.keep(form)?;
        form.kept();
        Ok(())
    }

    fn print(&self, text: &str) -> Result<(), Failure> {
        self.context.output.text(text)
    }

    fn item(&self, form: &Form<'_>, position: usize) -> String {
        let item = &form.input().items[position];
        let mut text = format!("\n{}: {}\n", view::position(self.words, form, position), item.title);
        if let Some(hint) = how_to_choose(self.context.language.messages, item) {
            text += &format!("({hint})\n");
        }
        if let Some(context) = item.context.as_deref().filter(|context| !is_blank(context)) {
            text += &format!("{}\n", app::markdown_to_text(context.trim_end()));
        }
        if let Some(location) = &item.location {
            let (start, end) = (location.start.to_string(), location.end.to_string());
            let values = [("file", &*location.file), ("start", &start), ("end", &end)];
            text += &format!("{}\n", fill(self.page.location, &values));
            if let Some(Excerpt { first_line, lines, omitted }) = self.asked.project.excerpt(location) {
                for (number, line) in (first_line..).zip(lines) {
                    text += &format!("  {number}: {line}\n");
                }
                if omitted > 0 {
                    text +=
                        &format!("{}\n", fill(self.page.omitted_lines, &[("count", &omitted.to_string())]));
                }
            }
        }
        for (number, option) in (1..).zip(&item.options) {
            text += &format!("{number}. {}", option.label);
            if let Some(score) = option.score {
                text += &format!("  {}", fill(self.page.score, &[("score", &score.to_string())]));
            }
            if item.recommend.as_deref() == Some(&*option.value) {
                text += &format!("  ({})", self.page.recommended);
            }
            text.push('\n');
            for line in described(option).into_iter().flat_map(str::lines) {
                text += format!("   {line}").trim_end();
                text.push('\n');
            }
            for line in self.page.preview(option).iter().flat_map(|preview| preview.lines()) {
                text += format!("   {line}").trim_end();
                text.push('\n');
            }
            for (heading, arguments) in [(self.page.pros, &option.pros), (self.page.cons, &option.cons)] {
                for argument in arguments.iter().flatten() {
                    text += &format!("   {heading}: {argument}\n");
                }
            }
        }
        if item.allow_other {
            text += &format!("{}. {}\n", item.choices(), self.page.other);
        }
        for (number, file) in (1..).zip(form.files(position)) {
            text += &format!("{number}. {} ({})\n", file.name, texts::size(file.size));
        }
        let note = &form.answer(position).note;
        if !is_blank(note) {
            text += &format!("{}\n", fill(self.page.note_of, &[("note", note)]));
        }
        text
    }

    fn chosen(&self, form: &Form<'_>, position: usize) -> String {
        form.chosen(position, self.page, self.words.nothing_chosen)
    }

    fn summary(&self, form: &Form<'_>) -> String {
        let mut text = format!("\n{}\n", self.words.review);
        for (position, item) in form.input().items.iter().enumerate() {
            let chosen = self.chosen(form, position);
            text += &format!("{}. {} → {chosen}\n", position + 1, item.title);
            let note = &form.answer(position).note;
            if !is_blank(note) {
                text +=
                    &format!("   {}\n", fill(self.page.note_of, &[("note", &note.replace('\n', "\n   "))]));
            }
        }
        text
    }
}

fn read(sender: UnboundedSender<String>) {
    let mut stdin = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        match stdin.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(length) if u64::try_from(length).is_ok_and(|length| length >= LONGEST_LINE) => return,
            Ok(_) => {}
        }
        if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
            return;
        }
    }
}

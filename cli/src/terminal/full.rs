//! The form on the whole screen.

use super::form::{Effect, Form, Key};
use super::inbox::{Inbox, InboxEvent};
use super::repeat_detector::RepeatDetector;
use super::screen::Screen;
use super::view::View;
use super::{Exit, QuestionSet};
use crate::context::Context;
use crate::failure::Failure;
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::{Duration, Instant};
use texts::Explain;
use tokio::sync::mpsc::UnboundedSender;

/// A draft is kept after so long a pause.
const PAUSE: Duration = Duration::from_millis(300);
/// The exit code when the terminal is gone, as after SIGHUP.
const HUNG_UP: u8 = 129;

/// What comes from the terminal.
#[derive(Debug)]
enum Input {
    Key(Key),
    Resized,
}

pub(super) fn run(context: &Context, asked: &QuestionSet<'_>) -> Result<Exit, Failure> {
    let input = asked.input(context);
    let excerpts: Vec<_> =
        input.items.iter().map(|item| asked.project.excerpt(item.location.as_ref()?)).collect();
    let view = View::new(context.language.messages, &excerpts);
    let form = Form::new(&input, &asked.draft());
    let mut form = form.with_attached(asked.attachments()?);
    // From the first look on, a change of the size is noticed. It must not come between the first drawing and that.
    let _ = event::poll(Duration::ZERO);
    // Signals are listened to before the terminal is touched, so that none leaves it as it is then.
    let mut inbox = Inbox::open(asked.open.desk, &asked.open.pending.session, read)?;
    let mut screen = Screen::enter(context.output.in_colour()).map_err(Failure::cannot_print)?;
    let exit = attend((context, asked), &view, &mut form, &mut inbox, &mut screen);
    drop(screen);
    let exit = exit?;
    // The draft of newer questions is not to be replaced.
    if form.has_changed() && !matches!(exit, Exit::Ended(_)) {
        // Who leaves must know that not all of it is kept; who is done needs no draft.
        if let (Exit::Left | Exit::Interrupted(_), Err(error)) = (&exit, asked.keep(&form)) {
            return Err(error.into());
        }
    }
    Ok(exit)
}

fn attend(
    (context, asked): (&Context, &QuestionSet<'_>),
    view: &View<'_>,
    form: &mut Form<'_>,
    inbox: &mut Inbox<Input>,
    screen: &mut Screen,
) -> Result<Exit, Failure> {
    let (mut failed, mut held) = (false, RepeatDetector::default());
    loop {
        let frame = view.draw(form, screen.size());
        form.drawn(frame.viewport);
        screen.draw(frame).map_err(Failure::cannot_print)?;
        let mut input = match inbox.next((form.has_changed() && !failed).then_some(PAUSE)) {
            InboxEvent::Input(input) => Some(input),
            InboxEvent::Closed => return Ok(Exit::Interrupted(HUNG_UP)),
            InboxEvent::Ended(change) => return Ok(Exit::Ended(change)),
            InboxEvent::Signal(code) => return Ok(Exit::Interrupted(code)),
            InboxEvent::Nothing => {
                match asked.keep(form) {
                    Ok(()) => form.kept(),
                    // Tried again after the next key.
                    Err(error) => form.draft_failed(error.explain(view.lang).what),
                }
                failed = form.has_changed();
                continue;
            }
        };
        failed = false;
        // Whatever has come meanwhile is done before anything is drawn: only the last of it would be seen.
        while let Some(next) = input {
            match next {
                Input::Resized => screen.resize().map_err(Failure::cannot_print)?,
                Input::Key(key) if held.is_repeat(&key, Instant::now()) && form.acts_once(&key) => {
                    form.held()
                }
                Input::Key(key) => match form.key(key) {
                    Effect::None => {}
                    Effect::Submit(output) => return Ok(Exit::Decided(output)),
                    Effect::Attach(item, path) => {
                        match asked.attach(item, &path, context.language.messages) {
                            Ok(_) => form.attach(asked.attachments()?),
                            Err(words) => form.not_attached(words),
                        }
                    }
                    Effect::Detach(item, name) => {
                        asked.detach(item, &name)?;
                        form.attach(asked.attachments()?);
                    }
                    Effect::SendBack(returned) => return Ok(Exit::SentBack(returned)),
                    Effect::Leave => return Ok(Exit::Left),
                    Effect::Interrupt => return Ok(Exit::Interrupted(130)),
                },
            }
            input = inbox.at_once();
        }
    }
}

fn read(sender: UnboundedSender<Input>) {
    // An error is the end of the terminal.
    while let Ok(event) = event::read() {
        let input = match event {
            Event::Key(event) => key(event).map(Input::Key),
            Event::Paste(text) => Some(Input::Key(Key::Paste(text))),
            Event::Resize(..) => Some(Input::Resized),
            _ => None,
        };
        if let Some(input) = input
            && sender.send(input).is_err()
        {
            return;
        }
    }
}

fn key(event: KeyEvent) -> Option<Key> {
    if event.kind == KeyEventKind::Release {
        return None;
    }
    let with = |modifier| event.modifiers.contains(modifier);
    Some(match event.code {
        KeyCode::Char(c) if with(KeyModifiers::CONTROL) => Key::Control(c.to_ascii_lowercase()),
        // Means something else, or nothing.
        KeyCode::Char(_) if with(KeyModifiers::ALT) => return None,
        KeyCode::Char(c) => Key::Char(c),
        KeyCode::Enter => Key::Enter,
        KeyCode::Esc => Key::Escape,
        KeyCode::Tab => Key::Tab,
        KeyCode::Backspace => Key::Backspace,
        KeyCode::Delete => Key::Delete,
        KeyCode::Up => Key::Up,
        KeyCode::Down => Key::Down,
        KeyCode::Left => Key::Left,
        KeyCode::Right => Key::Right,
        KeyCode::Home => Key::Home,
        KeyCode::End => Key::End,
        KeyCode::PageUp => Key::PageUp,
        KeyCode::PageDown => Key::PageDown,
        _ => return None,
    })
}

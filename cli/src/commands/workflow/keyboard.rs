//! Lines from standard input, read only on demand: the rest stays for other readers.

use crate::failure::Failure;
use crate::host::failed;
use rustix::termios::{QueueSelector, tcflush};
use std::io::{self, BufRead, IsTerminal, Read};
use std::sync::mpsc;
use std::thread;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

/// A longer line is cut.
const LONGEST_LINE: u64 = 64 << 10;

/// Standard input.
pub(super) struct Keyboard {
    /// Whether a user sits there.
    pub(super) is_terminal: bool,
    reader: Option<Reader>,
}

/// The thread that reads; it ends with the process, because reading cannot be broken off.
struct Reader {
    wanted: mpsc::Sender<()>,
    lines: UnboundedReceiver<Option<String>>,
    /// Whether it has been told to read a line that has not come yet.
    is_reading: bool,
}

impl Keyboard {
    pub(super) fn new() -> Self {
        Self { is_terminal: io::stdin().is_terminal(), reader: None }
    }

    /// What was typed before a question was there is no answer to it. What a pipe has is kept for it.
    pub(super) fn forget(&mut self) {
        if !self.is_terminal {
            return;
        }
        if let Some(reader) = &mut self.reader {
            while reader.lines.try_recv().is_ok() {
                reader.is_reading = false;
            }
        }
        // Half a line that was typed for a question answered elsewhere; if it cannot be discarded, it stays.
        let _ = tcflush(io::stdin(), QueueSelector::IFlush);
    }

    /// The next line without its end; `None` where there is none any more. Can be given up without losing one.
    pub(super) async fn line(&mut self) -> Result<Option<String>, Failure> {
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => self.reader.insert(Reader::start()?),
        };
        if !reader.is_reading {
            // One that has ended says so below.
            let _ = reader.wanted.send(());
            reader.is_reading = true;
        }
        let line = reader.lines.recv().await.flatten();
        reader.is_reading = false;
        Ok(line)
    }
}

impl Reader {
    fn start() -> Result<Self, Failure> {
        let (wanted, asked) = mpsc::channel();
        let (sender, lines) = unbounded_channel();
        thread::Builder::new().spawn(move || read(&asked, &sender)).map_err(|error| failed(&error))?;
        Ok(Self { wanted, lines, is_reading: false })
    }
}

fn read(asked: &mpsc::Receiver<()>, sender: &UnboundedSender<Option<String>>) {
    while asked.recv().is_ok() {
        let mut line = Vec::new();
        let read = io::stdin().lock().take(LONGEST_LINE).read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) | Err(_) => None,
            Ok(_) => Some(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
        };
        if sender.send(line).is_err() {
            return;
        }
    }
}

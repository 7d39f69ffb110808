//! The program in a terminal of its own.

use super::Folder;
use pty_process::blocking::{Command, Pty, open};
use rustix::process::{Pid, Signal, kill_process};
use std::io::{Read, Write};
use std::process::Child;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Far longer than anything takes; a test fails rather than hangs.
const LIMIT: Duration = Duration::from_secs(60);

/// A terminal, and the program that runs in it.
pub(crate) struct Terminal {
    pty: Option<Pty>,
    child: Child,
    output: Receiver<Vec<u8>>,
    parser: vt100::Parser,
    /// All that was ever written.
    pub(crate) written: Vec<u8>,
}

impl Terminal {
    /// `aide` with these arguments on a screen of 80 by 24.
    pub(crate) fn start(folder: &Folder, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let (pty, pts) = open().unwrap();
        pty.resize(pty_process::Size::new(24, 80)).unwrap();
        let command =
            Command::new(env!("CARGO_BIN_EXE_aide")).args(arguments).current_dir(folder.path()).env_clear();
        let child = command.envs(variables.iter().copied()).spawn(pts).unwrap();
        let mut reader = std::fs::File::from(rustix::io::dup(&pty).unwrap());
        let (sender, output) = channel();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            // The end of the program is an error here.
            while let Ok(length @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..length].to_vec()).is_err() {
                    return;
                }
            }
        });
        let parser = vt100::Parser::new(24.try_into().unwrap(), 80.try_into().unwrap(), 0);
        Self { pty: Some(pty), child, output, parser, written: Vec::new() }
    }

    pub(crate) fn press(&mut self, keys: &str) {
        self.pty.as_mut().unwrap().write_all(keys.as_bytes()).unwrap();
    }

    pub(crate) fn resize(&mut self, rows: u16, columns: u16) {
        self.parser.screen_mut().set_size(rows.try_into().unwrap(), columns.try_into().unwrap());
        self.pty.as_ref().unwrap().resize(pty_process::Size::new(rows, columns)).unwrap();
    }

    /// Lets the terminal show what another program writes to it.
    pub(crate) fn overwrite(&mut self, text: &str) {
        self.parser.process(text.as_bytes());
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    pub(crate) fn screen(&self) -> String {
        self.parser.screen().contents()
    }

    /// Whether anything on the screen has a colour.
    pub(crate) fn has_colour(&self) -> bool {
        let screen = self.parser.screen();
        let (rows, columns) = screen.size();
        let cells = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |column| (row, column)));
        let mut cells = cells.filter_map(|(row, column)| screen.cell(row, column));
        cells.any(|cell| cell.fgcolor() != vt100::Color::Default || cell.bgcolor() != vt100::Color::Default)
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub(crate) fn until(&mut self, text: &str) {
        let deadline = Instant::now() + LIMIT;
        while !self.screen().contains(text) {
            if !self.read(deadline) {
                panic!("no {text:?} on:\n{}", self.screen());
            }
        }
    }

    /// Waits until the program has written `text`, shown or not.
    #[track_caller]
    pub(crate) fn until_written(&mut self, text: &str) {
        let deadline = Instant::now() + LIMIT;
        while !String::from_utf8_lossy(&self.written).contains(text) {
            assert!(self.read(deadline), "no {text:?} on:\n{}", self.screen());
        }
    }

    /// Waits for the end of the program; its exit code, and what is left on the terminal.
    #[track_caller]
    pub(crate) fn finish(mut self) -> (Option<i32>, Self) {
        let deadline = Instant::now() + LIMIT;
        while self.read(deadline) {}
        (self.child.wait().unwrap().code(), self)
    }

    /// Whether the terminal is as a shell wants it: lines are edited and shown, on the ordinary screen, with a cursor.
    pub(crate) fn is_given_back(&self) -> bool {
        let screen = self.parser.screen();
        !screen.alternate_screen() && !screen.hide_cursor() && !screen.bracketed_paste()
    }

    /// False at the end of the program.
    #[track_caller]
    fn read(&mut self, deadline: Instant) -> bool {
        match self.output.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(bytes) => {
                self.parser.process(&bytes);
                self.written.extend(bytes);
                true
            }
            Err(RecvTimeoutError::Disconnected) => false,
            Err(RecvTimeoutError::Timeout) => panic!("nothing more comes on:\n{}", self.screen()),
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

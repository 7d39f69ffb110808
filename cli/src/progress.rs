//! How far a long command is, on standard error: a line that is rewritten in place on a terminal, and now and then a line
//! elsewhere. Work that takes no longer than a second shows nothing.
//!
//! `Progress` (`cli/src/progress.rs`) shows how far long work is. What does the work only reports counts: `decide::remove`;
//! the size of the copy for a backup. A daemon, which recovers while it serves, writes that to its log (`daemon/recovery.rs`).

use crate::output::Output;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};
use texts::Lang;

/// The delay before the first line.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often a line on a terminal is rewritten at most.
const REDRAW: Duration = Duration::from_millis(100);
/// How often there is another line elsewhere at most.
const REPEAT: Duration = Duration::from_secs(5);
/// The poll interval for work that does not report its progress.
const POLL_INTERVAL: Duration = Duration::from_millis(250);
/// Makes the line of the cursor empty.
const ERASE: &str = "\r\u{1b}[2K";

/// Work that may take long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// The journal is copied; in bytes.
    Backup,
    /// Records are removed.
    Removal,
}

impl Work {
    fn line(self, lang: Lang, done: u64, total: u64) -> String {
        let [done, total] = match self {
            Self::Backup => [done, total].map(|bytes| format!("{} MB", bytes / 1_000_000)),
            Self::Removal => [done, total].map(|count| count.to_string()),
        };
        match (self, lang) {
            (Self::Backup, Lang::Zh) => format!("正在写入副本: {done} / {total}"),
            (Self::Backup, Lang::En) => format!("writing the backup: {done} of {total}"),
            (Self::Removal, Lang::Zh) => format!("正在删除记录: {done} / {total}"),
            (Self::Removal, Lang::En) => format!("removing records: {done} of {total}"),
        }
    }
}

/// What writes a text.
type Write = Box<dyn Fn(&str) + Send>;

/// Shows how far work is, from a thread of its own: the work may hold a lock, and a terminal that is stopped, or a full pipe, must
/// not hold up what waits for that. What is on a terminal is erased when it is dropped, which waits until all is written.
pub(crate) struct Progress {
    begun: Instant,
    line: Line,
    /// Where it is written; taken by the thread, which begins with the first text.
    write: Option<Write>,
    writer: Option<ProgressWriter>,
}

/// The thread that writes, and what it is to write.
struct ProgressWriter {
    texts: Sender<String>,
    thread: JoinHandle<()>,
}

impl Progress {
    /// Work begins.
    pub(crate) fn new(output: &Output, work: Work) -> Self {
        let line = Line::new(work, output.lang(), output.has_error_terminal());
        let output = output.clone();
        Self::written_by(line, move |text| output.progress(text))
    }

    fn written_by(line: Line, write: impl Fn(&str) + Send + 'static) -> Self {
        Self { begun: Instant::now(), line, write: Some(Box::new(write)), writer: None }
    }

    /// So much is done.
    pub(crate) fn at(&mut self, done: u64, total: u64) {
        if let Some(text) = self.line.at(self.begun.elapsed(), done, total) {
            self.show(text);
        }
    }

    /// Has a text written, and does not wait for that.
    fn show(&mut self, text: String) {
        if let Some(write) = self.write.take() {
            self.writer = ProgressWriter::start(write);
        }
        if let Some(writer) = &self.writer {
            // Its thread ends only if writing panics.
            let _ = writer.texts.send(text);
        }
    }

    /// Does `work`, which does not say how far it is; `look` does, while it goes on.
    pub(crate) fn watched<T>(mut self, look: impl Fn() -> (u64, u64) + Send, work: impl FnOnce() -> T) -> T {
        thread::scope(|scope| {
            let (end, ended) = channel::<()>();
            scope.spawn(move || {
                while ended.recv_timeout(POLL_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    let (done, total) = look();
                    self.at(done, total);
                }
            });
            let done = work();
            drop(end);
            done
        })
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(text) = self.line.end() {
            self.show(text.to_owned());
        }
        if let Some(ProgressWriter { texts, thread }) = self.writer.take() {
            drop(texts);
            // What is printed next comes behind it.
            let _ = thread.join();
        }
    }
}

impl ProgressWriter {
    /// `None` if there is no thread for it: then nothing is shown.
    fn start(write: Write) -> Option<Self> {
        let (texts, shown) = channel::<String>();
        let run = move || {
            while let Ok(text) = shown.recv() {
                // What has come while the one before was written is the state of now.
                write(&shown.try_iter().last().unwrap_or(text));
            }
        };
        let thread = thread::Builder::new().name("progress".to_owned()).spawn(run).ok()?;
        Some(Self { texts, thread })
    }
}

/// What is to be written, as time passes.
struct Line {
    work: Work,
    lang: Lang,
    is_terminal: bool,
    /// When something was last shown.
    shown: Option<Duration>,
    /// Whether it said that all is done.
    is_complete: bool,
}

impl Line {
    fn new(work: Work, lang: Lang, is_terminal: bool) -> Self {
        Self { work, lang, is_terminal, shown: None, is_complete: false }
    }

    /// What is to be written when so much is done, after such a time.
    fn at(&mut self, passed: Duration, done: u64, total: u64) -> Option<String> {
        let is_complete = done >= total;
        let pause = match (is_complete && !self.is_complete, self.is_terminal) {
            // What was shown is not left at less than all.
            (true, _) => Duration::ZERO,
            (false, true) => REDRAW,
            (false, false) => REPEAT,
        };
        let due = self.shown.map_or(PATIENCE, |shown| shown + pause);
        if passed < due {
            return None;
        }
        self.shown = Some(passed);
        self.is_complete = is_complete;
        // What grows meanwhile is never more than all.
        let words = self.work.line(self.lang, done.min(total), total);
        Some(if self.is_terminal { format!("{ERASE}→ {words}") } else { format!("→ {words}\n") })
    }

    /// What is to be written at the end.
    fn end(&mut self) -> Option<&'static str> {
        self.shown.take().filter(|_| self.is_terminal).map(|_| ERASE)
    }
}

#[cfg(test)]
mod tests {
    use super::{Line, Progress, Work};
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};
    use texts::Lang;

    /// What is written if a tenth is done every so many milliseconds, from the beginning to the end.
    fn written(mut line: Line, step: u64) -> Vec<String> {
        let at = |number: u64| (Duration::from_millis(number * step), number * 10);
        let mut all: Vec<_> =
            (0..=10).map(at).filter_map(|(passed, done)| line.at(passed, done, 100)).collect();
        all.extend(line.end().map(str::to_owned));
        all
    }

    #[test]
    fn short_work_shows_nothing() {
        for is_terminal in [true, false] {
            assert_eq!(written(Line::new(Work::Removal, Lang::En, is_terminal), 99), Vec::<String>::new());
        }
    }

    #[test]
    fn on_a_terminal_one_line_is_rewritten_and_erased_at_the_end() {
        let mut terminal = vt100::Parser::default();
        terminal.process(b"$ aide\r\n");
        let mut shown = Vec::new();
        for text in written(Line::new(Work::Removal, Lang::En, true), 200) {
            assert!(!text.contains('\n'), "{text:?}");
            terminal.process(text.as_bytes());
            shown.push(terminal.screen().contents().trim_end().to_owned());
        }
        let line = |done| format!("$ aide\n→ removing records: {done} of 100");
        let mut expected: Vec<_> = [50, 60, 70, 80, 90, 100].map(line).into();
        expected.push("$ aide".to_owned());
        assert_eq!(shown, expected);
        // No more often than ten times a second.
        assert_eq!(written(Line::new(Work::Removal, Lang::En, true), 1).len(), 0);
        let mut quick = Line::new(Work::Removal, Lang::En, true);
        let often = (0..2000).filter(|at| quick.at(Duration::from_millis(*at), *at, 2001).is_some());
        assert_eq!(often.count(), 10);
    }

    #[test]
    fn elsewhere_there_is_a_line_now_and_then_and_nothing_is_erased() {
        let shown = written(Line::new(Work::Removal, Lang::En, false), 2500);
        let line = |done| format!("→ removing records: {done} of 100\n");
        assert_eq!(shown, [10, 30, 50, 70, 90, 100].map(line));
        assert_eq!(written(Line::new(Work::Removal, Lang::En, false), 100), [line(100)]);
    }

    #[test]
    fn each_kind_of_work_has_its_words_in_both_languages() {
        let said = |work: Work, lang| work.line(lang, 1_500_000, 2_000_000);
        assert_eq!(said(Work::Backup, Lang::En), "writing the backup: 1 MB of 2 MB");
        assert_eq!(said(Work::Backup, Lang::Zh), "正在写入副本: 1 MB / 2 MB");
        assert_eq!(said(Work::Removal, Lang::Zh), "正在删除记录: 1500000 / 2000000");
    }

    #[test]
    fn no_more_is_done_than_there_is() {
        let mut line = Line::new(Work::Removal, Lang::En, false);
        let shown = line.at(Duration::from_secs(2), 7, 5);
        assert_eq!(shown.as_deref(), Some("→ removing records: 5 of 5\n"));
    }

    #[test]
    fn the_last_line_says_that_all_is_done_if_there_was_one_before() {
        for is_terminal in [true, false] {
            let mut line = Line::new(Work::Removal, Lang::En, is_terminal);
            let mut at = |millis: u64, done| line.at(Duration::from_millis(millis), done, 130);
            assert!(at(1000, 64).is_some());
            assert_eq!(at(1001, 128), None);
            assert!(at(1002, 130).is_some_and(|text| text.contains("removing records: 130 of 130")));
            assert_eq!(at(1003, 130), None, "once");
            let mut line = Line::new(Work::Removal, Lang::En, is_terminal);
            assert_eq!(line.at(Duration::from_millis(999), 130, 130), None);
        }
    }

    /// The work may hold a lock.
    #[test]
    fn work_goes_on_while_nothing_can_be_written() {
        let (resume, stopped) = channel::<()>();
        let (written, texts) = channel();
        let write = move |text: &str| {
            let _ = stopped.recv();
            written.send(text.to_owned()).unwrap();
        };
        let mut progress = Progress::written_by(Line::new(Work::Removal, Lang::En, false), write);
        for done in 1..=9 {
            // So that each is due.
            progress.begun = Instant::now() - Duration::from_secs(10 * done);
            progress.at(done, 9);
        }
        assert!(texts.try_recv().is_err());
        drop(resume);
        drop(progress);
        let shown: Vec<String> = texts.iter().collect();
        // What was overtaken meanwhile is not written any more.
        assert!(shown.len() <= 2, "{shown:?}");
        assert_eq!(shown.last().map(String::as_str), Some("→ removing records: 9 of 9\n"));
    }
}

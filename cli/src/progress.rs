//! How far a long command is, on standard error: a line that is rewritten in place on a terminal, and now and then a line
//! elsewhere. Work that takes no longer than a second shows nothing.

use crate::output::Output;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
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
    /// A daemon takes up the workflows that were under way.
    Recovery,
    /// The journal is copied; in bytes.
    Backup,
    /// Records are removed.
    Removal,
}

impl Work {
    fn line(self, lang: Lang, done: u64, total: u64) -> String {
        let [done, total] = match self {
            Self::Backup => [done, total].map(|bytes| format!("{} MB", bytes / 1_000_000)),
            Self::Recovery | Self::Removal => [done, total].map(|count| count.to_string()),
        };
        match (self, lang) {
            (Self::Recovery, Lang::Zh) => format!("正在恢复工作流: {done} / {total}"),
            (Self::Recovery, Lang::En) => format!("recovering workflows: {done} of {total}"),
            (Self::Backup, Lang::Zh) => format!("正在写入副本: {done} / {total}"),
            (Self::Backup, Lang::En) => format!("writing the backup: {done} of {total}"),
            (Self::Removal, Lang::Zh) => format!("正在删除记录: {done} / {total}"),
            (Self::Removal, Lang::En) => format!("removing records: {done} of {total}"),
        }
    }
}

/// Shows how far work is. What is on a terminal is erased when it is dropped.
pub(crate) struct Progress {
    output: Output,
    begun: Instant,
    line: Line,
}

impl Progress {
    /// Work begins.
    pub(crate) fn new(output: &Output, work: Work) -> Self {
        let line = Line::new(work, output.lang(), output.has_error_terminal());
        Self { output: output.clone(), begun: Instant::now(), line }
    }

    /// So much is done.
    pub(crate) fn at(&mut self, done: u64, total: u64) {
        if let Some(text) = self.line.at(self.begun.elapsed(), done, total) {
            self.output.progress(&text);
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
            self.output.progress(text);
        }
    }
}

/// What is to be written, as time passes.
struct Line {
    work: Work,
    lang: Lang,
    is_terminal: bool,
    /// When something was last shown.
    shown: Option<Duration>,
}

impl Line {
    fn new(work: Work, lang: Lang, is_terminal: bool) -> Self {
        Self { work, lang, is_terminal, shown: None }
    }

    /// What is to be written when so much is done, after such a time.
    fn at(&mut self, passed: Duration, done: u64, total: u64) -> Option<String> {
        let pause = if self.is_terminal { REDRAW } else { REPEAT };
        let due = self.shown.map_or(PATIENCE, |shown| shown + pause);
        if passed < due {
            return None;
        }
        self.shown = Some(passed);
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
    use super::{Line, Work};
    use std::time::Duration;
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
        let often = (0..2000).filter(|at| quick.at(Duration::from_millis(*at), *at, 2000).is_some());
        assert_eq!(often.count(), 10);
    }

    #[test]
    fn elsewhere_there_is_a_line_now_and_then_and_nothing_is_erased() {
        let shown = written(Line::new(Work::Recovery, Lang::En, false), 2500);
        let line = |done| format!("→ recovering workflows: {done} of 100\n");
        assert_eq!(shown, [10, 30, 50, 70, 90].map(line));
        assert_eq!(written(Line::new(Work::Recovery, Lang::En, false), 100), [line(100)]);
    }

    #[test]
    fn each_kind_of_work_has_its_words_in_both_languages() {
        let said = |work: Work, lang| work.line(lang, 1_500_000, 2_000_000);
        assert_eq!(said(Work::Backup, Lang::En), "writing the backup: 1 MB of 2 MB");
        assert_eq!(said(Work::Backup, Lang::Zh), "正在写入副本: 1 MB / 2 MB");
        assert_eq!(said(Work::Recovery, Lang::Zh), "正在恢复工作流: 1500000 / 2000000");
        assert_eq!(said(Work::Removal, Lang::Zh), "正在删除记录: 1500000 / 2000000");
    }

    #[test]
    fn no_more_is_done_than_there_is() {
        let mut line = Line::new(Work::Removal, Lang::En, false);
        let shown = line.at(Duration::from_secs(2), 7, 5);
        assert_eq!(shown.as_deref(), Some("→ removing records: 5 of 5\n"));
    }
}

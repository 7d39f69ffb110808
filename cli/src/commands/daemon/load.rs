//! How much a daemon has to do, as `aide daemon status` shows it.

use protocol::workflow::api::{Backlog, DaemonLoad};
use std::time::Duration;
use texts::Lang;

/// The words of the lines, each before its numbers. One table per language: a missing text does not compile.
struct Words {
    workflows: &'static str,
    running: &'static str,
    paused: &'static str,
    decisions: &'static str,
    agent_queue: &'static str,
    outbox: &'static str,
    requests: &'static str,
    oldest: &'static str,
    commits: &'static str,
    median: &'static str,
    percentile_99: &'static str,
    readers: &'static str,
    busy: &'static str,
    waiting: &'static str,
    writers: &'static str,
    subscribers: &'static str,
    journal: &'static str,
    wal: &'static str,
    /// What separates the numbers of a line.
    comma: &'static str,
}

static ZH: Words = Words {
    workflows: "工作流",
    running: "进行中",
    paused: "已暂停",
    decisions: "待决策",
    agent_queue: "等待智能体",
    outbox: "待发布",
    requests: "等待中的请求",
    oldest: "最早的已等待",
    commits: "提交",
    median: "中位数",
    percentile_99: "99% 不超过",
    readers: "读取",
    busy: "使用中",
    waiting: "等待",
    writers: "写入",
    subscribers: "订阅者",
    journal: "日志大小",
    wal: "预写日志",
    comma: "，",
};

static EN: Words = Words {
    workflows: "Workflows",
    running: "running",
    paused: "paused",
    decisions: "Open decisions",
    agent_queue: "Waiting for an agent",
    outbox: "Outbox",
    requests: "Waiting requests",
    oldest: "oldest waits for",
    commits: "Commits",
    median: "median",
    percentile_99: "99 % within",
    readers: "Readers",
    busy: "busy",
    waiting: "waiting",
    writers: "Writers",
    subscribers: "Subscribers",
    journal: "Journal size",
    wal: "write-ahead log",
    comma: ", ",
};

/// The lines, each with a name.
pub(super) fn lines(lang: Lang, load: &DaemonLoad) -> Vec<(&'static str, String)> {
    let words = match lang {
        Lang::Zh => &ZH,
        Lang::En => &EN,
    };
    let workflows = &load.workflows;
    let named = |name: &str, value: &dyn std::fmt::Display| format!("{name} {value}");
    let line = |parts: Vec<String>| parts.join(words.comma);
    let mut queue = words.backlog(lang, &load.agent_queue.total);
    queue.extend(load.agent_queue.types.iter().map(|(kind, backlog)| named(kind, &backlog.count)));
    let mut commits = vec![load.commits.count.to_string()];
    commits.extend(load.commits.median_seconds.map(|took| named(words.median, &millis(took))));
    commits.extend(load.commits.percentile99_seconds.map(|took| named(words.percentile_99, &millis(took))));
    let busy = format!("{}/{}", load.readers.busy, load.readers.limit);
    vec![
        (
            words.workflows,
            line(vec![named(words.running, &workflows.running), named(words.paused, &workflows.paused)]),
        ),
        (words.decisions, line(words.backlog(lang, &load.decisions))),
        (words.agent_queue, line(queue)),
        (words.outbox, line(words.backlog(lang, &load.outbox))),
        (words.requests, line(words.backlog(lang, &load.requests))),
        (words.commits, line(commits)),
        (words.writers, load.writers.to_string()),
        (words.readers, line(vec![named(words.busy, &busy), named(words.waiting, &load.readers.waiting)])),
        (
            words.subscribers,
            line(vec![named("WebSocket", &load.subscribers.web_socket), named("SSE", &load.subscribers.sse)]),
        ),
        (
            words.journal,
            line(vec![
                megabytes(load.journal.file_bytes),
                named(words.wal, &megabytes(load.journal.wal_bytes)),
            ]),
        ),
    ]
}

impl Words {
    fn backlog(&self, lang: Lang, backlog: &Backlog) -> Vec<String> {
        let mut parts = vec![backlog.count.to_string()];
        let span =
            |seconds: f64| lang.history().duration(Duration::from_secs_f64(seconds.max(0.0)).as_secs());
        parts.extend(backlog.oldest_seconds.map(|seconds| format!("{} {}", self.oldest, span(seconds))));
        parts
    }
}

/// A size in megabytes, rounded up to a tenth.
fn megabytes(bytes: u64) -> String {
    let tenths = bytes.div_ceil(100_000);
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

fn millis(seconds: f64) -> String {
    format!("{:.1} ms", seconds * 1000.0)
}

#[cfg(test)]
mod tests {
    use super::lines;
    use protocol::workflow::api::{
        AgentQueueLoad, Backlog, CommitLoad, DaemonLoad, JournalSize, ReaderLoad, SubscriberLoad,
        WorkflowLoad,
    };
    use std::collections::BTreeMap;
    use texts::Lang;

    fn load() -> DaemonLoad {
        let none = || Backlog { count: 0, oldest_seconds: None };
        let some = || Backlog { count: 3, oldest_seconds: Some(75.9) };
        DaemonLoad {
            workflows: WorkflowLoad { running: 4, paused: 1, states: BTreeMap::new() },
            decisions: none(),
            agent_queue: AgentQueueLoad { total: some(), types: [("executor".to_owned(), some())].into() },
            outbox: none(),
            requests: Backlog { count: 1, oldest_seconds: Some(0.2) },
            commits: CommitLoad {
                count: 12,
                total_seconds: 1.0,
                buckets: Vec::new(),
                median_seconds: Some(0.000_64),
                percentile99_seconds: Some(0.0123),
            },
            writers: 2,
            readers: ReaderLoad { limit: 2, busy: 1, waiting: 5 },
            subscribers: SubscriberLoad { web_socket: 6, sse: 7 },
            journal: JournalSize { file_bytes: 12_345_678, wal_bytes: 1 },
        }
    }

    #[test]
    fn each_number_is_on_a_line_in_both_languages() {
        let shown = |lang| {
            let lines = lines(lang, &load());
            lines.iter().map(|(name, value)| format!("{name}: {value}\n")).collect::<String>()
        };
        let english = "Workflows: running 4, paused 1\nOpen decisions: 0\n\
            Waiting for an agent: 3, oldest waits for 1 min 15 s, executor 3\nOutbox: 0\n\
            Waiting requests: 1, oldest waits for 0 s\n\
            Commits: 12, median 0.6 ms, 99 % within 12.3 ms\nWriters: 2\nReaders: busy 1/2, waiting 5\n\
            Subscribers: WebSocket 6, SSE 7\nJournal size: 12.4 MB, write-ahead log 0.1 MB\n";
        assert_eq!(shown(Lang::En), english);
        let numbers = |text: &str| -> Vec<String> {
            let digits = text.split(|c: char| !c.is_ascii_digit() && c != '.');
            digits.filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        assert_eq!(numbers(&shown(Lang::Zh)), numbers(english));
        assert!(shown(Lang::Zh).starts_with("工作流: 进行中 4，已暂停 1\n"));
    }
}

//! Messages about sets of questions and their records: listing, showing, exporting and removing them.

use decide::{Entry, State};
use model::{SessionId, Via};
use std::path::PathBuf;
use texts::Lang;

/// One line for people.
#[derive(Debug)]
pub(crate) enum RecordMessage {
    Exported {
        path: PathBuf,
    },
    AlreadyExported {
        path: PathBuf,
    },
    NothingToExport {
        session: String,
    },
    /// The questions are open.
    AnswerFirst {
        session: String,
    },
    NoSessions,
    /// A later page of the list is empty.
    NoMoreSessions,
    /// There is another page.
    OlderSessions {
        /// Its number.
        next: usize,
    },
    Session {
        session: SessionId,
        state: State,
        task: String,
        items: usize,
        /// How many of them were left for later.
        left: usize,
        /// Until when they are to be answered.
        deadline: Option<String>,
        completed_at: String,
    },
    OpenItem {
        id: u64,
        title: String,
        labels: String,
    },
    /// `followed` is missing when nothing was recommended, `via` in records that do not say.
    Answer {
        id: u64,
        title: String,
        label: String,
        via: Option<Via>,
        followed: Option<bool>,
        decided_at: String,
    },
    OptionDescription {
        label: String,
        description: String,
    },
    AnswerNote {
        note: String,
    },
    ItemContext {
        context: String,
    },
    NothingToClean,
    WouldRemove {
        count: usize,
    },
    ReallyRemove {
        count: usize,
    },
    Removed {
        count: usize,
    },
    NothingRemoved,
    NeedsYes,
    SayYes,
    /// `items` is empty when the whole set is meant.
    ReturnedBecause {
        message: String,
        items: String,
    },
}

impl RecordMessage {
    /// One line of the list of sessions.
    pub(super) fn session(entry: Entry, lang: Lang) -> Self {
        let Entry { session, state, task, items, left, completed_at, deadline, origin, .. } = entry;
        let task = lang.task(&task, &origin).into_owned();
        let deadline = deadline.filter(|_| completed_at.is_empty());
        Self::Session { session, state, task, items, left, deadline, completed_at }
    }

    pub(super) fn render(&self, lang: Lang) -> String {
        match lang {
            Lang::Zh => zh(self),
            Lang::En => en(self),
        }
    }
}

fn zh(message: &RecordMessage) -> String {
    match message {
        RecordMessage::Exported { path } => format!("已写入 {}", path.display()),
        RecordMessage::NothingToClean => "没有可删除的记录".to_owned(),
        RecordMessage::WouldRemove { count } => format!("将删除 {count} 份记录"),
        RecordMessage::ReallyRemove { count } => format!("永久删除这 {count} 份记录吗？[y/N]"),
        RecordMessage::Removed { count } => format!("已删除 {count} 份记录"),
        RecordMessage::NothingRemoved => "没有删除任何记录".to_owned(),
        RecordMessage::NeedsYes => "没有终端，无法询问是否删除这些记录".to_owned(),
        RecordMessage::SayYes => "加上 --yes 直接删除，或用 --dry-run 只查看".to_owned(),
        RecordMessage::AlreadyExported { path } => format!("此前已导出: {}", path.display()),
        RecordMessage::NothingToExport { session } => format!("{session} 没有决策可导出"),
        RecordMessage::AnswerFirst { session } => {
            format!("其中的待定项尚未回答，执行 aide decide answer {session} 回答")
        }
        RecordMessage::NoSessions => "还没有待定项".to_owned(),
        RecordMessage::NoMoreSessions => "这一页没有待定项".to_owned(),
        RecordMessage::OlderSessions { next } => format!("更早的待定项: aide decide list --page {next}"),
        RecordMessage::Session { session, state, task, items, left, deadline, completed_at } => {
            let state = match state {
                State::Open => "待决策",
                State::Unserved => "待决策（没有服务在运行）",
                State::Answered => "已决策",
                State::Returned => "已退回",
                State::Cancelled => "已取消",
                State::Expired => "已过期",
                State::Replaced => "已被取代",
                State::Unreadable => return format!("{session}  无法读取"),
            };
            let ended = if completed_at.is_empty() { String::new() } else { format!("，{completed_at}") };
            let due = deadline.as_ref().map(|deadline| format!("，截止 {deadline}")).unwrap_or_default();
            let answered = if *left == 0 {
                String::new()
            } else {
                format!("，已回答 {} 项", items.saturating_sub(*left))
            };
            format!("{session}  {state}  {task}（{items} 项{answered}{due}{ended}）")
        }
        RecordMessage::OpenItem { id, title, labels } => format!("{id}. {title}: {labels}"),
        RecordMessage::Answer { id, title, label, via, followed, decided_at } => {
            let followed = followed.map(|yes| if yes { "采纳推荐" } else { "未采纳推荐" });
            let via = via.map(|via| match via {
                Via::Page => "网页",
                Via::Form => "纯表单网页",
                Via::Api => "接口",
                Via::Terminal => "终端",
                Via::Clock => "截止时间",
            });
            let time = (!decided_at.is_empty()).then_some(decided_at.as_str());
            let how: Vec<_> = [followed, via, time].into_iter().flatten().collect();
            let how = if how.is_empty() { String::new() } else { format!("（{}）", how.join("，")) };
            // Of several lines the first one has it: behind the last, it would read as a part of them.
            let end = label.find('\n').unwrap_or(label.len());
            format!("{id}. {title} → {}{how}{}", &label[..end], &label[end..])
        }
        RecordMessage::OptionDescription { label, description } => format!("{label}: {description}"),
        RecordMessage::AnswerNote { note } => format!("备注: {note}"),
        RecordMessage::ItemContext { context } => context.clone(),
        RecordMessage::ReturnedBecause { message, items } => {
            let items = if items.is_empty() { String::new() } else { format!("（待定项 {items}）") };
            format!("退回原因{items}: {message}")
        }
    }
}

fn en(message: &RecordMessage) -> String {
    match message {
        RecordMessage::Exported { path } => format!("Wrote {}", path.display()),
        RecordMessage::NothingToClean => "Nothing to remove".to_owned(),
        RecordMessage::WouldRemove { count } => format!("Would remove {}", records(*count)),
        RecordMessage::ReallyRemove { count } => format!("Permanently remove {}? [y/N]", records(*count)),
        RecordMessage::Removed { count } => format!("Removed {}", records(*count)),
        RecordMessage::NothingRemoved => "Nothing was removed".to_owned(),
        RecordMessage::NeedsYes => {
            "cannot ask whether to remove the records: there is no terminal".to_owned()
        }
        RecordMessage::SayYes => "add --yes to remove them, or --dry-run to see which".to_owned(),
        RecordMessage::AlreadyExported { path } => format!("Already exported: {}", path.display()),
        RecordMessage::NothingToExport { session } => format!("no decisions to export in {session}"),
        RecordMessage::AnswerFirst { session } => {
            format!("its questions are open; answer them with aide decide answer {session}")
        }
        RecordMessage::NoSessions => "No questions yet".to_owned(),
        RecordMessage::NoMoreSessions => "No questions on this page".to_owned(),
        RecordMessage::OlderSessions { next } => format!("earlier questions: aide decide list --page {next}"),
        RecordMessage::Session { session, state, task, items, left, deadline, completed_at } => {
            let state = match state {
                State::Open => "pending",
                State::Unserved => "pending (no server is running)",
                State::Answered => "answered",
                State::Returned => "sent back",
                State::Cancelled => "cancelled",
                State::Expired => "expired",
                State::Replaced => "replaced",
                State::Unreadable => return format!("{session}  unreadable"),
            };
            let plural = if *items == 1 { "" } else { "s" };
            let ended = if completed_at.is_empty() { String::new() } else { format!(", {completed_at}") };
            let due = deadline.as_ref().map(|deadline| format!(", due {deadline}")).unwrap_or_default();
            let answered =
                if *left == 0 { String::new() } else { format!("{} of ", items.saturating_sub(*left)) };
            format!("{session}  {state}  {task} ({answered}{items} question{plural}{due}{ended})")
        }
        RecordMessage::OpenItem { id, title, labels } => format!("{id}. {title}: {labels}"),
        RecordMessage::Answer { id, title, label, via, followed, decided_at } => {
            let followed = followed.map(|yes| if yes { "as recommended" } else { "not as recommended" });
            let via = via.map(|via| match via {
                Via::Page => "page",
                Via::Form => "plain page",
                Via::Api => "API",
                Via::Terminal => "terminal",
                Via::Clock => "deadline",
            });
            let time = (!decided_at.is_empty()).then_some(decided_at.as_str());
            let how: Vec<_> = [followed, via, time].into_iter().flatten().collect();
            let how = if how.is_empty() { String::new() } else { format!(" ({})", how.join(", ")) };
            // Of several lines the first one has it: behind the last, it would read as a part of them.
            let end = label.find('\n').unwrap_or(label.len());
            format!("{id}. {title} → {}{how}{}", &label[..end], &label[end..])
        }
        RecordMessage::OptionDescription { label, description } => format!("{label}: {description}"),
        RecordMessage::AnswerNote { note } => format!("note: {note}"),
        RecordMessage::ItemContext { context } => context.clone(),
        RecordMessage::ReturnedBecause { message, items } => {
            let plural = if items.contains(',') { "s" } else { "" };
            let items = if items.is_empty() { String::new() } else { format!(" (question{plural} {items})") };
            format!("sent back{items}: {message}")
        }
    }
}

fn records(count: usize) -> String {
    if count == 1 { "1 record".to_owned() } else { format!("{count} records") }
}

#[cfg(test)]
mod tests {
    use super::RecordMessage;
    use decide::State;
    use model::{SessionId, Via};

    fn text(text: &str) -> String {
        text.to_owned()
    }

    fn session(name: &str) -> SessionId {
        name.parse().unwrap()
    }

    samples! {
        RecordMessage;
        Exported { path: "/p/docs/decisions/0001-x.md".into() },
        AlreadyExported { path: "/p/docs/decisions/0001-x.md".into() },
        NothingToExport { session: "2026-01-15T10-30-00".to_owned() },
        AnswerFirst { session: "2026-01-15T10-30-00".to_owned() },
        NothingToClean,
        WouldRemove { count: 2 },
        ReallyRemove { count: 2 },
        Removed { count: 2 },
        NothingRemoved,
        NeedsYes,
        SayYes,
        NoSessions,
        NoMoreSessions,
        OlderSessions { next: 2 },
        Session {
            session: session("2025-01-15T10-30-00"),
            state: State::Answered,
            task: text("实现用户认证"),
            items: 2,
            left: 0,
            deadline: None,
            completed_at: text("2025-01-15T10:35:00+08:00")
        },
        OpenItem { id: 1, title: text("认证方式选择"), labels: text("JWT / Session") },
        Answer {
            id: 1,
            title: text("认证方式选择"),
            label: text("JWT"),
            via: Some(Via::Page),
            followed: Some(true),
            decided_at: text("2025-01-15T10:34:00+08:00")
        },
        ItemContext { context: text("现有系统是单体应用") },
        OptionDescription { label: text("JWT"), description: text("无需服务端存储") },
        AnswerNote { note: text("团队更熟悉") },
        ReturnedBecause { message: text("先问安全组"), items: text("1, 3") },
    }
}

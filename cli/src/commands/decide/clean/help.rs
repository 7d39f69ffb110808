//! The words of `aide decide clean --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) keep: &'static str,
    pub(super) older_than: &'static str,
    pub(super) dry_run: &'static str,
    pub(super) yes: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "删除早已结束的决策记录",
    usage: "aide decide clean [--keep <N>] [--older-than <AGE>] [选项]",
    after: "\
至少需要 --keep 与 --older-than 之一；两者都给出时，只删除两者都不保留的记录。最新
的一组，以及最近一次未排队提交的一组（aide decide result 所显示的），无论是否已决策
都不会被删除。删除前会列出并询问；没有终端时需要 --yes。有可删除的记录而没有删除时，
退出码为 1。

  aide decide clean --keep 20 --older-than 30d",
    keep: "保留最近的若干份记录",
    older_than: "只删除结束时间早于此的记录: 30m、12h、30d、2w",
    dry_run: "只列出将被删除的记录",
    yes: "不询问，直接删除",
    json: "与 --yes 或 --dry-run 合用: 输出一行 JSON（removed、dry_run）",
};

pub(super) static EN: Help = Help {
    about: "Remove old records",
    usage: "aide decide clean [--keep <N>] [--older-than <AGE>] [OPTIONS]",
    after: "\
Give --keep, --older-than, or both; with both, only records that neither of them
keeps are removed. The newest set and the newest set that was not queued (the one
that aide decide result shows) are never removed, answered or not. Lists the records and
asks before removing them; without a terminal, --yes is required. Exit code 1 if
there were records to remove and none was removed.

  aide decide clean --keep 20 --older-than 30d",
    keep: "Keep this many of the most recent records",
    older_than: "Remove only records that ended longer ago than this: 30m, 12h, 30d, 2w",
    dry_run: "Only list what would be removed",
    yes: "Do not ask",
    json: "With --yes or --dry-run: print one line of JSON (removed, dry_run)",
};

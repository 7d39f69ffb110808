//! The words of `aide uninstall --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) purge: &'static str,
    pub(super) dry_run: &'static str,
    pub(super) yes: &'static str,
    pub(super) json: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "从这台电脑上卸载 aide",
    usage: "aide uninstall [选项]",
    after: "\
列出将要删除与保留的内容，询问之后停止守护进程，从智能体的配置中移除 aide（还原为原来
的内容），并删除程序及指向它的链接。由软件包管理器安装的程序由其自行删除，此命令只给出
所用的命令。--purge 还会删除您自己的配置，以及所有状态: 工作流、日志、信任记录。

项目的 .aide/ 从不删除，只列出 aide 记得的项目。没有终端时需要 --yes。回答“否”时退出码为 1。

  aide uninstall --purge --dry-run",
    purge: "同时删除您自己的配置与所有状态",
    dry_run: "只列出，不删除",
    yes: "不询问，直接删除",
    json: "与 --yes 或 --dry-run 合用: 输出一行 JSON（status、items）",
};

pub(super) static EN: Help = Help {
    about: "Uninstall aide from this computer",
    usage: "aide uninstall [OPTIONS]",
    after: "\
Lists what is removed and what is kept, and asks. Then it stops the daemon, removes aide
from the configuration of agents (restoring the earlier content), and removes the program
and the links to it. If a package manager has installed the program, its command is printed
instead. --purge also removes your own configuration and all state: workflows, logs, and
the record of trust.

The .aide/ folder of a project is never removed; the projects that aide remembers are
listed. So are completions and manual pages that you have written to the places that
aide completions --help and aide man --help suggest.

Without a terminal, --yes is required. Exit code 1 if you answer no.

  aide uninstall --purge --dry-run",
    purge: "Also remove your own configuration and all state",
    dry_run: "Only list, remove nothing",
    yes: "Do not ask",
    json: "With --yes or --dry-run: print one line of JSON (status, items)",
};

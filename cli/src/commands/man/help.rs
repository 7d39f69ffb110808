//! The words of `aide man --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) dir: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "将手册页写入一个文件夹",
    usage: "aide man <DIR>",
    after: "\
每个命令一页，如 aide.1 与 aide-decide-submit.1，使用当前语言（--lang）。已有的同名文件会被替换。
例如: aide man ~/.local/share/man/man1，然后 man aide-decide",
    dir: "文件夹，不存在时创建",
};

pub(super) static EN: Help = Help {
    about: "Write the manual pages into a folder",
    usage: "aide man <DIR>",
    after: "\
One for each command, such as aide.1 and aide-decide-submit.1, in the current language (--lang).
Files of these names are replaced.
For example: aide man ~/.local/share/man/man1, then man aide-decide",
    dir: "The folder; created if it is missing",
};

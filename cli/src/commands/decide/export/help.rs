//! The words of `aide decide export --help`.

/// One table per language: a missing text does not compile.
pub(super) struct Help {
    pub(super) about: &'static str,
    pub(super) usage: &'static str,
    pub(super) after: &'static str,
    pub(super) format: &'static str,
    pub(super) dir: &'static str,
}

pub(super) static ZH: Help = Help {
    about: "把决策导出为 Markdown",
    usage: "aide decide export [选项] [SESSION]",
    after: "\
--format md   整个会话一份文档，输出到标准输出
--format adr  每个待定项一份架构决策记录（MADR 4.0），写入文件夹；已有的文件不会被
              改动，导出过的不会重复导出",
    format: "md 或 adr（默认 md）",
    dir: "adr 的文件夹（默认为项目根目录下的 docs/decisions）",
};

pub(super) static EN: Help = Help {
    about: "Export decisions as Markdown",
    usage: "aide decide export [OPTIONS] [SESSION]",
    after: "\
--format md   one document for the whole session, on standard output
--format adr  one architecture decision record (MADR 4.0) per question, as files in
              a folder; existing files are left alone, and nothing is exported twice",
    format: "md or adr (default md)",
    dir: "Folder for adr (default docs/decisions in the project root)",
};

//! The errors of `files`.

use super::{Explain, Explanation, reason};
use crate::Lang;
use files::FileError;
use std::io::ErrorKind;

impl Explain for FileError {
    fn zh(&self) -> Explanation {
        const OURS: &str = "移走它后重试；.aide/ 下只能是普通目录与文件";
        let (what, hint) = match self {
            Self::Symlink { path } => (format!("不能是符号链接: {}", path.display()), OURS),
            Self::NotOurs { path } => (
                format!("其他用户可以写入该目录: {}", path.display()),
                "使该目录归您所有，并执行 chmod o-w 去掉其他用户的写权限；chmod 不起作用时（如 WSL 的 /mnt/c、FAT 格式的磁盘），将项目移到能保存权限的文件系统",
            ),
            Self::NotAFolder { path } => (format!("不是目录: {}", path.display()), OURS),
            Self::NotAFile { path } => (format!("不是普通文件: {}", path.display()), OURS),
            Self::TooLarge { path, limit } => {
                (format!("文件超过 {limit} 字节: {}", path.display()), "减少待定项或缩短内容")
            }
            Self::Corrupt { file, message } => (
                format!("无法解析 {file}: {message}"),
                "文件可能已损坏，请恢复该文件，或重新执行 aide decide submit '<json>'",
            ),
            Self::Conflict { file } => {
                return Explanation::new(format!("{file} 有合并冲突")).with_hint(conflict_zh(file));
            }
            Self::Newer { path, needs } => {
                return Explanation::new(format!("{} 由更新版本的 aide 写成", path.display()))
                    .with_hint(format!("文件没有被改动。需要 aide {needs} 或更新的版本"));
            }
            Self::Busy { path } => {
                (format!("另一个程序正占用 {}", path.display()), "等待或结束另一个 aide 后重试")
            }
            Self::Changed { path } => {
                (format!("读取之后又被改动: {}", path.display()), "重试；若仍如此，先关闭正在写它的程序")
            }
            Self::Io { path, source } if source.kind() == ErrorKind::NotFound => {
                (format!("文件不存在: {}", path.display()), "检查路径")
            }
            Self::Io { path, source } => (
                format!("读写失败: {}: {}", path.display(), reason(Lang::Zh, source)),
                "检查磁盘空间与目录权限",
            ),
        };
        Explanation::new(what).with_hint(hint)
    }

    fn en(&self) -> Explanation {
        const OURS: &str = "move it away and try again; .aide/ may contain only ordinary folders and files";
        let (what, hint) = match self {
            Self::Symlink { path } => (format!("must not be a symlink: {}", path.display()), OURS),
            Self::NotOurs { path } => (
                format!("other users can write to this folder: {}", path.display()),
                "make yourself the folder's owner, and remove the others' write permission with chmod o-w; where chmod has \
                 no effect (/mnt/c in WSL, FAT disks), move the project to a file system that keeps permissions",
            ),
            Self::NotAFolder { path } => (format!("not a folder: {}", path.display()), OURS),
            Self::NotAFile { path } => (format!("not a regular file: {}", path.display()), OURS),
            Self::TooLarge { path, limit } => (
                format!("larger than {limit} bytes: {}", path.display()),
                "ask fewer questions or shorten them",
            ),
            Self::Corrupt { file, message } => (
                format!("cannot parse {file}: {message}"),
                "the file may be damaged, restore it or run aide decide submit '<json>' again",
            ),
            Self::Conflict { file } => {
                return Explanation::new(format!("merge conflict in {file}")).with_hint(conflict_en(file));
            }
            Self::Newer { path, needs } => {
                return Explanation::new(format!(
                    "{} was written by a later version of aide",
                    path.display()
                ))
                .with_hint(format!("nothing was changed; aide {needs} or later is needed"));
            }
            Self::Busy { path } => (
                format!("another program is using {}", path.display()),
                "wait for the other aide to finish, or stop it, then try again",
            ),
            Self::Changed { path } => (
                format!("changed after it was read: {}", path.display()),
                "try again; if this persists, close the program that writes it first",
            ),
            Self::Io { path, source } if source.kind() == ErrorKind::NotFound => {
                (format!("no such file: {}", path.display()), "check the path")
            }
            Self::Io { path, source } => (
                format!("cannot read or write {}: {}", path.display(), reason(Lang::En, source)),
                "check the free disk space and the folder's permissions",
            ),
        };
        Explanation::new(what).with_hint(hint)
    }
}

/// What to do about a file that a merge has left two versions in.
pub(super) fn conflict_zh(file: &str) -> String {
    format!(
        "执行 git checkout --ours -- {file}（保留当前分支的版本）或 git checkout --theirs -- {file}（采用对方的版本），或编辑该文件，然后执行 git add {file}"
    )
}

/// The same in English.
pub(super) fn conflict_en(file: &str) -> String {
    format!(
        "run git checkout --ours -- {file} to keep this branch's version or git checkout --theirs -- {file} to take the other one, or edit the file; then git add {file}"
    )
}

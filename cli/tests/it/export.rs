//! `aide decide export --format adr`: whole records, in the folder that was meant, and nothing read but records.

use crate::support::{CommandOutput, Folder, minimal, minimal_answers};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

const EXPORT: [&str; 4] = ["decide", "export", "--format", "adr"];

/// A project whose questions were answered, with a record of some KiB to write down.
fn answered() -> Folder {
    let folder = Folder::project();
    let mut questions = minimal();
    questions["items"][0]["context"] = "背景".repeat(2000).into();
    let running = folder.submit(&questions);
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    running.finish().succeeded("✓ 决策已完成\n");
    folder
}

/// The export in a shell that has run `prelude`.
fn export_after(folder: &Folder, prelude: &str) -> CommandOutput {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{prelude}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_aide")]);
    let command = command.args(EXPORT).current_dir(folder.path()).env_clear();
    CommandOutput::new(command.output().unwrap())
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

#[test]
fn half_a_record_never_has_the_name_of_one() {
    let folder = answered();
    let records = folder.path().canonicalize().unwrap().join("docs/decisions");
    let refused = export_after(&folder, "ulimit -f 4; trap '' XFSZ");
    refused.failed_with(1, &format!("✗ 读写失败: {}", records.display()));
    assert_eq!(names(&records), [""; 0]);
    // Ended by the signal, in the middle of the write.
    let killed = export_after(&folder, "ulimit -c 0; ulimit -f 4");
    assert_eq!((killed.code, &*killed.stdout), (None, ""));
    assert!(names(&records).iter().all(|name| name.starts_with('.')), "{:?}", names(&records));

    let file = records.join("0001-测试问题.md");
    folder.aide(EXPORT).succeeded(&format!("✓ 已写入 {}\n", file.display()));
    assert!(fs::read_to_string(file).unwrap().contains("Chosen option: \"选项A\"."));
}

#[test]
fn what_is_no_record_is_not_read() {
    let folder = answered();
    let elsewhere = tempfile::tempdir().unwrap();
    let mut aside = EXPORT.to_vec();
    let outside = elsewhere.path().join("records");
    aside.extend(["--dir", outside.to_str().unwrap()]);
    assert_eq!(folder.aide(aside).code, Some(0));

    let records = folder.path().canonicalize().unwrap().join("docs/decisions");
    fs::create_dir_all(&records).unwrap();
    symlink("/dev/zero", records.join("0003-zero.md")).unwrap();
    // A record of these questions, but of another folder.
    symlink(outside.join("0001-测试问题.md"), records.join("0002-link.md")).unwrap();
    fs::create_dir(records.join("0004-folder.md")).unwrap();
    assert!(Command::new("mkfifo").arg(records.join("0005-pipe.md")).status().unwrap().success());
    let exported = export_after(
        &folder,
        "ulimit -v 4000000; set -- \"$0\" \"$@\"; set -- 20 \"$@\"; exec timeout \"$@\"",
    );
    let file = records.join("0006-测试问题.md");
    exported.succeeded(&format!("✓ 已写入 {}\n", file.display()));
    folder.aide(EXPORT).succeeded(&format!("→ 此前已导出: {}\n", file.display()));
}

#[test]
fn nothing_is_written_through_a_symlink_that_nobody_named() {
    for (link, rest) in [("docs", ""), ("docs/decisions", "docs")] {
        let folder = answered();
        let outside = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.join(rest)).unwrap();
        symlink(outside.path(), folder.join(link)).unwrap();
        let path = folder.path().canonicalize().unwrap().join(link);
        folder.aide(EXPORT).failed(
            1,
            &format!("✗ 不能是符号链接: {}\n  建议: 用 --dir 指定要写入的文件夹\n", path.display()),
        );
        assert_eq!(names(outside.path()), [""; 0]);
        // Who names it means it.
        let named = [&EXPORT[..], &["--dir", link]].concat();
        folder.aide(named).succeeded(&format!("✓ 已写入 {link}/0001-测试问题.md\n"));
        assert_eq!(names(outside.path()), ["0001-测试问题.md"]);
    }
}

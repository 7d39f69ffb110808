//! `aide flow open`: the page of a task, in a browser.

use crate::support::http::get;
use crate::support::repository::Repository;
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, minimal, until};
use rustix::process::Signal;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

/// A browser that writes down what it shows.
fn browser(repository: &Repository) -> (PathBuf, PathBuf) {
    let (show, shown) = (repository.home().join("show"), repository.home().join("shown"));
    fs::write(&show, format!("#!/bin/sh\necho \"$1\" > {0}.new && mv {0}.new {0}\n", shown.display()))
        .unwrap();
    fs::set_permissions(&show, fs::Permissions::from_mode(0o755)).unwrap();
    (show, shown)
}

#[test]
fn without_a_server_it_serves_the_page_until_it_is_ended() {
    let repository = Repository::with_task();
    let task = repository.state()["task_id"].as_str().unwrap().to_owned();
    repository.flow(["next-part", "verify", "done"]).succeeded("✓ 进入环节: verify\n");
    assert_eq!(repository.flow(["start", "impl", "another"]).code, Some(0));
    let (show, shown) = browser(&repository);
    let mut command = repository.command(["flow", "open", "--port", "0"]);
    command.env("BROWSER", &show);
    let running = RunningServer::printing(command, 3);
    let link = format!("http://localhost:{}/flow", running.port);
    assert_eq!(running.printed, format!("→ Web 服务已启动\n→ 请访问: {link}\n→ 已启动 {}\n", show.display()));
    until("the browser", || shown.exists());
    assert_eq!(fs::read_to_string(&shown).unwrap(), format!("{link}\n"));
    let page = get(running.port, "/flow");
    assert!(page.text().contains("another") && page.text().contains("以前的任务"), "{}", page.text());
    assert!(page.text().contains(&format!("/flow/{task}?lang=zh")), "{}", page.text());
    let past = get(running.port, &format!("/flow/{task}"));
    assert!(past.text().contains("此任务已归档") && past.text().contains("done"), "{}", past.text());
    // A second one finds it, also for a task of the past.
    let mut command = repository.command(["flow", "open", &task]);
    let told = CommandOutput::new(command.env("BROWSER", &show).output().unwrap());
    told.succeeded(&format!("→ 请访问: {link}/{task}\n→ 已启动 {}\n", show.display()));
    assert_eq!(fs::read_to_string(&shown).unwrap(), format!("{link}/{task}\n"));
    let nobody = repository.flow(["open"]);
    assert_eq!((nobody.code, &*nobody.stdout), (Some(1), &*format!("→ 请访问: {link}\n")));
    repository.flow(["open", "2020-01-01T00-00-00"]).failed_with(1, "✗ 未找到任务: 2020-01-01T00-00-00");
    running.signal(Signal::TERM);
    let finished = running.finish();
    assert_eq!((finished.code, &*finished.stderr), (Some(143), "→ 网页由此命令提供，按 Ctrl-C 结束\n"));
    assert_eq!(repository.unclean(), "");
}

#[test]
fn where_questions_are_shown_the_page_is_beside_them() {
    let repository = Repository::with_task();
    let running = repository.folder.submit(&minimal());
    let link = format!("→ 请访问: http://localhost:{}/flow\n", running.port);
    let told = repository.flow(["open"]);
    assert_eq!((told.code, &*told.stdout), (Some(1), &*link));
    assert_eq!(told.stderr, "⚠ 这里没有可用的浏览器，请自行打开上面的链接\n");
    assert!(get(running.port, "/flow").text().contains("开始"));
    running.kill();
}

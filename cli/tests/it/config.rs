//! `aide config`.

use crate::support::{CommandOutput, Folder};
use serde_json::{Value, json};
use settings::{ConfigValue, KEYS, Key, Kind};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

/// A project with a configuration, and a person with one of their own and records of trust.
struct Home(Folder);

impl Home {
    fn new(project: &str) -> Self {
        let folder = Folder::project();
        folder.write(".aide/config.toml", project);
        Self(folder)
    }

    fn with_user(project: &str, user: &str) -> Self {
        let home = Self::new(project);
        home.0.write("home/.config/aide/config.toml", user);
        home
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.0.command(arguments);
        command.env("HOME", self.0.join("home"));
        command
    }

    /// `aide config …`
    fn config(&self, arguments: &[&str]) -> CommandOutput {
        let arguments: Vec<&str> = ["config"].iter().chain(arguments).copied().collect();
        CommandOutput::new(self.command(&arguments).output().unwrap())
    }

    fn aide(&self, arguments: &[&str]) -> CommandOutput {
        CommandOutput::new(self.command(arguments).output().unwrap())
    }

    fn text(&self) -> String {
        fs::read_to_string(self.0.join(".aide/config.toml")).unwrap()
    }

    fn user_text(&self) -> String {
        fs::read_to_string(self.user_file()).unwrap()
    }

    fn user_file(&self) -> PathBuf {
        self.0.join("home/.config/aide/config.toml")
    }

    /// As the program says it.
    fn file(&self) -> String {
        self.0.path().canonicalize().unwrap().join(".aide/config.toml").display().to_string()
    }
}

#[test]
fn get_prints_what_is_in_effect() {
    let home = Home::with_user(
        "[decide]\nport = 80\n[task]\nsource = 'task-now.md' # theirs\n[flow]\nphases = [\n  'a', # why\n  \"b\",\n]\n",
        "[decide]\nport = 90\ntimeout = 5\n",
    );
    // The key of theirs is reported beside what is printed.
    let warning = format!("⚠ {} 第 3 行的 task 没有生效：没有此配置项\n", home.file());
    let prints = |finished: CommandOutput, stdout: String| {
        assert_eq!((finished.code, finished.stdout, finished.stderr), (Some(0), stdout, warning.clone()));
    };
    for (key, text, json) in [
        ("decide.port", "80", "80"),
        ("decide.timeout", "5", "5"),
        ("decide.bind", "\"127.0.0.1\"", "\"127.0.0.1\""),
        ("flow.phases", "[\"a\", \"b\"]", "[\"a\",\"b\"]"),
        ("flow.back_confirm", "false", "false"),
        ("flow.hooks", "[]", "[]"),
        ("task.source", "\"task-now.md\"", "\"task-now.md\""),
        ("task.\"source\"", "\"task-now.md\"", "\"task-now.md\""),
        ("notify.when", "\"none\"", "\"none\""),
    ] {
        prints(home.config(&["get", key]), format!("→ {key} = {text}\n"));
        prints(home.config(&["get", key, "--json"]), format!("{json}\n"));
    }
    let mut command = home.command(&["config", "get", "decide.port"]);
    let given = CommandOutput::new(command.env("AIDE_DECIDE_PORT", "70").output().unwrap());
    prints(given, "→ decide.port = 70\n".to_owned());
    prints(home.config(&["get", "task"]), "→ task.source = \"task-now.md\"\n".to_owned());
    let plantuml = "→ plantuml.jar_path = \"\"\n→ plantuml.java_path = \"java\"\n";
    prints(home.config(&["get", "plantuml"]), plantuml.to_owned());
    let notify =
        "{\"notify.when\":\"none\",\"notify.command\":[],\"notify.steps\":[],\"notify.details\":false}\n";
    prints(home.config(&["get", "notify", "--json"]), notify.to_owned());
    // Without a project there are defaults.
    let empty = Folder::empty();
    for (key, port) in [("decide.port", 3721), ("daemon.http_port", 8080), ("daemon.ws_port", 8081)] {
        empty.aide(["config", "get", key]).succeeded(&format!("→ {key} = {port}\n"));
    }
    assert_eq!(empty.tree().len(), 0);
}

#[test]
fn what_is_not_there_is_not_found() {
    let home = Home::new("[task]\nsource = 'x'\n");
    for (key, hint) in [
        ("decide.prot", "是否要用 decide.port？"),
        ("task.spec", "执行 aide config list 查看全部配置项"),
        ("task.source.x", "执行 aide config list 查看全部配置项"),
        ("", "执行 aide config list 查看全部配置项"),
        ("a..b", "执行 aide config list 查看全部配置项"),
    ] {
        let told = format!("⚠ 未找到配置项 {key}\n  建议: {hint}\n");
        home.config(&["unset", key]).failed(1, &told);
        // The key of theirs is reported before.
        let warning = format!("⚠ {} 第 1 行的 task 没有生效：没有此配置项\n", home.file());
        home.config(&["get", key]).failed(1, &(warning + &told));
    }
    home.config(&["unset", "decide.port"]).failed_with(1, "⚠ 未找到配置项 decide.port\n");
    assert_eq!(home.text(), "[task]\nsource = 'x'\n");
}

#[test]
fn set_changes_one_value_and_not_a_byte_more() {
    let before = "# mine\r\n[decide]\r\n  port = 1   # why\r\nbind = '127.0.0.1'\r\n";
    let home = Home::new(before);
    fs::set_permissions(home.0.join(".aide/config.toml"), fs::Permissions::from_mode(0o644)).unwrap();
    home.config(&["set", "decide.port", "8080"]).succeeded("✓ 已更新 decide.port = 8080\n");
    assert_eq!(home.text(), before.replace("port = 1 ", "port = 8080 "));
    home.config(&["set", "decide.url", "http://localhost:1/a\"b"])
        .stderr
        .starts_with("⚠ ")
        .then_some(())
        .unwrap();
    home.config(&["unset", "decide.url"]).succeeded("✓ 已移除 decide.url\n");
    assert_eq!(home.text(), before.replace("port = 1 ", "port = 8080 "));
    assert_eq!(fs::metadata(home.0.join(".aide/config.toml")).unwrap().permissions().mode() & 0o777, 0o644);

    // Nothing is written when there is nothing to change.
    let inode = || fs::metadata(home.0.join(".aide/config.toml")).unwrap().ino();
    let was = inode();
    home.config(&["set", "decide.port", "8080"]).succeeded("→ decide.port 已是 8080，无须更新\n");
    assert_eq!(inode(), was);
    home.config(&["set", "--lang", "en", "decide.port", "0"]).succeeded("✓ Set decide.port = 0\n");
    home.config(&["set", "flow.phases", "plan,do"]).succeeded("✓ 已更新 flow.phases = [\"plan\", \"do\"]\n");
    assert!(home.text().ends_with("\r\n\r\n[flow]\r\nphases = [\"plan\", \"do\"]\r\n"), "{:?}", home.text());
    // What the program writes, it reads.
    home.config(&["get", "flow.phases", "--json"]).succeeded("[\"plan\",\"do\"]\n");
    assert!(!home.0.join(".aide/config.toml.tmp").exists());
}

#[test]
fn a_string_is_what_is_typed() {
    let home = Home::new("");
    for text in
        ["a\"b", "C:\\new\\table", "'x'", "\"x\"", " ", "true", "3", "天\u{1b}[2J\n\t", "#", "$(x) `y`"]
    {
        home.config(&["set", "flow.changelog.path", text]);
        let got = home.config(&["get", "flow.changelog.path", "--json"]);
        let value: Value = serde_json::from_str(&got.stdout).unwrap();
        assert_eq!(value, json!(text));
    }
}

#[test]
fn a_missing_file_begins_with_the_defaults() {
    let home = Home::new("");
    fs::remove_file(home.0.join(".aide/config.toml")).unwrap();
    home.config(&["unset", "decide.port"]).failed_with(1, "⚠ 未找到配置项 decide.port\n");
    assert!(!home.0.join(".aide/config.toml").exists());
    home.config(&["set", "decide.port", "80"]).succeeded("✓ 已更新 decide.port = 80\n");
    assert_eq!(
        home.text(),
        settings::DEFAULT_CONFIG.replace("# port = 3721\n", "# port = 3721\nport = 80\n")
    );
    let empty = Folder::empty();
    for arguments in [&["config", "set", "decide.port", "1"][..], &["config", "unset", "decide.port"]] {
        empty.aide(arguments).failed(1, "✗ .aide 目录不存在，请先执行 aide init\n");
    }
    assert_eq!(empty.tree().len(), 0);
}

#[test]
fn whatever_is_wrong_is_refused_and_nothing_is_written() {
    let text = "[decide]\nport = 1\n[[flow.hooks]]\non = \"leave\"\nphase = \"docs\"\nrun = \"x\"\n";
    let home = Home::new(text);
    let file = home.file();
    let list = "执行 aide config list 查看全部配置项";
    for (key, value, told, hint) in [
        ("decide.prot", "1", "没有此配置项: decide.prot".to_owned(), "是否要用 decide.port？".to_owned()),
        ("task.source", "x", "没有此配置项: task.source".to_owned(), list.to_owned()),
        ("decide", "x", "没有此配置项: decide".to_owned(), list.to_owned()),
        (
            "\"decide.port\"",
            "1",
            "没有此配置项: \"decide.port\"".to_owned(),
            "是否要用 decide.port？".to_owned(),
        ),
        (
            "decide.port",
            "65536",
            "decide.port 的值无效: \"65536\"，必须为 0 到 65535 的整数".to_owned(),
            "默认为 3721".to_owned(),
        ),
        (
            "flow.git.add_strategy",
            "dot",
            "flow.git.add_strategy 的值无效: \"dot\"，必须为 all、tracked、staged 之一".to_owned(),
            "默认为 \"all\"".to_owned(),
        ),
        (
            "flow.back_confirm",
            "yes",
            "flow.back_confirm 的值无效: \"yes\"，必须为 true 或 false".to_owned(),
            "默认为 false".to_owned(),
        ),
        (
            "flow.phases",
            "a,b,a",
            "flow.phases 配置无效：环节名重复 \"a\"".to_owned(),
            "默认为 [\"task-optimize\", \"flow-design\", \"impl\", \"verify\", \"docs\", \"finish\"]"
                .to_owned(),
        ),
        (
            "flow.hooks",
            "x",
            "flow.hooks 由若干个表组成，不能用命令修改".to_owned(),
            format!("请直接编辑 {file}"),
        ),
        ("notify.when", "bell", "notify.when 只能写在您自己的配置中".to_owned(), "加上 --user".to_owned()),
        // A hook would be left without its phase.
        (
            "flow.phases",
            "a,b",
            format!("配置有误: {file} 第 5 行: flow.hooks.phase 不是 flow.phases 中的环节: \"docs\""),
            "修正该文件后重试".to_owned(),
        ),
    ] {
        home.config(&["set", key, value]).failed(1, &format!("✗ {told}\n  建议: {hint}\n"));
    }
    home.config(&["unset", "decide"])
        .failed(1, "✗ decide 是一节，不是配置项\n  建议: 执行 aide config get decide 查看其中的配置项\n");
    home.config(&["unset", "flow.hooks"]).failed_with(1, "✗ flow.hooks 由若干个表组成，不能用命令修改\n");
    for usage in
        [&["set", "decide.port"][..], &["set"], &["get"], &["unset"], &["list", "x"], &["sett", "x", "y"]]
    {
        home.config(usage).failed_with(2, "✗ ");
    }
    assert_eq!(home.text(), text);
    // The error names what is in the way.
    for text in [
        "decide = 1\n",
        "[[decide]]\n",
        "[decide.port]\nx = 1\n",
        "decide.port.x = 1\n",
        "decide = { port = { } }\n",
    ] {
        home.0.write(".aide/config.toml", text);
        home.config(&["set", "decide.port", "80"]).failed_with(1, "✗ 配置有误: ");
        assert_eq!(home.text(), text);
    }
}

#[test]
fn what_is_wrong_in_a_file_can_be_mended_by_a_command() {
    let home = Home::new("[decide]\nport = \"x\"\ntimeout = -1\n");
    home.config(&["get", "decide.port"]).failed_with(1, "✗ 配置有误: ");
    home.config(&["set", "decide.port", "80"]).succeeded("✓ 已更新 decide.port = 80\n");
    home.config(&["unset", "decide.timeout"]).succeeded("✓ 已移除 decide.timeout\n");
    assert_eq!(home.text(), "[decide]\nport = 80\n");
}

#[test]
fn what_is_no_toml_is_told_with_its_place_by_every_command() {
    let home = Home::with_user("[decide]\nport = 1\nurl = \"a\u{1b}b\n", "");
    let told = format!("✗ 配置有误: {} 第 3 行第 11 列: 不是有效的 TOML: ", home.file());
    let before = home.text();
    for arguments in [
        &["config", "get", "decide.port"][..],
        &["config", "get", "task"],
        &["config", "set", "decide.port", "2"],
        &["config", "unset", "decide.port"],
        &["config", "list"],
        &["trust"],
        &["init"],
        &["decide", "submit", "{}"],
    ] {
        let finished = home.aide(arguments);
        finished.failed_with(1, &told);
        assert!(
            finished.stderr.ends_with("\n  3 | url = \"a\\u{1b}b\n  建议: 修正该文件后重试\n"),
            "{finished:?}"
        );
    }
    assert_eq!(home.text(), before);
    // The person's own as well.
    home.0.write(".aide/config.toml", "");
    home.0.write("home/.config/aide/config.toml", "\n[decide]\nport = = 1\n");
    let told = format!("✗ 配置有误: {} 第 3 行第 8 列: 不是有效的 TOML: ", home.user_file().display());
    for arguments in [
        &["config", "get", "decide.port"][..],
        &["config", "set", "--user", "decide.port", "2"],
        &["config", "list"],
        &["decide", "submit", "{}"],
    ] {
        home.aide(arguments).failed_with(1, &told);
    }
    home.0.write("home/.config/aide/config.toml", "[notify]\nwhen = \"fax\"\n");
    home.config(&["list"]).failed_with(1, &format!("✗ 配置有误: {} 第 2 行: ", home.user_file().display()));
    home.0.write("home/.config/aide/config.toml", format!("{}x y", " ".repeat(500)));
    let long = home.config(&["list"]);
    assert!(
        long.stderr.lines().nth(1).is_some_and(|line| line.contains("x y") && line.len() < 130),
        "{long:?}"
    );
}

#[test]
fn the_persons_own_file_lies_below_the_projects() {
    let home = Home::with_user(
        "[decide]\nport = 1\n",
        "[decide]\nport = 2\ntimeout = 1\n[general]\nlang = \"en\"\n",
    );
    home.config(&["set", "decide.port", "x"]).failed(
        1,
        "✗ bad value for decide.port: \"x\" is not an integer from 0 to 65535\n  hint: the default is 3721\n",
    );
    home.config(&["unset", "decide.port"]).succeeded("✓ Removed decide.port\n");
    home.config(&["get", "decide.port"]).succeeded("→ decide.port = 2\n");
    // It is followed: the time to wait is the person's.
    home.aide(&["decide", "submit", "--port", "0", &crate::support::minimal().to_string()])
        .stderr
        .contains("Timed out")
        .then_some(())
        .unwrap();
    // Without a HOME there is none.
    home.0.aide(["config", "get", "decide.port"]).succeeded("→ decide.port = 3721\n");
}

#[test]
fn the_persons_own_file_is_made_and_changed() {
    let home = Home::new("");
    home.config(&["set", "--user", "notify.when", "bell"]).succeeded("✓ 已更新 notify.when = \"bell\"\n");
    home.config(&["set", "--user", "notify.command", "[\"sh\", \"a b\"]"])
        .succeeded("✓ 已更新 notify.command = [\"sh\", \"a b\"]\n");
    assert_eq!(home.user_text(), "[notify]\nwhen = \"bell\"\ncommand = [\"sh\", \"a b\"]\n");
    for (path, mode) in
        [("home/.config", 0o700), ("home/.config/aide", 0o700), ("home/.config/aide/config.toml", 0o600)]
    {
        assert_eq!(fs::metadata(home.0.join(path)).unwrap().permissions().mode() & 0o777, mode, "{path}");
    }
    home.config(&["unset", "--user", "notify.when"]).succeeded("✓ 已移除 notify.when\n");
    home.config(&["get", "notify.when"]).succeeded("→ notify.when = \"none\"\n");
    assert_eq!(home.text(), "");
    // Many keep it elsewhere.
    home.0.write("home/dotfiles/aide.toml", home.user_text());
    fs::remove_file(home.user_file()).unwrap();
    symlink("../../dotfiles/aide.toml", home.user_file()).unwrap();
    home.config(&["set", "--user", "decide.port", "80"]).succeeded("✓ 已更新 decide.port = 80\n");
    assert!(home.user_file().is_symlink());
    assert!(
        fs::read_to_string(home.0.join("home/dotfiles/aide.toml"))
            .unwrap()
            .ends_with("[decide]\nport = 80\n")
    );
    assert_eq!(fs::read_dir(home.0.join("home/dotfiles")).unwrap().count(), 1);
    home.0
        .aide(["config", "set", "--user", "decide.port", "1"])
        .failed(1, "✗ 没有可保存用户配置的目录\n  建议: 设置 HOME，或将 XDG_CONFIG_HOME 设为绝对路径\n");
    // Nothing is made only to take something out.
    let other = Home::new("");
    other.config(&["unset", "--user", "decide.port"]).failed_with(1, "⚠ 未找到配置项 decide.port\n");
    assert!(!other.0.join("home").exists());
}

#[test]
fn who_chooses_a_language_is_answered_in_it() {
    let home = Home::new("");
    home.config(&["set", "general.lang", "en"]).succeeded("✓ Set general.lang = \"en\"\n");
    home.config(&["set", "general.lang", "zh"]).succeeded("✓ 已更新 general.lang = \"zh\"\n");
    // That of this command comes first.
    home.config(&["set", "--lang", "zh", "general.lang", "en"]).succeeded("✓ 已更新 general.lang = \"en\"\n");
}

#[test]
fn list_says_where_everything_comes_from() {
    let home = Home::with_user(
        "[decide]\nport = 80\nurl = \"http://evil.test\"\n",
        "# own\n[decide]\nport = 90\ntimeout = 5\nurl = \"http://mine\"\n",
    );
    let mut command = home.command(&["config", "list", "--lang", "zh"]);
    let listed = CommandOutput::new(command.env("AIDE_DECIDE_AUTH", "always").output().unwrap());
    assert_eq!((listed.code, &*listed.stderr), (Some(0), ""));
    let line = |key: &str| {
        let line = listed.stdout.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap();
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("general.gitignore_aide"), "general.gitignore_aide = false (默认)");
    assert_eq!(line("general.lang"), "general.lang = \"zh\" (参数 --lang)");
    assert_eq!(line("decide.port"), "decide.port = 80 (项目配置 第 2 行)");
    assert_eq!(line("decide.timeout"), "decide.timeout = 5 (用户配置 第 4 行)");
    assert_eq!(line("decide.auth"), "decide.auth = \"always\" (环境变量 AIDE_DECIDE_AUTH)");
    assert_eq!(
        line("decide.url"),
        "decide.url = \"http://mine\" (用户配置 第 5 行；项目配置中的 \"http://evil.test\" 尚未信任，没有生效)"
    );
    assert_eq!(listed.stdout.lines().count(), settings::KEYS.len());
    // One column for those that have room.
    let columns: Vec<_> = listed
        .stdout
        .lines()
        .filter(|line| line.contains("(默认)"))
        .map(|line| line.find("  (").unwrap())
        .collect();
    assert!(columns.iter().filter(|column| **column == columns[0]).count() > 10, "{columns:?}");

    let json = home.config(&["list", "--json"]);
    let all: Value = serde_json::from_str(&json.stdout).unwrap();
    assert_eq!(all["decide.auth"], json!({"value": "auto", "source": "default"}));
    assert_eq!(all["decide.port"], json!({"value": 80, "source": "project", "file": home.file(), "line": 2}));
    let user = home.user_file().display().to_string();
    assert_eq!(
        all["decide.url"],
        json!({"value": "http://mine", "source": "user", "file": user, "line": 5,
               "untrusted": {"value": "http://evil.test", "file": home.file(), "line": 3}})
    );
    let mut command = home.command(&["config", "list"]);
    CommandOutput::new(command.env("AIDE_DECIDE_PORT", "x").output().unwrap())
        .failed_with(1, "✗ 环境变量 AIDE_DECIDE_PORT 的值无效: \"x\"，必须为 0 到 65535 的整数\n");
    let got = home.config(&["get", "decide.url"]);
    assert_eq!((got.code, &*got.stdout), (Some(0), "→ decide.url = \"http://mine\"\n"));
    assert!(got.stderr.starts_with("⚠ ") && got.stderr.contains("decide.url 没有生效"), "{got:?}");
    home.aide(&["trust"]);
    home.config(&["get", "decide.url"]).succeeded("→ decide.url = \"http://evil.test\"\n");
}

#[test]
fn path_says_where_the_files_are() {
    let home = Home::new("");
    let (file, user) = (home.file(), home.user_file().display().to_string());
    home.config(&["path"]).succeeded(&format!("{file}  (项目)\n{user}  (用户，不存在)\n"));
    home.config(&["path", "--user"]).succeeded(&format!("{user}\n"));
    home.config(&["path", "--user", "--json"])
        .succeeded(&format!("{{\"file\":\"{user}\",\"exists\":false}}\n"));
    home.config(&["path", "--json"]).succeeded(&format!(
        "{{\"project\":{{\"file\":\"{file}\",\"exists\":true}},\"user\":{{\"file\":\"{user}\",\"exists\":false}}}}\n"
    ));
    home.0.aide(["config", "path"]).succeeded(&format!("{file}  (项目)\n"));
    home.0.aide(["config", "path", "--user"]).failed_with(1, "✗ 没有可保存用户配置的目录\n");
    let help = home.config(&[]);
    assert!(help.code == Some(0) && help.stdout.starts_with("查看与修改配置\n"), "{help:?}");
}

#[test]
fn trust_is_carried_over_a_change_of_what_needs_none() {
    let home = Home::new("[decide]\nport = 1\nurl = \"http://mine.example/\"\n");
    let warning =
        |keys: &str| format!("⚠ {} 中的 {keys} 没有生效，执行 aide trust 查看并信任\n", home.file());
    let set = home.config(&["set", "decide.port", "2"]);
    assert_eq!((set.code, &*set.stdout), (Some(0), "✓ 已更新 decide.port = 2\n"));
    assert_eq!(set.stderr, warning("decide.url"));
    assert_eq!(home.aide(&["trust"]).code, Some(0));
    home.config(&["set", "decide.port", "3"]).succeeded("✓ 已更新 decide.port = 3\n");
    home.config(&["unset", "decide.port"]).succeeded("✓ 已移除 decide.port\n");
    assert_eq!(home.aide(&["trust", "--show"]).code, Some(0));
    // The caller of the command need not be the user.
    let set = home.config(&["set", "plantuml.jar_path", "/x.jar"]);
    assert_eq!((set.code, set.stderr), (Some(0), warning("decide.url, plantuml.jar_path")));
    assert_eq!(home.aide(&["trust", "--show"]).code, Some(1));
    let set = home.config(&["unset", "plantuml.jar_path"]);
    assert_eq!((set.code, set.stderr), (Some(0), warning("decide.url")));
    home.config(&["unset", "decide.url"]).succeeded("✓ 已移除 decide.url\n");
}

#[test]
fn many_at_once_change_one_key_each() {
    let home = Home::new(settings::DEFAULT_CONFIG);
    // Keys of the project and of the person, each with a value that is not its default.
    let value = |key: &Key| match (key.kind, key.default()) {
        (Kind::Boolean, ConfigValue::Boolean(default)) => Some((!default).to_string()),
        (Kind::Integer { .. }, _) => Some("12".to_owned()),
        (Kind::OneOf(allowed), _) => allowed.last().map(|&text| text.to_owned()),
        (Kind::Address, _) => Some("127.0.0.2".to_owned()),
        (Kind::Link, _) => Some("http://localhost:1".to_owned()),
        (Kind::Text, _) => Some("x y".to_owned()),
        (Kind::Texts | Kind::Phases, _) => Some("[\"a\",\"b\"]".to_owned()),
        _ => None,
    };
    let wanted: Vec<_> = KEYS.iter().filter_map(|key| Some((key, value(key)?))).collect();
    let spawn = |key: &str, value: &str, user: bool| {
        let flag = if user { &["--user"][..] } else { &[] };
        let mut command = home.command(&[&["config", "set", key, value], flag].concat());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::piped()).spawn().unwrap()
    };
    let mut children = Vec::new();
    for (key, value) in &wanted {
        children.extend((!key.is_user_only()).then(|| spawn(key.name, value, false)));
        children.push(spawn(key.name, value, true));
    }
    assert!(children.len() >= 32, "{}", children.len());
    for child in children {
        let finished = child.wait_with_output().unwrap();
        assert!(finished.status.success(), "{finished:?}");
    }
    for text in [home.text(), home.user_text()] {
        let folder = Home::with_user("", &text);
        for (key, value) in wanted.iter().filter(|(key, _)| !key.is_user_only()) {
            let got = folder.config(&["get", key.name, "--json"]);
            assert_eq!(got.stdout.trim().trim_matches('"'), value, "{} {got:?}", key.name);
        }
    }
    home.aide(&["trust"]);
    let listed: Value = serde_json::from_str(&home.config(&["list", "--json"]).stdout).unwrap();
    let sources: Vec<_> =
        wanted.iter().map(|(key, _)| listed[key.name]["source"].as_str().unwrap()).collect();
    assert!(sources.iter().all(|source| ["project", "user"].contains(source)), "{sources:?}");
}

#[test]
fn no_symlink_is_followed_and_what_cannot_be_written_stays() {
    let home = Home::new("");
    let outside = home.0.join("outside.toml");
    fs::write(&outside, "[decide]\nport = 1\n").unwrap();
    fs::remove_file(home.0.join(".aide/config.toml")).unwrap();
    symlink(&outside, home.0.join(".aide/config.toml")).unwrap();
    for arguments in [&["set", "decide.port", "2"][..], &["unset", "decide.port"]] {
        home.config(arguments).failed_with(1, "✗ 配置有误: ");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "[decide]\nport = 1\n");
    fs::remove_file(home.0.join(".aide/config.toml")).unwrap();
    fs::create_dir(home.0.join(".aide/config.toml")).unwrap();
    home.config(&["set", "decide.port", "2"]).failed_with(1, "✗ ");
}

/// A slip has no effect, and is reported once, with the key that was probably meant, by every command that follows the
/// configuration.
#[test]
fn keys_without_an_effect_are_reported() {
    let home = Home::new("[decide]\nprot = 1\n\n[daemon]\nport = 9000\nhttp_port = 9001\n");
    let file = home.file();
    let project = format!(
        "⚠ {file} 第 2 行的 decide.prot 没有生效：没有此配置项，是否要用 decide.port？\n\
         ⚠ {file} 第 5 行的 daemon.port 没有生效：没有此配置项，是否要用 daemon.http_port？\n\
         ⚠ {file} 第 6 行的 daemon.http_port 没有生效：只能写在您自己的配置中\n"
    );
    let listed = home.config(&["list"]);
    assert_eq!((listed.code, listed.stderr), (Some(0), project.clone()));
    let own = home.config(&["path", "--user"]).stdout.trim().to_owned();
    fs::create_dir_all(std::path::Path::new(&own).parent().unwrap()).unwrap();
    fs::write(
        &own,
        "[notify]\nwen = \"never\"\n[[agent.providers]]\nname = \"x\"\nkind = \"command\"\ncommand = \"x\"\ncomand = \"y\"\n[colours]\nx = 1\n",
    )
    .unwrap();
    let listed = home.aide(&["--lang", "en", "config", "list"]).stderr;
    for line in [
        format!(
            "⚠ decide.prot has no effect ({file}, line 2): there is no such key; did you mean decide.port?"
        ),
        format!(
            "⚠ notify.wen has no effect ({own}, line 2): there is no such key; did you mean notify.when?"
        ),
        "⚠ one more key has no effect".to_owned(),
    ] {
        assert!(listed.lines().any(|found| found == line), "{line}\n{listed}");
    }
    assert_eq!(listed.lines().count(), 6, "{listed}");
}

/// Also where the command follows nothing of it. What it prints stays as it is.
#[test]
fn every_command_that_a_user_looks_around_with_reports_keys_without_an_effect() {
    let clean = Home::new("[decide]\nport = 1\n");
    let home = Home::with_user("[decide]\nport = 1\nprot = 1\n", "[notify]\nwen = \"never\"\n");
    let pending = json!({"task": "t", "source": "s", "items": [{"id": 1, "title": "x",
        "options": [{"value": "a", "label": "A"}, {"value": "b", "label": "B"}]}],
        "_meta": {"created_at": "2025-01-15T10:30:00+08:00", "session_id": "2025-01-15T10-30-00"}});
    for folder in [&clean, &home] {
        folder.0.write(".aide/decisions/pending.json", pending.to_string());
    }
    let (project, own) = (home.file(), home.user_file());
    let own = own.display();
    let warnings = format!(
        "⚠ decide.prot has no effect ({project}, line 3): there is no such key; did you mean decide.port?\n\
         ⚠ notify.wen has no effect ({own}, line 2): there is no such key; did you mean notify.when?\n"
    );
    for arguments in [
        &["config", "get", "decide.port"][..],
        &["config", "list"],
        &["config", "path", "--user"],
        &["decide", "list"],
        &["decide", "show"],
        &["decide", "open", "--help"],
        &["init"],
    ] {
        let arguments = [arguments, &["--lang", "en"]].concat();
        let (without, with) = (clean.aide(&arguments), home.aide(&arguments));
        let same = |text: &str, home: &Home| {
            text.replace(home.0.path().canonicalize().unwrap().to_str().unwrap(), "")
        };
        let is_about_list = arguments[1] == "list" && arguments[0] == "config";
        assert_eq!(with.code, without.code, "{arguments:?}");
        if !is_about_list {
            // `init` does not call a configuration ready of which a part has no effect.
            let ready = ".aide/ is ready; its configuration has keys without an effect (see above)";
            let told = same(&with.stdout, &home).replace(ready, ".aide/ and its configuration are ready");
            assert_eq!(told, same(&without.stdout, &clean), "{arguments:?}");
        }
        let warned = if arguments.contains(&"--help") { String::new() } else { warnings.clone() };
        assert_eq!(with.stderr, warned + &without.stderr, "{arguments:?}");
    }
    // Nothing is started, because nothing is open.
    fs::remove_file(home.0.join(".aide/decisions/pending.json")).unwrap();
    let opened = home.aide(&["decide", "open", "--lang", "en"]);
    assert!(opened.stderr.starts_with(&warnings), "{}", opened.stderr);
}

/// It has to be fast, so it reads no file for that: it has looked for the language where no flag names one.
#[test]
fn the_result_warns_of_the_files_that_it_has_read() {
    let home =
        Home::with_user("[decide]\nprot = 1\n", "[general]\nlang = \"en\"\n[notify]\nwen = \"never\"\n");
    let result = home.aide(&["decide", "result"]);
    let warned: Vec<&str> = result.stderr.lines().take(2).collect();
    assert!(
        warned[0].starts_with("⚠ decide.prot has no effect (") && warned[1].starts_with("⚠ notify.wen has"),
        "{warned:?}"
    );
    assert_eq!((result.code, &*result.stdout), (Some(1), ""));
    let result = home.aide(&["decide", "result", "--lang", "en"]);
    assert!(!result.stderr.contains("no effect"), "{}", result.stderr);
}

#[test]
fn a_program_that_is_not_there_is_warned_of_when_it_is_set() {
    let home = Home::new("");
    let set =
        |value: &str| home.config(&["--lang", "en", "set", "--user", "daemon.tools.search_command", value]);
    let told = set("sh /nowhere/search.sh");
    assert_eq!(told.code, Some(0), "{told:?}");
    assert_eq!(
        told.stderr,
        "⚠ there is no such program: sh /nowhere/search.sh\n  hint: pass the program and each argument as separate values: \
         aide config set --user daemon.tools.search_command '[\"sh\", \"/nowhere/search.sh\"]'\n"
    );
    // As the hint has it.
    assert_eq!(set(r#"["sh", "/nowhere/search.sh"]"#).stderr, "");
    let told = set("no-such-search");
    assert!(
        told.stderr.starts_with("⚠ there is no such program: no-such-search\n  hint: install it"),
        "{told:?}"
    );
}

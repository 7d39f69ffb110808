//! Flag, variable, configuration, default; and values that are none.

use crate::support::ports::Ports;
use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, minimal};
use std::fs;

fn configured(config: &str) -> Folder {
    let folder = Folder::project();
    folder.write(".aide/config.toml", config);
    folder
}

fn submit(folder: &Folder, variables: &[(&str, &str)], flags: &[&str]) -> std::process::Command {
    let input = minimal().to_string();
    let mut command = folder.command(["decide", "submit", &input].iter().chain(flags));
    command.envs(variables.iter().copied());
    command
}

/// `aide trust`, recorded in the folder `state`.
fn trust(folder: &Folder) {
    let mut command = folder.command(["trust"]);
    let finished = CommandOutput::new(command.env("XDG_STATE_HOME", folder.join("state")).output().unwrap());
    assert_eq!((finished.code, &*finished.stderr), (Some(0), ""));
}

fn refused(folder: &Folder, variables: &[(&str, &str)], flags: &[&str]) -> CommandOutput {
    CommandOutput::new(submit(folder, variables, flags).output().unwrap())
}

/// The file with the language is the one that cannot be read.
#[test]
fn a_mistake_in_the_configuration_is_told_in_the_language_of_its_reader() {
    const ENGLISH: &str = "en_US.UTF-8";
    let (en, zh) = ("✗ bad configuration: ", "✗ 配置有误: ");
    for (config, locale, told) in [
        ("general.lang = \"en\"\n[decide]\n[decide]\n", "", en),
        ("[decide]\n[general]\nlang = \"auto\"\n= 1\n", ENGLISH, en),
        ("[decide]\n[decide]\n", ENGLISH, en),
        ("[general]\nlang = \"zh\"\n[general]\n", ENGLISH, zh),
        ("[decide]\n[decide]\n", "de_DE.UTF-8", zh),
        ("[decide]\n[decide]\n", "", zh),
    ] {
        let folder = configured(config);
        let mut command = folder.command(["config", "list"]);
        let refused = CommandOutput::new(command.env("LANG", locale).output().unwrap());
        assert_eq!(refused.code, Some(1), "{config}{locale}: {refused:?}");
        assert!(refused.stderr.starts_with(told), "{config}{locale}: {refused:?}");
    }
}

#[test]
fn the_nearest_place_wins() {
    // Three free ports, one for each place.
    let mut ports = Ports::hold();
    for index in [0, 1, 2] {
        ports.release(index);
    }
    let [config, variable, flag] = [0, 1, 2].map(|index| (ports.first + index).to_string());
    let folder = configured(&format!(
        "[decide]\nport = {config}\nurl = \"http://config.example/\"\nbind = \"localhost\"\n"
    ));
    trust(&folder);
    let url = ("AIDE_DECIDE_URL", "");
    let port = ("AIDE_DECIDE_PORT", &*variable);
    let started = |variables: &[(&str, &str)], flags: &[&str]| {
        let mut command = submit(&folder, variables, flags);
        RunningServer::start({
            command.env("XDG_STATE_HOME", folder.join("state"));
            command
        })
        .url
        .clone()
    };
    assert_eq!(started(&[], &[]), "http://config.example/");
    assert_eq!(started(&[url], &[]), format!("http://localhost:{config}"));
    assert_eq!(started(&[url, port], &[]), format!("http://localhost:{variable}"));
    assert_eq!(started(&[url, port], &["--port", &flag]), format!("http://localhost:{flag}"));
    assert_eq!(started(&[("AIDE_DECIDE_URL", "https://v.example")], &[]), "https://v.example");
    assert_eq!(started(&[("AIDE_DECIDE_URL", "https://v.example")], &["--url", "http://f"]), "http://f");
    // The configuration lies under the project, not under the current folder.
    fs::create_dir(folder.join("sub")).unwrap();
    let mut command = submit(&folder, &[], &[]);
    command.current_dir(folder.join("sub")).env("XDG_STATE_HOME", folder.join("state"));
    assert_eq!(RunningServer::start(command).url, "http://config.example/");
}

#[test]
fn the_timeout_ends_the_wait() {
    const TOLD: &str = "⚠ 服务超时，已自动关闭\n";
    let folder = configured("[decide]\ntimeout = 1\n");
    let input = minimal();
    folder.submit(&input).finish().failed_and_kept(1, TOLD);
    RunningServer::start(submit(&folder, &[("AIDE_DECIDE_TIMEOUT", "1")], &["--port", "0"]))
        .finish()
        .failed_and_kept(1, TOLD);
    folder
        .submit_with(&input, &["--timeout", "1", "--lang", "en"])
        .finish()
        .failed_and_kept(1, "⚠ Timed out, the server has been stopped\n");
    folder.result().failed_with(
        1,
        "✗ 尚无决策结果\n  建议: 待定项仍在等待决策，但没有服务在运行: 执行 aide decide wait ",
    );
}

#[test]
fn bad_flags_and_variables_are_named() {
    let folder = Folder::project();
    let before = folder.tree();
    for (flag, variable, value, zh) in [
        (
            "--port",
            "AIDE_DECIDE_PORT",
            "65536",
            "\"65536\"，必须为 0 到 65535 的整数\n  建议: 0 表示任意空闲端口\n",
        ),
        (
            "--timeout",
            "AIDE_DECIDE_TIMEOUT",
            "-1",
            "\"-1\"，必须为 0 到 315360000 的整数（秒）\n  建议: 0 表示不超时\n",
        ),
        (
            "--bind",
            "AIDE_DECIDE_BIND",
            "example.com",
            "\"example.com\"，必须为 localhost 或 IP 地址\n  建议: 默认为 127.0.0.1\n",
        ),
        ("--auth", "AIDE_DECIDE_AUTH", "no", "\"no\"，必须为 auto、always 或 never\n  建议: 默认为 auto\n"),
        (
            "--url",
            "AIDE_DECIDE_URL",
            "example.com",
            "\"example.com\"，必须为空或以 http://、https:// 开头的地址\n  建议: 为空时自动生成\n",
        ),
    ] {
        refused(&folder, &[], &[flag, value]).failed(2, &format!("✗ 参数 {flag} 的值无效: {zh}"));
        refused(&folder, &[(variable, value)], &[])
            .failed(1, &format!("✗ 环境变量 {variable} 的值无效: {zh}"));
    }
    assert_eq!(folder.tree(), before);
}

#[test]
fn a_bad_configuration_is_named_with_file_line_and_key() {
    for (config, zh) in [
        ("[decide]\n\nport = 65536\n", " 第 3 行: decide.port 必须在 0 到 65535 之间，实际为 65536"),
        ("[decide]\nport = \"3721\"\n", " 第 2 行: decide.port 必须为整数，实际为 \"3721\""),
        ("[decide]\nport = true\n", " 第 2 行: decide.port 必须为整数，实际为 true"),
        ("[decide]\ntimeout = -1\n", " 第 2 行: decide.timeout 必须在 0 到 315360000 之间，实际为 -1"),
        ("[decide]\nbind = 1\n", " 第 2 行: decide.bind 必须为字符串，实际为 1"),
        ("[general]\nlang = \"de\"\n", " 第 2 行: general.lang 必须为 zh、en、auto 之一，实际为 \"de\""),
    ] {
        let folder = configured(config);
        let before = folder.tree();
        let file = folder.path().canonicalize().unwrap().join(".aide/config.toml");
        let told = format!("✗ 配置有误: {}{zh}\n  建议: 修正该文件后重试\n", file.display());
        refused(&folder, &[], &[]).failed(1, &told);
        // A better value elsewhere does not make it good.
        refused(&folder, &[("AIDE_DECIDE_PORT", "0")], &["--timeout", "1"]).failed(1, &told);
        assert_eq!(folder.tree(), before);
    }
    let folder = configured("[decide]\nport = \n");
    let finished = refused(&folder, &[], &[]);
    finished.failed_with(1, "✗ 配置有误: ");
    assert!(finished.stderr.contains(" 第 2 行第 8 列: 不是有效的 TOML: "), "{}", finished.stderr);
    assert!(finished.stderr.ends_with("\n  2 | port = \n  建议: 修正该文件后重试\n"), "{}", finished.stderr);
}

#[test]
fn a_bad_link_or_address_in_the_configuration_is_named() {
    for (config, zh, en) in [
        (
            "[decide]\nauth = \"off\"\n",
            " 第 2 行: decide.auth 必须为 auto、always 或 never，实际为 \"off\"\n  建议: 默认为 auto\n",
            ", line 2: decide.auth is \"off\", which is not one of auto, always, never\n  hint: ",
        ),
        (
            "[decide]\n\nbind = 'example.com'\n",
            " 第 3 行: decide.bind 必须为 localhost 或 IP 地址，实际为 \"example.com\"\n  建议: 默认为 127.0.0.1\n",
            ", line 3: decide.bind is \"example.com\", which is neither localhost nor an IP address\n  hint: ",
        ),
        (
            "decide.url = \"javascript:alert(1)\"\n",
            " 第 1 行: decide.url 必须为空或以 http://、https:// 开头的地址，实际为 \"javascript:alert(1)\"\n  建议: 为空时",
            ", line 1: decide.url is \"javascript:alert(1)\", which is neither empty nor an address that starts with",
        ),
    ] {
        let folder = configured(config);
        let before = folder.tree();
        let file = folder.path().canonicalize().unwrap().join(".aide/config.toml");
        refused(&folder, &[], &[]).failed_with(1, &format!("✗ 配置有误: {}{zh}", file.display()));
        refused(&folder, &[], &["--lang", "en"])
            .failed_with(1, &format!("✗ bad configuration: {}{en}", file.display()));
        assert_eq!(folder.tree(), before);
        // A better value elsewhere is the one that is used.
        let variables =
            [("AIDE_DECIDE_BIND", "127.0.0.1"), ("AIDE_DECIDE_URL", ""), ("AIDE_DECIDE_AUTH", "auto")];
        drop(RunningServer::start(submit(&folder, &variables, &["--port", "0"])));
    }
}

#[test]
fn the_language_follows_its_places() {
    let en = "✗ no questions found\n";
    let zh = "✗ 未找到待定项数据\n";
    let folder = configured("[general]\nlang = \"en\"\n");
    let told = |variables: &[(&str, &str)], flags: &[&str]| {
        let mut command = folder.command(["decide", "result"].iter().chain(flags));
        command.envs(variables.iter().copied());
        CommandOutput::new(command.output().unwrap())
    };
    told(&[], &[]).failed_with(1, en);
    told(&[("AIDE_LANG", "zh")], &[]).failed_with(1, zh);
    told(&[("AIDE_LANG", "")], &[]).failed_with(1, en);
    told(&[("AIDE_LANG", "en")], &["--lang", "zh"]).failed_with(1, zh);
    told(&[("LANG", "zh_CN.UTF-8")], &["--lang=auto"]).failed_with(1, zh);
    told(&[("LANG", "zh_CN.UTF-8"), ("LC_ALL", "en_GB")], &["--lang=auto"]).failed_with(1, en);
    told(&[("LC_MESSAGES", "C"), ("LC_ALL", "")], &["--lang=auto"]).failed_with(1, en);
    told(&[], &["--lang=auto"]).failed_with(1, zh);
    told(&[], &["--lang", "de"]).failed(
        2,
        "✗ bad value for argument --lang: \"de\" is not one of zh, en, auto\n  hint: auto follows the locale\n",
    );
    told(&[("AIDE_LANG", "EN")], &[])
        .failed_with(1, "✗ bad value for environment variable AIDE_LANG: \"EN\"");
}

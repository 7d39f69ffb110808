//! `aide init`.

use crate::support::{CommandOutput, Folder};
use std::fs;

#[test]
fn the_first_run_makes_the_configuration() {
    let folder = Folder::empty();
    folder
        .aide(["init"])
        .succeeded("✓ 已创建默认配置 .aide/config.toml\n✓ 初始化完成，.aide/ 与默认配置已准备就绪\n");
    for path in [".aide/config.toml", ".aide/decisions", ".aide/logs", ".aide/.gitignore"] {
        assert!(folder.join(path).exists(), "{path}");
    }
    assert!(!folder.join(".gitignore").exists());
    let before = folder.tree();
    folder.aide(["init"]).succeeded("✓ 初始化完成，.aide/ 与默认配置已准备就绪\n");
    assert_eq!(folder.tree(), before);
}

#[test]
fn in_english() {
    let folder = Folder::empty();
    folder.aide(["init", "--lang", "en"]).succeeded(
        "✓ Created the default configuration .aide/config.toml\n✓ Initialised: .aide/ and its configuration are ready\n",
    );
}

/// The language of a configuration that is there stays; how to change it is said.
#[test]
fn another_language_for_a_configuration_that_is_there() {
    let folder = Folder::empty();
    folder.aide(["init"]);
    let told = folder.aide(["init", "--lang", "en"]);
    told.succeeded(
        "✓ Initialised: .aide/ and its configuration are ready\n→ The existing configuration is kept; to change its language: \
         aide config set general.lang en\n",
    );
    folder.aide(["config", "set", "general.lang", "en"]);
    folder
        .aide(["init", "--lang", "en"])
        .succeeded("✓ Initialised: .aide/ and its configuration are ready\n");
}

/// Before the first `init` an English locale is all that says which language a person reads.
#[test]
fn errors_before_the_first_run_say_how_to_switch_to_english() {
    const OFFER: &str =
        "→ For English, add --lang en, or set it once: aide config set --user general.lang auto\n";
    let folder = Folder::empty();
    let aide = |arguments: &[&str]| {
        let mut command = folder.command(arguments.iter().copied());
        CommandOutput::new(command.env("LANG", "en_US.UTF-8").env_remove("LC_ALL").output().unwrap())
    };
    let told = aide(&["decide", "list"]);
    assert_eq!(told.stderr, format!("✗ .aide 目录不存在，请先执行 aide init\n{OFFER}"));
    assert!(!aide(&["decide", "list", "--lang", "en"]).stderr.contains("For English"));
    aide(&["init"]);
    assert!(!aide(&["decide", "show", "x"]).stderr.contains("For English"));
}

/// Keys that have no effect are named, and the last line does not say that all is well.
#[test]
fn a_configuration_with_unknown_keys_is_not_ready() {
    let folder = Folder::empty();
    folder.write(".aide/config.toml", "[decide]\nprot = 80\n");
    let told = folder.aide(["init", "--lang", "en"]);
    assert_eq!(told.code, Some(0));
    assert!(
        told.stderr.contains("decide.prot has no effect") && told.stderr.contains("decide.port?"),
        "{told:?}"
    );
    assert!(
        told.stdout.starts_with(
            "✓ Initialised: .aide/ is ready; its configuration has keys without an effect (see above)\n"
        ),
        "{told:?}"
    );
}

#[test]
fn a_configuration_is_kept() {
    let folder = Folder::empty();
    folder.write(".aide/config.toml", "# mine\n[general]\ngitignore_aide = true\n");
    folder.aide(["init"]).succeeded("✓ 初始化完成，.aide/ 与默认配置已准备就绪\n");
    assert_eq!(
        fs::read_to_string(folder.join(".aide/config.toml")).unwrap(),
        "# mine\n[general]\ngitignore_aide = true\n"
    );
    assert_eq!(fs::read_to_string(folder.join(".gitignore")).unwrap(), ".aide/\n");
}

#[test]
fn the_current_folder_becomes_a_project_also_inside_another() {
    let outer = Folder::project();
    fs::create_dir(outer.join("inner")).unwrap();
    let mut command = outer.command(["init"]);
    command.current_dir(outer.join("inner"));
    assert_eq!(CommandOutput::new(command.output().unwrap()).code, Some(0));
    assert!(outer.join("inner/.aide/config.toml").exists());
}

#[test]
fn what_is_in_the_way_is_named() {
    let folder = Folder::empty();
    folder.write(".aide", "a file");
    let finished = folder.aide(["init"]);
    finished.failed_with(1, "✗ 不是目录: ");
    assert!(finished.stderr.ends_with("  建议: 移走它后重试；.aide/ 下只能是普通目录与文件\n"));
    let folder = Folder::empty();
    folder.write(".aide/config.toml", "[general]\nlang = 1\n");
    folder.aide(["init"]).failed_with(1, "✗ 配置有误: ");
}

/// A project that an earlier version has made does not ignore what later ones write beside a running server.
#[test]
fn an_old_project_ignores_what_is_new() {
    let folder = Folder::project();
    let whole = fs::read_to_string(folder.join(".aide/.gitignore")).unwrap();
    let old = format!("{}# mine\n", whole.replace("decisions/open.html\n", ""));
    folder.write(".aide/.gitignore", &old);
    folder.submit_with(&crate::support::minimal(), &[]).kill();
    assert_eq!(
        fs::read_to_string(folder.join(".aide/.gitignore")).unwrap(),
        format!("{old}decisions/open.html\n")
    );
}

#[test]
fn the_configuration_says_the_language_it_was_made_in() {
    let config = |arguments: &[&str], variable: Option<&str>| {
        let folder = Folder::empty();
        let mut command = folder.command(arguments);
        command.envs(variable.map(|lang| ("AIDE_LANG", lang)));
        assert_eq!(CommandOutput::new(command.output().unwrap()).code, Some(0));
        fs::read_to_string(folder.join(".aide/config.toml")).unwrap()
    };
    let chinese = config(&["init"], None);
    assert_eq!(chinese, settings::DEFAULT_CONFIG);
    assert_eq!(
        config(&["--lang", "zh", "init"], Some("en")),
        chinese.replace("# lang = \"zh\"\n", "# lang = \"zh\"\nlang = \"zh\"\n")
    );
    let set = |lang| chinese.replace("# lang = \"zh\"\n", &format!("# lang = \"zh\"\nlang = \"{lang}\"\n"));
    assert_ne!(set("en"), chinese);
    assert_eq!(config(&["--lang", "en", "init"], None), set("en"));
    assert_eq!(config(&["init"], Some("en")), set("en"));
    assert_eq!(config(&["init", "--lang=auto"], None), set("auto"));
    // What is there stays as it is.
    let folder = Folder::project();
    let before = folder.tree();
    assert_eq!(folder.aide(["--lang", "en", "init"]).code, Some(0));
    assert_eq!(folder.tree(), before);
}

#[test]
fn the_persons_own_language_is_not_overruled_by_a_new_project() {
    let folder = Folder::empty();
    folder.write("home/.config/aide/config.toml", "[general]\nlang = \"en\"\n");
    let mut command = folder.command(["init"]);
    command.env("HOME", folder.join("home"));
    let finished = CommandOutput::new(command.output().unwrap());
    assert!(finished.stdout.starts_with("✓ Created the default configuration"), "{}", finished.stdout);
    assert_eq!(fs::read_to_string(folder.join(".aide/config.toml")).unwrap(), settings::DEFAULT_CONFIG);
}

/// Each key of the user's own configuration holds in a project that `aide init` has made.
#[test]
fn a_new_project_hides_nothing_of_the_users_own_configuration() {
    let folder = Folder::empty();
    let own = "[general]\nlang = \"en\"\n[decide]\nport = 4000\ntimeout = 7\n[flow.git]\nrequired = false\n";
    folder.write("home/.config/aide/config.toml", own);
    let aide = |arguments: &[&str]| {
        let mut command = folder.command(arguments);
        command.env("HOME", folder.join("home"));
        CommandOutput::new(command.output().unwrap())
    };
    assert_eq!(aide(&["init"]).code, Some(0));
    for (key, value) in [("decide.port", "4000"), ("decide.timeout", "7"), ("flow.git.required", "false")] {
        assert_eq!(aide(&["config", "get", key]).stdout, format!("→ {key} = {value}\n"));
    }
    // What is set for the project is set in its place, and taken out again.
    assert_eq!(aide(&["config", "set", "decide.port", "80"]).code, Some(0));
    let text = fs::read_to_string(folder.join(".aide/config.toml")).unwrap();
    assert!(text.contains("\n# port = 3721\nport = 80\n"), "{text}");
    assert_eq!(aide(&["config", "get", "decide.port"]).stdout, "→ decide.port = 80\n");
    assert_eq!(aide(&["config", "unset", "decide.port"]).code, Some(0));
    assert_eq!(fs::read_to_string(folder.join(".aide/config.toml")).unwrap(), settings::DEFAULT_CONFIG);
}

/// Chinese is the default. Where the locale is English, the first words end with how to switch.
#[test]
fn an_english_locale_is_offered_english() {
    let offer = "For English, add --lang en, or set it once: aide config set --user general.lang auto\n";
    let run = |arguments: &[&str], variables: &[(&str, &str)]| {
        let folder = Folder::empty();
        let mut command = folder.command(arguments);
        command.envs(variables.iter().copied());
        CommandOutput::new(command.output().unwrap())
    };
    let english = [("LANG", "en_GB.UTF-8")];
    assert_eq!(run(&["init"], &english).stderr, format!("→ {offer}"));
    for help in [&[][..], &["--help"], &["-h"]] {
        let shown = run(help, &english).stdout;
        assert!(shown.ends_with(&format!("\n\n{offer}")), "{help:?}: {shown}");
        assert_eq!(run(help, &[("LANG", "C.UTF-8")]).stdout, shown.replace(&format!("\n{offer}"), ""));
    }
    let of = |arguments: &[&str], variables: &[(&str, &str)]| {
        let ran = run(arguments, variables);
        ran.stdout + &ran.stderr
    };
    for quiet in [
        of(&["decide", "--help"], &english),
        of(&["--lang", "zh", "init"], &english),
        of(&["init", "--lang", "en"], &english),
        of(&["init"], &[("LANG", "zh_CN.UTF-8")]),
        of(&["init"], &[("LANG", "en_GB.UTF-8"), ("AIDE_LANG", "auto")]),
    ] {
        assert!(!quiet.contains("For English"), "{quiet}");
    }
}

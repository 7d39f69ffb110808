//! `.aide/config.toml`: what is read, and what is said about what is wrong.

use crate::folder::Folder;
use rustix::fs::{CWD, FileType, Mode};
use settings::{
    Config, ConfigError, ConfigErrorKind, ConfigFiles, DEFAULT_CONFIG, DecideConfig, FlowConfig, KEYS, Kind,
    LangSetting, Origin, Source, Spanned, parse_config,
};
use std::fs;
use std::path::{Path, PathBuf};

fn parse(text: &str) -> Result<Config, ConfigError> {
    parse_config(text, Path::new("c.toml"))
}

fn located(text: &str, line: impl Into<Option<usize>>) -> Spanned {
    let source = line.into().map_or(Source::Default, |line| Source::File {
        origin: Origin::Project,
        file: "c.toml".into(),
        line: Some(line),
    });
    Spanned { text: text.to_owned(), source }
}

fn config_of(folder: &Folder) -> Result<Config, ConfigError> {
    folder.files().layers()?.config()
}

fn error(text: &str) -> ConfigError {
    let error = parse(text).expect_err(text);
    assert_eq!(error.file, PathBuf::from("c.toml"));
    error
}

#[test]
fn what_is_not_said_has_its_default() {
    let default = Config {
        lang: LangSetting::Zh,
        gitignore_aide: false,
        decide: DecideConfig {
            port: 3721,
            bind: located("127.0.0.1", None),
            url: located("", None),
            auth: located("auto", None),
            timeout: 0,
            undo: 0,
        },
        notify_line: None,
    };
    assert_eq!(Config::default(), default);
    for text in ["", "# nothing\n", "\u{feff}", "[decide]\n[general]\n", "[decide]\nport = 3721"] {
        assert_eq!(parse(text).unwrap(), default, "{text:?}");
    }
    let folder = Folder::new();
    assert_eq!(config_of(&folder).unwrap(), default);
    fs::remove_dir(folder.project.parent().unwrap()).unwrap();
    assert_eq!(config_of(&folder).unwrap(), default);
    assert_eq!(ConfigFiles::new(None, None).layers().unwrap().config().unwrap(), default);
}

#[test]
fn every_key_is_read_however_it_is_written() {
    let expected = |bind_line: usize, url_line: usize| Config {
        lang: LangSetting::Auto,
        gitignore_aide: true,
        decide: DecideConfig {
            port: 0,
            bind: located("::1", bind_line),
            url: located("https://x/", url_line),
            auth: located("auto", None),
            timeout: 315_360_000,
            undo: 7,
        },
        notify_line: None,
    };
    let section = "[general]\r\nlang = 'auto'\r\ngitignore_aide = true\r\n[decide]\r\nport = 0\r\nbind = \"::1\"\r\n\
                   url = \"https://x/\"\r\ntimeout = 315_360_000\r\nundo = 7\r\n";
    let dotted = "general.lang = \"auto\"\ngeneral.gitignore_aide = true\ndecide.port = 0x0\n\
                  decide.\"bind\" = \"::1\"\ndecide.url = 'https://x/'\ndecide.timeout = 315360000\ndecide.undo = 7\n";
    let inline = "general = {lang = \"auto\", gitignore_aide = true}\n\
                  decide = {port = 0, bind = \"::1\", url = \"https://x/\", timeout = 315360000, undo = 7}";
    for (text, bind_line, url_line) in [(section, 6, 7), (dotted, 4, 5), (inline, 2, 2)] {
        assert_eq!(parse(text).unwrap(), expected(bind_line, url_line), "{text}");
    }
    assert_eq!(parse("decide.port = 65535").unwrap().decide.port, 65535);
    assert_eq!("en".parse(), Ok(LangSetting::En));
    assert!("EN".parse::<LangSetting>().is_err());
}

#[test]
fn keys_of_others_are_left_alone() {
    let text = "[general]\nlang = \"en\"\nother = 1.5\n[flow]\nphases = [\"impl\"]\n[decide.more]\nport = \"x\"\n\
                [env.venv]\npath = 1979-05-27\n[[decide.list]]\nbind = 3\n";
    assert_eq!(parse(text).unwrap().lang, LangSetting::En);
}

#[test]
fn a_wrong_type_is_told_with_key_and_line() {
    for (value, found) in [
        ("true", "true"),
        ("3721.0", "3721.0"),
        ("\"3721\"", "\"3721\""),
        ("[1]", "[1]"),
        ("{a = 1}", "{a = 1}"),
        ("1979-05-27", "1979-05-27"),
    ] {
        let error = error(&format!("# 注释\n\n[decide]\nbind = \"x\"\nport = {value} # why\n"));
        assert_eq!((error.line, error.key), (Some(5), Some("decide.port")), "{value}");
        assert!(
            matches!(&error.kind, ConfigErrorKind::WrongType { expected: "integer", found: is } if is == found),
            "{error:?}"
        );
    }
    let cases = [
        ("general.gitignore_aide = 1", "general.gitignore_aide", "boolean"),
        ("general.gitignore_aide = \"true\"", "general.gitignore_aide", "boolean"),
        ("general.lang = true", "general.lang", "string"),
        ("decide.bind = 127", "decide.bind", "string"),
        ("decide.url = []", "decide.url", "string"),
        ("decide.timeout = true", "decide.timeout", "integer"),
        ("decide = 3", "decide", "table"),
        ("[[decide]]", "decide", "table"),
        ("[decide.port]", "decide.port", "integer"),
    ];
    for (text, key, expected) in cases {
        let error = error(&format!("\n{text}\n"));
        assert_eq!((error.line, error.key), (Some(2), Some(key)), "{text}");
        assert!(
            matches!(error.kind, ConfigErrorKind::WrongType { expected: is, .. } if is == expected),
            "{text}: {error:?}"
        );
    }
}

#[test]
fn a_long_value_is_quoted_in_part() {
    let error = error(&format!("decide.port = \"{}\"", "长".repeat(500)));
    let ConfigErrorKind::WrongType { found, .. } = error.kind else { panic!("{error:?}") };
    assert_eq!(found.chars().count(), 61);
}

#[test]
fn a_number_out_of_range_is_told() {
    for (key, value, limit) in [
        ("decide.port", -1, 65_535),
        ("decide.port", 65_536, 65_535),
        ("decide.port", i64::MAX, 65_535),
        ("decide.timeout", -1, 315_360_000),
        ("decide.timeout", 315_360_001, 315_360_000),
        ("decide.undo", -1, 60),
        ("decide.undo", 61, 60),
    ] {
        let error = error(&format!("{key} = {value}"));
        assert_eq!((error.line, error.key), (Some(1), Some(key)));
        assert!(
            matches!(error.kind, ConfigErrorKind::OutOfRange { min: 0, max, found } if (max, found) == (limit, value)),
            "{error:?}"
        );
    }
}

#[test]
fn an_unknown_language_is_told() {
    let error = error("[general]\nlang = \"fr\"");
    assert_eq!((error.line, error.key), (Some(2), Some("general.lang")));
    assert!(
        matches!(&error.kind, ConfigErrorKind::NotOneOf { allowed, found } if *allowed == ["zh", "en", "auto"] && found == "fr"),
        "{error:?}"
    );
}

#[test]
fn what_is_no_toml_is_told_with_its_line() {
    for (text, line) in [
        ("[decide]\nport = \n", 2),
        ("a = 1\na = 2\n", 2),
        ("\n\n[decide\n", 3),
        ("x = \"open\n", 1),
        ("port = 99999999999999999999\n", 1),
    ] {
        let error = error(text);
        assert_eq!((error.line, error.key), (Some(line), None), "{text:?}: {error:?}");
        assert!(
            matches!(&error.kind, ConfigErrorKind::Syntax { message, .. } if !message.is_empty() && !message.contains('\n')),
            "{error:?}"
        );
    }
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    let text = format!("x = {}", "[".repeat(100_000));
    assert!(matches!(error(&text).kind, ConfigErrorKind::Syntax { .. }));
}

#[test]
fn a_file_that_is_no_text_is_told() {
    let folder = Folder::new();
    let path = folder.project.clone();
    fs::write(&path, b"[general]\nlang = \"\xff\"\n").unwrap();
    let error = config_of(&folder).unwrap_err();
    assert!(matches!(error.kind, ConfigErrorKind::NotUtf8), "{error:?}");
    assert_eq!((error.line, error.file.as_path()), (Some(2), path.as_path()));

    fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    let error = config_of(&folder).unwrap_err();
    assert!(matches!(error.kind, ConfigErrorKind::TooLarge { limit: 1_048_576 }), "{error:?}");

    fs::remove_file(&path).unwrap();
    rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let error = config_of(&folder).unwrap_err();
    assert!(matches!(error.kind, ConfigErrorKind::NotAFile), "{error:?}");
}

/// A configuration without where it says so: what it means.
fn without_places(mut config: Config) -> Config {
    for spanned in [&mut config.decide.bind, &mut config.decide.url, &mut config.decide.auth] {
        spanned.source = Source::Default;
    }
    config
}

#[test]
fn the_default_configuration_names_every_key_with_its_default() {
    assert_eq!(without_places(parse(DEFAULT_CONFIG).unwrap()), Config::default());
    let folder = Folder::with(DEFAULT_CONFIG, "");
    let flow = || folder.files().layers().unwrap().flow();
    assert_eq!(flow().unwrap(), FlowConfig::default());
    for key in KEYS.iter().filter(|key| !key.is_user_only()) {
        let (section, name) = key.name.rsplit_once('.').unwrap();
        let line = match key.kind {
            Kind::Tables | Kind::Map => format!("# [[{}]]", key.name),
            _ => format!("# {name} = {}", key.default()),
        };
        let header = match key.kind {
            Kind::Tables | Kind::Map => "",
            _ => &format!("\n[{section}]\n"),
        };
        let below = DEFAULT_CONFIG.split_once(header).unwrap_or_else(|| panic!("{header}")).1;
        assert!(below.lines().any(|text| text == line), "{line}");
    }
    // Nothing is set: the user's own configuration holds.
    let is_set = |line: &&str| !line.is_empty() && !line.starts_with(['#', '[']);
    assert_eq!(DEFAULT_CONFIG.lines().find(is_set), None);
    // The defaults and the examples in its comments are good ones.
    let examples: String = DEFAULT_CONFIG
        .split_inclusive('\n')
        .map(|line| line.strip_prefix("# ").filter(|line| example(line)).unwrap_or(line))
        .collect();
    assert_ne!(examples, DEFAULT_CONFIG);
    fs::write(&folder.project, examples).unwrap();
    let flow = flow().unwrap();
    assert_eq!((flow.hooks.len(), flow.hooks[0].timeout, flow.require.len()), (1, 600, 1));
    assert_eq!(flow.plantuml, FlowConfig::default().plantuml);
}

/// Whether a comment is a line of TOML.
fn example(line: &str) -> bool {
    let is_header = line.starts_with("[[") && line.trim_end().ends_with("]]");
    is_header
        || line
            .split_once(" = ")
            .is_some_and(|(name, _)| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'))
}

#[test]
fn a_file_is_read_once() {
    let folder = Folder::with("[decide]\nport = 1\n", "[general]\nlang = \"en\"\n");
    let files = folder.files();
    assert_eq!(files.lang(), Some(LangSetting::En));
    fs::write(&folder.project, "[decide\n").unwrap();
    fs::remove_file(&folder.user).unwrap();
    let config = files.layers().unwrap().config().unwrap();
    assert_eq!((config.decide.port, config.lang), (1, LangSetting::En));
    // An error stays one as well: there is no second opinion.
    let files = folder.files();
    assert_eq!(files.lang(), None);
    fs::write(&folder.project, "").unwrap();
    assert!(files.layers().is_err());
}

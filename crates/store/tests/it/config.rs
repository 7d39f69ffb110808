//! `.aide/config.toml`: what is read, and what is said about what is wrong.

use crate::helpers::Fixture;
use rustix::fs::{CWD, FileType, Mode};
use std::fs;
use std::path::{Path, PathBuf};
use store::{
    Config, ConfigError, ConfigErrorKind, DecideConfig, LangSetting, Located, Origin, Project, parse_config,
};

fn parse(text: &str) -> Result<Config, ConfigError> {
    parse_config(text, Path::new("c.toml"))
}

fn located(text: &str, line: impl Into<Option<usize>>) -> Located {
    let line = line.into();
    Located { text: text.to_owned(), line, origin: line.map(|_| Origin::Project) }
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
        },
        notify_line: None,
    };
    assert_eq!(Config::default(), default);
    for text in ["", "# nothing\n", "\u{feff}", "[decide]\n[general]\n", "[decide]\nport = 3721"] {
        assert_eq!(parse(text).unwrap(), default, "{text:?}");
    }
    let folder = tempfile::tempdir().unwrap();
    let project = Project::at(folder.path()).unwrap();
    assert_eq!(project.config().unwrap(), default);
    fs::create_dir(folder.path().join(".aide")).unwrap();
    assert_eq!(project.config().unwrap(), default);
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
        },
        notify_line: None,
    };
    let section = "[general]\r\nlang = 'auto'\r\ngitignore_aide = true\r\n[decide]\r\nport = 0\r\nbind = \"::1\"\r\n\
                   url = \"https://x/\"\r\ntimeout = 315_360_000\r\n";
    let dotted = "general.lang = \"auto\"\ngeneral.gitignore_aide = true\ndecide.port = 0x0\n\
                  decide.\"bind\" = \"::1\"\ndecide.url = 'https://x/'\ndecide.timeout = 315360000\n";
    let inline = "general = {lang = \"auto\", gitignore_aide = true}\n\
                  decide = {port = 0, bind = \"::1\", url = \"https://x/\", timeout = 315360000}";
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
    let fixture = Fixture::new();
    let path = fixture.root().join(".aide/config.toml");
    fs::write(&path, b"[general]\nlang = \"\xff\"\n").unwrap();
    let error = fixture.project.config().unwrap_err();
    assert!(matches!(error.kind, ConfigErrorKind::NotUtf8), "{error:?}");
    assert_eq!((error.line, error.file.as_path()), (Some(2), path.as_path()));

    fs::write(&path, "#".repeat((1 << 20) + 1)).unwrap();
    let error = fixture.project.config().unwrap_err();
    assert!(matches!(error.kind, ConfigErrorKind::TooLarge { limit: 1_048_576 }), "{error:?}");

    fs::remove_file(&path).unwrap();
    rustix::fs::mknodat(CWD, &path, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
    let error = fixture.project.config().unwrap_err();
    assert!(matches!(error.kind, ConfigErrorKind::NotAFile), "{error:?}");
}

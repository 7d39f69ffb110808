//! The person's own configuration.

use std::fs;
use store::{ConfigErrorKind, UserConfig, parse_config, user_config};

#[test]
fn what_it_says_is_read_and_a_missing_one_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    let empty = UserConfig { file: file.clone(), ..UserConfig::default() };
    assert_eq!(user_config(&file).unwrap(), empty);
    assert_eq!(user_config(&file.join("below")).unwrap().notify, None);
    fs::write(&file, "other = 1\n[notify]\nwhen = \"bell\"\ncommand = [\"say\", \"a b\"]\n").unwrap();
    let config = user_config(&file).unwrap();
    assert_eq!(config.notify.map(|when| (when.text, when.line)), Some(("bell".to_owned(), Some(3))));
    assert_eq!(config.notify_command, ["say", "a b"]);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    for (text, line) in
        [("[notify]\ncommand = \"say\"", 2), ("\n[notify]\ncommand = [1]", 3), ("notify = 1", 1)]
    {
        fs::write(&file, text).unwrap();
        let error = user_config(&file).unwrap_err();
        assert_eq!((error.file.as_path(), error.line), (file.as_path(), Some(line)), "{text}");
        assert!(matches!(error.kind, ConfigErrorKind::WrongType { .. }), "{text}: {:?}", error.kind);
    }
    fs::write(&file, [b'a', b'\n', 0xff]).unwrap();
    assert!(matches!(user_config(&file).unwrap_err().kind, ConfigErrorKind::NotUtf8));
    assert!(matches!(user_config(folder.path()).unwrap_err().kind, ConfigErrorKind::Io(_)));
}

#[test]
fn a_repository_has_no_say_in_it_but_is_noticed() {
    let line = |text| parse_config(text, "c.toml".as_ref()).unwrap().notify_line;
    assert_eq!(line("[decide]\nport = 1\n"), None);
    assert_eq!(line("[decide]\nport = 1\n[notify]\ncommand = [\"rm\"]\n"), Some(3));
    assert_eq!(line("notify = 1"), Some(1));
}

//! The person's own configuration.

use settings::{ConfigError, ConfigErrorKind, ConfigFiles, NotifyConfig, Origin, Source, parse_config};
use std::fs;
use std::path::Path;

fn user_config(file: &Path) -> Result<NotifyConfig, ConfigError> {
    ConfigFiles::new(None, Some(file.to_owned())).user_layers()?.notify().map_err(|errors| *errors.first)
}

#[test]
fn what_it_says_is_read_and_a_missing_one_says_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("config.toml");
    assert_eq!(user_config(&file).unwrap(), NotifyConfig::default());
    assert_eq!(user_config(&file.join("below")).unwrap().when, None);
    fs::write(&file, "other = 1\n[notify]\nwhen = \"bell\"\ncommand = [\"say\", \"a b\"]\n").unwrap();
    let config = user_config(&file).unwrap();
    let when = config.when.unwrap();
    let source = Source::File { origin: Origin::User, file: file.clone(), line: Some(3) };
    assert_eq!((when.text.as_str(), when.source), ("bell", source));
    assert_eq!(config.command, ["say", "a b"]);
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

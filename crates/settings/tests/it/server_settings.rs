//! The settings of a server: flag, then variable, then configuration, then default.

use crate::folder::Folder;
use settings::{Auth, BadSetting, Key, ServerSettings, SettingError, Source, keys};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::time::Duration;

/// `--port`, `--bind`, `--url`, `--timeout`.
type Flags<'f> = [Option<&'f str>; 4];
type Variables = Vec<(&'static str, OsString)>;

/// What is refused: the place, and the key whose value is needed there; whether it is a matter of who could come.
type RefusedSetting = (String, &'static str, bool);

const PORT: &str = "decide.port";
const BIND: &str = "decide.bind";
const URL: &str = "decide.url";
const AUTH: &str = "decide.auth";
const TIMEOUT: &str = "decide.timeout";

fn config(text: &str) -> Folder {
    Folder::with(&format!("[decide]\n{text}"), "")
}

fn nothing() -> Folder {
    config("")
}

fn flag_of(flags: Flags<'_>, key: &Key) -> Option<OsString> {
    let position = [PORT, BIND, URL, TIMEOUT].iter().position(|name| *name == key.name)?;
    flags[position].map(OsString::from)
}

fn resolve(
    flags: Flags<'_>,
    variables: &[(&'static str, &str)],
    folder: &Folder,
) -> Result<ServerSettings, RefusedSetting> {
    let variables: Variables = variables.iter().map(|(name, value)| (*name, value.into())).collect();
    resolve_os(flags, &variables, folder)
}

fn resolve_os(
    flags: Flags<'_>,
    variables: &Variables,
    folder: &Folder,
) -> Result<ServerSettings, RefusedSetting> {
    let variable =
        |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| value.clone());
    let files = folder.files();
    let resolved =
        ServerSettings::resolve(files.layers().unwrap(), |key| flag_of(flags, key), variable, |_| true);
    resolved.map(|followed| followed.value).map_err(|error| refused(error, folder))
}

fn refused(error: SettingError, folder: &Folder) -> RefusedSetting {
    let SettingError::Bad(BadSetting { key, at, lets_anybody_in, .. }) = error else { panic!("{error:?}") };
    let place = match at {
        Source::Flag(name) | Source::Variable(name) => name.to_owned(),
        Source::File { file, line, .. } => {
            assert_eq!(file, folder.project);
            format!("{}", line.unwrap())
        }
        Source::Default => panic!("{key:?}"),
    };
    (place, key.name, lets_anybody_in)
}

/// The settings of a project alone, and the keys that are ignored.
fn defaults_with(folder: &Folder, is_trusted: bool) -> (ServerSettings, Vec<&'static str>) {
    let files = folder.files();
    let followed =
        ServerSettings::resolve(files.layers().unwrap(), |_| None, |_| None, |_| is_trusted).unwrap();
    (followed.value, followed.ignored.iter().map(|key| key.name).collect())
}

#[test]
fn defaults() {
    let settings = resolve([None; 4], &[], &nothing());
    let expected = ServerSettings {
        port: 3721,
        host: "127.0.0.1".to_owned(),
        url: String::new(),
        auth: Auth::Auto,
        timeout: None,
    };
    assert_eq!(settings, Ok(expected));
}

#[test]
fn the_nearest_place_wins() {
    let config = config("port = 1\nbind = \"127.0.0.1\"\nurl = \"http://config\"\ntimeout = 1");
    let variables = [
        ("AIDE_DECIDE_PORT", "2"),
        ("AIDE_DECIDE_BIND", "127.0.0.2"),
        ("AIDE_DECIDE_URL", "http://variable"),
        ("AIDE_DECIDE_TIMEOUT", "2"),
    ];
    let flags = [Some("3"), Some("localhost"), Some("http://flag"), Some("3")];
    let settings = |port, host: &str, url: &str, timeout| {
        let timeout = Some(Duration::from_secs(timeout));
        Ok(ServerSettings { port, host: host.to_owned(), url: url.to_owned(), auth: Auth::Auto, timeout })
    };
    assert_eq!(resolve([None; 4], &[], &config), settings(1, "127.0.0.1", "http://config", 1));
    assert_eq!(resolve([None; 4], &variables, &config), settings(2, "127.0.0.2", "http://variable", 2));
    assert_eq!(resolve(flags, &variables, &config), settings(3, "localhost", "http://flag", 3));
}

#[test]
fn empty_is_unset_but_for_the_link() {
    let config = config("url = \"http://config\"");
    let empty = [
        ("AIDE_DECIDE_PORT", ""),
        ("AIDE_DECIDE_BIND", ""),
        ("AIDE_DECIDE_URL", ""),
        ("AIDE_DECIDE_TIMEOUT", ""),
    ];
    assert_eq!(resolve([None; 4], &empty, &config).map(|settings| settings.url), Ok(String::new()));
    assert_eq!(
        resolve([None, None, Some(""), None], &[], &config).map(|settings| settings.url),
        Ok(String::new())
    );
    assert_eq!(resolve([Some(""), None, None, None], &[], &config), Err(("--port".to_owned(), PORT, false)));
}

#[test]
fn good_values() {
    let config = nothing();
    for (bind, host, is_loopback) in [
        ("localhost", "localhost", true),
        ("LOCALHOST", "localhost", true),
        ("127.0.0.1", "127.0.0.1", true),
        ("127.9.9.9", "127.9.9.9", true),
        ("::1", "::1", true),
        ("[::1]", "::1", true),
        ("::ffff:127.0.0.1", "127.0.0.1", true),
        ("0.0.0.0", "0.0.0.0", false),
        ("::", "::", false),
        ("[::]", "::", false),
        ("::ffff:0.0.0.0", "0.0.0.0", false),
        ("192.168.1.2", "192.168.1.2", false),
    ] {
        let settings = resolve([None, Some(bind), None, None], &[], &config).unwrap();
        assert_eq!((&*settings.host, settings.is_loopback()), (host, is_loopback), "{bind}");
        assert_eq!(settings.needs_login(), !is_loopback, "{bind}");
    }
    for port in ["0", "65535", "080"] {
        assert!(resolve([Some(port), None, None, None], &[], &config).is_ok(), "{port}");
    }
    for timeout in ["0", "1", "315360000"] {
        assert!(resolve([None, None, None, Some(timeout)], &[], &config).is_ok(), "{timeout}");
    }
    for url in
        ["http://x", "https://例.cn/a?b#c", "http://[::1]:80/", "http://a_b.c-d:65535?x@y:z[", "http://[::1]"]
    {
        assert!(resolve([None, None, Some(url), None], &[], &config).is_ok(), "{url}");
    }
}

#[test]
fn bad_values_are_refused_with_their_place() {
    let config = nothing();
    let bad: [(usize, &str, &'static str, &'static str, &[&str]); 4] = [
        (0, "--port", "AIDE_DECIDE_PORT", PORT, &["65536", "-1", "+1", "1.0", " 1", "x", "0x1", "１"]),
        (
            1,
            "--bind",
            "AIDE_DECIDE_BIND",
            BIND,
            &["example.com", "127.1", "localhost.", "[127.0.0.1", "::1%lo", " ", "0", "0x0", "*"],
        ),
        (
            2,
            "--url",
            "AIDE_DECIDE_URL",
            URL,
            &[
                "x",
                "ftp://x",
                "http://",
                "http:///x",
                "http://a b",
                "http://a\n",
                " ",
                "javascript:alert(1)",
                "http://localhost:99999",
                "http://localhost:0",
                "http://localhost:",
                "http://localhost:+1",
                "http://localhost:1:2",
                "http://:80",
                "https://[::1",
                "http://[localhost]",
                "http://[::1]x",
                "http://@",
                "http://localhost@example.com",
                "http://a\\b",
            ],
        ),
        (3, "--timeout", "AIDE_DECIDE_TIMEOUT", TIMEOUT, &["315360001", "-1", "1s", "99999999999999999999"]),
    ];
    for (position, flag, variable, need, values) in bad {
        for value in values {
            let mut flags = [None; 4];
            flags[position] = Some(*value);
            assert_eq!(resolve(flags, &[], &config), Err((flag.to_owned(), need, false)), "{value:?}");
            assert_eq!(
                resolve([None; 4], &[(variable, value)], &config),
                Err((variable.to_owned(), need, false)),
                "{value:?}"
            );
        }
        let not_text = vec![(variable, OsString::from_vec(vec![0xff]))];
        assert!(resolve_os([None; 4], &not_text, &config).is_err());
    }
}

#[test]
fn bad_configuration_is_refused_with_its_line() {
    let refused = |text: &str| resolve([None; 4], &[], &config(text)).unwrap_err();
    let at = |line: usize, key: &'static str| (line.to_string(), key, false);
    assert_eq!(refused("auth = \"no\""), at(2, AUTH));
    assert_eq!(refused("bind = \"0.0.0.0\"\nauth = \"never\""), ("3".to_owned(), AUTH, true));
    assert_eq!(refused("\n# 注释\nbind = \"\""), at(4, BIND));
    assert_eq!(refused("port = 1\nurl = \"x\""), at(3, URL));
    // What stands nearer is used, so that the configuration is not asked.
    let bad = config("bind = \"x\"\nurl = \"x\"");
    assert!(resolve([None, Some("::1"), Some(""), None], &[], &bad).is_ok());
}

#[test]
fn a_login_is_needed_where_others_can_come_or_where_it_is_asked_for() {
    let folder = nothing();
    let resolved = |bind: &str, auth: Option<&str>, variable: Option<&str>| {
        let flag = |key: &Key| match key.name {
            BIND => Some(bind.into()),
            AUTH => auth.map(OsString::from),
            _ => None,
        };
        let variable = |name: &str| variable.filter(|_| name == "AIDE_DECIDE_AUTH").map(OsString::from);
        let files = folder.files();
        let resolved = ServerSettings::resolve(files.layers().unwrap(), flag, variable, |_| false);
        resolved.map(|followed| followed.value.needs_login()).map_err(|error| refused(error, &folder))
    };
    let never = |place: &str| Err((place.to_owned(), AUTH, true));
    for (bind, auth, variable, expected) in [
        ("127.0.0.1", None, None, Ok(false)),
        ("127.0.0.1", Some("always"), None, Ok(true)),
        ("127.0.0.1", None, Some("always"), Ok(true)),
        ("127.0.0.1", Some("auto"), Some("always"), Ok(false)),
        ("::1", Some("never"), None, Ok(false)),
        ("0.0.0.0", None, None, Ok(true)),
        ("0.0.0.0", None, Some(""), Ok(true)),
        ("10.0.0.5", Some("auto"), None, Ok(true)),
        ("10.0.0.5", Some("never"), None, never("--auth")),
        ("::", None, Some("never"), never("AIDE_DECIDE_AUTH")),
        ("::1", Some("Never"), None, Err(("--auth".to_owned(), AUTH, false))),
        ("::1", Some(""), None, Err(("--auth".to_owned(), AUTH, false))),
    ] {
        assert_eq!(resolved(bind, auth, variable), expected, "{bind} {auth:?} {variable:?}");
    }
}

#[test]
fn what_a_stranger_could_have_written_is_ignored_until_it_is_trusted() {
    let hostile = config("port = 1\nbind = \"0.0.0.0\"\nurl = \"http://evil.test\"\ntimeout = 2");
    let (settings, ignored) = defaults_with(&hostile, false);
    assert_eq!(ignored, [BIND, URL]);
    assert_eq!((&*settings.host, &*settings.url), ("127.0.0.1", ""));
    assert_eq!((settings.port, settings.timeout), (1, Some(Duration::from_secs(2))));
    let (settings, ignored) = defaults_with(&hostile, true);
    assert!(ignored.is_empty() && settings.needs_login());
    assert_eq!((&*settings.host, &*settings.url), ("0.0.0.0", "http://evil.test"));

    let open = config("auth = \"never\"\nbind = \"127.0.0.2\"");
    let (settings, ignored) = defaults_with(&open, false);
    assert_eq!(ignored, [AUTH]);
    assert_eq!((&*settings.host, settings.auth), ("127.0.0.2", Auth::Auto));
    assert_eq!(defaults_with(&open, true).0.auth, Auth::Never);
    // What asks for more, or is the default, needs no trust.
    for harmless in
        ["auth = \"always\"", "bind = \"::1\"", "bind = \"LOCALHOST\"", "url = \"\"", "auth = \"auto\""]
    {
        assert!(defaults_with(&config(harmless), false).1.is_empty(), "{harmless}");
    }
}

#[test]
fn flags_and_variables_need_no_trust() {
    let hostile = config("bind = \"0.0.0.0\"\nurl = \"http://evil.test\"\nauth = \"never\"");
    let flags = [None, Some("10.0.0.5"), Some("http://mine"), None];
    let variable = |name: &str| (name == "AIDE_DECIDE_AUTH").then(|| OsString::from("always"));
    let files = hostile.files();
    let followed = ServerSettings::resolve(
        files.layers().unwrap(),
        |key| flag_of(flags, key),
        variable,
        |_| panic!("the configuration is not asked"),
    );
    let followed = followed.unwrap();
    assert_eq!((&*followed.value.host, &*followed.value.url), ("10.0.0.5", "http://mine"));
    assert!(followed.ignored.is_empty());
    let needing: Vec<_> = followed.value.needing_trust().iter().map(|(key, _)| *key).collect();
    assert_eq!(needing, [&keys::DECIDE_BIND, &keys::DECIDE_URL]);
}

#[test]
fn the_persons_own_lies_below_the_projects_and_needs_no_trust() {
    let folder = Folder::with(
        "[decide]\nport = 1\nurl = \"http://evil.test\"\n",
        "[decide]\nport = 2\nbind = \"10.0.0.5\"\nurl = \"http://mine\"\ntimeout = 3\n",
    );
    let (settings, ignored) = defaults_with(&folder, false);
    assert_eq!((settings.port, &*settings.host, &*settings.url), (1, "10.0.0.5", "http://mine"));
    assert_eq!((settings.timeout, ignored), (Some(Duration::from_secs(3)), vec![URL]));
    assert_eq!(defaults_with(&folder, true).0.url, "http://evil.test");
}

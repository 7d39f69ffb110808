//! What `submit` is told beside its input: flag, then variable, then configuration, then default, each checked.
//!
//! A configuration may come from a stranger. What would let others in, or lead the person elsewhere, is passed over
//! until it is trusted; flags and variables are the user's own.

use crate::args::{CleanFlags, SubmitFlags};
use crate::commands::Format;
use crate::failure::Failure;
use crate::messages::{Need, Place};
use crate::notify::Way;
use std::ffi::{OsStr, OsString};
use std::net::{IpAddr, Ipv6Addr};
use std::path::Path;
use std::time::Duration;
use store::{DecideConfig, Located, Origin, Retention, UserConfig};

/// Ten years: longer than any wait, short of any overflow.
const MAX_TIMEOUT: u64 = 315_360_000;

/// Checked values.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Settings {
    /// The first port to try; 0 takes any free one.
    pub port: u16,
    /// `localhost` or an IP address.
    pub host: String,
    /// The link to print; empty when it is made from the port.
    pub url: String,
    /// Whether a login is needed.
    pub auth: Auth,
    /// How long to wait; `None` waits for ever.
    pub timeout: Option<Duration>,
    /// The keys of the configuration that were passed over, because it is not trusted.
    pub untrusted: Vec<&'static str>,
}

/// Whether a login is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Auth {
    /// Where other machines can come.
    Auto,
    Always,
    Never,
}

impl Auth {
    /// As it is written.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }
}

/// The files that a configuration was read from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Files<'f> {
    pub project: &'f Path,
    pub user: &'f Path,
}

/// One setting in its three places.
struct Names {
    flag: &'static str,
    variable: &'static str,
    key: &'static str,
}

const PORT: Names = Names { flag: "--port", variable: "AIDE_DECIDE_PORT", key: "decide.port" };
const BIND: Names = Names { flag: "--bind", variable: "AIDE_DECIDE_BIND", key: "decide.bind" };
const URL: Names = Names { flag: "--url", variable: "AIDE_DECIDE_URL", key: "decide.url" };
const AUTH: Names = Names { flag: "--auth", variable: "AIDE_DECIDE_AUTH", key: "decide.auth" };
const TIMEOUT: Names = Names { flag: "--timeout", variable: "AIDE_DECIDE_TIMEOUT", key: "decide.timeout" };

const NOTIFY: Names = Names { flag: "--notify", variable: "AIDE_NOTIFY", key: "notify.when" };

impl Settings {
    /// `config` is what is configured, as if the project did not say anything of some keys.
    pub(crate) fn resolve(
        flags: &SubmitFlags,
        variable: impl Fn(&str) -> Option<OsString>,
        config: impl Fn(&[&'static str]) -> Result<DecideConfig, Failure>,
        files: Files<'_>,
        is_trusted: impl FnOnce() -> bool,
    ) -> Result<Self, Failure> {
        // All are checked before any is passed over: a mistake is one, whoever made it.
        let (mut settings, mut auth, theirs) = Self::gather(flags, &variable, &config(&[])?, files)?;
        let risky: Vec<_> = settings.risky().into_iter().filter(|key| theirs.contains(key)).collect();
        if !risky.is_empty() && !is_trusted() {
            (settings, auth, _) = Self::gather(flags, &variable, &config(&risky)?, files)?;
            settings.untrusted = risky;
        }
        match settings.contradiction(auth) {
            Some(failure) => Err(failure),
            None => Ok(settings),
        }
    }

    /// What the project's configuration alone says, as if it were trusted, and what is wrong with it taken together: what cannot
    /// be followed can still be shown.
    pub(crate) fn configured(
        config: &DecideConfig,
        config_file: &Path,
    ) -> Result<(Self, Option<Failure>), Failure> {
        let files = Files { project: config_file, user: config_file };
        let (settings, auth, _) = Self::gather(&SubmitFlags::default(), |_| None, config, files)?;
        let failure = settings.contradiction(auth);
        Ok((settings, failure))
    }

    /// Each setting is checked by itself. Beside them, where it was said whether a login is needed, and the keys that are
    /// as the project says.
    fn gather(
        flags: &SubmitFlags,
        variable: impl Fn(&str) -> Option<OsString>,
        config: &DecideConfig,
        files: Files<'_>,
    ) -> Result<(Self, Given, Vec<&'static str>), Failure> {
        // An empty variable is one that is not set, but an empty link has a meaning.
        let filled = |name: &str| variable(name).filter(|value| !value.is_empty());
        let mut theirs = Vec::new();
        let mut or_config = |names: &Names, given: Option<Given>, value: &Located| {
            given.unwrap_or_else(|| {
                let file = match value.origin {
                    Some(Origin::User) => files.user,
                    Some(Origin::Project) | None => files.project,
                };
                if value.origin == Some(Origin::Project) {
                    theirs.push(names.key);
                }
                names.config(value, file)
            })
        };
        let bind = or_config(&BIND, BIND.given(flags.bind.as_deref(), filled), &config.bind).host()?;
        let url =
            or_config(&URL, URL.given(flags.url.as_deref(), &variable), &config.url).read(Need::Url, url)?;
        let auth = or_config(&AUTH, AUTH.given(flags.auth.as_deref(), filled), &config.auth);
        let auth_given = Given { place: auth.place.clone(), value: auth.value.clone() };
        let settings = Self {
            port: PORT
                .given(flags.port.as_deref(), filled)
                .map_or(Ok(config.port), |given| given.read(Need::Port, port))?,
            host: bind,
            url,
            auth: auth.read(Need::Auth, auth_mode)?,
            timeout: TIMEOUT
                .given(flags.timeout.as_deref(), filled)
                .map_or(Ok(config.timeout), |given| given.read(Need::Timeout, timeout))
                .map(|seconds| (seconds > 0).then(|| Duration::from_secs(seconds)))?,
            untrusted: Vec::new(),
        };
        Ok((settings, auth_given, theirs))
    }

    /// Others would come, and nobody would be asked who they are. `auth` is what said so.
    fn contradiction(&self, auth: Given) -> Option<Failure> {
        (self.auth == Auth::Never && !self.is_loopback()).then(|| auth.refuse(Need::Login))
    }

    /// The keys whose values a stranger could use: others could come, or the person be led elsewhere.
    pub(crate) fn risky(&self) -> Vec<&'static str> {
        let risky = [
            (BIND.key, !self.is_loopback()),
            (URL.key, !self.url.is_empty()),
            (AUTH.key, self.auth == Auth::Never),
        ];
        risky.into_iter().filter_map(|(key, is_risky)| is_risky.then_some(key)).collect()
    }

    /// Whether only this machine can come.
    pub(crate) fn is_loopback(&self) -> bool {
        is_loopback(&self.host)
    }

    /// Whether the page needs a login.
    pub(crate) fn needs_login(&self) -> bool {
        match self.auth {
            Auth::Always => true,
            Auth::Auto => !self.is_loopback(),
            Auth::Never => false,
        }
    }

    /// As a later server is told, see [`crate::trust`].
    pub(crate) fn subject(&self) -> store::Subject<'_> {
        store::Subject::Server { bind: &self.host, url: &self.url, auth: self.auth.code() }
    }
}

/// Whether a checked host is this machine alone.
pub(crate) fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether `text` is an address to listen on.
pub(crate) fn is_host(text: &str) -> bool {
    Given { place: Place::Flag(BIND.flag), value: text.into() }.host().is_ok()
}

/// Whether `text` is a link that can be printed, or empty.
pub(crate) fn is_url(text: &str) -> bool {
    url(text).is_some()
}

/// How long `wait --timeout` waits; `None` is for ever.
pub(crate) fn wait_limit(flag: Option<&OsStr>) -> Result<Option<Duration>, Failure> {
    let given = TIMEOUT.given(flag, |_| None);
    let seconds = given.map_or(Ok(0), |given| given.read(Need::Timeout, timeout))?;
    Ok((seconds > 0).then(|| Duration::from_secs(seconds)))
}

/// How to tell the person of questions: flag, then variable; `None` when neither says.
pub(crate) fn notify(
    flag: Option<&OsStr>,
    variable: impl Fn(&str) -> Option<OsString>,
) -> Result<Option<Way>, Failure> {
    let filled = |name: &str| variable(name).filter(|value| !value.is_empty());
    NOTIFY.given(flag, filled).map(|given| given.read(Need::Notify, Way::read)).transpose()
}

/// The same as the person's own configuration says.
pub(crate) fn notify_by_default(config: &UserConfig) -> Result<Option<Way>, Failure> {
    let given = config.notify.as_ref().map(|value| NOTIFY.config(value, &config.file));
    given.map(|given| given.read(Need::Notify, Way::read)).transpose()
}

/// What `export --format` asks for.
pub(crate) fn export_format(flag: Option<&OsStr>) -> Result<Format, Failure> {
    match flag.map(|value| value.to_string_lossy()) {
        None => Ok(Format::Markdown),
        Some(value) if value == "md" => Ok(Format::Markdown),
        Some(value) if value == "adr" => Ok(Format::Adr),
        Some(value) => Err(Failure::setting(Place::Flag("--format"), value.into_owned(), Need::Format)),
    }
}

/// What `flow log --format` asks for: there is one format.
pub(crate) fn report_format(flag: Option<&OsStr>) -> Result<(), Failure> {
    match flag.map(|value| value.to_string_lossy()) {
        Some(value) if value != "md" => {
            Err(Failure::setting(Place::Flag("--format"), value.into_owned(), Need::ReportFormat))
        }
        _ => Ok(()),
    }
}

/// Which records `clean` keeps; `None` when neither flag says.
pub(crate) fn retention(flags: &CleanFlags) -> Result<Option<Retention>, Failure> {
    let given =
        |flag, value: &Option<OsString>| value.clone().map(|value| Given { place: Place::Flag(flag), value });
    let keep = given("--keep", &flags.keep).map(|given| given.read(Need::Count, count)).transpose()?;
    let older_than =
        given("--older-than", &flags.older_than).map(|given| given.read(Need::Age, age)).transpose()?;
    Ok((keep.is_some() || older_than.is_some()).then_some(Retention { keep, older_than }))
}

/// A value and the place it was given in.
struct Given {
    place: Place,
    value: OsString,
}

impl Names {
    fn given(&self, flag: Option<&OsStr>, variable: impl Fn(&str) -> Option<OsString>) -> Option<Given> {
        match flag {
            Some(value) => Some(Given { place: Place::Flag(self.flag), value: value.to_owned() }),
            None => {
                let place = Place::Variable(self.variable);
                variable(self.variable).map(|value| Given { place, value })
            }
        }
    }

    fn config(&self, value: &Located, file: &Path) -> Given {
        let place = Place::Config { file: file.to_owned(), line: value.line, key: self.key };
        Given { place, value: value.text.clone().into() }
    }
}

impl Given {
    fn read<T>(self, need: Need, read: impl FnOnce(&str) -> Option<T>) -> Result<T, Failure> {
        match self.value.to_str().and_then(read) {
            Some(value) => Ok(value),
            None => Err(self.refuse(need)),
        }
    }

    /// An address in the form it is always written in.
    fn host(self) -> Result<String, Failure> {
        let text = self.value.to_str().unwrap_or_default();
        if text.eq_ignore_ascii_case("localhost") {
            return Ok("localhost".to_owned());
        }
        let literal = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
        match literal.parse::<IpAddr>() {
            Ok(address) => Ok(address.to_canonical().to_string()),
            Err(_) => Err(self.refuse(Need::Host)),
        }
    }

    fn refuse(self, need: Need) -> Failure {
        Failure::setting(self.place, self.value.to_string_lossy().into_owned(), need)
    }
}

fn port(text: &str) -> Option<u16> {
    digits(text)?.parse().ok()
}

fn timeout(text: &str) -> Option<u64> {
    digits(text)?.parse().ok().filter(|seconds| *seconds <= MAX_TIMEOUT)
}

fn count(text: &str) -> Option<usize> {
    digits(text)?.parse().ok()
}

/// A number and its unit: `12h`, `30d`, `2w`.
fn age(text: &str) -> Option<Duration> {
    let (number, hours) = [("h", 1), ("d", 24), ("w", 7 * 24)]
        .into_iter()
        .find_map(|(unit, hours)| Some((text.strip_suffix(unit)?, hours)))?;
    let seconds = digits(number)?.parse::<u64>().ok()?.checked_mul(hours * 3600)?;
    Some(Duration::from_secs(seconds))
}

/// A number as people write it; the standard library also reads `+1`.
fn digits(text: &str) -> Option<&str> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then_some(text)
}

fn auth_mode(text: &str) -> Option<Auth> {
    [Auth::Auto, Auth::Always, Auth::Never].into_iter().find(|auth| auth.code() == text)
}

/// Empty, or a link that can be printed and opened.
fn url(text: &str) -> Option<String> {
    let printable = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    let leads_somewhere = rest.and_then(|rest| rest.split(['/', '?', '#']).next()).is_some_and(authority);
    (text.is_empty() || printable && leads_somewhere).then(|| text.to_owned())
}

/// A host and perhaps a port. A host name may have letters beyond ASCII: browsers translate it.
fn authority(text: &str) -> bool {
    let (host, port) = match text.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if address.parse::<Ipv6Addr>().is_ok() => ("", port),
            _ => return false,
        },
        None => match text.find(':') {
            Some(colon) if colon > 0 => text.split_at(colon),
            Some(_) => return false,
            None if text.is_empty() => return false,
            None => (text, ""),
        },
    };
    // With an `@` all before it is a name to log in with: `http://localhost@example.com` is not this machine.
    let host_is_good =
        !host.contains(|c: char| c.is_ascii() && !(c.is_ascii_alphanumeric() || "-._".contains(c)));
    let port_is_good = match port.strip_prefix(':') {
        Some(number) => {
            digits(number).and_then(|number| number.parse::<u16>().ok()).is_some_and(|port| port > 0)
        }
        None => port.is_empty(),
    };
    host_is_good && port_is_good
}

#[cfg(test)]
mod tests {
    use super::{Auth, Files, Settings, age};
    use crate::args::SubmitFlags;
    use crate::failure::Failure;
    use crate::messages::{Message, Need, Place};
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    use std::path::Path;
    use std::time::Duration;
    use store::{DecideConfig, parse_config};

    const FILE: &str = "/p/.aide/config.toml";

    type Variables = Vec<(&'static str, OsString)>;

    fn config(text: &str) -> DecideConfig {
        parse_config(&format!("[decide]\n{text}"), Path::new(FILE)).unwrap().decide
    }

    fn resolve(
        flags: [Option<&str>; 4],
        variables: &[(&'static str, &str)],
        config: &DecideConfig,
    ) -> Result<Settings, (String, Need)> {
        let variables: Variables = variables.iter().map(|(name, value)| (*name, value.into())).collect();
        resolve_os(flags, &variables, config)
    }

    fn resolve_os(
        flags: [Option<&str>; 4],
        variables: &Variables,
        config: &DecideConfig,
    ) -> Result<Settings, (String, Need)> {
        let [port, bind, url, timeout] = flags.map(|flag| flag.map(OsString::from));
        let flags = SubmitFlags { port, bind, url, timeout, ..SubmitFlags::default() };
        let variable =
            |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| value.clone());
        Settings::resolve(&flags, variable, of(config), files(), || true).map_err(told)
    }

    fn files() -> Files<'static> {
        Files { project: Path::new(FILE), user: Path::new("/h/config.toml") }
    }

    /// A project's configuration alone.
    fn of(config: &DecideConfig) -> impl Fn(&[&'static str]) -> Result<DecideConfig, Failure> {
        |passed_over| {
            let (mut config, default) = (config.clone(), DecideConfig::default());
            for key in passed_over {
                match *key {
                    "decide.bind" => config.bind = default.bind.clone(),
                    "decide.url" => config.url = default.url.clone(),
                    _ => config.auth = default.auth.clone(),
                }
            }
            Ok(config)
        }
    }

    /// The place that is named, and what is said to be needed there.
    fn told(failure: Failure) -> (String, Need) {
        match *failure.what {
            Message::BadSetting { place, need, .. } => {
                let (name, code) = match place {
                    Place::Flag(name) => (name.to_owned(), 2),
                    Place::Variable(name) => (name.to_owned(), 1),
                    Place::Config { file, line, key } => {
                        (format!("{}:{}: {key}", file.display(), line.unwrap()), 1)
                    }
                };
                assert_eq!(failure.code, code, "{name}");
                (name, need)
            }
            other => panic!("{other:?}"),
        }
    }

    fn defaults_with(config: &DecideConfig, is_trusted: bool) -> Settings {
        Settings::resolve(&SubmitFlags::default(), |_| None, of(config), files(), || is_trusted).unwrap()
    }

    #[test]
    fn ages_have_a_unit() {
        let hours = |hours: u64| Some(Duration::from_secs(hours * 3600));
        for (text, expected) in [
            ("12h", hours(12)),
            ("30d", hours(720)),
            ("2w", hours(336)),
            ("0d", hours(0)),
            ("007h", hours(7)),
        ] {
            assert_eq!(age(text), expected, "{text}");
        }
        for text in [
            "",
            "h",
            "12",
            "12m",
            "-1d",
            "+1d",
            "1.5d",
            "1 d",
            "1D",
            "天",
            "99999999999999999999h",
            "9999999999999999w",
        ] {
            assert_eq!(age(text), None, "{text}");
        }
    }

    #[test]
    fn defaults() {
        let settings = resolve([None; 4], &[], &DecideConfig::default());
        let expected = Settings {
            port: 3721,
            host: "127.0.0.1".to_owned(),
            url: String::new(),
            auth: Auth::Auto,
            timeout: None,
            untrusted: Vec::new(),
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
            let (auth, untrusted) = (Auth::Auto, Vec::new());
            Ok(Settings { port, host: host.to_owned(), url: url.to_owned(), auth, timeout, untrusted })
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
        assert_eq!(
            resolve([Some(""), None, None, None], &[], &config),
            Err(("--port".to_owned(), Need::Port))
        );
    }

    #[test]
    fn good_values() {
        let config = DecideConfig::default();
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
        for url in [
            "http://x",
            "https://例.cn/a?b#c",
            "http://[::1]:80/",
            "http://a_b.c-d:65535?x@y:z[",
            "http://[::1]",
        ] {
            assert!(resolve([None, None, Some(url), None], &[], &config).is_ok(), "{url}");
        }
    }

    #[test]
    fn bad_values_are_refused_with_their_place() {
        let config = DecideConfig::default();
        let bad: [(usize, &str, &str, Need, &[&str]); 4] = [
            (
                0,
                "--port",
                "AIDE_DECIDE_PORT",
                Need::Port,
                &["65536", "-1", "+1", "1.0", " 1", "x", "0x1", "１"],
            ),
            (
                1,
                "--bind",
                "AIDE_DECIDE_BIND",
                Need::Host,
                &["example.com", "127.1", "localhost.", "[127.0.0.1", "::1%lo", " ", "0", "0x0", "*"],
            ),
            (
                2,
                "--url",
                "AIDE_DECIDE_URL",
                Need::Url,
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
            (
                3,
                "--timeout",
                "AIDE_DECIDE_TIMEOUT",
                Need::Timeout,
                &["315360001", "-1", "1s", "99999999999999999999"],
            ),
        ];
        for (position, flag, variable, need, values) in bad {
            for value in values {
                let mut flags = [None; 4];
                flags[position] = Some(*value);
                assert_eq!(resolve(flags, &[], &config), Err((flag.to_owned(), need)), "{value:?}");
                assert_eq!(
                    resolve([None; 4], &[(variable, value)], &config),
                    Err((variable.to_owned(), need)),
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
        let at = |line: usize, key: &str| format!("{FILE}:{line}: {key}");
        assert_eq!(refused("auth = \"no\""), (at(2, "decide.auth"), Need::Auth));
        assert_eq!(refused("bind = \"0.0.0.0\"\nauth = \"never\""), (at(3, "decide.auth"), Need::Login));
        assert_eq!(refused("\n# 注释\nbind = \"\""), (at(4, "decide.bind"), Need::Host));
        assert_eq!(refused("port = 1\nurl = \"x\""), (at(3, "decide.url"), Need::Url));
        // What stands nearer is used, so that the configuration is not asked.
        let bad = config("bind = \"x\"\nurl = \"x\"");
        assert!(resolve([None, Some("::1"), Some(""), None], &[], &bad).is_ok());
    }

    #[test]
    fn a_login_is_needed_where_others_can_come_or_where_it_is_asked_for() {
        let config = DecideConfig::default();
        let resolved = |bind: &str, auth: Option<&str>, variable: Option<&str>| {
            let flags = SubmitFlags {
                bind: Some(bind.into()),
                auth: auth.map(OsString::from),
                ..SubmitFlags::default()
            };
            let variable = |name: &str| variable.filter(|_| name == "AIDE_DECIDE_AUTH").map(OsString::from);
            let settings = Settings::resolve(&flags, variable, of(&config), files(), || false);
            settings.map(|settings| settings.needs_login()).map_err(told)
        };
        let never = |place: &str| Err((place.to_owned(), Need::Login));
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
            ("::1", Some("Never"), None, Err(("--auth".to_owned(), Need::Auth))),
            ("::1", Some(""), None, Err(("--auth".to_owned(), Need::Auth))),
        ] {
            assert_eq!(resolved(bind, auth, variable), expected, "{bind} {auth:?} {variable:?}");
        }
    }

    #[test]
    fn what_a_stranger_could_have_written_is_passed_over_until_it_is_trusted() {
        let hostile = config("port = 1\nbind = \"0.0.0.0\"\nurl = \"http://evil.test\"\ntimeout = 2");
        let settings = defaults_with(&hostile, false);
        assert_eq!(settings.untrusted, ["decide.bind", "decide.url"]);
        assert_eq!((&*settings.host, &*settings.url), ("127.0.0.1", ""));
        assert_eq!((settings.port, settings.timeout), (1, Some(Duration::from_secs(2))));
        let settings = defaults_with(&hostile, true);
        assert!(settings.untrusted.is_empty() && settings.needs_login());
        assert_eq!((&*settings.host, &*settings.url), ("0.0.0.0", "http://evil.test"));

        let open = config("auth = \"never\"\nbind = \"127.0.0.2\"");
        let settings = defaults_with(&open, false);
        assert_eq!(settings.untrusted, ["decide.auth"]);
        assert_eq!((&*settings.host, settings.auth), ("127.0.0.2", Auth::Auto));
        assert_eq!(defaults_with(&open, true).auth, Auth::Never);
        // What asks for more, or is the default, needs no trust.
        for harmless in ["auth = \"always\"", "bind = \"::1\"", "url = \"\"", "auth = \"auto\""] {
            assert!(defaults_with(&config(harmless), false).untrusted.is_empty(), "{harmless}");
        }
    }

    #[test]
    fn flags_and_variables_need_no_trust() {
        let hostile = config("bind = \"0.0.0.0\"\nurl = \"http://evil.test\"\nauth = \"never\"");
        let flags = SubmitFlags {
            bind: Some("10.0.0.5".into()),
            url: Some("http://mine".into()),
            ..SubmitFlags::default()
        };
        let variable = |name: &str| (name == "AIDE_DECIDE_AUTH").then(|| OsString::from("always"));
        let settings = Settings::resolve(&flags, variable, of(&hostile), files(), || {
            panic!("the configuration is not asked")
        });
        let settings = settings.unwrap();
        assert_eq!((&*settings.host, &*settings.url), ("10.0.0.5", "http://mine"));
        assert!(settings.untrusted.is_empty());
    }

    #[test]
    fn the_persons_own_lies_below_the_projects_and_needs_no_trust() {
        let folder = tempfile::tempdir().unwrap();
        store::init(folder.path()).unwrap();
        let (theirs, own) = (folder.path().join(".aide/config.toml"), folder.path().join("own.toml"));
        std::fs::write(&theirs, "[decide]\nport = 1\nurl = \"http://evil.test\"\n").unwrap();
        std::fs::write(&own, "[decide]\nport = 2\nbind = \"10.0.0.5\"\nurl = \"http://mine\"\ntimeout = 3\n")
            .unwrap();
        let layers = store::Project::at(folder.path()).unwrap().layers(Some(&own)).unwrap();
        let resolved = |is_trusted| {
            let config = |passed_over: &[&'static str]| Ok(layers.config(passed_over)?.decide);
            let files = Files { project: &theirs, user: &own };
            Settings::resolve(&SubmitFlags::default(), |_| None, config, files, || is_trusted)
        };
        let settings = resolved(false).unwrap();
        assert_eq!((settings.port, &*settings.host, &*settings.url), (1, "10.0.0.5", "http://mine"));
        assert_eq!(
            (settings.timeout, settings.untrusted),
            (Some(Duration::from_secs(3)), vec!["decide.url"])
        );
        assert_eq!(resolved(true).unwrap().url, "http://evil.test");
    }
}

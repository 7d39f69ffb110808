//! Every route, attacked in every way, in every mode of the server: nothing may be let through.
//!
//! What `gate.rs` does by hand for single attacks is done here for all of them: each attack turns a request that would
//! be answered into one that must not be. That it would be answered is tested as well.

use crate::support::{Answer, Fixture, ITEMS};
use axum::body::Body;
use http::{Method, Request, StatusCode};
use server::{Access, ConnectionInfo, EndpointInfo, Key, Owner, PeerOwner, endpoints};
use std::collections::HashSet;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Where the server listens, and how it is addressed there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    V4,
    V6,
    /// On all addresses, with a login; the attacker is logged in.
    Public,
    /// The same; the attacker has the token.
    Script,
    /// On loopback, for the user that runs the server; the attack comes through that user's browser.
    Owner,
    /// The same; the attacker is another user of the machine, logged in.
    Stranger,
    /// A daemon on loopback; the attack comes through the browser of the user that runs it.
    DaemonOwner,
    /// The same; the attacker is another user of the machine, logged in.
    DaemonStranger,
    /// The same; the owner of the attacking program, which has the token, is unknown.
    DaemonUnknown,
}

pub(crate) const MODES: [Mode; 9] = [
    Mode::V4,
    Mode::V6,
    Mode::Public,
    Mode::Script,
    Mode::Owner,
    Mode::Stranger,
    Mode::DaemonOwner,
    Mode::DaemonStranger,
    Mode::DaemonUnknown,
];

impl Mode {
    pub(crate) fn authority(self) -> &'static str {
        match self {
            Self::V6 => "[::1]:3721",
            Self::Public | Self::Script => "10.0.0.5:3721",
            _ => "127.0.0.1:3721",
        }
    }

    pub(crate) fn local(self) -> IpAddr {
        match self {
            Self::V6 => Ipv6Addr::LOCALHOST.into(),
            Self::Public | Self::Script => Ipv4Addr::new(10, 0, 0, 5).into(),
            _ => Ipv4Addr::LOCALHOST.into(),
        }
    }

    /// Whose program attacks.
    pub(crate) fn owner(self) -> Owner {
        match self {
            Self::Owner | Self::DaemonOwner => Owner::Us,
            Self::Stranger | Self::DaemonStranger => Owner::Other,
            _ => Owner::Unknown,
        }
    }

    /// Whether the attacker is logged in by a cookie.
    pub(crate) fn has_cookie(self) -> bool {
        matches!(self, Self::Public | Self::Stranger | Self::DaemonStranger)
    }

    /// Whether the attacker is let in by the token.
    pub(crate) fn has_token(self) -> bool {
        matches!(self, Self::Script | Self::DaemonUnknown)
    }

    pub(crate) fn access(self, key: &Key) -> Access {
        match self {
            Self::V4 | Self::V6 => Access::open(self.local(), 3721, ""),
            Self::Owner | Self::Stranger => {
                Access::owned(self.local(), 3721, "https://aide.example", key.clone())
            }
            Self::Public | Self::Script => {
                Access::guarded(Ipv4Addr::UNSPECIFIED.into(), 3721, "https://aide.example", key.clone())
            }
            Self::DaemonOwner | Self::DaemonStranger | Self::DaemonUnknown => {
                Access::owned_surely(self.local(), 3721, "https://aide.example", key.clone())
            }
        }
    }
}

/// A server, and what lets in.
struct Target {
    mode: Mode,
    fixture: Fixture,
    key: Key,
    login: Login,
}

/// The header that lets in, where one is needed.
pub(crate) type Login = Option<(&'static str, String)>;

impl Target {
    async fn new(mode: Mode) -> Self {
        let key = Key::generate().unwrap();
        let fixture = Fixture::with_access(ITEMS, mode.access(&key));
        let mut target = Self { mode, fixture, key, login: None };
        if mode.has_token() {
            target.login = Some(("authorization", format!("Bearer {}", target.key.to_hex())));
        } else if mode.has_cookie() {
            let link = target.key.link("").unwrap();
            let page = target.send(&Plain::door(mode, link)).await;
            target.login = Some(cookie_of(&page));
        }
        target
    }

    fn plain(&self) -> Plain {
        Plain::first_page(self.mode)
    }

    /// A request as the page of this server, or a script, would send it.
    fn usual(&self, route: &Route) -> Plain {
        let mut plain = Plain { method: route.method, target: route.path.to_owned(), ..self.plain() };
        plain.headers.extend(self.login.clone());
        if let Some(media_type) = route.media_type {
            plain.headers.push(("content-type", media_type.to_owned()));
            plain.headers.push(("origin", format!("http://{}", self.mode.authority())));
        }
        plain.body = route.body.replace("SESSION", &self.fixture.session.to_string());
        plain
    }

    /// The attacks on this route.
    fn attacks(&self, route: &Route) -> Vec<(Plain, u16)> {
        let path = route.path.split('?').next().unwrap();
        let rows = endpoints();
        let methods = rows.iter().filter(|row| row.path == path).flat_map(methods_of).collect();
        attacks(self.mode, &self.login, &Aim { usual: self.usual(route), methods })
    }

    async fn send(&self, plain: &Plain) -> Answer {
        self.fixture.send(plain.request(self.mode)).await
    }
}

/// The methods by which a row of a table is asked.
pub(crate) fn methods_of(row: &EndpointInfo) -> Vec<String> {
    let head = row.answers_head.then(|| "HEAD".to_owned());
    [row.method.to_string()].into_iter().chain(head).collect()
}

/// Returns the cookie given to a client that has entered by a ticket.
pub(crate) fn cookie_of(page: &Answer) -> (&'static str, String) {
    assert_eq!(page.status, StatusCode::OK);
    ("cookie", page.header("set-cookie").split(';').next().unwrap().to_owned())
}

/// A request in parts.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Plain {
    pub(crate) method: &'static str,
    pub(crate) target: String,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: String,
}

impl Plain {
    /// The first page of a server in this mode.
    pub(crate) fn first_page(mode: Mode) -> Self {
        let headers = vec![("host", mode.authority().to_owned())];
        Self { method: "GET", target: "/".to_owned(), headers, body: String::new() }
    }

    /// The button of the page that the link `path` leads to.
    pub(crate) fn door(mode: Mode, path: String) -> Self {
        let plain = Self::first_page(mode).with("content-type", "application/x-www-form-urlencoded");
        Self { method: "POST", target: path, ..plain }
    }

    /// The request, as if it came by a connection of this mode.
    pub(crate) fn request(&self, mode: Mode) -> Request<Body> {
        let mut request = Request::builder()
            .method(Method::from_bytes(self.method.as_bytes()).unwrap())
            .uri(&self.target)
            .extension(ConnectionInfo { local: mode.local(), peer: [10, 0, 0, 9].into() })
            .extension(PeerOwner::known(mode.owner()));
        for (name, value) in &self.headers {
            request = request.header(*name, value.as_bytes());
        }
        request.body(Body::from(self.body.clone())).unwrap()
    }

    fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(other, _)| *other == name)
    }

    pub(crate) fn with(&self, name: &'static str, value: impl Into<String>) -> Self {
        let mut plain = self.without(name);
        plain.headers.push((name, value.into()));
        plain
    }

    pub(crate) fn without(&self, name: &'static str) -> Self {
        let mut plain = self.clone();
        plain.headers.retain(|(other, _)| *other != name);
        plain
    }

    /// One more, beside what is there.
    fn and(&self, name: &'static str, value: impl Into<String>) -> Self {
        let mut plain = self.clone();
        plain.headers.push((name, value.into()));
        plain
    }
}

struct Route {
    method: &'static str,
    path: &'static str,
    media_type: Option<&'static str>,
    /// Answers that do not fit, so that the same server can be asked again.
    body: &'static str,
    /// The status without an attack.
    usual: u16,
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

const fn read(path: &'static str, usual: u16) -> Route {
    Route { method: "GET", path, media_type: None, body: "", usual }
}

const ROUTES: [Route; 14] = [
    read("/", 200),
    read("/index.html", 200),
    read("/?lang=en", 200),
    read("/flow", 200),
    read("/flow/version", 200),
    read("/submit", 303),
    read("/api/items", 200),
    read("/favicon.svg", 200),
    read("/nothing", 404),
    Route { method: "POST", path: "/submit", media_type: Some(FORM), body: "session=SESSION", usual: 400 },
    Route {
        method: "POST",
        path: "/api/submit",
        media_type: Some(JSON),
        body: r#"{"decisions":[]}"#,
        usual: 400,
    },
    Route {
        method: "POST",
        path: "/fn/submit",
        media_type: Some(JSON),
        body: r#"{"session":"SESSION","lang":"en","sheet":{"answers":[]}}"#,
        usual: 400,
    },
    Route {
        method: "POST",
        path: "/fn/draft",
        media_type: Some(JSON),
        body: r#"{"session":"SESSION","lang":"en","sheet":{"answers":[]}}"#,
        usual: 200,
    },
    Route {
        method: "POST",
        path: "/fn/listen",
        media_type: Some(JSON),
        body: r#"{"session":"SESSION","lang":"en","hold":false}"#,
        usual: 200,
    },
];

/// The route of `ROUTES` with this method and path.
fn route(method: &str, path: &str) -> &'static Route {
    ROUTES.iter().find(|route| route.method == method && route.path == path).unwrap()
}

const METHODS: [&str; 12] =
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "OPTIONS", "SUBMIT", "get", "post"];

/// What is attacked: a request that is answered, and all the methods that its path has; none if there is no such path.
pub(crate) struct Aim {
    pub(crate) usual: Plain,
    pub(crate) methods: Vec<String>,
}

/// The attacks on one request, with the status of each.
pub(crate) fn attacks(mode: Mode, login: &Login, aim: &Aim) -> Vec<(Plain, u16)> {
    let Aim { usual, methods } = aim;
    let authority = mode.authority();
    let mut all = Vec::new();
    // S01 to S11: the Host comes before everything else.
    for host in [
        "evil.test:3721",
        "evil.test",
        "localhost",
        "127.0.0.1",
        "10.0.0.5",
        "localhost:3722",
        "127.0.0.1:3722",
        "10.0.0.5:3722",
        "10.0.0.6:3721",
        "localhost.:3721",
        "127.0.0.1.evil.test:3721",
        "10.0.0.5.evil.test:3721",
        "localhost.evil.test:3721",
        "evil-localhost:3721",
        "127.1:3721",
        "2130706433:3721",
        "0x7f000001:3721",
        "0177.0.0.1:3721",
        "0.0.0.0:3721",
        "[::]:3721",
        "[::ffff:127.0.0.1]:3721",
        "[::ffff:10.0.0.5]:3721",
        "aide.example:3721",
        "xn--bcher-kva.test:3721",
    ] {
        all.push((usual.with("host", host), 421));
        // S11: what a proxy might have said is not asked.
        let forwarded = usual.with("host", host).with("x-forwarded-host", authority);
        all.push((forwarded.with("forwarded", format!("host={authority}")), 421));
    }
    for host in [
        "",
        "user@localhost:3721",
        "localhost:3721:1",
        "localhost%00:3721",
        "localhost/:3721",
        "localhost:3721,evil.test",
        "bücher.test:3721",
        "localhost :3721",
    ] {
        all.push((usual.with("host", host), 400));
    }
    all.push((usual.without("host"), 400));
    all.push((usual.and("host", authority), 400));
    all.push((usual.and("host", "evil.test"), 400));
    let absolute = Plain { target: format!("http://evil.test{}", usual.target), ..usual.clone() };
    all.push((absolute, 400));
    if methods.is_empty() {
        return all;
    }
    // S24, S27: methods that the path does not have.
    for method in METHODS.iter().copied().filter(|method| methods.iter().all(|has| has != method)) {
        all.push((Plain { method, ..usual.clone() }, 405));
        all.push((Plain { method, ..usual.and("x-http-method-override", usual.method) }, 405));
    }
    // S20: other origins; "null" is one.
    let origin = format!("http://{authority}");
    for other in [
        "http://evil.test".to_owned(),
        "null".to_owned(),
        "http://localhost:8080".to_owned(),
        "http://127.0.0.1".to_owned(),
        format!("https://{authority}"),
        format!("{origin}.evil.test"),
        format!("{origin}/"),
        format!("{origin} http://evil.test"),
        authority.to_owned(),
        String::new(),
        origin.to_ascii_uppercase(),
    ] {
        all.push((usual.with("origin", other), 403));
    }
    all.push((usual.with("origin", &*origin).and("origin", "http://evil.test"), 403));
    // S21, S22: what browsers say of who asks.
    for site in ["cross-site", "same-site", "moon", "", "Same-Origin"] {
        all.push((usual.with("sec-fetch-site", site), 403));
        let framed = usual.with("sec-fetch-site", site).with("sec-fetch-mode", "navigate");
        all.push((framed.with("sec-fetch-dest", "iframe"), 403));
    }
    all.push((usual.with("sec-fetch-site", "same-origin").and("sec-fetch-site", "cross-site"), 403));
    if usual.has("content-type") {
        // S21: what a form of another site could send.
        for media_type in [
            "text/plain",
            "multipart/form-data; boundary=x",
            "",
            "application/jsonp",
            "application/json, text/plain",
            "text/html",
            "application/cbor",
        ] {
            all.push((usual.with("content-type", media_type), 415));
        }
        all.push((usual.without("content-type"), 415));
        all.push((usual.and("content-type", "text/plain"), 415));
        all.push((usual.with("content-encoding", "gzip"), 415));
    }
    if usual.has("origin") && mode.has_cookie() {
        // S25, S31: a cookie alone.
        all.push((usual.without("origin"), 403));
    }
    // S40: no login, or a wrong one.
    if let Some((name, value)) = login {
        all.push((usual.without(name), 401));
        let shorter = &value[..value.len() - 1];
        let bad = [
            shorter.to_owned(),
            format!("{value}0"),
            value.to_uppercase(),
            format!("x{value}"),
            String::new(),
        ];
        for bad in bad {
            all.push((usual.with(name, bad), 401));
        }
        // A client that sends a token is judged by it.
        let wrong = format!("Bearer {}", "0".repeat(64));
        if mode.has_cookie() {
            all.push((usual.with("authorization", wrong), 401));
        } else {
            all.push((usual.and("authorization", wrong), 401));
        }
    }
    all
}

#[tokio::test]
async fn s13_no_attack_on_any_route_in_any_mode_is_let_through() {
    let mut sent = HashSet::new();
    for mode in MODES {
        let target = Target::new(mode).await;
        for route in &ROUTES {
            let usual = target.send(&target.usual(route)).await;
            let name = format!("{mode:?} {} {}", route.method, route.path);
            assert_eq!(usual.status.as_u16(), route.usual, "{name}: {}", usual.text());
            usual.assert_guarded(&name);
        }
        // A form that is not complete has left its draft.
        let before = target.fixture.files();
        for route in &ROUTES {
            for (attack, expected) in target.attacks(route) {
                let answer = target.send(&attack).await;
                let name = format!("{mode:?} {attack:?}");
                assert_eq!(answer.status.as_u16(), expected, "{name}: {}", answer.text());
                answer.assert_guarded(&name);
                assert!(!answer.text().contains("测试任务"), "{name}");
                assert!(answer.header("set-cookie").is_empty(), "{name}");
                assert!(sent.insert((format!("{mode:?}"), attack)), "{name} was sent before");
            }
        }
        assert!(target.fixture.files() == before, "{mode:?} changed a file");
        assert!(!target.fixture.is_decided() && target.fixture.record().is_none());
    }
    assert!(sent.len() >= 600, "{}", sent.len());
}

#[tokio::test]
async fn s50_no_path_leads_out() {
    let dots = [
        "..",
        "%2e%2e",
        "%2E%2e",
        ".%2e",
        "%252e%252e",
        "%c0%ae%c0%ae",
        "%e0%80%ae%e0%80%ae",
        "..;",
        "..%00",
        "%uff0e%uff0e",
        "....",
        "..%c0%af",
        "%2e%2e%5c",
        "..%255c",
    ];
    let slashes = ["/", "%2f", "//", "/./", "%252f", "%5c", "/%2e/"];
    let ends = ["etc/passwd", ".aide/config.toml", "test.md", "etc/passwd%00.css", "favicon.svg::$DATA"];
    let begins = ["/", "/favicon.svg/", "/pkg/", "/api/", "/t/", "//"];
    for mode in [Mode::V4, Mode::Public] {
        let target = Target::new(mode).await;
        let mut paths = HashSet::new();
        for begin in begins {
            for dot in dots {
                for slash in slashes {
                    for end in ends {
                        paths.insert(format!("{begin}{dot}{slash}{dot}{slash}{end}"));
                    }
                }
            }
        }
        assert!(paths.len() >= 300);
        for path in paths {
            // The door takes whatever stands behind it for a ticket; that its guesses are counted is tested elsewhere.
            if mode == Mode::Public && path.starts_with("/t/") {
                continue;
            }
            let mut plain = target.usual(route("GET", "/"));
            plain.target.clone_from(&path);
            let answer = target.send(&plain).await;
            assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
            if path.starts_with("/api/") {
                assert!(answer.json()["error"].is_string(), "{path}: {}", answer.text());
            } else {
                assert_eq!(answer.text(), "Not Found", "{path}");
            }
            answer.assert_guarded(&path);
        }
    }
}

#[tokio::test]
async fn s23_no_get_changes_a_file() {
    for mode in MODES {
        let target = Target::new(mode).await;
        let before = target.fixture.files();
        for route in ROUTES.iter().filter(|route| route.method == "GET") {
            for method in ["GET", "HEAD"] {
                let plain = Plain { method, ..target.usual(route) };
                target.send(&plain).await;
            }
        }
        assert!(target.fixture.files() == before, "{mode:?}");
    }
}

/// S28: a user sent to the login page with a foreign ticket does not get in, and no user loses their own ticket.
#[tokio::test]
async fn s28_a_foreign_ticket_does_not_log_in() {
    let target = Target::new(Mode::Public).await;
    let path = target.key.link("").unwrap();
    let own = Plain { target: path.clone(), ..target.plain() };
    let foreign = Plain { target: Key::generate().unwrap().link("").unwrap(), ..target.plain() };
    for foreign in [&foreign, &Plain::door(Mode::Public, foreign.target.clone())] {
        let answer = target.send(foreign).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        assert_eq!(answer.header("set-cookie"), "");
    }
    // Frames, images and previews do not use it up.
    for (name, value) in [("sec-fetch-site", "cross-site"), ("origin", "http://evil.test")] {
        assert_eq!(target.send(&own.with(name, value)).await.status, StatusCode::FORBIDDEN);
    }
    let head = Plain { method: "HEAD", ..own.clone() };
    assert_eq!(target.send(&head).await.status, StatusCode::METHOD_NOT_ALLOWED);
    // A link in a chat.
    let link = own
        .with("sec-fetch-site", "cross-site")
        .with("sec-fetch-mode", "navigate")
        .with("sec-fetch-dest", "document");
    // A preview opens it as a browser does, and more than once.
    for _ in 0..3 {
        let page = target.send(&link).await;
        assert_eq!((page.status, &*page.header("set-cookie")), (StatusCode::OK, ""));
        page.assert_guarded("the door");
        assert!(page.text().contains("<form method=\"post\">"));
    }
    let button = Plain::door(Mode::Public, path);
    // Another site has no button of ours.
    let elsewhere = button.with("origin", "http://evil.test");
    assert_eq!(target.send(&elsewhere).await.status, StatusCode::FORBIDDEN);
    let elsewhere = button.with("sec-fetch-site", "cross-site").with("sec-fetch-mode", "navigate");
    assert_eq!(
        target.send(&elsewhere.with("sec-fetch-dest", "document")).await.status,
        StatusCode::FORBIDDEN
    );
    let page = target.send(&button).await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.header("set-cookie").ends_with("; Path=/; HttpOnly; SameSite=Strict"));
    page.assert_guarded("the way in");
    for used in [&link, &button] {
        assert_eq!(target.send(used).await.status, StatusCode::UNAUTHORIZED, "it was used");
    }
}

#[tokio::test]
async fn s40_guesses_at_the_door_are_stopped() {
    let target = Target::new(Mode::Public).await;
    for _ in 0..5 {
        let guess = Plain { target: "/t/0".to_owned(), ..target.plain() };
        assert_eq!(target.send(&guess).await.status, StatusCode::UNAUTHORIZED);
    }
    let guess = Plain { target: "/t/1".to_owned(), ..target.plain() };
    let stopped = target.send(&guess).await;
    assert_eq!(stopped.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(stopped.header("retry-after"), "60");
    // The holder of the link is let in, whatever others have tried from the same address.
    let own = Plain::door(Mode::Public, target.key.link("").unwrap());
    assert_eq!(target.send(&own).await.status, StatusCode::OK);
    // Who is in stays in.
    assert_eq!(target.send(&target.usual(route("GET", "/"))).await.status, StatusCode::OK);
}

/// A followed link is answered with a page, a request for the file that goes with it with JSON.
#[tokio::test]
async fn who_is_not_logged_in_is_told_so_in_a_form_they_can_read() {
    let target = Target::new(Mode::Public).await;
    for (path, media_type) in [
        ("/", "text/html; charset=utf-8"),
        ("/history", "text/html; charset=utf-8"),
        ("/history/2025-01-15T10-30-00", "text/html; charset=utf-8"),
        ("/history/2025-01-15T10-30-00.md", "application/json; charset=utf-8"),
        ("/flow", "text/html; charset=utf-8"),
        ("/flow/version", "application/json; charset=utf-8"),
        ("/api/items", "application/json; charset=utf-8"),
    ] {
        let answer = target.send(&Plain { target: path.to_owned(), ..target.plain() }).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{path}");
        assert_eq!(answer.header("content-type"), media_type, "{path}");
    }
}

/// Another user of the machine gets a page that names its owner, for any path, and gets access by a ticket.
#[tokio::test]
async fn another_user_of_the_machine_needs_a_link_and_nobody_else_does() {
    let target = Target::new(Mode::Stranger).await;
    for route in ROUTES.iter().filter(|route| route.usual != 404) {
        let stranger = target.usual(route).without("cookie").with("accept-language", "en");
        let answer = target.send(&stranger).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{}", route.path);
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        let told = answer.text();
        assert!(!told.contains("测试任务"), "{}: {told}", route.path);
        let whose = if route.path.contains("lang=en") { "another user" } else { "另一位用户" };
        assert!(told.contains("aide decide open --link") && told.contains(whose), "{}: {told}", route.path);
    }
    let asked = target.plain().with("accept-language", "en");
    let english = Plain { target: "/?lang=en".to_owned(), ..asked };
    let page = target.send(&english).await.text();
    assert!(page.contains("This page belongs to another user of this computer"), "{page}");
    assert!(page.contains("<code>aide decide open --link</code>"), "{page}");
    let form = Plain { target: "/submit?lang=en".to_owned(), ..target.usual(route("POST", "/submit")) };
    let form = target.send(&form.without("cookie")).await.text();
    assert!(form.contains("Your answers did not arrive"), "{form}");
    // With a token as well, and by a link that was not used yet.
    let token = target.plain().with("authorization", format!("Bearer {}", target.key.to_hex()));
    assert_eq!(target.send(&token).await.status, StatusCode::OK);
    let ticket = Plain::door(target.mode, target.key.link("").unwrap());
    assert_eq!(target.send(&ticket).await.status, StatusCode::OK);
    assert_eq!(target.send(&ticket).await.status, StatusCode::UNAUTHORIZED);
    for owner in [Owner::Us, Owner::Root, Owner::Unknown] {
        let mut request =
            Request::get("/").header("host", target.mode.authority()).body(Body::empty()).unwrap();
        request.extensions_mut().insert(PeerOwner::known(owner));
        assert_eq!(target.fixture.send(request).await.status, StatusCode::OK, "{owner:?}");
    }
}

/// Where no key was made, there is no way in: a mistake elsewhere does not open the page to the network.
#[tokio::test]
async fn without_a_key_nothing_beyond_loopback_is_open() {
    let access = Access::open(Ipv4Addr::UNSPECIFIED.into(), 3721, "");
    let fixture = Fixture::with_access(ITEMS, access);
    let target = Target { mode: Mode::Public, fixture, key: Key::generate().unwrap(), login: None };
    for route in ROUTES.iter().filter(|route| route.usual != 404) {
        assert_eq!(
            target.send(&target.usual(route)).await.status,
            StatusCode::UNAUTHORIZED,
            "{}",
            route.path
        );
    }
    let door = Plain { target: target.key.link("").unwrap(), ..target.plain() };
    assert_eq!(target.send(&door).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn who_is_not_logged_in_is_told_in_the_form_that_he_reads() {
    let target = Target::new(Mode::Public).await;
    let ask = async |route: &Route, lang: &str| {
        let mut plain = target.usual(route).without("cookie").with("accept-language", lang);
        plain.target = format!("{}?lang={lang}", route.path.split('?').next().unwrap());
        let answer = target.send(&plain).await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
        assert_eq!(answer.header("www-authenticate"), "Bearer");
        answer
    };
    let page = ask(route("GET", "/"), "en").await.text();
    assert!(page.contains("Please log in") && page.contains("aide decide open"), "{page}");
    assert!(page.contains("<style") && page.contains("href=\"/\""), "{page}");
    assert!(ask(route("GET", "/"), "zh").await.text().contains("需要登录"));
    let form = ask(route("POST", "/submit"), "en").await.text();
    assert!(form.contains("reload this page to send them again"), "{form}");
    assert!(
        ask(route("GET", "/api/items"), "en").await.json()["detail"]
            .as_str()
            .unwrap()
            .contains("server.json")
    );
    let function = ask(route("POST", "/fn/draft"), "en").await.json();
    assert!(function["Stale"].as_str().unwrap().contains("Your answers are kept"), "{function}");
    // The page's own requests have no query; the page that sends them has.
    let plain = target.usual(route("POST", "/fn/draft")).without("cookie");
    let plain = plain.with("referer", format!("http://{}/?lang=en", target.mode.authority()));
    assert!(target.send(&plain).await.json()["Stale"].as_str().unwrap().contains("Your answers are kept"));
}

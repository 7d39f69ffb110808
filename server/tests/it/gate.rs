//! The request gate, attack by attack: what is sent, and what must come back.
//!
//! The numbers are those of the project's attack checklist.

use crate::support::{Fixture, ITEMS};
use axum::body::Body;
use http::{Method, Request, StatusCode};

/// One request and the status it must get.
struct Attack {
    name: &'static str,
    method: &'static str,
    target: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    expected: u16,
}

const HOST: (&str, &str) = ("host", "localhost:3721");
const JSON: (&str, &str) = ("content-type", "application/json");
const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");
const ANSWER: &str = r#"{"decisions":[{"id":1,"chosen":"a"},{"id":2,"chosen":"b"}]}"#;
const POSTED: &str = "session=2025-01-15T10-30-00&item-1=0&item-2=0";

const fn get(
    name: &'static str,
    target: &'static str,
    headers: &'static [(&'static str, &'static str)],
    expected: u16,
) -> Attack {
    Attack { name, method: "GET", target, headers, body: "", expected }
}

const fn post(
    name: &'static str,
    target: &'static str,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
    expected: u16,
) -> Attack {
    Attack { name, method: "POST", target, headers, body, expected }
}

const ATTACKS: &[Attack] = &[
    // Who is addressed: DNS rebinding, and names that merely look like this machine.
    get("S00 the printed link", "/", &[HOST], 200),
    get("S00 IPv4", "/", &[("host", "127.0.0.1:3721")], 200),
    get("S00 IPv6", "/", &[("host", "[::1]:3721")], 200),
    get("S01 another name", "/", &[("host", "evil.test:3721")], 421),
    get("S02 no Host", "/", &[], 400),
    get("S03 two Hosts", "/", &[HOST, ("host", "localhost:3721")], 400),
    get("S04 wrong port", "/", &[("host", "localhost:3722")], 421),
    get("S04 no port", "/", &[("host", "localhost")], 421),
    get("S05 trailing dot", "/", &[("host", "localhost.:3721")], 421),
    get("S06 suffix", "/", &[("host", "127.0.0.1.evil.test:3721")], 421),
    get("S06 subdomain", "/", &[("host", "localhost.evil.test:3721")], 421),
    get("S06 prefix", "/", &[("host", "evil-localhost:3721")], 421),
    get("S07 short IPv4", "/", &[("host", "127.1:3721")], 421),
    get("S07 decimal IPv4", "/", &[("host", "2130706433:3721")], 421),
    get("S07 hexadecimal IPv4", "/", &[("host", "0x7f000001:3721")], 421),
    get("S07 octal IPv4", "/", &[("host", "0177.0.0.1:3721")], 421),
    get("S07 wildcard", "/", &[("host", "0.0.0.0:3721")], 421),
    get("S07 IPv6 wildcard", "/", &[("host", "[::]:3721")], 421),
    get("S07 mapped IPv4", "/", &[("host", "[::ffff:127.0.0.1]:3721")], 421),
    get("S08 upper case", "/", &[("host", "LOCALHOST:3721")], 200),
    get("S09 user", "/", &[("host", "user@localhost:3721")], 400),
    get("S09 two ports", "/", &[("host", "localhost:3721:1")], 400),
    get("S09 escaped NUL", "/", &[("host", "localhost%00:3721")], 400),
    get("S09 empty", "/", &[("host", "")], 400),
    get("S10 absolute form, other authority", "http://evil.test/", &[HOST], 400),
    get("S10 absolute form, own authority", "http://localhost:3721/", &[HOST], 200),
    get(
        "S11 forwarded host",
        "/",
        &[("host", "evil.test:3721"), ("x-forwarded-host", "localhost:3721")],
        421,
    ),
    get("S13 items by another name", "/api/items", &[("host", "evil.test:3721")], 421),
    get("S13 asset by another name", "/favicon.svg", &[("host", "evil.test:3721")], 421),
    get("S13 unknown path by another name", "/nothing", &[("host", "evil.test:3721")], 421),
    // Who asks: other sites, by script, form or image.
    post("S20 evil origin", "/api/submit", &[HOST, JSON, ("origin", "http://evil.test")], ANSWER, 403),
    post("S20 null origin", "/api/submit", &[HOST, JSON, ("origin", "null")], ANSWER, 403),
    post("S20 other port", "/api/submit", &[HOST, JSON, ("origin", "http://localhost:8080")], ANSWER, 403),
    post("S20 no port", "/api/submit", &[HOST, JSON, ("origin", "http://127.0.0.1")], ANSWER, 403),
    post("S20 other scheme", "/api/submit", &[HOST, JSON, ("origin", "https://localhost:3721")], ANSWER, 403),
    post(
        "S20 suffix",
        "/api/submit",
        &[HOST, JSON, ("origin", "http://localhost:3721.evil.test")],
        ANSWER,
        403,
    ),
    post(
        "S20 trailing slash",
        "/api/submit",
        &[HOST, JSON, ("origin", "http://localhost:3721/")],
        ANSWER,
        403,
    ),
    post(
        "S20 two origins",
        "/api/submit",
        &[HOST, JSON, ("origin", "http://localhost:3721"), ("origin", "http://evil.test")],
        ANSWER,
        403,
    ),
    get("S20 evil origin reads items", "/api/items", &[HOST, ("origin", "http://evil.test")], 403),
    get("S20 evil origin reads the page", "/", &[HOST, ("origin", "http://evil.test")], 403),
    post("S21 JSON as text/plain", "/api/submit", &[HOST, ("content-type", "text/plain")], ANSWER, 415),
    post("S21 JSON without a type", "/api/submit", &[HOST], ANSWER, 415),
    post("S21 JSON as a form", "/api/submit", &[HOST, FORM], ANSWER, 415),
    post("S21 form to a server function", "/fn/submit", &[HOST, FORM], POSTED, 415),
    post(
        "S21 multipart",
        "/submit",
        &[HOST, ("content-type", "multipart/form-data; boundary=x")],
        POSTED,
        415,
    ),
    post("S21 two content types", "/api/submit", &[HOST, JSON, ("content-type", "text/plain")], ANSWER, 415),
    post("S21 compressed body", "/api/submit", &[HOST, JSON, ("content-encoding", "gzip")], ANSWER, 415),
    post("S21 cross-site form", "/submit", &[HOST, FORM, ("sec-fetch-site", "cross-site")], POSTED, 403),
    post("S22 same-site form", "/submit", &[HOST, FORM, ("sec-fetch-site", "same-site")], POSTED, 403),
    post("S22 unknown site", "/submit", &[HOST, FORM, ("sec-fetch-site", "moon")], POSTED, 403),
    get("S22 cross-site image", "/favicon.svg", &[HOST, ("sec-fetch-site", "cross-site")], 403),
    get(
        "S22 cross-site frame",
        "/",
        &[
            HOST,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "iframe"),
        ],
        403,
    ),
    get(
        "S22 a link in a chat",
        "/",
        &[
            HOST,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ],
        200,
    ),
    get(
        "S22 a link to the items",
        "/api/items",
        &[
            HOST,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ],
        403,
    ),
    get("S22 the address bar", "/api/items", &[HOST, ("sec-fetch-site", "none")], 200),
    get(
        "S22 a link to the history",
        "/history",
        &[
            HOST,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ],
        403,
    ),
    get("S22 the address bar and the history", "/history", &[HOST, ("sec-fetch-site", "none")], 200),
    get(
        "S22 a link to the task",
        "/flow",
        &[
            HOST,
            ("sec-fetch-site", "cross-site"),
            ("sec-fetch-mode", "navigate"),
            ("sec-fetch-dest", "document"),
        ],
        403,
    ),
    get("S22 the address bar and the task", "/flow", &[HOST, ("sec-fetch-site", "none")], 200),
    get("S22 another page asks for the task", "/flow/version", &[HOST, ("sec-fetch-site", "same-site")], 403),
    // What is asked: methods and paths.
    Attack {
        name: "S24 PUT",
        method: "PUT",
        target: "/api/submit",
        headers: &[HOST, JSON],
        body: ANSWER,
        expected: 405,
    },
    Attack {
        name: "S24 DELETE",
        method: "DELETE",
        target: "/api/items",
        headers: &[HOST],
        body: "",
        expected: 405,
    },
    Attack { name: "S24 PATCH", method: "PATCH", target: "/", headers: &[HOST], body: "", expected: 405 },
    Attack { name: "S24 TRACE", method: "TRACE", target: "/", headers: &[HOST], body: "", expected: 405 },
    Attack { name: "S24 made up", method: "SUBMIT", target: "/", headers: &[HOST], body: "", expected: 405 },
    Attack { name: "S24 lower case", method: "get", target: "/", headers: &[HOST], body: "", expected: 405 },
    Attack {
        name: "S24 HEAD is GET",
        method: "HEAD",
        target: "/",
        headers: &[HOST],
        body: "",
        expected: 200,
    },
    get("S24 GET on the API", "/api/submit", &[HOST], 405),
    post("S24 POST on the items", "/api/items", &[HOST, JSON], "{}", 405),
    post("S24 method override", "/", &[HOST, FORM, ("x-http-method-override", "GET")], "_method=GET", 405),
    Attack {
        name: "S27 preflight",
        method: "OPTIONS",
        target: "/api/submit",
        headers: &[HOST, ("origin", "http://evil.test"), ("access-control-request-method", "POST")],
        body: "",
        expected: 405,
    },
    post("S24 POST on the task", "/flow", &[HOST, FORM], "q=x", 405),
    post("S24 POST on the history", "/history", &[HOST, FORM], "q=x", 405),
    post("S24 POST on a decision", "/history/2025-01-15T10-30-00", &[HOST, FORM], "", 405),
    get("S13 history by another name", "/history", &[("host", "evil.test:3721")], 421),
    get("S20 evil origin reads the history", "/history", &[HOST, ("origin", "http://evil.test")], 403),
    get("S50 no such decision", "/history/2025-01-15T10-30-00", &[HOST], 404),
    get("S50 below the history", "/history/2025-01-15T10-30-00/x", &[HOST], 404),
    get("S50 nothing below the history", "/history/", &[HOST], 404),
    get("S50 traversal from the history", "/history/../pending", &[HOST], 404),
    get("S50 escaped traversal from the history", "/history/..%2fconfig.toml", &[HOST], 404),
    get("S50 beside the history", "/history2", &[HOST], 404),
    get("S50 traversal", "/..%2f..%2fetc/passwd", &[HOST], 404),
    get("S50 double escape", "/%252e%252e/etc/passwd", &[HOST], 404),
    get("S50 dots", "/../../etc/passwd", &[HOST], 404),
    get("S50 double slash", "//etc/passwd", &[HOST], 404),
    get("S50 below an asset", "/favicon.svg/../Cargo.toml", &[HOST], 404),
    get("S50 NUL", "/favicon.svg%00", &[HOST], 404),
    get("S50 upper case", "/API/items", &[HOST], 404),
    get("S50 query strings do not route", "/favicon.svg?x=/api/items", &[HOST], 200),
    // In which form.
    post("S61 not JSON", "/api/submit", &[HOST, JSON], "decisions", 400),
    post("S61 empty", "/api/submit", &[HOST, JSON], "", 400),
    post("S61 duplicate key", "/api/submit", &[HOST, JSON], r#"{"decisions":[],"decisions":[]}"#, 400),
    post("S61 trailing data", "/api/submit", &[HOST, JSON], r#"{"decisions":[]} x"#, 400),
    post("S61 byte order mark", "/api/submit", &[HOST, JSON], "\u{feff}{}", 400),
    post("S61 server function with rubbish", "/fn/submit", &[HOST, JSON], "rubbish", 400),
    post("S61 server function with another shape", "/fn/draft", &[HOST, JSON], r#"{"session":1}"#, 400),
];

#[tokio::test]
async fn every_attack_gets_its_status() {
    for attack in ATTACKS {
        let fixture = Fixture::new(ITEMS);
        let before = fixture.files();
        let mut request = Request::builder()
            .method(Method::from_bytes(attack.method.as_bytes()).unwrap())
            .uri(attack.target);
        for (name, value) in attack.headers {
            request = request.header(*name, *value);
        }
        let response = fixture.send(request.body(Body::from(attack.body)).unwrap()).await;
        assert_eq!(response.status.as_u16(), attack.expected, "{}: {}", attack.name, response.text());
        response.assert_guarded(attack.name);
        assert_eq!(fixture.files(), before, "{} changed a file", attack.name);
    }
}

#[tokio::test]
async fn s23_no_get_writes_anything() {
    let fixture = Fixture::new(ITEMS);
    let before = fixture.files();
    for path in ["/", "/index.html", "/history", "/submit", "/api/items", "/favicon.svg", "/nothing"] {
        fixture.get(path).await;
    }
    assert_eq!(fixture.files(), before);
}

#[tokio::test]
async fn s60_bodies_end_at_one_mebibyte() {
    const LIMIT: usize = 1_048_576;
    let fixture = Fixture::new(ITEMS);
    let padded = |length: usize| {
        let mut body = r#"{"decisions":[]}"#.to_owned();
        body.push_str(&" ".repeat(length - body.len()));
        body
    };
    let at_limit = fixture.post_json("/api/submit", padded(LIMIT)).await;
    assert_eq!(at_limit.status, StatusCode::BAD_REQUEST, "read, and found to be empty");
    for path in ["/api/submit", "/fn/submit", "/fn/draft", "/fn/listen"] {
        let above = fixture.post_json(path, padded(LIMIT + 1)).await;
        assert_eq!(above.status, StatusCode::PAYLOAD_TOO_LARGE, "{path}");
        assert_eq!(above.json()["error"], "请求体过大");
        assert_eq!(above.json()["detail"], "单次提交限制 1 MiB");
        above.assert_guarded(path);
    }
}

/// JSON that parsers disagree about, or choke on. Whatever is answered, it is an answer, and nothing was decided.
#[tokio::test]
async fn s61_parsers_are_not_led_astray() {
    let decision = |rest: &str| format!(r#"{{"decisions":[{rest}]}}"#);
    let nested = |depth: usize| format!(r#"{{"decisions":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    let mut bodies: Vec<Vec<u8>> = [
        nested(127),
        nested(128),
        nested(129),
        nested(100_000),
        decision(&"0,".repeat(400_000)),
        format!("{{{}}}", (0..60_000).map(|key| format!("\"{key}\":0")).collect::<Vec<_>>().join(",")),
        decision(r#"{"id":1,"id":2,"chosen":"a"}"#),
        decision(r#"{"id":1e400,"chosen":"a"}"#),
        decision(r#"{"id":9007199254740991,"chosen":"a"}"#),
        decision(r#"{"id":9007199254740993,"chosen":"a"}"#),
        decision(r#"{"id":-1,"chosen":"a"}"#),
        decision(r#"{"id":1.5,"chosen":"a"}"#),
        decision(r#"{"id":NaN,"chosen":"a"}"#),
        decision(r#"{"id":1,"chosen":"\ud800"}"#),
        decision(r#"{"id":1,"chosen":"a"},"#),
        decision(r#"{"id":1,"chosen":"a"}"#) + "{}",
        decision(r#"{"__proto__":{"id":1},"chosen":"a"}"#),
        "\u{feff}{}".to_owned(),
        "null".to_owned(),
        "[]".to_owned(),
        String::new(),
    ]
    .map(String::into_bytes)
    .to_vec();
    bodies.push(b"{\"decisions\":[{\"id\":1,\"chosen\":\"\xff\"}]}".to_vec());
    bodies.push(vec![0; 1000]);
    for path in ["/api/submit", "/fn/submit", "/fn/draft", "/fn/listen"] {
        let fixture = Fixture::new(ITEMS);
        let before = fixture.files();
        for body in &bodies {
            let answer = fixture.post_json(path, body.clone()).await;
            let shown = &body[..body.len().min(60)];
            assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}: {}", shown.escape_ascii());
            answer.assert_guarded(path);
        }
        assert!(fixture.files() == before && !fixture.is_decided(), "{path}");
    }
}

#[tokio::test]
async fn s71_every_page_has_a_nonce_of_its_own() {
    let fixture = Fixture::new(ITEMS);
    let mut seen = std::collections::HashSet::new();
    for _ in 0..1000 {
        let page = fixture.get("/").await;
        let policy = page.header("content-security-policy");
        let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned();
        assert!(nonce.len() >= 22, "{policy}");
        assert!(!policy.contains("unsafe-inline") && !policy.contains("'unsafe-eval'"), "{policy}");
        assert!(seen.insert(nonce));
    }
}

#[tokio::test]
async fn a_configured_link_opens_the_gate_for_addresses_only() {
    use server::Access;
    let tunnel =
        Fixture::with_access(ITEMS, Access::open([127, 0, 0, 1].into(), 3721, "http://localhost:8080"));
    let forwarded = Request::get("/").header("host", "localhost:8080").body(Body::empty()).unwrap();
    assert_eq!(tunnel.send(forwarded).await.status, StatusCode::OK);
    let named =
        Fixture::with_access(ITEMS, Access::open([127, 0, 0, 1].into(), 3721, "http://evil.test:3721"));
    let rebound = Request::get("/").header("host", "evil.test:3721").body(Body::empty()).unwrap();
    assert_eq!(named.send(rebound).await.status, StatusCode::MISDIRECTED_REQUEST);
}

#[tokio::test]
async fn a_browser_that_opens_an_unknown_address_is_shown_what_to_set() {
    use server::Access;
    let access = |url: &str| Access::open([127, 0, 0, 1].into(), 3721, url);
    let fixture = Fixture::with_access(ITEMS, access(""));
    let open = |fixture: Fixture, host: &'static str, proto: &'static str| async move {
        let request = Request::get("/?lang=en").header("host", host).header("accept", "text/html,*/*;q=0.8");
        let request = request.header("x-forwarded-proto", proto).body(Body::empty()).unwrap();
        let answer = fixture.send(request).await;
        (answer.status, answer.text(), fixture)
    };
    let (status, page, fixture) = open(fixture, "10.0.0.1:8443", "https").await;
    assert_eq!(status, StatusCode::MISDIRECTED_REQUEST);
    let command = "<code>aide config set --user decide.url https://10.0.0.1:8443/</code>";
    assert!(page.contains(command) && !page.contains("decide.auth"), "{page}");
    let (_, page, fixture) = open(fixture, "devbox.example", "http").await;
    let command = "<code>aide config set --user decide.url http://devbox.example/</code>";
    assert!(page.contains(command) && page.contains("decide.auth always"), "{page}");
    // The value works.
    let named = Fixture::with_access(ITEMS, access("https://10.0.0.1:8443/"));
    assert_eq!(open(named, "10.0.0.1:8443", "https").await.0, StatusCode::OK);
    // A script gets JSON as before, and so does a request that writes.
    let script = Request::get("/").header("host", "devbox.example").header("accept", "*/*");
    let answer = fixture.send(script.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.header("content-type"), "application/json; charset=utf-8");
}

//! Who is let in.

use app::{BlankForm, Hall};
use axum::Router;
use axum::body::Body;
use http::header::{HOST, ORIGIN};
use http::{HeaderValue, Request, StatusCode};
use model::Questions;
use server::Access;
use std::net::Ipv4Addr;
use std::sync::{Arc, LazyLock};
use store::Project;
use tempfile::TempDir;
use texts::Lang;
use tokio::runtime::{Builder, Runtime};
use tower::ServiceExt;

/// A server of some questions, without a socket.
struct Server {
    _folder: TempDir,
    runtime: Runtime,
    router: Router,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let folder = tempfile::tempdir().unwrap();
    store::init(folder.path()).unwrap();
    let project = Project::at(folder.path()).unwrap();
    let decisions = project.decisions().unwrap();
    let text = r#"{"task":"t","source":"s","items":[{"id":1,"title":"one","options":[
        {"value":"a","label":"A"},{"value":"b","label":"B"}]}]}"#;
    let questions = Questions::parse(text.as_bytes()).unwrap();
    let pending = decisions.ask(&questions).unwrap().pending();
    let form = BlankForm::prepare(questions, Lang::Zh);
    let (hall, _) = Hall::new(project, decisions, pending, form, None);
    let access = Access::open(Ipv4Addr::LOCALHOST.into(), 3721, "");
    let router = server::router(Arc::new(hall), access);
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    Server { _folder: folder, runtime, router }
});

/// The first line is the `Host`, the second, if there is one, the `Origin`: let in are this server's own names alone.
pub(crate) fn host_origin(data: &[u8]) {
    let mut lines = data.splitn(2, |byte| *byte == b'\n');
    let (host, origin) = (lines.next().unwrap_or_default(), lines.next());
    let Ok(host_value) = HeaderValue::from_bytes(host) else { return };
    let mut request = Request::get("/api/items").header(HOST, host_value);
    if let Some(origin) = origin {
        let Ok(origin) = HeaderValue::from_bytes(origin) else { return };
        request = request.header(ORIGIN, origin);
    }
    let request = request.body(Body::empty()).unwrap();
    let status = SERVER.runtime.block_on(SERVER.router.clone().oneshot(request)).unwrap().status();

    let known_host = ["localhost:3721", "127.0.0.1:3721", "[::1]:3721"]
        .iter()
        .any(|known| host.eq_ignore_ascii_case(known.as_bytes()));
    let known_origin = origin.is_none_or(|origin| {
        matches!(origin, b"http://localhost:3721" | b"http://127.0.0.1:3721" | b"http://[::1]:3721")
    });
    let expected = match (known_host, known_origin) {
        (true, true) => status == StatusCode::OK,
        (true, false) => status == StatusCode::FORBIDDEN,
        (false, _) => matches!(status, StatusCode::BAD_REQUEST | StatusCode::MISDIRECTED_REQUEST),
    };
    assert!(expected, "{status}: {:?} {:?}", host.escape_ascii(), origin.map(<[u8]>::escape_ascii));
}

#![allow(clippy::unwrap_used, reason = "a test that cannot go on must fail")]

use crate::tools::network::Network;
use crate::tools::{ToolConfig, ToolError, ToolLimits, Toolbox};
use process::Cancellation;
use protocol::workflow::ToolName;
use serde_json::{Map, Value};
use std::io::{BufRead, BufReader, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// An address of the internet, behind which the server of a test stands.
const PUBLIC: &str = "93.184.216.34";

/// A server that writes what `answer` says to a path.
struct Server {
    port: u16,
    /// The requests that have come, each with its path.
    asked: Arc<Mutex<Vec<String>>>,
    connections: Arc<AtomicUsize>,
}

impl Server {
    fn start(answer: impl Fn(&str, &mut TcpStream) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, connections) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (paths, count) = (Arc::clone(&asked), Arc::clone(&connections));
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                count.fetch_add(1, Ordering::SeqCst);
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                let mut first = String::new();
                let _ = reader.read_line(&mut first);
                let mut line = String::new();
                while reader.read_line(&mut line).is_ok_and(|length| length > 2) {
                    line.clear();
                }
                let path = first.split(' ').nth(1).unwrap_or_default().to_owned();
                paths.lock().unwrap().push(path.clone());
                answer(&path, &mut stream);
            }
        });
        Self { port, asked, connections }
    }

    fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn page(stream: &mut TcpStream, content_type: &str, body: &[u8]) {
    let head =
        format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n", body.len());
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
}

fn redirect(stream: &mut TcpStream, to: &str) {
    let _ = write!(stream, "HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
}

/// Tools that resolve names by `resolve`, and for which every good address leads to this machine.
fn toolbox(resolve: impl Fn(&str) -> Vec<IpAddr> + Send + Sync + 'static) -> Toolbox {
    let resolve = move |host: &str, port: u16| {
        Ok(resolve(host).into_iter().map(|address| SocketAddr::new(address, port)).collect())
    };
    let here = |address: SocketAddr| SocketAddr::new(Ipv4Addr::LOCALHOST.into(), address.port());
    Toolbox { network: Network::for_tests(resolve, here), ..Toolbox::new(None, ToolConfig::default()) }
}

fn public(_: &str) -> Vec<IpAddr> {
    vec![PUBLIC.parse().unwrap()]
}

fn fetch(toolbox: &Toolbox, url: &str) -> Result<Value, ToolError> {
    fetch_until(toolbox, url, &Cancellation::default())
}

fn fetch_until(toolbox: &Toolbox, url: &str, cancellation: &Cancellation) -> Result<Value, ToolError> {
    let params: Map<String, Value> = [("url".to_owned(), url.into())].into_iter().collect();
    toolbox.run(ToolName::FetchUrl, &params, cancellation)
}

#[test]
fn a_page_is_read_with_its_address_and_its_kind() {
    let server = Server::start(|path, stream| match path {
        "/old" => redirect(stream, "/new?a=1"),
        _ => page(stream, "text/plain; charset=utf-8", "# 你好".as_bytes()),
    });
    let url = format!("http://page.example:{}/old", server.port);
    let found = fetch(&toolbox(public), &url).unwrap();
    assert_eq!(found["content"], "# 你好");
    assert_eq!(found["contentType"], "text/plain; charset=utf-8");
    assert_eq!(found["url"], format!("http://page.example:{}/new?a=1", server.port));
    assert_eq!(*server.asked.lock().unwrap(), ["/old", "/new?a=1"]);
}

#[test]
fn no_name_hides_an_address_of_this_machine_or_of_its_networks() {
    let server = Server::start(|_, stream| page(stream, "text/plain", b"secret"));
    let url = format!("http://harmless.example:{}/", server.port);
    for hidden in [
        "127.0.0.1",
        "0.0.0.0",
        "10.1.2.3",
        "172.16.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "100.64.0.1",
        "224.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:93.184.216.34",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "fe80::1",
        "fd00::1",
        "ff02::1",
    ] {
        let hidden: IpAddr = hidden.parse().unwrap();
        for addresses in [vec![hidden], vec![PUBLIC.parse().unwrap(), hidden]] {
            let refused = fetch(&toolbox(move |_| addresses.clone()), &url);
            assert!(
                matches!(&refused, Err(ToolError::NotPublic { host }) if host == "harmless.example"),
                "{hidden}"
            );
        }
    }
    assert!(matches!(fetch(&toolbox(|_| Vec::new()), &url), Err(ToolError::NotPublic { .. })));
    assert_eq!(server.connections(), 0);
}

#[test]
fn no_way_of_writing_an_address_hides_it() {
    let server = Server::start(|_, stream| page(stream, "text/plain", b"secret"));
    // As names are really found.
    let toolbox = Toolbox::new(None, ToolConfig::default());
    for host in [
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f000001",
        "0177.0.0.1",
        "0",
        "127.0.0.1.",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[0:0:0:0:0:ffff:7f00:1]",
        "localhost",
        "LOCALHOST",
        "①②⑦.0.0.1",
    ] {
        let refused = fetch(&toolbox, &format!("http://{host}:{}/", server.port));
        assert!(matches!(refused, Err(ToolError::NotPublic { .. })), "{host}: {refused:?}");
    }
    assert_eq!(server.connections(), 0);
}

#[test]
fn no_redirect_leads_where_nothing_else_may() {
    let inner = Server::start(|_, stream| page(stream, "text/plain", b"secret"));
    let inner_port = inner.port;
    let outer = Server::start(move |path, stream| {
        let to = match path {
            "/address" => format!("http://127.0.0.1:{inner_port}/"),
            "/name" => format!("http://inner.example:{inner_port}/"),
            "/other" => format!("//inner.example:{inner_port}/"),
            "/file" => "file:///etc/passwd".to_owned(),
            "/password" => format!("http://a:b@page.example:{inner_port}/"),
            _ => unreachable!("{path}"),
        };
        redirect(stream, &to);
    });
    let names = |host: &str| match host {
        "inner.example" => vec!["127.0.0.1".parse().unwrap()],
        other => public(other),
    };
    let fetch = |path| fetch(&toolbox(names), &format!("http://page.example:{}{path}", outer.port));
    for path in ["/address", "/name", "/other"] {
        assert!(matches!(fetch(path), Err(ToolError::NotPublic { .. })), "{path}");
    }
    for path in ["/file", "/password"] {
        assert!(matches!(fetch(path), Err(ToolError::BadUrl)), "{path}");
    }
    assert_eq!((outer.connections(), inner.connections()), (5, 0));
}

#[test]
fn redirects_come_to_an_end() {
    let server = Server::start(|path, stream| match path {
        "/1" => page(stream, "text/plain", b"end"),
        path => {
            let left: u32 = path[1..].parse().unwrap_or(2);
            redirect(stream, &format!("/{}", if left == 0 { 0 } else { left - 1 }));
        }
    });
    let fetch = |path| fetch(&toolbox(public), &format!("http://page.example:{}{path}", server.port));
    assert_eq!(fetch("/6").unwrap()["content"], "end");
    assert_eq!(server.connections(), 6);
    for path in ["/7", "/0"] {
        assert!(matches!(fetch(path), Err(ToolError::TooManyRedirects(5))), "{path}");
    }
    assert_eq!(server.connections(), 18);
}

#[test]
fn the_address_that_was_looked_at_is_the_one_that_is_connected_to() {
    let server = Server::start(|path, stream| match path {
        "/" => redirect(stream, "/again"),
        _ => page(stream, "text/plain", b"ok"),
    });
    // Each lookup of the name returns another address: the public one only twice, once for each request.
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let rebinding = toolbox(move |_| match count.fetch_add(1, Ordering::SeqCst) {
        0 | 1 => public(""),
        _ => vec!["127.0.0.1".parse().unwrap()],
    });
    let url = format!("http://rebinding.example:{}/", server.port);
    assert_eq!(fetch(&rebinding, &url).unwrap()["content"], "ok");
    assert_eq!(asked.load(Ordering::SeqCst), 2);
    assert!(matches!(fetch(&rebinding, &url), Err(ToolError::NotPublic { .. })));
    assert_eq!(server.connections(), 2);
}

#[test]
fn ten_megabytes_are_too_much_whether_that_is_said_or_not() {
    let server = Server::start(|path, stream| {
        if path == "/said" {
            return page(stream, "text/plain", &vec![b'a'; 10 << 20]);
        }
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n");
        // Forever, if the client kept reading.
        while stream.write_all(&[b'a'; 65536]).is_ok() {}
    });
    for path in ["/said", "/unsaid"] {
        let refused = fetch(&toolbox(public), &format!("http://page.example:{}{path}", server.port));
        assert!(matches!(refused, Err(ToolError::TooLarge { limit: 8_388_608 })), "{path}: {refused:?}");
    }
}

#[test]
fn what_takes_too_long_and_what_is_cancelled_ends() {
    let (sender, accepted) = mpsc::channel();
    // Connections that are held open, with nothing or with half of an answer.
    let server = Server::start(move |path, stream| {
        if path == "/half" {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        }
        let _ = sender.send(stream.try_clone().unwrap());
    });
    for path in ["/nothing", "/half"] {
        let url = format!("http://page.example:{}{path}", server.port);
        let limits = ToolLimits { fetch: Duration::from_millis(100), ..ToolLimits::default() };
        let hasty = Toolbox { limits, ..toolbox(public) };
        assert!(matches!(fetch(&hasty, &url), Err(ToolError::TimedOut(_))), "{path}");
        let _held = accepted.recv().unwrap();
        let cancellation = Cancellation::default();
        let patient = Toolbox {
            limits: ToolLimits { fetch: Duration::from_secs(600), ..ToolLimits::default() },
            ..toolbox(public)
        };
        thread::scope(|scope| {
            let fetching = scope.spawn(|| fetch_until(&patient, &url, &cancellation));
            let _held = accepted.recv().unwrap();
            cancellation.cancel();
            assert!(matches!(fetching.join().unwrap(), Err(ToolError::Cancelled)), "{path}");
        });
    }
    // A name that is never found.
    let cancellation = Cancellation::default();
    let (sender, asked) = mpsc::channel();
    let (keep, never) = mpsc::channel::<()>();
    let never = Mutex::new(never);
    let lost = toolbox(move |_| {
        sender.send(()).unwrap();
        let _ = never.lock().unwrap().recv();
        Vec::new()
    });
    thread::scope(|scope| {
        let fetching = scope.spawn(|| fetch_until(&lost, "http://lost.example/", &cancellation));
        asked.recv().unwrap();
        cancellation.cancel();
        assert!(matches!(fetching.join().unwrap(), Err(ToolError::Cancelled)));
    });
    drop(keep);
}

#[test]
fn only_addresses_of_http_are_read_and_only_text_is_returned() {
    let server = Server::start(|path, stream| match path {
        "/image" => page(stream, "image/png", b"\x89PNG\0\0"),
        "/moved" => {
            let _ = stream.write_all(b"HTTP/1.1 304 Not Modified\r\n\r\n");
        }
        _ => {
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        }
    });
    let fetch = |url: &str| fetch(&toolbox(public), url);
    for url in [
        "",
        "page.example",
        "ftp://page.example/",
        "file:///etc/passwd",
        "http://",
        "javascript:1",
        "http://a@b.example/",
    ] {
        assert!(matches!(fetch(url), Err(ToolError::BadUrl)), "{url}");
    }
    let at = |path| fetch(&format!("http://page.example:{}{path}", server.port));
    assert!(matches!(at("/image"), Err(ToolError::NotText)));
    assert!(matches!(at("/missing"), Err(ToolError::Status { status: 404 })));
    assert!(matches!(at("/moved"), Err(ToolError::Status { status: 304 })));
    assert_eq!(server.connections(), 3);
}

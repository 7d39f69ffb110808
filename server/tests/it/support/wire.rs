//! A server on a real socket, and clients that send bytes.

use super::{Answer, OpenQuestions, open, record};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use model::SessionId;
use serde_json::Value;
use server::ServeError;
use std::future::Future;
use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Longer than anything here takes; whatever is not done by then hangs.
const HANGS: Duration = Duration::from_secs(60);

/// Runs a test; one that hangs fails. By the clock of the machine: a paused one jumps to the next deadline whenever all tasks wait,
/// and that would be this one while the kernel has yet to hand over a byte.
pub async fn within<T>(test: impl Future<Output = T>) -> T {
    let (over, is_over) = channel::<()>();
    let (hangs, hung) = oneshot::channel();
    std::thread::spawn(move || {
        if is_over.recv_timeout(HANGS) == Err(RecvTimeoutError::Timeout) {
            let _ = hangs.send(());
        }
    });
    tokio::select! {
        result = test => {
            drop(over);
            result
        }
        Ok(()) = hung => panic!("hangs"),
    }
}

/// Waits for `io` while a paused clock stands still: it does not move while a blocking task runs.
pub async fn with_clock_held<T>(io: impl Future<Output = T>) -> T {
    let (release, released) = channel::<()>();
    let holder = tokio::task::spawn_blocking(move || {
        let _ = released.recv();
    });
    let result = io.await;
    drop(release);
    holder.await.unwrap();
    result
}

/// A server that ends when the questions are decided, as `aide decide submit` does.
pub struct Server {
    pub port: u16,
    pub session: SessionId,
    folder: TempDir,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Server {
    pub fn start(items: &str) -> Self {
        Self::start_with(items, |_| {})
    }

    /// Calls `decision` with the port when the questions are decided, just before the server begins to shut down.
    pub fn start_with(items: &str, decision: impl FnOnce(u16) + Send + 'static) -> Self {
        let OpenQuestions { folder, id, hall, decided } = open(items);
        let bound = server::bind("127.0.0.1", 0, None).unwrap();
        let port = bound.port;
        let access = server::Access::open(bound.host, port, "");
        let decided = async move {
            let _ = decided.await;
            decision(port);
        };
        let router = server::router(Arc::new(hall), access);
        let task = tokio::spawn(server::serve(bound, router, server::Limits::default(), decided));
        Self { port, session: id, folder, task }
    }

    pub async fn connect(&self) -> Client {
        self.connect_with(TcpSocket::new_v4().unwrap()).await
    }

    /// A client with room for little: what it does not read stays with the server.
    pub async fn connect_narrow(&self) -> Client {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(4096).unwrap();
        self.connect_with(socket).await
    }

    /// A client, if the server still takes one.
    pub async fn try_connect(&self) -> Option<Client> {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
        Some(Client { stream, unread: Vec::new(), port: self.port })
    }

    async fn connect_with(&self, socket: TcpSocket) -> Client {
        let stream = socket.connect(([127, 0, 0, 1], self.port).into()).await.unwrap();
        stream.set_nodelay(true).unwrap();
        Client { stream, unread: Vec::new(), port: self.port }
    }

    pub fn path(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub fn record(&self) -> Option<Value> {
        record(self.folder.path(), &self.session)
    }

    /// Waits until the server has ended by itself.
    pub async fn ended(&mut self) {
        (&mut self.task).await.unwrap().unwrap();
    }

    /// Waits for the end on a clock that stands still while a task runs, and jumps to the next deadline when all wait: on any
    /// machine, the time it took says for which deadlines the server waited.
    pub async fn ended_after(&mut self) -> Duration {
        tokio::time::pause();
        let begun = tokio::time::Instant::now();
        self.ended().await;
        begun.elapsed()
    }
}

/// One connection.
pub struct Client {
    stream: TcpStream,
    unread: Vec<u8>,
    port: u16,
}

impl Client {
    /// A connection that was made elsewhere.
    pub fn from_std(stream: std::net::TcpStream) -> Self {
        stream.set_nonblocking(true).unwrap();
        let port = stream.peer_addr().unwrap().port();
        Self { stream: TcpStream::from_std(stream).unwrap(), unread: Vec::new(), port }
    }

    /// Sends bytes; `PORT` stands for the server's port.
    pub async fn send(&mut self, text: &str) {
        let text = text.replace("PORT", &self.port.to_string());
        self.stream.write_all(text.as_bytes()).await.unwrap();
    }

    /// Sends bytes as they are.
    pub async fn send_bytes(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.unwrap();
    }

    /// Sends bytes to a server that may be gone.
    pub async fn try_send(&mut self, text: &str) {
        let _ = self.stream.write_all(text.replace("PORT", &self.port.to_string()).as_bytes()).await;
    }

    /// Sends bytes; false when the server takes no more.
    pub async fn is_sent(&mut self, text: &str) -> bool {
        self.stream.write_all(text.as_bytes()).await.is_ok()
    }

    /// Sends a whole request with the headers that every browser sends.
    pub async fn ask(&mut self, method: &str, path: &str, headers: &str, body: &str) {
        let length = body.len();
        self.send(&format!(
            "{method} {path} HTTP/1.1\r\nHost: localhost:PORT\r\nContent-Length: {length}\r\n{headers}\r\n{body}"
        ))
        .await;
    }

    pub async fn get(&mut self, path: &str) -> Answer {
        self.ask("GET", path, "", "").await;
        self.answer().await
    }

    pub async fn submit(&mut self, json: &str) {
        self.ask("POST", "/api/submit", "Content-Type: application/json\r\n", json).await;
    }

    /// The next answer, complete.
    pub async fn answer(&mut self) -> Answer {
        self.next_answer().await.expect("the connection ended before an answer")
    }

    /// The next answer, complete; `None` when the connection ends before its first byte.
    pub async fn next_answer(&mut self) -> Option<Answer> {
        let length = loop {
            if let Some(position) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break position + 4;
            }
            if !self.read().await {
                assert!(self.unread.is_empty(), "half an answer: {}", self.unread.escape_ascii());
                return None;
            }
        };
        let head: Vec<u8> = self.unread.drain(..length).collect();
        let (status, headers) = parse(std::str::from_utf8(&head).unwrap());
        let length = match headers.get("content-length") {
            Some(length) => length.to_str().unwrap().parse().unwrap(),
            None => 0,
        };
        while self.unread.len() < length {
            assert!(self.read().await, "the body of an answer was cut off");
        }
        let body = self.unread.drain(..length).collect();
        Some(Answer { status, headers, body })
    }

    /// The next bytes, so many, when they are not an answer.
    pub async fn exactly(&mut self, count: usize) -> String {
        while self.unread.len() < count {
            assert!(self.read().await, "the connection ended");
        }
        String::from_utf8(self.unread.drain(..count).collect()).unwrap()
    }

    /// Waits until the server has closed the connection; all that came before.
    pub async fn end(&mut self) -> String {
        while self.read().await {}
        String::from_utf8(std::mem::take(&mut self.unread)).unwrap()
    }

    /// Reads what is there; false at the end.
    async fn read(&mut self) -> bool {
        match self.stream.read_buf(&mut self.unread).await {
            Ok(count) => count > 0,
            Err(error) if matches!(error.kind(), ErrorKind::ConnectionReset | ErrorKind::BrokenPipe) => false,
            Err(error) => panic!("{error}"),
        }
    }
}

fn parse(head: &str) -> (StatusCode, HeaderMap) {
    let mut lines = head.trim_end().split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").unwrap();
        (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
    };
    (status, lines.map(header).collect())
}

//! HTTP/1.1 by hand, one connection per request.

use serde_json::Value;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, TcpStream};
use std::time::Duration;

/// What came back.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Response {
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(header, _)| header == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

/// A connection that fails rather than hangs.
pub(crate) fn connect(port: u16) -> TcpStream {
    let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    stream
}

pub(crate) fn get(port: u16, path: &str) -> Response {
    let mut stream = connect(port);
    stream.write_all(head("GET", path, port, "Connection: close\r\n").as_bytes()).unwrap();
    read(stream)
}

/// With further header lines.
pub(crate) fn ask(port: u16, method: &str, path: &str, headers: &str) -> Response {
    let mut stream = connect(port);
    stream
        .write_all(head(method, path, port, &format!("Connection: close\r\n{headers}")).as_bytes())
        .unwrap();
    read(stream)
}

pub(crate) fn post_json(port: u16, path: &str, body: &str) -> Response {
    let mut stream = connect(port);
    let request = post_head(port, path, body.len()) + body;
    stream.write_all(request.as_bytes()).unwrap();
    read(stream)
}

/// Posts a form as a browser without script does.
pub(crate) fn post_form(port: u16, path: &str, body: &str) -> Response {
    let mut stream = connect(port);
    let headers = format!(
        "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\nConnection: close\r\n",
        body.len()
    );
    stream.write_all((head("POST", path, port, &headers) + body).as_bytes()).unwrap();
    read(stream)
}

/// Presses the one button of the page that a link with a ticket leads to.
pub(crate) fn enter(port: u16, path: &str) -> Response {
    let mut stream = connect(port);
    stream.write_all(enter_request(port, path).as_bytes()).unwrap();
    read(stream)
}

/// What a browser then sends.
pub(crate) fn enter_request(port: u16, path: &str) -> String {
    let form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n";
    head("POST", path, port, &format!("Connection: close\r\n{form}"))
}

pub(crate) fn post_head(port: u16, path: &str, length: usize) -> String {
    let headers =
        format!("Connection: close\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n");
    head("POST", path, port, &headers)
}

pub(crate) fn head(method: &str, path: &str, port: u16, headers: &str) -> String {
    format!("{method} {path} HTTP/1.1\r\nHost: localhost:{port}\r\n{headers}\r\n")
}

/// Reads until the other side closes.
pub(crate) fn read(mut stream: TcpStream) -> Response {
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    parse(bytes)
}

/// Sends a request that closes its connection, and waits for the answer, each time for at most `limit`.
///
/// # Errors
///
/// Why there is no whole answer.
pub(crate) fn exchange(port: u16, request: &str, limit: Duration) -> Result<Response, String> {
    let exchanged = || -> io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&(Ipv4Addr::LOCALHOST, port).into(), limit)?;
        stream.set_read_timeout(Some(limit))?;
        stream.set_write_timeout(Some(limit))?;
        stream.write_all(request.as_bytes())?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        Ok(bytes)
    };
    let bytes = exchanged().map_err(|error| error.to_string())?;
    let head = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let Some(head) = head else { return Err("the connection was closed without an answer".to_owned()) };
    let is_chunked = bytes[..head].to_ascii_lowercase().windows(7).any(|window| window == b"chunked");
    if is_chunked && !bytes.ends_with(b"0\r\n\r\n") {
        return Err("the answer breaks off".to_owned());
    }
    let answer = parse(bytes);
    match answer.header("content-length").parse::<usize>() {
        Ok(length) if length != answer.body.len() => Err("the answer breaks off".to_owned()),
        _ => Ok(answer),
    }
}

/// A whole answer.
pub(crate) fn parse(mut bytes: Vec<u8>) -> Response {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut lines = head.split("\r\n");
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers: Vec<_> = lines
        .map(|line| line.split_once(':').unwrap())
        .map(|(name, value)| (name.to_lowercase(), value.trim().to_owned()))
        .collect();
    let mut body = bytes.split_off(end + 4);
    if headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked") {
        body = unchunk(&body);
    }
    Response { status, headers, body }
}

fn unchunk(mut rest: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = rest.windows(2).position(|window| window == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        if size == 0 {
            return body;
        }
        body.extend(&rest[end + 2..end + 2 + size]);
        rest = &rest[end + 2 + size + 2..];
    }
}

/// The first frame of a server: its kind, what it says, and what comes after it. `None` if it did not come as a whole.
pub(crate) fn first_frame(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (head, rest) = bytes.split_at_checked(2)?;
    assert_eq!(head[0] & 0xf0, 0x80, "a whole message in a frame");
    let (length, rest) = match head[1] {
        126 => rest
            .split_at_checked(2)
            .map(|(length, rest)| (usize::from(length[0]) << 8 | usize::from(length[1]), rest))?,
        127 => panic!("no event is as long as that"),
        length => (usize::from(length), rest),
    };
    let (payload, rest) = rest.split_at_checked(length)?;
    Some((head[0] & 0xf, payload, rest))
}

/// A frame of a client, of at most 125 bytes. The mask is nothing but zeros.
pub(crate) fn client_frame(kind: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).ok().filter(|length| *length < 126).unwrap();
    let mut bytes = vec![0x80 | kind, 0x80 | length, 0, 0, 0, 0];
    bytes.extend_from_slice(content);
    bytes
}

/// Connects a listener, which receives every event from now on.
pub(crate) fn web_socket(port: u16) -> TcpStream {
    try_web_socket(port).unwrap()
}

/// The same where the connection may be refused.
///
/// # Errors
///
/// Why there is none.
pub(crate) fn try_web_socket(port: u16) -> Result<TcpStream, String> {
    let connected = || -> io::Result<(TcpStream, Vec<u8>)> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
        stream.set_read_timeout(Some(Duration::from_secs(30)))?;
        let headers = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
        stream.write_all(head("GET", "/ws", port, headers).as_bytes())?;
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            stream.read_exact(&mut byte)?;
            answer.push(byte[0]);
        }
        Ok((stream, answer))
    };
    match connected() {
        Ok((stream, answer)) if answer.starts_with(b"HTTP/1.1 101 ") => Ok(stream),
        Ok((_, answer)) => Err(format!("no WebSocket: {}", String::from_utf8_lossy(&answer))),
        Err(error) => Err(format!("no WebSocket: {error}")),
    }
}

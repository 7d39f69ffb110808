//! Files that a person attaches, while the program is killed.

use crate::support::Folder;
use crate::support::http::{Response, connect, get, head, post_json, read};
use crate::support::running::RunningServer;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::path::Path;

const ROUNDS: u64 = 60;
/// How many names the files have among them: later ones take the place of earlier ones.
const NAMES: u64 = 15;
const CHUNK: usize = 32 * 1024;
/// A file is at most as many chunks long.
const CHUNKS: u64 = 12;

const BEGIN: &str = "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=";
const END: &[u8] = b"\r\n--x--\r\n";

/// A set that asks for files.
pub(crate) fn asking() -> Value {
    json!({"task": "files", "source": "s", "items": [{"id": 1, "title": "all", "kind": "files", "max": 100}]})
}

/// Attaches a file to the item of [`asking`].
pub(crate) fn attach(port: u16, session: &str, name: &str, content: &[u8]) -> Response {
    let mut stream = begin(port, session, name, content.len());
    stream.write_all(content).unwrap();
    stream.write_all(END).unwrap();
    read(stream)
}

/// Begins to send a file of `length` bytes.
fn begin(port: u16, session: &str, name: &str, length: usize) -> TcpStream {
    let part = format!("{BEGIN}\"{name}\"\r\n\r\n");
    let headers = format!(
        "Connection: close\r\nContent-Type: multipart/form-data; boundary=x\r\nContent-Length: {}\r\n",
        part.len() + length + END.len()
    );
    let mut stream = connect(port);
    stream.write_all(head("POST", &format!("/d/{session}/files/1"), port, &headers).as_bytes()).unwrap();
    stream.write_all(part.as_bytes()).unwrap();
    stream
}

fn name(number: u64) -> String {
    format!("f{}", number % NAMES)
}

/// No two files are the same, nor is any part of one the end of it.
fn content(number: u64) -> Vec<u8> {
    let length = CHUNK as u64 * (1 + number % CHUNKS) - number % 1000;
    (0..length / 16).flat_map(|line| format!("{number:7}{line:8}\n").into_bytes()).collect()
}

#[test]
fn a_server_that_is_killed_while_it_takes_files_has_all_that_it_acknowledged() {
    let folder = Folder::project();
    let rounds = ROUNDS * u64::from(effort::factor());
    let mut acknowledged = BTreeMap::new();
    let (mut number, mut cut_off) = (0, 0);
    let session = |folder: &Folder| folder.pending()["_meta"]["session_id"].as_str().unwrap().to_owned();
    for round in 0..rounds {
        let server = submit(&folder);
        let session = session(&folder);
        // As much is sent before the kill.
        let mut left = round * 7 % 40;
        let in_doubt = loop {
            number += 1;
            let bytes = content(number);
            let mut stream = begin(server.port, &session, &name(number), bytes.len());
            let mut chunks = bytes.chunks(CHUNK);
            while left > 0
                && let Some(chunk) = chunks.next()
            {
                stream.write_all(chunk).unwrap();
                left -= 1;
            }
            if chunks.len() > 0 {
                cut_off += 1;
                break number;
            }
            stream.write_all(END).unwrap();
            if left == 0 {
                break number;
            }
            let answer = read(stream);
            assert_eq!(answer.status, 200, "{}", answer.text());
            acknowledged.insert(name(number), number);
        };
        server.kill();
        check(&folder, &session, &mut acknowledged, in_doubt);
    }
    assert!(cut_off > rounds / 4 && acknowledged.len() as u64 == NAMES, "{cut_off} {acknowledged:?}");

    let server = submit(&folder);
    let page = get(server.port, &format!("/d/{}", session(&folder)));
    let told: Vec<_> = page.text().split("name=\"remove\" value=\"1/").skip(1).collect();
    assert_eq!(told.len() as u64, NAMES);
    assert_eq!(post_json(server.port, "/api/submit", r#"{"decisions":[{"id":1}]}"#).status, 200);
    server.finish().succeeded("✓ 决策已完成\n");
    let result: Value = serde_json::from_str(&folder.aide(["decide", "result"]).stdout).unwrap();
    for file in result["decisions"][0]["files"].as_array().unwrap() {
        let number = acknowledged[file["name"].as_str().unwrap()];
        assert_eq!(file["size"], content(number).len());
    }
}

/// The questions that were open when it was killed go on.
fn submit(folder: &Folder) -> RunningServer {
    folder.submit_with(&asking(), &["--port", "0"])
}

/// What is attached is what was acknowledged last under each name, or else what was being sent, and whole.
fn check(folder: &Folder, session: &str, acknowledged: &mut BTreeMap<String, u64>, in_doubt: u64) {
    let set = folder.decision(&format!("files/{session}"));
    let index: Value = match fs::read(set.join("index.json")) {
        Ok(index) => serde_json::from_slice(&index).unwrap(),
        Err(_) => json!({"files": []}),
    };
    let entries = index["files"].as_array().unwrap();
    for entry in entries {
        let file = entry.get("file").map_or(&entry["name"], |file| file).as_str().unwrap();
        let name = entry["name"].as_str().unwrap();
        // A kill may have come between the index and the name.
        let bytes = read_either(&set.join("1"), file, name);
        if acknowledged.get(name).is_none_or(|number| content(*number) != bytes) {
            assert_eq!(name, self::name(in_doubt), "another file than the last is not as it was");
            assert_eq!(bytes, content(in_doubt), "{name} is not whole");
            acknowledged.insert(name.to_owned(), in_doubt);
        }
    }
    assert_eq!(entries.len(), acknowledged.len(), "{entries:?}");
}

fn read_either(folder: &Path, file: &str, name: &str) -> Vec<u8> {
    fs::read(folder.join(file)).or_else(|_| fs::read(folder.join(name))).unwrap()
}

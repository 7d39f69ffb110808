//! A daemon that is stuck says what it waits for, and begins anew by itself.

use crate::support::daemon::Place;
use crate::support::http::{get, head, post_json};
use crate::support::until;
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;

/// How many requests wait at a time.
const REQUESTS: usize = 8;

/// A daemon that is stuck after four seconds: sooner than a request gives up the journal, and late enough for a busy machine.
fn impatient() -> Place {
    let place = Place::new();
    place.folder.write("home/.config/aide/config.toml", "[daemon]\nstall_limit = 4\n");
    place.start();
    place
}

/// Asks for a change, and waits for no answer.
fn change(port: u16, number: usize) -> Option<TcpStream> {
    let body = format!(r#"{{"name":"{number}"}}"#);
    let headers = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    stream.write_all((head("POST", "/api/v1/sessions", port, &headers) + &body).as_bytes()).ok()?;
    Some(stream)
}

/// Whether there is an answer to a request, or its connection has ended.
fn is_answered(request: &mut TcpStream) -> bool {
    request.set_nonblocking(true).unwrap();
    let read = request.read(&mut [0]);
    read.map_err(|error| error.kind()) != Err(ErrorKind::WouldBlock)
}

#[test]
fn a_daemon_whose_journal_is_held_by_another_program_begins_anew_in_the_same_process() {
    let place = impatient();
    let (before, port) = (place.told(), place.http_port());
    assert_eq!(before["restarted"], Value::Null);
    assert_eq!(post_json(port, "/api/v1/sessions", r#"{"name":"kept"}"#).status, 200);
    // What it writes waits for this program, five seconds at a time.
    let journal = Connection::open(place.state().join("journal.db")).unwrap();
    journal.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut asked: Vec<_> = (0..REQUESTS).map(|number| change(port, number)).collect();
    let mut restarted = String::new();
    until("a daemon that began anew", || {
        // What gave up is asked again.
        for (number, request) in asked.iter_mut().enumerate() {
            if request.as_mut().is_none_or(is_answered) {
                *request = change(port, number);
            }
        }
        let told = fs::read(place.state().join("daemon.json")).unwrap_or_default();
        let told: Value = serde_json::from_slice(&told).unwrap_or_default();
        told["restarted"].as_str().unwrap_or_default().clone_into(&mut restarted);
        !restarted.is_empty()
    });
    journal.execute_batch("ROLLBACK").unwrap();
    assert!(restarted.contains("s for the disk, writing the journal"), "{restarted}");
    // It answers once it has opened the journal.
    let already = place.finger(["daemon", "start"]);
    already.succeeded(&format!("Daemon already running with PID {}\n", before["pid"]));
    let status = place.finger(["daemon", "status"]);
    assert_eq!(status.code, Some(0), "{}", status.stderr);
    assert!(status.stdout.contains(&format!("Restarted: was stuck, {restarted}\n")), "{}", status.stdout);
    let now = place.json(["daemon", "status", "--json"]);
    assert_eq!((&now["pid"], &now["restarted"]), (&before["pid"], &Value::from(restarted)));
    // What was acknowledged is there, and the log names every wait, also of those who asked.
    let sessions = get(place.http_port(), "/api/v1/sessions");
    assert!(sessions.text().contains("\"kept\""), "{}", sessions.text());
    let log = fs::read_to_string(place.state().join("daemon.log")).unwrap();
    for wait in
        ["s for the disk, writing the journal", "s for the writer of the journal", "stuck; restarting"]
    {
        assert!(log.contains(wait), "{wait}: {log}");
    }
    let stopped = place.finger(["daemon", "stop"]);
    assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
}

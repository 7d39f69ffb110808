//! A daemon that is stuck says what it waits for, and begins anew by itself.

use crate::support::daemon::Place;
use crate::support::http::{get, head, post_json};
use rusqlite::Connection;
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::net::TcpStream;

/// A daemon that is stuck after two seconds.
fn impatient() -> Place {
    let place = Place::new();
    place.folder.write("home/.config/aide/config.toml", "[daemon]\nstall_limit = 2\n");
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

#[test]
fn a_daemon_whose_journal_is_held_by_another_program_begins_anew_in_the_same_process() {
    let place = impatient();
    let (before, port) = (place.told(), place.http_port());
    assert_eq!(before["restarted"], Value::Null);
    assert_eq!(post_json(port, "/api/v1/sessions", r#"{"name":"kept"}"#).status, 200);
    // What it writes waits for this program, five seconds at a time.
    let journal = Connection::open(place.state().join("journal.db")).unwrap();
    journal.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut asked = Vec::new();
    let restarted = loop {
        asked.push(change(port, asked.len()));
        let told = fs::read(place.state().join("daemon.json")).unwrap_or_default();
        let told: Value = serde_json::from_slice(&told).unwrap_or_default();
        if let Some(restarted) = told["restarted"].as_str() {
            break restarted.to_owned();
        }
        std::thread::yield_now();
    };
    journal.execute_batch("ROLLBACK").unwrap();
    assert!(restarted.contains("thread \"journal\" has waited"), "{restarted}");
    assert!(restarted.contains("the disk, writing the journal"), "{restarted}");
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
        ["the disk, writing the journal", "the thread that writes the journal", "stuck, and begins anew"]
    {
        assert!(log.contains(wait), "{wait}: {log}");
    }
    let stopped = place.finger(["daemon", "stop"]);
    assert_eq!(stopped.code, Some(0), "{}", stopped.stderr);
}

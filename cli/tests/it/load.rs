//! Many at once, against the real program.

use crate::support::http::{connect, head, read};
use crate::support::{Folder, minimal, minimal_answers};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Barrier;
use std::thread;
use std::time::Duration;

const IN_FLIGHT: usize = 500;
const SUBMITTERS: usize = 64;
const ROUNDS: usize = 5;

#[test]
fn five_hundred_requests_in_flight_are_all_served() {
    let folder = Folder::project();
    let running = folder.submit(&minimal());
    let port = running.port;
    // All are there before any is read.
    let request = |_| {
        let mut stream = connect(port);
        let half = head("GET", "/", port, "Connection: close\r\n");
        stream.write_all(half.as_bytes()).unwrap();
        stream
    };
    let streams: Vec<TcpStream> = (0..IN_FLIGHT).map(request).collect();
    for stream in streams {
        let response = read(stream);
        assert_eq!(response.status, 200);
        assert!(response.text().ends_with("</html>"), "{}", response.text().len());
    }
    assert_eq!(running.answer(&minimal_answers()).status, 200);
    assert_eq!(running.finish().code, Some(0));
}

/// The answers of submitter `me`, told apart by their note.
fn answers(me: usize) -> Value {
    json!({"decisions": [{"id": 1, "chosen": "a", "note": format!("by {me}")}]})
}

/// Posts, and reads what comes back from a server that may be ending; true when it says that this answer won.
fn wins(port: u16, session: &str, me: usize) -> bool {
    let (path, kind, body) = match me % 3 {
        0 => ("/api/submit", "application/json", answers(me).to_string()),
        1 => (
            "/submit",
            "application/x-www-form-urlencoded",
            format!("session={session}&item-1=0&note-1=by+{me}"),
        ),
        _ => {
            let sheet = json!({"answers": [{"id": 1, "options": [0], "note": format!("by {me}")}]});
            ("/fn/submit", "application/json", json!({"session": session, "sheet": sheet}).to_string())
        }
    };
    let headers = format!("Connection: close\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n", body.len());
    let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) else { return false };
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let _ = stream.write_all((head("POST", path, port, &headers) + &body).as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer.starts_with(b"HTTP/1.1 200 ")
}

#[test]
fn of_sixty_four_submitters_one_wins_and_all_commands_say_so() {
    for round in 0..ROUNDS {
        let folder = Folder::project();
        let running = folder.submit(&minimal());
        let (port, session) = (running.port, folder.session());
        // One of them is another process.
        let cancel = round % 2 == 1;
        let start = Barrier::new(SUBMITTERS + 1);
        let (winners, cancelled) = thread::scope(|scope| {
            let (start, session) = (&start, &session);
            let one = |me| {
                scope.spawn(move || {
                    start.wait();
                    wins(port, session, me).then_some(me)
                })
            };
            let posting: Vec<_> = (0..SUBMITTERS).map(one).collect();
            start.wait();
            let cancelled = cancel && folder.aide(["decide", "cancel"]).code == Some(0);
            let winners = posting.into_iter().filter_map(|thread| thread.join().unwrap()).collect::<Vec<_>>();
            (winners, cancelled)
        });
        assert_eq!(winners.len() + usize::from(cancelled), 1, "{winners:?} won, cancelled: {cancelled}");
        let (finished, result) = (running.finish(), folder.result());
        match winners.first() {
            Some(winner) => {
                assert_eq!(finished.code, Some(0), "{}", finished.stderr);
                result.succeeded(&format!("{}\n", answers(*winner)));
            }
            None => {
                assert_eq!((finished.code, result.code), (Some(1), Some(1)));
                assert_eq!(folder.record()["cancelled"], true);
            }
        }
    }
}

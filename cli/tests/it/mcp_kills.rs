//! Many agents at once, and whatever is killed: each gets the answer to what it has asked, and nothing is asked twice.

use crate::support::chance::Chance;
use crate::support::http::{exchange, post_head};
use crate::support::mcp::{Agent, questions};
use crate::support::{BackgroundGuard, Folder, server};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Also on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// The sets that are open, by their names, the oldest first.
fn open(folder: &Folder) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder.decision("open")).into_iter().flatten().flatten();
    let mut open: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let session = name
                .strip_suffix(".json")
                .filter(|session| session.starts_with("20") && !session.contains('.'))?;
            let set: Value = serde_json::from_slice(&fs::read(entry.path()).ok()?).ok()?;
            Some((session.to_owned(), set["task"].as_str()?.to_owned()))
        })
        .collect();
    open.sort_by_key(|(session, _)| age(session));
    open
}

/// A session in the order of asking: the time, and the number of those that were asked in the same second.
fn age(session: &str) -> (String, u32) {
    let (time, number) = session.split_at(19);
    (time.to_owned(), number.strip_prefix('-').map_or(1, |number| number.parse().unwrap()))
}

/// Answers a set, if its page can be had; the note is what it is about.
fn answer(folder: &Folder, session: &str, task: &str) -> bool {
    let Some(port) = server(folder).and_then(|server| server["port"].as_u64()) else { return false };
    let Ok(port) = u16::try_from(port) else { return false };
    let body = json!({ "decisions": [{ "id": 1, "chosen": "b", "note": task }] }).to_string();
    let request = post_head(port, &format!("/d/{session}/api/submit"), body.len()) + &body;
    exchange(port, &request, Duration::from_secs(10)).is_ok_and(|answer| answer.status == 200)
}

/// The sessions that have ended with an answer, by what they were about.
fn answered(folder: &Folder) -> Vec<(String, String)> {
    let records = fs::read_dir(folder.decision("")).unwrap().flatten();
    let records = records.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let session = name.strip_suffix(".json").filter(|session| session.starts_with("20"))?.to_owned();
        let record: Value = serde_json::from_slice(&fs::read(entry.path()).ok()?).ok()?;
        let task = record["input"]["task"].as_str()?.to_owned();
        record.get("output").is_some().then_some((session, task))
    });
    records.collect()
}

#[test]
fn sixty_four_agents_at_once_get_each_its_own_answer_in_the_order_of_asking() {
    const AGENTS: usize = 64;
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let mut agents: Vec<_> =
        (0..AGENTS).map(|_| Agent::legacy(&folder, &["--hold", "600"], json!({}))).collect();
    let calls: Vec<_> = agents
        .iter_mut()
        .enumerate()
        .map(|(number, agent)| {
            let params =
                json!({ "name": "decide_submit", "arguments": questions(&format!("Agent {number}")) });
            agent.begin("tools/call", params)
        })
        .collect();
    let deadline = Instant::now() + LIMIT;
    let mut order: Vec<(String, String)> = Vec::new();
    while order.len() < AGENTS {
        assert!(Instant::now() < deadline, "{} of {AGENTS}", order.len());
        let Some((session, task)) = open(&folder).into_iter().next() else {
            thread::sleep(Duration::from_millis(5));
            continue;
        };
        // The server of the last one may end before it has said so.
        if answer(&folder, &session, &task) || folder.decision(&format!("{session}.json")).exists() {
            order.push((session, task));
        }
    }
    let mut got = Vec::new();
    for (number, (agent, id)) in agents.iter_mut().zip(calls).enumerate() {
        let told = agent.told(id);
        let note = told["answers"][0]["note"].as_str().unwrap_or_else(|| panic!("{told}")).to_owned();
        assert_eq!((&told["status"], &*note), (&json!("answered"), &*format!("Agent {number}")), "{told}");
        got.push((told["session_id"].as_str().unwrap().to_owned(), note));
    }
    let sessions: BTreeSet<_> = got.iter().map(|(session, _)| session).collect();
    assert_eq!(sessions.len(), AGENTS);
    // The oldest was answered first.
    assert!(order.is_sorted_by_key(|(session, _)| age(session)), "{order:?}");
    got.sort_by_key(|(session, _)| age(session));
    assert_eq!(got, order);
}

/// How often something is killed.
fn kills() -> u32 {
    std::env::var("AIDE_KILLS").map_or(12, |kills| kills.parse().unwrap())
}

/// The process that serves the page, if it is one of these tests'.
fn page_server(folder: &Folder) -> Option<u32> {
    let pid = u32::try_from(server(folder)?["pid"].as_u64()?).ok()?;
    let program = fs::read_link(format!("/proc/{pid}/exe")).ok()?;
    (program == Path::new(env!("CARGO_BIN_EXE_aide"))).then_some(pid)
}

/// Says that it is over, also when a test fails.
struct EndGuard<'o>(&'o AtomicBool);

impl Drop for EndGuard<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// What is killed.
#[derive(Debug, Clone, Copy)]
enum Victim {
    /// The client: its pipes close.
    Client,
    Mcp,
    Page,
}

const VICTIMS: [Victim; 3] = [Victim::Client, Victim::Mcp, Victim::Page];

/// Asks until there is an answer, whatever happens to the agent.
fn ask(folder: &Folder, task: &str, is_cut: &AtomicBool, current: impl Fn(Option<u32>)) -> Value {
    let deadline = Instant::now() + LIMIT;
    loop {
        assert!(Instant::now() < deadline, "no answer to {task}");
        let mut agent = Agent::start(folder.command(["mcp"]), Value::Null);
        current(Some(agent.child.id()));
        let told = ask_once(&mut agent, task, is_cut);
        current(None);
        if let Some(told) = told {
            return told;
        }
    }
}

/// What an agent is answered; `None` if it or its client was killed.
fn ask_once(agent: &mut Agent, task: &str, is_cut: &AtomicBool) -> Option<Value> {
    let begin = json!({
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" },
    });
    agent.try_send(&json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begin }))?;
    agent.try_read()?;
    agent.try_send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
    let call = json!({
        "name": "decide_submit", "arguments": questions(task), "_meta": { "progressToken": "p" },
    });
    agent.try_send(&json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }))?;
    loop {
        let message = agent.try_read()?;
        if is_cut.swap(false, Ordering::AcqRel) {
            // As if its client had not read it.
            return None;
        }
        if message["id"] == 2 {
            let told = message["result"]["structuredContent"].clone();
            if told["status"] == "answered" {
                // It says something else, so that the answer counts as delivered; or is killed before.
                let _ = agent.try_send(&json!({ "jsonrpc": "2.0", "id": 3, "method": "ping" }));
                let _ = agent.try_read();
                return Some(told);
            }
            // A page that cannot be shown just now is an error, and pending has a next call: asking again finds the same set.
            return None;
        }
    }
}

#[test]
fn whatever_is_killed_every_answer_arrives_and_nothing_is_asked_twice() {
    let mut chance = Chance::new();
    let seed = chance.0;
    let folder = Folder::project_on_any_port();
    let _background = BackgroundGuard(&folder);
    let current = std::sync::Mutex::new(None::<u32>);
    let (is_cut, is_over) = (AtomicBool::new(false), AtomicBool::new(false));
    let hits: [AtomicU32; VICTIMS.len()] = Default::default();
    let tasks: Vec<_> = (0..kills()).map(|round| format!("Round {round}")).collect();
    thread::scope(|scope| {
        let _over = EndGuard(&is_over);
        // The person answers whatever is open, when it pleases them.
        let mut person = chance.other();
        scope.spawn({
            let (folder, is_over) = (&folder, &is_over);
            move || {
                while !is_over.load(Ordering::Acquire) {
                    thread::sleep(Duration::from_millis(person.below(120)));
                    for (session, task) in open(folder) {
                        answer(folder, &session, &task);
                    }
                }
            }
        });
        for (task, victim) in tasks.iter().zip(VICTIMS.into_iter().cycle()) {
            let moment = Duration::from_millis(chance.below(400));
            let killer = scope.spawn({
                let (folder, current, is_cut, hits) = (&folder, &current, &is_cut, &hits);
                move || {
                    thread::sleep(moment);
                    let pid = match victim {
                        Victim::Client => {
                            is_cut.store(true, Ordering::Release);
                            None
                        }
                        Victim::Mcp => *current.lock().unwrap(),
                        // Of each set there is a page for a moment only.
                        Victim::Page => (0..60).find_map(|_| {
                            let server = page_server(folder);
                            if server.is_none() {
                                thread::sleep(Duration::from_millis(5));
                            }
                            server
                        }),
                    };
                    let pid = pid.and_then(|pid| Pid::from_raw(i32::try_from(pid).unwrap()));
                    if pid.is_some_and(|pid| kill_process(pid, Signal::KILL).is_ok()) {
                        hits[victim as usize].fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
            let told = ask(&folder, task, &is_cut, |pid| *current.lock().unwrap() = pid);
            killer.join().unwrap();
            if !is_cut.swap(false, Ordering::AcqRel) && matches!(victim, Victim::Client) {
                hits[victim as usize].fetch_add(1, Ordering::Relaxed);
            }
            assert_eq!(
                told["answers"][0]["note"], **task,
                "{victim:?} after {moment:?}, seed {seed}: {told}"
            );
        }
    });
    let hits = hits.map(AtomicU32::into_inner);
    // Of a few, all may have come too late.
    assert!(kills() < 100 || hits.iter().all(|hits| *hits > kills() / 20), "{VICTIMS:?}: {hits:?}");
    let mut found = answered(&folder);
    found.sort_by_key(|(session, _)| age(session));
    let found: Vec<_> = found.into_iter().map(|(_, task)| task).collect();
    assert_eq!(found, tasks, "seed {seed}");
    assert!(open(&folder).is_empty(), "seed {seed}");
}

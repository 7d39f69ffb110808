//! Many messages at once, many of them copies and some of them broken, in any order: each valid one is delivered to each of its
//! receivers exactly once, and everything else is reported exactly once.

use crate::ground::{Ground, PLAN, dag, draft, node};
use agent::plan::{System, SystemPart};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Numbers that are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

const PRODUCERS: [&str; 3] = ["a", "b", "c"];

#[test]
fn a_flood_is_delivered_exactly_once() {
    let factor = u64::from(effort::factor());
    let mut chance = Chance(7);
    let ground = Ground::new(&["agent_a", "agent_b", "agent_c", "agent_x", "agent_y"]);
    let nodes = PRODUCERS.map(|task| node(task, &[], &["agent_x", "agent_y"], json!({})));
    ground.activate(&dag(&nodes), &PRODUCERS.map(|task| draft(task, json!({}))), None);
    let mut system = System::open(ground.folders(), &ground.clock, "test").unwrap();
    system.tick(SystemPart::All, None).unwrap();

    let total = 400 * factor;
    let (mut valid, mut corrupt) = (0, 0);
    // The messages that were delivered before a copy came: each is reported once, however many copies come.
    let mut copied = BTreeSet::new();
    let mut sent: Vec<(String, String, Vec<u8>)> = Vec::new();
    let mut received = BTreeMap::new();
    for number in 0..total {
        let producer = PRODUCERS[usize::try_from(chance.below(3)).unwrap()];
        let agent = format!("agent_{producer}");
        let outbox = format!("agents/{agent}/outbox/{PLAN}");
        // So that the order of names is not the order of time.
        let name = format!("m{:04}_{number}", chance.below(10_000));
        match chance.below(100) {
            0 => {
                corrupt += 1;
                ground.write(&format!("{outbox}/{name}.msg.json"), "{\"message_id\": ");
            }
            1..31 if !sent.is_empty() => {
                // A copy of what was sent, under its name, perhaps before that was settled.
                let (agent, name, bytes) = &sent[usize::try_from(chance.below(sent.len() as u64)).unwrap()];
                let file = ground.path(&format!("agents/{agent}/outbox/{PLAN}/{name}.msg.json"));
                if !file.exists() {
                    copied.insert(name.clone());
                }
                fs::write(&file, bytes).unwrap();
            }
            _ => {
                valid += 1;
                let content = format!("content of {name}");
                // Some of the files have the same name.
                let file = format!("f{}.md", chance.below(50));
                let path = format!("{name}/{file}");
                let files = [(path.as_str(), content.as_str())];
                let message = format!("msg_{name}");
                for (path, content) in files {
                    ground.write(&format!("{outbox}/{path}"), content);
                }
                let output = format!("{producer}_out");
                let envelope = ground.artifact(&agent, &message, producer, &output, &files).to_string();
                ground.write(&format!("{outbox}/{name}.msg.json"), &envelope);
                sent.push((agent, name, envelope.into_bytes()));
            }
        }
        if chance.below(40) == 0 {
            pass(&ground, &mut system, &mut received);
        }
        if chance.below(200) == 0 {
            drop(system);
            system = System::open(ground.folders(), &ground.clock, "test").unwrap();
        }
    }
    for _ in 0..3 {
        pass(&ground, &mut system, &mut received);
    }
    assert!(copied.len() > 20 && corrupt > 0, "{} copied, {corrupt} corrupt", copied.len());
    assert_eq!(received.len(), 2 * valid);
    assert!(received.values().all(|times| *times == 1), "a message came twice");
    let count = |status: &str| ground.statuses().iter().filter(|one| *one == status).count();
    // The three commands besides.
    assert_eq!(count("DELIVERED"), 2 * valid + 3);
    assert_eq!(count("DEADLETTERED"), corrupt);
    assert_eq!(count("SKIPPED_DUPLICATE"), copied.len());
    assert_eq!(ground.alerts().len(), corrupt);
    assert_eq!(ground.deliveries().len(), 2 * valid + 3 + corrupt + copied.len());
    drop(system);
    let before = ground.tree();
    ground.tick();
    assert_eq!(ground.tree(), before, "nothing is left to be said");
}

/// A pass, after which the receivers take what has come.
fn pass(ground: &Ground, system: &mut System<'_>, received: &mut BTreeMap<(String, String), usize>) {
    ground.after(1);
    let tick = system.tick(SystemPart::All, None).unwrap();
    assert!(tick.trouble.is_empty(), "{:?}", tick.trouble);
    for agent in ["agent_x", "agent_y"] {
        for name in ground.inbox(agent) {
            let path = format!("agents/{agent}/inbox/{PLAN}/{name}");
            let envelope = ground.json(&path);
            for file in envelope["payload"]["files"].as_array().unwrap() {
                let file = format!("agents/{agent}/inbox/{PLAN}/{}", file["path"].as_str().unwrap());
                let message = envelope["message_id"].as_str().unwrap();
                let content = fs::read_to_string(ground.path(&file)).unwrap();
                assert_eq!(content, format!("content of {}", &message["msg_".len()..]));
                fs::remove_file(ground.path(&file)).unwrap();
            }
            let key = (agent.to_owned(), envelope["message_id"].as_str().unwrap().to_owned());
            *received.entry(key).or_default() += 1;
            fs::remove_file(ground.path(&path)).unwrap();
        }
    }
}

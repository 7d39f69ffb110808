//! Over files as people have them: the rest is unchanged, twice is once, and taken out gives back every byte.

use crate::scene::{Scene, file_of, hooks_of};
use proptest::prelude::*;
use serde_json::{Map, Value};
use setup::{Agent, Scope};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

/// How a person writes.
#[derive(Debug, Clone)]
struct Style {
    indent: &'static str,
    is_on_one_line: bool,
    line_end: &'static str,
    has_comments: bool,
    has_trailing_commas: bool,
    has_bom: bool,
    ends_with_line: bool,
    mode: u32,
}

fn styles() -> impl Strategy<Value = Style> {
    let indent = prop::sample::select(vec!["  ", "    ", "\t", ""]);
    let line_end = prop::sample::select(vec!["\n", "\r\n"]);
    let mode = prop::sample::select(vec![0o644, 0o600, 0o444, 0o755]);
    (indent, any::<bool>(), line_end, any::<(bool, bool, bool, bool)>(), mode).prop_map(
        |(
            indent,
            is_on_one_line,
            line_end,
            (has_comments, has_trailing_commas, has_bom, ends_with_line),
            mode,
        )| Style {
            indent,
            is_on_one_line,
            line_end,
            has_comments,
            has_trailing_commas,
            has_bom,
            ends_with_line,
            mode,
        },
    )
}

impl Style {
    fn whole(&self, text: &str) -> String {
        let bom = if self.has_bom { "\u{feff}" } else { "" };
        let end = if self.ends_with_line { "\n" } else { "" };
        bom.to_owned() + &format!("{text}{end}").replace('\n', self.line_end)
    }

    fn json(&self, value: &Value) -> String {
        let mut text = String::new();
        if self.has_comments {
            text += "// what this is\n";
        }
        self.render(value, 0, &mut text);
        if self.has_comments {
            text += " /* the end */";
        }
        self.whole(&text)
    }

    fn line(&self, depth: usize, text: &mut String) {
        if self.is_on_one_line {
            text.push_str(if self.indent.is_empty() { "" } else { " " });
        } else {
            text.push('\n');
            (0..depth).for_each(|_| text.push_str(self.indent));
        }
    }

    fn render(&self, value: &Value, depth: usize, text: &mut String) {
        let Value::Object(members) = value else {
            text.push_str(&value.to_string());
            return;
        };
        text.push('{');
        for (index, (name, value)) in members.iter().enumerate() {
            self.line(depth + 1, text);
            if self.has_comments {
                text.push_str(if self.is_on_one_line {
                    "/* \"next\": { */ "
                } else {
                    "// about \"it\", {really}"
                });
                if !self.is_on_one_line {
                    self.line(depth + 1, text);
                }
            }
            text.push_str(&format!("{}: ", Value::from(name.as_str())));
            self.render(value, depth + 1, text);
            if index + 1 < members.len() || self.has_trailing_commas {
                text.push(',');
            }
            if self.has_comments && !self.is_on_one_line && index % 2 == 0 {
                text.push_str(" // on the same line");
            }
        }
        if !members.is_empty() {
            self.line(depth, text);
        }
        text.push('}');
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-zé€\\\\\" /{}]{0,8}".prop_map(Value::from),
        Just(Value::Null),
        prop::collection::vec(any::<u8>().prop_map(Value::from), 0..3).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, objects)
}

fn objects(inner: impl Strategy<Value = Value>) -> impl Strategy<Value = Value> {
    let name = "[a-z \"é]{1,6}";
    prop::collection::vec((name, inner), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>()))
}

/// A file of an agent, with or without servers, and with or without those around them.
fn documents() -> impl Strategy<Value = Value> {
    let servers = objects(values());
    (objects(values()), servers, 0..4_u8, any::<bool>()).prop_map(|(document, servers, kind, is_first)| {
        let Value::Object(mut members) = document else { return document };
        if kind > 0 {
            let name = ["mcpServers", "servers", "mcp", "context_servers"];
            for name in name {
                let mut all = Map::new();
                if is_first {
                    all.insert(name.to_owned(), servers.clone());
                }
                all.extend(std::mem::take(&mut members));
                all.entry(name).or_insert(servers.clone());
                members = all;
            }
        }
        Value::Object(members)
    })
}

const TOML: [&str; 12] = [
    "# a comment = [of mine]\n",
    "model = \"gpt-5\"   # the dear one\nnumbers = [ 1,2, # two\n  3 ]\n",
    "text = '''\n[mcp_servers.aide]\nnot = \"a table\"\n'''\n",
    "date = 1979-05-27T07:32:00Z\nfloat = 1e3\n",
    "[profiles.x]\n\n  indented = true\n\n",
    "[mcp_servers.other]\ncommand = \"npx\"\nargs = [\"-y\", \"x\"]\nenv = { A = \"1\" }\n",
    "[mcp_servers.third]   # why\nurl = \"https://example.com\"\n[mcp_servers.third.env]\nB = \"2\"\n",
    "[[hooks]]\nname = \"a\"\n[[hooks]]\nname = \"b\"\n",
    "[projects.\"/home/me/x y\"]\ntrust_level = \"trusted\"\n",
    "\n\n# between\n\n",
    "[tui]\nnotifications = false\n# the last words",
    "[mcp_servers]\n",
];

/// The first four stand before any table; each table at most once.
fn toml_texts() -> impl Strategy<Value = String> {
    let before = prop::sample::subsequence(TOML[..4].to_vec(), 0..=4);
    let tables = prop::sample::subsequence(TOML[4..].to_vec(), 0..=8).prop_shuffle();
    (before, tables).prop_filter_map("a table is opened twice", |(before, tables)| {
        let mut text = String::new();
        for part in before.iter().chain(&tables) {
            text += part;
            if !text.ends_with('\n') {
                text.push('\n');
            }
        }
        // [mcp_servers] may not come after what is in it.
        let is_late =
            text.find("[mcp_servers]").zip(text.find("[mcp_servers.o")).is_some_and(|(all, one)| all > one);
        let is_later =
            text.find("[mcp_servers]").zip(text.find("[mcp_servers.t")).is_some_and(|(all, one)| all > one);
        (!is_late && !is_later).then_some(text)
    })
}

/// Whether `old` is what is left of `new` without what was inserted.
fn is_kept(old: &str, new: &str) -> bool {
    let mut rest = new.chars();
    old.chars().all(|wanted| rest.any(|found| found == wanted))
}

fn holds(agent: Agent, scope: Scope, text: &str, mode: u32) {
    let scene = Scene::new();
    let file = file_of(agent, scope);
    scene.write(file, text);
    fs::set_permissions(scene.path(file), fs::Permissions::from_mode(mode)).unwrap();
    let before = scene.tree();
    scene.set_up(scope, &[agent]).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let once = scene.tree();
    let new = scene.read(file);
    assert_ne!(new, text);
    assert!(is_kept(text, &new), "{text}\nhas become\n{new}");
    assert_eq!(new.contains("\r\n"), text.contains("\r\n"), "{new}");
    assert!(!text.contains("\r\n") || !new.replace("\r\n", "").contains('\n'), "{new}");
    assert_eq!(fs::metadata(scene.path(file)).unwrap().permissions().mode() & 0o777, mode);
    scene.set_up(scope, &[agent]).unwrap();
    assert_eq!(scene.tree(), once, "twice is not once");
    scene.take_out(scope, &[agent]).unwrap();
    assert_eq!(scene.tree(), before);

    // And where it was changed in between, everything else stays.
    scene.set_up(scope, &[agent]).unwrap();
    fs::set_permissions(scene.path(file), fs::Permissions::from_mode(0o644)).unwrap();
    scene.write(file, format!("{}\n", scene.read(file)));
    scene.take_out(scope, &[agent]).unwrap_or_else(|error| panic!("{error:?}\n{new}"));
    let back = scene.read(file);
    assert!(!back.contains("AIDE_MCP_HOLD"), "{back}");
    for comment in text.lines().filter(|line| line.trim_start().starts_with(['/', '#'])) {
        assert!(back.contains(comment.trim()), "{comment} is lost of\n{text}\nin\n{back}");
    }
}

fn hooks_hold(agent: Agent, scope: Scope, (program, next): (&str, &str), text: &str, mode: u32) {
    let scene = Scene::new();
    let file = hooks_of(agent, scope).unwrap();
    scene.write(file, text);
    fs::set_permissions(scene.path(file), fs::Permissions::from_mode(mode)).unwrap();
    let before = scene.tree();
    scene.hook_by(program, scope, &[agent]).unwrap_or_else(|error| panic!("{error:?}\n{text}"));
    let once = scene.tree();
    let new = scene.read(file);
    assert_ne!(new, text);
    assert!(is_kept(text, &new), "{text}\nhas become\n{new}");
    assert_eq!(fs::metadata(scene.path(file)).unwrap().permissions().mode() & 0o777, mode);
    scene.hook_by(program, scope, &[agent]).unwrap();
    assert_eq!(scene.tree(), once, "twice is not once");
    scene.take_out_by(next, scope, &[agent]).unwrap();
    assert_eq!(scene.tree(), before);

    // And where it was changed in between, everything else stays.
    scene.hook_by(program, scope, &[agent]).unwrap();
    fs::set_permissions(scene.path(file), fs::Permissions::from_mode(0o644)).unwrap();
    scene.write(file, format!("{}\n", scene.read(file)));
    scene.take_out_by(next, scope, &[agent]).unwrap_or_else(|error| panic!("{error:?}\n{new}"));
    let back = scene.read(file);
    assert!(
        !back.contains("hook wake") && !back.contains("ask-user-question") && !back.contains("asyncRewake"),
        "{back}"
    );
    for comment in text.lines().filter(|line| line.trim_start().starts_with('/')) {
        assert!(back.contains(comment.trim()), "{comment} is lost of\n{text}\nin\n{back}");
    }
}

/// What the program may be called that sets up, and the one that takes out.
fn programs() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("aide".to_owned()),
        Just("/opt/aide/bin/aide-0.1".to_owned()),
        "/[a-z ']{1,8}/[a-zA-Z0-9._ '-]{1,12}"
            .prop_filter("a folder", |path| !path.ends_with("/.") && !path.ends_with("/..")),
    ]
}

fn agents() -> impl Strategy<Value = (Agent, Scope)> {
    let agents: Vec<_> = Agent::ALL.into_iter().filter(|agent| *agent != Agent::Codex).collect();
    (prop::sample::select(agents), prop::sample::select(vec![Scope::User, Scope::Project]))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn json((agent, scope) in agents(), document in documents(), style in styles()) {
        let style = match agent {
            Agent::Claude => Style { has_comments: false, has_trailing_commas: false, ..style },
            _ => style,
        };
        holds(agent, scope, &style.json(&document), style.mode);
    }

    #[test]
    fn hooks(
        (agent, scope) in (
            prop::sample::select(vec![Agent::Claude, Agent::Codex, Agent::Cursor, Agent::Gemini]),
            prop::sample::select(vec![Scope::User, Scope::Project]),
        ),
        document in documents(),
        others in prop::collection::vec(values(), 0..3),
        kind in 0..4_u8,
        programs in (programs(), programs()),
        style in styles(),
    ) {
        let style = match agent {
            Agent::Gemini => style,
            _ => Style { has_comments: false, has_trailing_commas: false, ..style },
        };
        let Value::Object(mut members) = document else { unreachable!() };
        members.shift_remove("hooks");
        if kind > 0 {
            let names = ["PostToolUse", "PreToolUse", "Stop", "stop", "BeforeTool"];
            let of_events = names.iter().take(usize::from(kind) * 2).map(|name| (*name, others.clone()));
            members.insert("hooks".to_owned(), of_events.collect::<std::collections::BTreeMap<_, _>>().into_iter()
                .map(|(name, others)| (name.to_owned(), Value::from(others))).collect::<Map<_, _>>().into());
        }
        let programs = (&*programs.0, &*programs.1);
        hooks_hold(agent, scope, programs, &style.json(&Value::Object(members)), style.mode);
    }

    #[test]
    fn toml(text in toml_texts(), style in styles()) {
        holds(Agent::Codex, Scope::User, &style.whole(&text), style.mode);
    }

    #[test]
    fn markdown(lines in prop::collection::vec("[#a-z `]{0,12}", 0..8), style in styles()) {
        let scene = Scene::new();
        let text = style.whole(&lines.join("\n"));
        scene.write("project/AGENTS.md", &text);
        fs::set_permissions(scene.path("project/AGENTS.md"), fs::Permissions::from_mode(style.mode)).unwrap();
        let before = scene.tree();
        scene.set_up(Scope::Project, &[Agent::Codex]).unwrap();
        let once = scene.tree();
        if !text.trim_start_matches('\u{feff}').trim().is_empty() {
            assert!(scene.read("project/AGENTS.md").starts_with(&text));
        }
        scene.set_up(Scope::Project, &[Agent::Codex]).unwrap();
        assert_eq!(scene.tree(), once);
        scene.take_out(Scope::Project, &[Agent::Codex]).unwrap();
        assert_eq!(scene.tree(), before);
    }
}

#[test]
fn empty_files() {
    for text in ["", "\n", "  \r\n"] {
        for (agent, scope) in
            [(Agent::Claude, Scope::Project), (Agent::Codex, Scope::User), (Agent::Zed, Scope::User)]
        {
            let scene = Scene::new();
            scene.write(file_of(agent, scope), text);
            let before = scene.tree();
            scene.set_up(scope, &[agent]).unwrap();
            scene.take_out(scope, &[agent]).unwrap();
            assert_eq!(scene.tree(), before);
        }
    }
}

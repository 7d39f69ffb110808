//! Texts in every shape before and after, and any text at all.

use super::{EditError, leaves, set, unset};
use crate::layer::{Layer, Origin};
use crate::{ConfigValue, KEYS, Kind};
use proptest::prelude::*;
use std::path::Path;

fn layer(text: &str) -> Layer {
    Layer::parse(text, Path::new("c.toml"), Origin::Project).unwrap_or_else(|error| panic!("{error}: {text}"))
}

fn text(text: &str) -> ConfigValue {
    ConfigValue::Text(text.to_owned())
}

fn set_text(before: &str, key: &'static str, value: &ConfigValue) -> String {
    set(&layer(before), key, value).unwrap().unwrap_or_else(|| before.to_owned())
}

fn unset_text(before: &str, key: &str) -> Option<String> {
    unset(&layer(before), &key.split('.').collect::<Vec<_>>()).unwrap()
}

#[test]
fn a_value_takes_the_place_of_another_and_nothing_else_changes() {
    for (before, after) in [
        ("[decide]\nport = 1\n", "[decide]\nport = 80\n"),
        ("[decide]\r\n\tport=1\t# why\r\n\r\n", "[decide]\r\n\tport=80\t# why\r\n\r\n"),
        ("decide.port = 1", "decide.port = 80"),
        ("\u{feff}decide . 'port'   =   0x1 # why", "\u{feff}decide . 'port'   =   80 # why"),
        ("decide = {bind = 'x', port = 1}", "decide = {bind = 'x', port = 80}"),
        ("decide = { port = 1, }# c", "decide = { port = 80, }# c"),
        // Dotted keys in turns, and a name that is spelled in two ways: a document of values would bring them into an order.
        ("decide.port = 1\nx = 2\ndecide.bind = 'y'\n", "decide.port = 80\nx = 2\ndecide.bind = 'y'\n"),
        (
            "decide . bind = 'y' # a\n\"decide\".port = 1 # b\n",
            "decide . bind = 'y' # a\n\"decide\".port = 80 # b\n",
        ),
        (
            "[\"decide\"] # [decide]\n\"port\" = 1_0 # port = 3\n",
            "[\"decide\"] # [decide]\n\"port\" = 80 # port = 3\n",
        ),
        (
            "x = \"\"\"\n[decide]\nport = 1\n\"\"\"\n[ decide ]\nport = 1",
            "x = \"\"\"\n[decide]\nport = 1\n\"\"\"\n[ decide ]\nport = 80",
        ),
    ] {
        assert_eq!(set_text(before, "decide.port", &ConfigValue::Integer(80)), after, "{before}");
        assert_eq!(set(&layer(after), "decide.port", &ConfigValue::Integer(80)).unwrap(), None, "{after}");
    }
    // Whatever stood there.
    for old in ["'a'", "'''\na\nb'''", "[\n1, # one\n]", "1979-05-27", "true"] {
        let before = format!("[decide]\nurl = {old} # why\n# end\n");
        assert_eq!(
            set_text(&before, "decide.url", &text("a\"b\\n")),
            "[decide]\nurl = \"a\\\"b\\\\n\" # why\n# end\n"
        );
    }
}

#[test]
fn a_new_key_comes_where_its_section_is() {
    for (before, after) in [
        ("", "[flow.git]\nenabled = false\n"),
        ("\u{feff}", "\u{feff}[flow.git]\nenabled = false\n"),
        ("# mine", "# mine\n\n[flow.git]\nenabled = false\n"),
        ("a = 1\r\n", "a = 1\r\n\r\n[flow.git]\r\nenabled = false\r\n"),
        ("[flow]\nphases = ['a']\n# end\n", "[flow]\nphases = ['a']\n# end\n\n[flow.git]\nenabled = false\n"),
        ("[flow.git]", "[flow.git]\nenabled = false\n"),
        ("[flow.git]\n\n[x]\n", "[flow.git]\nenabled = false\n\n[x]\n"),
        (
            "[flow.git]\n  required = true # why\n\n# about x\n[x]\n",
            "[flow.git]\n  required = true # why\n  enabled = false\n\n# about x\n[x]\n",
        ),
        (
            "[flow]\ngit.required = true\nphases = ['a']",
            "[flow]\ngit.required = true\ngit.enabled = false\nphases = ['a']",
        ),
        (
            "flow.git.required = true # why\nx = 1\n",
            "flow.git.required = true # why\nflow.git.enabled = false\nx = 1\n",
        ),
        ("flow.phases = [\n'a',\n]\n[x]\n", "flow.phases = [\n'a',\n]\nflow.git.enabled = false\n[x]\n"),
        ("flow = {}", "flow = { git.enabled = false }"),
        ("flow = { git = {required = true} }", "flow = { git = {required = true, enabled = false} }"),
        (
            "flow = { git.required = true, x = 1 } # c",
            "flow = { git.required = true, x = 1, git.enabled = false } # c",
        ),
        ("[flow]\ngit = { }\n", "[flow]\ngit = { enabled = false }\n"),
        ("[flow.git.more]\nx = 1\n", "[flow.git.more]\nx = 1\n\n[flow.git]\nenabled = false\n"),
        // Where a comment shows it.
        (
            "[flow.git]\n# whether\n# enabled = true\n\n# other\nrequired = true\n",
            "[flow.git]\n# whether\n# enabled = true\nenabled = false\n\n# other\nrequired = true\n",
        ),
        (
            "[flow.git]\nx = '''\n# enabled = true\n'''\n[y]\n# enabled = 1\n",
            "[flow.git]\nx = '''\n# enabled = true\n'''\nenabled = false\n[y]\n# enabled = 1\n",
        ),
    ] {
        let set = set_text(before, "flow.git.enabled", &ConfigValue::Boolean(false));
        assert_eq!(set, after, "{before}");
        let unset = unset_text(&set, "flow.git.enabled").unwrap();
        assert_eq!(leaves(&layer(&unset)), leaves(&layer(before)), "{before}");
    }
}

#[test]
fn what_stands_in_the_way_is_told() {
    for before in [
        "decide = 1",
        "[[decide]]\nport = 1",
        "[decide.port]\nx = 1",
        "decide.port.x = 1",
        "decide = { port.x = 1 }",
    ] {
        let error = set(&layer(before), "decide.port", &ConfigValue::Integer(80)).unwrap_err();
        assert!(matches!(error, EditError::Config(_)), "{before}: {error:?}");
    }
}

#[test]
fn a_list_over_several_lines_keeps_its_lines_and_comments() {
    let before = "[flow]\nphases = [ # all\n    # first\n    \"a\", # about a\n    'b', # about b\n    \"c\" # about c\n] # end\n";
    for (phases, expected) in [
        (&["a", "b", "c"][..], before.to_owned()),
        (&["a", "x", "c"], before.replace("'b'", "\"x\"")),
        (&["a", "c"], before.replace("    'b', # about b\n", "     # about b\n")),
        (&["a", "b", "c", "d"], before.replace("\"c\"", "\"c\",\n    \"d\"")),
        (&["z", "a", "b", "c"], before.replace("\"a\"", "\"z\",\n    \"a\"")),
        (&["a", "b"], before.replace("    \"c\" # about c", "     # about c")),
        (&["x", "y"], before.replace("\"a\"", "\"x\"").replace("'b'", "\"y\"").replace("\"c\" #", " #")),
        (
            &["x", "y", "z", "u"],
            before.replace("\"a\"", "\"x\"").replace("'b'", "\"y\"").replace("\"c\"", "\"z\",\n    \"u\""),
        ),
    ] {
        assert_eq!(set_text(before, "flow.phases", &ConfigValue::texts(phases)), expected, "{phases:?}");
    }
    let alone = "flow.phases = [\n  'a',\n  'b',\n]\n";
    assert_eq!(set_text(alone, "flow.phases", &ConfigValue::texts(["b"])), "flow.phases = [\n  'b',\n]\n");
    assert_eq!(
        set_text("flow.phases = [\n  # none\n]\n", "flow.phases", &ConfigValue::texts(["a"])),
        "flow.phases = [\n    \"a\",\n  # none\n]\n"
    );
    assert_eq!(
        set_text("flow.phases = ['a'] # c", "flow.phases", &ConfigValue::texts(["b", "c"])),
        "flow.phases = [\"b\", \"c\"] # c"
    );
}

#[test]
fn a_key_goes_with_its_line_and_nothing_else() {
    for (before, after) in [
        (
            "[decide]\n# about\nport = 1 # why\n# more\nbind = 'x'\n",
            "[decide]\n# about\n# more\nbind = 'x'\n",
        ),
        ("[decide]\r\nport = 1", "[decide]\r\n"),
        ("decide.port = 1\ndecide.bind = 'x'", "decide.bind = 'x'"),
        ("\u{feff}decide.port = 1\n", "\u{feff}"),
        ("decide = { port = 1 } # c", "decide = {} # c"),
        ("decide = { port = 1, bind = 'x' }", "decide = { bind = 'x' }"),
        ("decide = { bind = 'x', port = 1, }", "decide = { bind = 'x', }"),
        ("decide = {bind='x',port=1,url=''}", "decide = {bind='x',url=''}"),
        ("[decide]\nport = [\n1, # one\n]\n\n[x]\n", "[decide]\n\n[x]\n"),
        (
            "decide = {\n  bind = 'x', # about bind\n  port = 1, # about port\n  # end\n}\n",
            "decide = {\n  bind = 'x', # about bind\n  # end\n}\n",
        ),
        ("decide = {\n  bind = 'x', port = 1,\n}\n", "decide = {\n  bind = 'x',\n}\n"),
    ] {
        assert_eq!(unset_text(before, "decide.port").as_deref(), Some(after), "{before}");
        assert_eq!(unset_text(after, "decide.port"), None, "{after}");
    }
    let sections = [
        ("[decide]\nport = 1", "decide", "is a section"),
        ("decide = {port = 1}", "decide", "is a section"),
        ("decide.port = 1", "decide", "is a section"),
        ("[[flow.hooks]]\n", "flow.hooks", "is an array of tables"),
    ];
    for (before, key, told) in sections {
        let error = unset(&layer(before), &key.split('.').collect::<Vec<_>>()).unwrap_err();
        assert_eq!(error.to_string(), told, "{before}");
    }
    assert_eq!(unset_text("x = 1", "x.y"), None);
}

// Any document.

/// Lines of a configuration, in any of the shapes that one key may have, among others and comments.
fn document() -> impl Strategy<Value = String> {
    let comment = prop_oneof![Just(String::new()), "[ \t]{0,2}#~[ -~天]{0,12}".prop_map(|text| text)];
    let value = prop_oneof![
        Just("1".to_owned()),
        Just("'a # b'".to_owned()),
        Just("[ 'a', #~ why\n  'b' ]".to_owned()),
        Just("[\n  'a',\n\n  #~ c\n  'b', #~ d\n]".to_owned()),
        Just("'''\n[decide]\nport = 1\n'''".to_owned()),
        Just("{ a = 1, 'b c' = [2] }".to_owned()),
    ];
    let line = (0..6usize, value, comment).prop_map(|(name, value, comment)| {
        // Of each name at most one is kept below.
        let name = ["port", "phases", "x", "'y z'", "enabled", "q.r"][name];
        (name, format!("{name} = {value} {comment}"))
    });
    let section = (0..7usize, proptest::collection::vec(line, 0..5), "(\n|#~ [a-z = ]{0,9}\n){0,2}");
    (proptest::collection::vec(section, 0..6), any::<bool>(), any::<bool>()).prop_map(
        |(sections, crlf, ended)| {
            let mut text = String::new();
            let mut seen = Vec::new();
            for (section, lines, between) in sections {
                let header =
                    ["decide", "flow", "flow.git", "general", "'my own'", "flow.plantuml", "notify"][section];
                if seen.contains(&header) {
                    continue;
                }
                seen.push(header);
                text += &format!("{between}[{header}] #~ of {header}\n");
                let mut names = Vec::new();
                for (name, line) in lines {
                    if !names.contains(&name) {
                        names.push(name);
                        text += &format!("{line}\n");
                    }
                }
            }
            if !ended {
                text.truncate(text.trim_end_matches('\n').len());
            }
            if crlf { text.replace('\n', "\r\n") } else { text }
        },
    )
}

/// A known key, and a value that it may have.
fn setting() -> impl Strategy<Value = (&'static str, ConfigValue)> {
    let keys: Vec<_> = KEYS.iter().filter(|key| !matches!(key.kind, Kind::Tables | Kind::Map)).collect();
    let texts = proptest::collection::vec(any::<String>(), 0..4);
    (proptest::sample::select(keys), any::<bool>(), any::<i64>(), any::<String>(), texts).prop_map(
        |(key, truth, number, text, texts)| {
            let value = match key.kind {
                Kind::Boolean => ConfigValue::Boolean(truth),
                Kind::Integer { .. } => ConfigValue::Integer(number),
                Kind::Texts | Kind::Phases | Kind::Tables | Kind::Map => ConfigValue::texts(texts),
                Kind::Text | Kind::OneOf(_) | Kind::Address | Kind::Link => ConfigValue::Text(text),
            };
            (key.name, value)
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn any_key_can_be_set_in_any_document_and_taken_out_again(before in document(), (key, value) in setting()) {
        let Ok(parsed) = Layer::parse(&before, Path::new("c.toml"), Origin::Project) else {
            return Err(TestCaseError::reject("no document"));
        };
        let after = match set(&parsed, key, &value) {
            Ok(after) => after.unwrap_or_else(|| before.clone()),
            // Another thing stands there.
            Err(EditError::Config(_)) => return Ok(()),
            Err(error) => return Err(TestCaseError::fail(format!("{error}: {before}"))),
        };
        let has_key = leaves(&parsed).contains_key(&key.split('.').map(str::to_owned).collect::<Vec<_>>());
        // Every line is still there, in its order, unless the value itself was on it.
        if !has_key {
            let mut rest = after.lines();
            for line in before.lines() {
                prop_assert!(rest.any(|other| other == line), "{line:?} is gone: {after:?}");
            }
        }
        // Every comment is.
        let comments = |text: &str| -> Vec<String> {
            let comments = text.lines().filter_map(|line| line.rsplit_once("#~").map(|(_, comment)| comment.to_owned()));
            comments.collect()
        };
        // Those inside of a value of another type go with it.
        let is_list = matches!(value, ConfigValue::List(_));
        if !value.to_string().contains("#~") && (is_list || !has_key) {
            for comment in comments(&before) {
                prop_assert!(after.contains(&comment), "{comment:?} is gone: {after:?}");
            }
        }
        prop_assert_eq!(after.contains("\r\n") && after.replace("\r\n", "").contains('\n'), false, "{:?}", after);
        let layer = layer(&after);
        prop_assert_eq!(set(&layer, key, &value).unwrap(), None);
        let names: Vec<_> = key.split('.').collect();
        let without = unset(&layer, &names).unwrap().unwrap();
        if !has_key {
            let mut rest = without.lines();
            for line in before.lines() {
                prop_assert!(rest.any(|other| other == line), "{line:?} is gone: {without:?}");
            }
        }
        let mut expected = leaves(&parsed);
        expected.remove(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        prop_assert_eq!(leaves(&super::Layer::parse(&without, Path::new("c"), Origin::Project).unwrap()), expected);
    }
}

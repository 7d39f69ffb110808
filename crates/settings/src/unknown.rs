//! Keys that no version of this program reads at the place where they stand: slips, mostly. They have no effect, and are
//! reported with the key that was probably meant.

use crate::layer::{Layer, Origin, VERSION, line_after};
use crate::{KEYS, Key, Kind, Layers, key_text, known};
use model::edit_distance;
use std::path::PathBuf;
use toml_edit::{Item, TableLike};

/// A key that has no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The file that it stands in.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
    /// The key with its sections, as it is written.
    pub name: String,
    /// Why it has no effect.
    pub fault: KeyFault,
}

/// Why a key has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyFault {
    /// There is no such key; the one that was probably meant.
    Unknown(Option<&'static str>),
    /// Only the user's own configuration may have it.
    UserOnly,
}

/// The members of the arrays of tables.
static MEMBERS: [(&str, &[&str]); 5] = [
    ("agent.providers", super::read::PROVIDER_MEMBERS),
    ("daemon.agents", super::read::CREW_MEMBERS),
    ("flow.hooks", &["on", "phase", "run", "timeout"]),
    ("flow.require", &["phase", "decision"]),
    ("notify.steps", super::read::STEP_MEMBERS),
];

impl Layers<'_> {
    /// The keys of all files that have no effect, in the order of the files.
    pub fn unknown_keys(&self) -> Vec<UnknownKey> {
        self.all().flat_map(unknown_in).collect()
    }
}

fn unknown_in(layer: &Layer) -> Vec<UnknownKey> {
    let mut found = Vec::new();
    note_section(layer, layer.root(), "", &mut found);
    // As a table of its file a section is listed where its first key stands.
    found.sort_by_key(|key| key.line);
    found
}

fn note_section(layer: &Layer, table: &dyn TableLike, section: &str, found: &mut Vec<UnknownKey>) {
    for (key, item) in table.iter() {
        let name = match section {
            "" => key_text(key),
            section => format!("{section}.{}", key_text(key)),
        };
        let fault = match known(&name) {
            // What it means in a project's file is reported by the commands that would notify.
            Some(key) if key.is_user_only() && layer.origin == Origin::Project && section != "notify" => {
                KeyFault::UserOnly
            }
            Some(key) if key.kind == Kind::Tables => {
                note_members(layer, &name, item, found);
                continue;
            }
            // A secret is refused there, with its own error.
            None if name == "agent.api_key" => continue,
            None if name == VERSION => continue,
            Some(_) => continue,
            None if is_section(&name) => {
                // What is no table there is reported by the commands that need one.
                if let Some(table) = item.as_table_like() {
                    note_section(layer, table, &name, found);
                }
                continue;
            }
            None if item.is_table_like() => KeyFault::Unknown(nearest_section(&name)),
            None => KeyFault::Unknown(nearest_key(&name)),
        };
        found.push(UnknownKey { file: layer.file.clone(), line: line_of(layer, table, key), name, fault });
    }
}

/// The members of each table of an array that are none.
fn note_members(layer: &Layer, array: &str, item: &Item, found: &mut Vec<UnknownKey>) {
    let Some((_, members)) = MEMBERS.iter().find(|(name, _)| *name == array) else { return };
    let tables: Vec<&dyn TableLike> = match item {
        Item::ArrayOfTables(tables) => tables.iter().map(|table| table as &dyn TableLike).collect(),
        item => {
            let values = item.as_array().into_iter().flatten();
            values.filter_map(|value| value.as_inline_table()).map(|table| table as &dyn TableLike).collect()
        }
    };
    for table in tables {
        for (key, _) in table.iter().filter(|(key, _)| !members.contains(key)) {
            let near = members.iter().copied().filter_map(|member| Some((near(member, key)?, member))).min();
            let name = format!("{array}.{}", key_text(key));
            let line = line_of(layer, table, key);
            let fault = KeyFault::Unknown(near.map(|(_, member)| member));
            found.push(UnknownKey { file: layer.file.clone(), line, name, fault });
        }
    }
}

/// The line that a key of `table` stands on.
fn line_of(layer: &Layer, table: &dyn TableLike, key: &str) -> Option<usize> {
    let header = table.get(key).and_then(Item::as_table).and_then(|section| section.span());
    let start = table.key(key).and_then(|key| key.span()).or(header)?.start;
    Some(line_after(layer.text().get(..start)?.as_bytes()))
}

/// Whether `name` is a section, of which some keys are known.
fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.name.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// The section that is written almost as `name`.
fn nearest_section(name: &str) -> Option<&'static str> {
    let sections = KEYS.iter().flat_map(|key| key.name.match_indices('.').map(|(end, _)| &key.name[..end]));
    sections.filter_map(|section| Some((near(section, name)?, section))).min().map(|(_, section)| section)
}

/// How far the text of a key is from `name`; `None` when it is too far for a slip.
fn near(name: &str, text: &str) -> Option<usize> {
    let distance = edit_distance(name, text);
    (distance <= 1 + name.len() / 6).then_some(distance)
}

/// The key that `text` abbreviates within its section, or that is written almost as `text`, or whose last name is.
pub fn nearest_key(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase().replace('-', "_");
    // The name of a section is none of a key, even where a key of another section is called so.
    if is_section(&text) {
        return None;
    }
    let abbreviated = text.rsplit_once('.').and_then(|(section, word)| {
        let is_meant = |key: &&str| {
            key.rsplit_once('.')
                .is_some_and(|(of, name)| of == section && name.split('_').any(|part| part == word))
        };
        KEYS.iter().map(|key| key.name).find(is_meant)
    });
    let nearest = |part: fn(&'static str) -> &'static str| {
        let distance = |key: &&Key| Some((near(part(key.name), &text)?, key.name));
        KEYS.iter().filter_map(distance).min().map(|(_, name)| name)
    };
    let last_name = |key: &'static str| key.rsplit_once('.').map_or(key, |(_, name)| name);
    abbreviated.or_else(|| nearest(|key| key)).or_else(|| nearest(last_name))
}

#[cfg(test)]
mod tests {
    use super::{KeyFault, MEMBERS, UnknownKey, nearest_key};
    use crate::layer::{Layer, Origin};
    use crate::{DEFAULT_CONFIG, KEYS, Kind, Layers};
    use std::path::Path;

    #[test]
    fn the_key_that_was_probably_meant() {
        for (text, expected) in [
            ("decide.prot", Some("decide.port")),
            ("decide.Port", Some("decide.port")),
            ("decide.port", Some("decide.port")),
            ("port", Some("decide.port")),
            ("daemon.port", Some("daemon.http_port")),
            ("lang", Some("general.lang")),
            ("flow.back-confirm", Some("flow.back_confirm")),
            ("flow.git.enable", Some("flow.git.enabled")),
            ("flow.hook", Some("flow.hooks")),
            ("decide", None),
            ("task.source", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest_key(text), expected, "{text}");
        }
    }

    fn unknown(text: &str, origin: Origin) -> Vec<UnknownKey> {
        let layer = Layer::parse(text, Path::new("c.toml"), origin).unwrap_or_else(|e| panic!("{e}"));
        Layers::new(Some(&layer), None).unknown_keys()
    }

    #[test]
    fn every_key_without_an_effect_is_found_however_it_is_written() {
        let text = "top = 1\n[decide]\nprot = 1\nport = 2\n[daemon]\nport = 1\n[flow.git]\nenable = true\n\n\
                    [elsewhere]\nx = 1\n[[flow.hooks]]\non = \"leave\"\nphse = \"impl\"\nrun = \"x\"\n";
        let found: Vec<_> =
            unknown(text, Origin::User).into_iter().map(|key| (key.line, key.name, key.fault)).collect();
        let fault = |line, name: &str, near| (Some(line), name.to_owned(), KeyFault::Unknown(near));
        assert_eq!(
            found,
            [
                fault(1, "top", None),
                fault(3, "decide.prot", Some("decide.port")),
                fault(6, "daemon.port", Some("daemon.http_port")),
                fault(8, "flow.git.enable", Some("flow.git.enabled")),
                fault(10, "elsewhere", None),
                fault(14, "flow.hooks.phse", Some("phase")),
            ]
        );
        for (text, section) in [("decide2", "decide"), ("flowx", "flow"), ("flow.gti", "flow.git")] {
            let found = unknown(&format!("[{text}]\nx = 1\n"), Origin::User);
            assert_eq!((&*found[0].name, found[0].fault), (text, KeyFault::Unknown(Some(section))), "{text}");
        }
        for text in ["decide.prot = 1", "decide = { prot = 1 }", "[decide]\n\"prot\" = 1"] {
            assert_eq!(unknown(text, Origin::User)[0].name, "decide.prot", "{text}");
        }
        let inline = "[agent]\nproviders = [{ name = \"x\", kind = \"command\", comand = \"y\" }]";
        let found = unknown(inline, Origin::User);
        assert_eq!(found[0].fault, KeyFault::Unknown(Some("command")));
        assert_eq!((found.len(), &*found[0].name), (1, "agent.providers.comand"));
    }

    #[test]
    fn what_only_the_user_may_say_is_found_in_a_project() {
        let text = "[daemon]\nhttp_port = 1\n[daemon.tools]\nshell_exec = \"allow\"\n";
        let faults = |origin| unknown(text, origin).into_iter().map(|key| key.fault).collect::<Vec<_>>();
        assert_eq!(faults(Origin::Project), [KeyFault::UserOnly; 2]);
        assert_eq!(faults(Origin::User), []);
    }

    #[test]
    fn every_array_of_tables_has_its_members_and_the_defaults_are_known() {
        let arrays: Vec<_> = KEYS.iter().filter(|key| key.kind == Kind::Tables).map(|key| key.name).collect();
        let mut known: Vec<_> = MEMBERS.iter().map(|(name, _)| *name).collect();
        known.sort_by_key(|name| arrays.iter().position(|array| array == name));
        assert_eq!(known, arrays);
        assert_eq!(unknown(DEFAULT_CONFIG, Origin::Project), []);
    }
}

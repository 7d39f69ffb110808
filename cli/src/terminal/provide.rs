//! Which question a file that is named on the command line answers.

use model::{DecideItem, ItemKind, Origin, Questions, clean_name};
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// A file, and for whom it is.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct AttachedFile {
    pub(crate) file: OsString,
    /// The agent that it is meant for, where that was said.
    pub(crate) agent: Option<String>,
}

/// Where a file goes.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) item: u64,
    /// What it is called there.
    pub(crate) name: String,
}

/// Why it goes nowhere.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// No question asks for files.
    NoFiles,
    /// No question asks for files for that agent.
    NotFor { agent: String },
    /// Files are asked for, but none that is called that.
    Unwanted { names: Vec<String> },
    /// Several questions do, of these titles.
    Several { titles: Vec<String> },
}

impl AttachedFile {
    /// Reads `FILE` or `FILE:AGENT`. A file that is there with the colon in its name is meant as a whole.
    pub(crate) fn read(argument: OsString, is_there: impl Fn(&Path) -> bool) -> Self {
        let split = argument.to_str().and_then(|text| text.rsplit_once(':'));
        let split = split.filter(|(file, agent)| !file.is_empty() && is_agent(agent));
        match split {
            Some((file, agent)) if !is_there(Path::new(&argument)) => {
                Self { file: file.into(), agent: Some(agent.to_owned()) }
            }
            _ => Self { file: argument, agent: None },
        }
    }

    /// Returns the question that the file answers: the one that asks for a file of its name, or the only one there is, when
    /// that asks for a single file, under whatever name this one comes.
    pub(crate) fn place(&self, questions: &Questions, origin: &Origin) -> Result<Place, Misfit> {
        let items = &questions.input().items;
        let mut asking: Vec<&DecideItem> = items.iter().filter(|item| item.kind == ItemKind::Files).collect();
        if asking.is_empty() {
            return Err(Misfit::NoFiles);
        }
        if let Some(agent) = &self.agent {
            let is_asker = matches!(origin, Origin::Agent { agent: asker, .. } if asker == agent);
            let named = asking.iter().any(|item| names_agent(item, agent));
            if named {
                asking.retain(|item| names_agent(item, agent));
            } else if !is_asker {
                return Err(Misfit::NotFor { agent: agent.clone() });
            }
        }
        let name = clean_name(&file_name(&self.file));
        let place = |item: &DecideItem, name: &str| Place { item: item.id, name: name.to_owned() };
        let of_name = |item: &&&DecideItem| !item.names.is_empty() && item.takes_name(&name);
        let mut fitting: Vec<&&DecideItem> = asking.iter().filter(of_name).collect();
        if fitting.is_empty() {
            fitting = asking.iter().filter(|item| item.names.is_empty()).collect();
        }
        match (&*fitting, &*asking) {
            ([item], _) => Ok(place(item, &name)),
            ([], [item]) => match &*item.names {
                [wanted] if !wanted.contains('*') => Ok(place(item, &clean_name(wanted))),
                names => Err(Misfit::Unwanted { names: names.to_vec() }),
            },
            ([], _) => {
                let names = asking.iter().flat_map(|item| item.names.iter().cloned());
                Err(Misfit::Unwanted { names: names.collect() })
            }
            (several, _) => {
                Err(Misfit::Several { titles: several.iter().map(|item| item.title.clone()).collect() })
            }
        }
    }
}

fn file_name(path: &OsStr) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn is_id_character(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

fn is_agent(text: &str) -> bool {
    !text.is_empty() && !text.starts_with('.') && text.chars().all(is_id_character)
}

/// Whether the question says that its file is for `agent`.
fn names_agent(item: &DecideItem, agent: &str) -> bool {
    let texts = [Some(&*item.title), item.context.as_deref()];
    // The full stop at the end of a sentence is no part of a name.
    let mut words = texts.into_iter().flatten().flat_map(|text| text.split(|c| !is_id_character(c)));
    words.any(|word| word.trim_end_matches('.') == agent)
}

#[cfg(test)]
mod tests {
    use super::{AttachedFile, Misfit, Place};
    use model::{Origin, Questions};
    use serde_json::{Value, json};

    fn questions(items: &Value) -> Questions {
        let text = json!({"task": "t", "source": "s", "items": items}).to_string();
        Questions::parse(text.as_bytes()).unwrap()
    }

    fn place(argument: &str, items: &Value, origin: &Origin) -> Result<Place, Misfit> {
        AttachedFile::read(argument.into(), |_| false).place(&questions(items), origin)
    }

    fn at(item: u64, name: &str) -> Result<Place, Misfit> {
        Ok(Place { item, name: name.to_owned() })
    }

    #[test]
    fn s7_an_argument_is_a_file_and_perhaps_an_agent() {
        for (argument, file, agent) in [
            ("a.md", "a.md", None),
            ("x/a.md:agent_b", "x/a.md", Some("agent_b")),
            ("C:\\a.md", "C:\\a.md", None),
            ("a:b c", "a:b c", None),
            ("a.md:", "a.md:", None),
            (":agent", ":agent", None),
            ("a:b:c", "a:b", Some("c")),
        ] {
            let agent = agent.map(str::to_owned);
            assert_eq!(
                AttachedFile::read(argument.into(), |_| false),
                AttachedFile { file: file.into(), agent }
            );
        }
        let there = AttachedFile::read("a:b".into(), |_| true);
        assert_eq!(there, AttachedFile { file: "a:b".into(), agent: None });
    }

    #[test]
    fn s7_a_file_goes_to_the_question_that_asks_for_its_name() {
        let items = json!([
            {"id": 1, "title": "Spec (agent_a)", "kind": "files", "names": ["requirements.md"]},
            {"id": 2, "title": "Feedback", "context": "For agent_b.", "kind": "files", "names": ["feedback_*.json"]},
            {"id": 3, "title": "Why?", "kind": "text"},
        ]);
        let none = Origin::Decide;
        assert_eq!(place("d/requirements.md", &items, &none), at(1, "requirements.md"));
        assert_eq!(place("feedback_x.json", &items, &none), at(2, "feedback_x.json"));
        assert_eq!(place("feedback_x.json:agent_b", &items, &none), at(2, "feedback_x.json"));
        assert_eq!(place("other.md:agent_a", &items, &none), at(1, "requirements.md"));
        let names = vec!["requirements.md".to_owned(), "feedback_*.json".to_owned()];
        assert_eq!(place("other.md", &items, &none), Err(Misfit::Unwanted { names }));
        let names = vec!["feedback_*.json".to_owned()];
        assert_eq!(place("other.md:agent_b", &items, &none), Err(Misfit::Unwanted { names }));
        let agent = "agent_c".to_owned();
        assert_eq!(place("requirements.md:agent_c", &items, &none), Err(Misfit::NotFor { agent }));
        let asker = Origin::Agent {
            plan: "p".to_owned(),
            task: "t".to_owned(),
            agent: "agent_c".to_owned(),
            request: "r".to_owned(),
        };
        assert_eq!(place("requirements.md:agent_c", &items, &asker), at(1, "requirements.md"));
    }

    #[test]
    fn s7_a_single_missing_file_takes_any_name_and_a_hidden_one_is_found() {
        let one = json!([{"id": 1, "title": "t", "kind": "files", "names": [".env.staging"]}]);
        assert_eq!(place("secrets.txt", &one, &Origin::Decide), at(1, "env.staging"));
        assert_eq!(place(".env.staging", &one, &Origin::Decide), at(1, "env.staging"));
        let none = json!([{"id": 1, "title": "t", "kind": "text"}]);
        assert_eq!(place("a", &none, &Origin::Decide), Err(Misfit::NoFiles));
        let same = json!([
            {"id": 1, "title": "for agent_a", "kind": "files", "names": ["a"]},
            {"id": 2, "title": "for agent_ab", "kind": "files", "names": ["a"]},
        ]);
        let titles = vec!["for agent_a".to_owned(), "for agent_ab".to_owned()];
        assert_eq!(place("a", &same, &Origin::Decide), Err(Misfit::Several { titles }));
        assert_eq!(place("a:agent_ab", &same, &Origin::Decide), at(2, "a"));
    }
}

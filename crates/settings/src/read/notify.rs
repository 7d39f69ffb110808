//! `[notify]`.

use super::agent::{Problems, is_variable, not_blank, read};
use crate::error::shorten;
use crate::layer::{Entry, LocatedItem};
use crate::notify::{Channel, Ntfy, Reference, Webhook};
use crate::{ConfigError, ConfigErrorKind, ConfigErrors, Layers, NotifyConfig, NotifyStep, forms, keys};
use model::is_blank;
use std::path::PathBuf;
use std::time::Duration;

/// What a table of `notify.steps` may have.
pub(crate) const STEP_MEMBERS: &[&str] = &[
    "after",
    "how",
    "command",
    "url",
    "url_env",
    "url_file",
    "topic",
    "topic_env",
    "topic_file",
    "token_env",
    "token_file",
    "body",
];
/// The server of ntfy where none is named.
const NTFY: &str = "https://ntfy.sh";
/// Thirty days: questions that have been open for longer are known.
const MAX_DELAY: Duration = Duration::from_secs(30 * 86_400);

/// The keys of a text that may be secret: the text itself, a variable, a file.
type References = (Option<&'static str>, &'static str, &'static str);

const URL: References = (Some("notify.steps.url"), "notify.steps.url_env", "notify.steps.url_file");
const TOPIC: References = (Some("notify.steps.topic"), "notify.steps.topic_env", "notify.steps.topic_file");
const TOKEN: References = (None, "notify.steps.token_env", "notify.steps.token_file");
const COMMAND: &str = "notify.steps.command";
const BODY: &str = "notify.steps.body";

impl Layers<'_> {
    /// What is said of telling the person of questions.
    ///
    /// # Errors
    ///
    /// Whatever is wrong with it, all at once.
    pub fn notify(&self) -> Result<NotifyConfig, ConfigErrors> {
        let mut problems = Problems::default();
        let when = problems.keep(self.spanned(&keys::NOTIFY_WHEN)).flatten();
        let command = problems.keep(self.texts(&keys::NOTIFY_COMMAND)).flatten().unwrap_or_default();
        let details = problems.keep(self.boolean(&keys::NOTIFY_DETAILS)).flatten().unwrap_or_default();
        let tables = self
            .find(&keys::NOTIFY_STEPS)
            .and_then(|found| found.map_or(Ok(Vec::new()), LocatedItem::tables));
        let tables = problems.keep(tables).unwrap_or_default();
        let steps =
            tables.into_iter().filter_map(|entry| read_step(entry, &command, &mut problems)).collect();
        problems.into_result(NotifyConfig { when, command, details, steps })
    }
}

/// `program` is the one of `notify.command`, for a step that names none.
fn read_step(entry: Entry<'_>, program: &[String], problems: &mut Problems) -> Option<NotifyStep> {
    let after = match entry.find("notify.steps.after") {
        None => Some(Duration::ZERO),
        Some(found) => problems.keep(read_after(found)),
    };
    let how = problems.keep(entry.need("notify.steps.how"))?;
    let name = how.choice(Channel::NAMES, |text| Channel::NAMES.iter().copied().find(|name| *name == text));
    let name = problems.keep(name)?;
    let (others, not_for): (&[&'static str], _) = match name {
        "command" => (&["url", "topic", "token", BODY], "how = \"command\""),
        "webhook" => (&[COMMAND, "topic"], "how = \"webhook\""),
        "ntfy" => (&[COMMAND, BODY], "how = \"ntfy\""),
        "desktop" => (&[COMMAND, "url", "topic", "token", BODY], "how = \"desktop\""),
        _ => (&[COMMAND, "url", "topic", "token", BODY], "how = \"terminal\""),
    };
    for key in others.iter().flat_map(|group| members_of(group)) {
        let error = entry.find(key).map(|found| found.error(ConfigErrorKind::NotTogether { other: not_for }));
        problems.found.extend(error);
    }
    let how = match name {
        "desktop" => Channel::Desktop,
        "terminal" => Channel::Terminal,
        "command" => Channel::Command(read_program(entry, program, problems)?),
        "webhook" => {
            let url = reference(entry, URL, true, problems);
            let token = reference(entry, TOKEN, false, problems).flatten();
            let body = read(entry, BODY, problems, LocatedItem::map).unwrap_or_default();
            Channel::Webhook(Webhook { url: url??, token, body })
        }
        _ => {
            let server = reference(entry, URL, false, problems);
            let topic = reference(entry, TOPIC, true, problems);
            let token = reference(entry, TOKEN, false, problems).flatten();
            let server = server?.unwrap_or_else(|| Reference::Text(NTFY.to_owned()));
            Channel::Ntfy(Ntfy { server, topic: topic??, token })
        }
    };
    Some(NotifyStep { after: after?, how })
}

fn members_of(group: &'static str) -> Vec<&'static str> {
    let (text, variable, file) = match group {
        "url" => URL,
        "topic" => TOPIC,
        "token" => TOKEN,
        key => return vec![key],
    };
    text.into_iter().chain([variable, file]).collect()
}

/// `0`, or a span such as `"2m"`.
fn read_after(found: LocatedItem<'_>) -> Result<Duration, ConfigError> {
    if found.item.is_integer() {
        let max = i64::try_from(MAX_DELAY.as_secs()).unwrap_or(i64::MAX);
        return found.integer((0, max)).map(Duration::from_secs);
    }
    let text = found.text()?;
    let span = if text == "0" { Some(Duration::ZERO) } else { forms::span(text) };
    let span = span.filter(|span| *span <= MAX_DELAY);
    span.ok_or_else(|| found.error(ConfigErrorKind::NotASpan { found: shorten(text) }))
}

fn read_program(entry: Entry<'_>, program: &[String], problems: &mut Problems) -> Option<Vec<String>> {
    let Some(found) = entry.find(COMMAND) else {
        if program.is_empty() {
            problems.keep(entry.need(COMMAND))?;
        }
        return Some(program.to_vec());
    };
    let words = problems.keep(found.texts())?;
    let is_program = words.first().is_some_and(|program| !is_blank(program));
    problems.keep(if is_program { Ok(words) } else { Err(found.error(ConfigErrorKind::NoProgram)) })
}

/// A text that may be secret. The outer `None` says that something is wrong with it.
fn reference(
    entry: Entry<'_>,
    (text, variable, file): References,
    is_needed: bool,
    problems: &mut Problems,
) -> Option<Option<Reference>> {
    let given: Vec<_> =
        text.into_iter().chain([variable, file]).filter_map(|key| Some((key, entry.find(key)?))).collect();
    let (key, found) = match given.as_slice() {
        [] if is_needed => {
            problems.keep(entry.need(text.unwrap_or(variable)))?;
            return None;
        }
        [] => return Some(None),
        [(key, found)] => (*key, *found),
        [(first, _), (_, second), ..] => {
            let other = first.rsplit('.').next().unwrap_or(first);
            problems.found.push(second.error(ConfigErrorKind::NotTogether { other }));
            return None;
        }
    };
    let said = problems.keep(not_blank(found))?;
    let fault = |kind| Err(found.error(kind));
    problems
        .keep(if key == variable {
            if is_variable(&said) {
                Ok(Reference::Variable(said))
            } else {
                fault(ConfigErrorKind::NotAVariable)
            }
        } else if key == file {
            let path = PathBuf::from(said);
            if path.is_absolute() { Ok(Reference::File(path)) } else { fault(ConfigErrorKind::NotAbsolute) }
        } else if text == URL.0 && !is_address(&said) {
            // It may hold a key: it is not quoted.
            fault(ConfigErrorKind::NotALink)
        } else {
            Ok(Reference::Text(said))
        })
        .map(Some)
}

/// Whether something can be sent there.
fn is_address(text: &str) -> bool {
    let host =
        text.split_once("://").map_or("", |(_, rest)| rest.split(['/', '?', '#']).next().unwrap_or_default());
    !text.is_empty() && forms::is_link(text) && !host.contains('@')
}

#[cfg(test)]
mod tests {
    use crate::layer::{Layer, Origin};
    use crate::{ConfigErrorKind, Layers, NotifyConfig};
    use std::path::Path;

    fn read(text: &str) -> Result<NotifyConfig, (Option<usize>, Option<&'static str>, String)> {
        let layer = Layer::parse(text, Path::new("c.toml"), Origin::User).unwrap();
        Layers::new(None, Some(&layer)).notify().map_err(|errors| {
            let first = *errors.first;
            (first.line, first.key, first.kind.to_string())
        })
    }

    #[test]
    fn steps_are_read_however_they_are_written() {
        let inline = "[notify]\ndetails = true\nsteps = [\n{ how = \"desktop\" },\n\
                      { after = \"2m\", how = \"webhook\", url = \"http://h/x\", body = { text = \"{title}\" } },\n\
                      { after = 90, how = \"ntfy\", topic_file = \"/t\", token_env = \"T\" },\n\
                      { after = \"1h\", how = \"command\", command = [\"say\", \"x\"] }, { how = \"terminal\" }]";
        let tables = "[notify]\ndetails = true\n[[notify.steps]]\nhow = \"desktop\"\n[[notify.steps]]\nafter = \"2m\"\n\
                      how = \"webhook\"\nurl = \"http://h/x\"\n[notify.steps.body]\ntext = \"{title}\"\n[[notify.steps]]\n\
                      after = \"90s\"\nhow = \"ntfy\"\nurl = \"https://ntfy.sh\"\ntopic_file = \"/t\"\ntoken_env = \"T\"\n\
                      [[notify.steps]]\nafter = \"60m\"\nhow = \"command\"\ncommand = [\"say\", \"x\"]\n\
                      [[notify.steps]]\nafter = 0\nhow = \"terminal\"";
        let config = read(inline).unwrap();
        assert_eq!(config, read(tables).unwrap());
        let after: Vec<_> = config.steps.iter().map(|step| (step.after.as_secs(), step.how.name())).collect();
        let expected = [(0, "desktop"), (120, "webhook"), (90, "ntfy"), (3600, "command"), (0, "terminal")];
        assert_eq!(after, expected);
        assert!(config.details);
        assert!(!format!("{config:?}").contains("http://h"), "an address may be secret");
    }

    #[test]
    fn the_program_of_the_section_is_that_of_a_step_without_one() {
        let config = read("[notify]\ncommand = [\"say\"]\nsteps = [{ how = \"command\" }]").unwrap();
        let crate::Channel::Command(command) = &config.steps[0].how else { panic!("{config:?}") };
        assert_eq!(command, &["say"]);
    }

    #[test]
    fn what_a_step_cannot_be_is_told_with_its_line() {
        let not_with = |other: &str| format!("not together with {other}");
        for (step, key, kind) in [
            ("after = 1", "notify.steps.how", ConfigErrorKind::Missing.to_string()),
            ("how = \"fax\"", "notify.steps.how", String::new()),
            ("how = \"desktop\"\nafter = \"2x\"", "notify.steps.after", "not a span of time: \"2x\"".into()),
            (
                "how = \"desktop\"\nafter = \"31d\"",
                "notify.steps.after",
                "not a span of time: \"31d\"".into(),
            ),
            ("how = \"desktop\"\nafter = -1", "notify.steps.after", "expected 0 to 2592000, found -1".into()),
            ("how = \"desktop\"\nafter = true", "notify.steps.after", "expected string, found true".into()),
            ("how = \"webhook\"", "notify.steps.url", "is missing".into()),
            ("how = \"webhook\"\nurl = \"x\"", "notify.steps.url", "not a link".into()),
            ("how = \"webhook\"\nurl = \"http://a:b@h/\"", "notify.steps.url", "not a link".into()),
            ("how = \"webhook\"\nurl_file = \"x\"", "notify.steps.url_file", "not an absolute path".into()),
            (
                "how = \"webhook\"\nurl_env = \"a b\"",
                "notify.steps.url_env",
                "not the name of a variable".into(),
            ),
            (
                "how = \"webhook\"\nurl = \"http://h\"\nurl_env = \"A\"",
                "notify.steps.url_env",
                not_with("url"),
            ),
            ("how = \"webhook\"\nurl = \"http://h\"\nbody = 1", "notify.steps.body", String::new()),
            ("how = \"ntfy\"", "notify.steps.topic", "is missing".into()),
            ("how = \"desktop\"\nurl = \"http://h\"", "notify.steps.url", not_with("how = \"desktop\"")),
            ("how = \"command\"", "notify.steps.command", "is missing".into()),
            ("how = \"command\"\ncommand = []", "notify.steps.command", "names no program".into()),
        ] {
            let (line, found_key, found) = read(&format!("[[notify.steps]]\n{step}")).unwrap_err();
            assert_eq!(found_key, Some(key), "{step}: {found}");
            assert!(line.is_some_and(|line| line > 1), "{step}: {line:?}");
            assert!(found == kind || kind.is_empty(), "{step}: {found}");
        }
    }
}

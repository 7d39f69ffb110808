//! `daemon.provider`, `[[daemon.agents]]` and `[daemon.tools]`.

use crate::folder::Folder;
use protocol::workflow::{ToolName, ToolPolicy};
use settings::{AnsweredBy, ConfigErrors, CrewAgent, CrewConfig, CrewLimits, SearchBy};

fn crew(user: &str) -> Result<CrewConfig, ConfigErrors> {
    // Whatever a repository says of it is not looked at.
    let folder = Folder::with("[daemon.tools]\nshell_exec = \"allow\"\n[[daemon.agents]]\nid = 1\n", user);
    folder.files().user_layers().unwrap().crew()
}

/// Each problem: its line, its key and what it is.
fn problems(user: &str) -> Vec<(Option<usize>, Option<&'static str>, String)> {
    let ConfigErrors { first, more } = crew(user).expect_err(user);
    [*first].into_iter().chain(more).map(|error| (error.line, error.key, error.kind.to_string())).collect()
}

#[test]
fn nothing_is_configured_by_default() {
    assert_eq!(crew("").unwrap(), CrewConfig::default());
    let empty =
        "[daemon]\nprovider = ''\nagents = []\n[daemon.tools]\nsearch_command = []\nsearch_url = ''\n";
    assert_eq!(crew(empty).unwrap(), CrewConfig::default());
}

#[test]
fn agents_and_tools_are_read() {
    let found = crew(
        r#"
[daemon]
provider = "claude"
task_timeout = 60

[[daemon.agents]]
id = "executor-general"

[[daemon.agents]]
id = "writer_2"
name = "Writer"
type = "executor"
capabilities = { report_generation = 9, web_search = 1 }
provider = "local"

[[daemon.agents]]
id = "legal"
type = "reviewer"
capabilities = ["contracts", "quality_check"]
folder = "/srv/agents/legal"

[daemon.concurrency]
executor = 7

[daemon.tools]
web_search = "allow"
shell_exec = "deny"
search_command = ["search", "--json"]
"#,
    )
    .unwrap();
    let levels = |levels: &[(&str, u64)]| {
        Some(levels.iter().map(|(name, level)| ((*name).to_owned(), *level)).collect::<Vec<_>>())
    };
    let expected = CrewConfig {
        provider: Some("claude".to_owned()),
        agents: vec![
            CrewAgent {
                id: "executor-general".to_owned(),
                name: None,
                kind: None,
                capabilities: None,
                answers: None,
            },
            CrewAgent {
                id: "writer_2".to_owned(),
                name: Some("Writer".to_owned()),
                kind: Some("executor"),
                capabilities: levels(&[("report_generation", 9), ("web_search", 1)]),
                answers: Some(AnsweredBy::Provider("local".to_owned())),
            },
            CrewAgent {
                id: "legal".to_owned(),
                name: None,
                kind: Some("reviewer"),
                capabilities: levels(&[("contracts", 5), ("quality_check", 5)]),
                answers: Some(AnsweredBy::Folder("/srv/agents/legal".into())),
            },
        ],
        policies: vec![(ToolName::WebSearch, ToolPolicy::Allow), (ToolName::ShellExec, ToolPolicy::Deny)],
        search: Some(SearchBy::Command(vec!["search".to_owned(), "--json".to_owned()])),
        limits: CrewLimits { executor: 7, task_timeout: 60, ..CrewLimits::default() },
    };
    assert_eq!(found, expected);
    let url = crew("daemon.tools.search_url = 'https://search.example/?key=hunter2&q={query}'").unwrap();
    assert!(matches!(&url.search, Some(SearchBy::Url(url)) if url.ends_with("q={query}")));
    assert!(!format!("{url:?}").contains("hunter2"));
}

#[test]
fn what_is_wrong_with_an_agent_is_told_with_its_place() {
    let only = |table: &str| {
        let found = problems(&format!("[[daemon.agents]]\n{table}\n"));
        found.into_iter().map(|(_, key, kind)| (key, kind)).collect::<Vec<_>>()
    };
    let one = |key: &'static str, kind: &str| vec![(Some(key), kind.to_owned())];
    let (id, answered) = ("id = 'a'\n", "provider = 'p'\n");
    assert_eq!(only(answered), one("daemon.agents.id", "is missing"));
    assert_eq!(only(id), one("daemon.agents.provider", "is missing"));
    for bad in ["", "a b", ".a", "a/b", "甲", &"a".repeat(129)] {
        let found = only(&format!("id = \"{bad}\"\n{answered}"));
        assert!(found[0].1.starts_with("not an id: ") && found.len() == 1, "{bad}: {found:?}");
    }
    let kinds = "expected one of [\"executor\", \"orchestrator\", \"reviewer\", \"searcher\", \"tool\", \"api\", \
                 \"database\"], found \"boss\"";
    for (line, key, kind) in [
        ("type = 'boss'", "daemon.agents.type", kinds),
        ("name = ' '", "daemon.agents.name", "is blank"),
        ("capabilities = { a = 11 }", "daemon.agents.capabilities", "expected 1 to 10, found 11"),
        ("capabilities = { a = 0 }", "daemon.agents.capabilities", "expected 1 to 10, found 0"),
        ("capabilities = { a = 'b' }", "daemon.agents.capabilities", "expected integer, found 'b'"),
        ("capabilities = ['']", "daemon.agents.capabilities", "is blank"),
        (
            "capabilities = 5",
            "daemon.agents.capabilities",
            "expected table of integers or array of strings, found 5",
        ),
        ("folder = '/srv/a'", "daemon.agents.folder", "not together with provider"),
    ] {
        assert_eq!(only(&format!("{id}{answered}{line}")), one(key, kind), "{line}");
    }
    assert_eq!(only(&format!("{id}folder = 'a/b'")), one("daemon.agents.folder", "not an absolute path"));
    for bad in ["/", "/a", "/a/甲", "/a/.."] {
        let found = only(&format!("{id}folder = '{bad}'"));
        assert!(found[0].1.starts_with("not an id: ") && found.len() == 1, "{bad}: {found:?}");
    }
    let twice = format!("[[daemon.agents]]\n{id}{answered}[[daemon.agents]]\n{id}{answered}");
    assert_eq!(problems(&twice), [(Some(5), Some("daemon.agents.id"), "twice: \"a\"".to_owned())]);
    // All at once, in the order of the file.
    let all =
        problems("[[daemon.agents]]\nid = ''\nname = ''\nprovider = ''\n[daemon.tools]\nread_file = 'no'\n");
    assert_eq!(all.iter().map(|(line, ..)| line.unwrap()).collect::<Vec<_>>(), [2, 3, 4, 6]);
}

#[test]
fn what_is_wrong_with_limits_is_told_with_its_place() {
    for (line, key, kind) in [
        ("task_timeout = 0", "daemon.task_timeout", "expected 1 to 604800, found 0"),
        ("concurrency.total = 0", "daemon.concurrency.total", "expected 1 to 1000, found 0"),
        ("concurrency.reviewer = 'x'", "daemon.concurrency.reviewer", "expected integer, found 'x'"),
    ] {
        let found = problems(&format!("[daemon]\n{line}\n"));
        assert_eq!(found, [(Some(2), Some(key), kind.to_owned())], "{line}");
    }
}

#[test]
fn what_is_wrong_with_tools_is_told_with_its_place() {
    for (line, key, kind) in [
        (
            "web_search = 'always'",
            "daemon.tools.web_search",
            "expected one of [\"allow\", \"ask\", \"deny\"], found \"always\"",
        ),
        ("shell_exec = true", "daemon.tools.shell_exec", "expected string, found true"),
        ("search_command = ['']", "daemon.tools.search_command", "names no program"),
        ("search_command = 'x'", "daemon.tools.search_command", "expected array of strings, found 'x'"),
        ("search_url = 'ftp://x/{query}'", "daemon.tools.search_url", "not a link"),
        ("search_url = 'https://a:b@x/{query}'", "daemon.tools.search_url", "not a link"),
        ("search_url = 'https://x/?q='", "daemon.tools.search_url", "no {query} in it"),
        (
            "search_command = ['x']\nsearch_url = 'https://x/{query}'",
            "daemon.tools.search_url",
            "not together with search_command",
        ),
    ] {
        let found = problems(&format!("[daemon.tools]\n{line}\n"));
        assert_eq!(found.len(), 1, "{line}");
        assert_eq!((found[0].1, &*found[0].2), (Some(key), kind), "{line}");
    }
}

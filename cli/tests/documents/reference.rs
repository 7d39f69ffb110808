//! What the documents take from the program: the help of every command, and the table of keys.

use crate::support::Folder;
use settings::{Key, Kind};
use std::collections::BTreeMap;

const BEGIN: &str = "<!-- generated: ";
const END: &str = "<!-- generated: end -->";

/// The commands, each with its help.
pub(crate) struct Commands {
    /// In the order in which they are listed, by their full names.
    all: Vec<(String, String)>,
}

impl Commands {
    pub(crate) fn for_lang(lang: &str) -> Self {
        let folder = Folder::empty();
        let mut commands = Self { all: Vec::new() };
        commands.collect(&folder, lang, "aide");
        commands
    }

    fn collect(&mut self, folder: &Folder, lang: &str, name: &str) {
        let arguments = name.split(' ').skip(1).chain(["--help", "--lang", lang]);
        let help = folder.aide(arguments);
        assert_eq!((help.code, &*help.stderr), (Some(0), ""), "{name}");
        let nested = subcommands(&help.stdout);
        self.all.push((name.to_owned(), help.stdout));
        for nested in nested {
            self.collect(folder, lang, &format!("{name} {nested}"));
        }
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|(name, _)| name.as_str())
    }

    fn help(&self, name: &str) -> Option<&str> {
        self.all.iter().find(|(known, _)| known == name).map(|(_, help)| help.as_str())
    }

    /// The word of `text` that means nothing, if there is one.
    pub(crate) fn check(&self, text: &str) -> Result<(), String> {
        let mut name = "aide".to_owned();
        let mut is_command = true;
        for word in text.split(' ').skip(1) {
            let help = self.help(&name).unwrap_or_default();
            if let Some(flag) = word.strip_prefix("--") {
                let flag = flag.split(['=', '…']).next().unwrap_or_default();
                if !help.contains(&format!("--{flag}")) {
                    return Err(word.to_owned());
                }
            } else if is_command && word.chars().all(|c| c.is_ascii_lowercase() || c == '-') {
                let longer = format!("{name} {word}");
                if self.help(&longer).is_some() {
                    name = longer;
                } else if !subcommands(help).is_empty() {
                    return Err(word.to_owned());
                }
            } else {
                is_command = false;
            }
        }
        Ok(())
    }
}

/// The commands that a help lists.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !matches!(*line, "Commands:" | "子命令:")).skip(1);
    let listed = lines.take_while(|line| line.starts_with("  "));
    listed.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
}

/// The document with what the program says of itself; `None` where it says nothing.
pub(crate) fn generate(document: &str, text: &str) -> Option<String> {
    let lang = if document.ends_with(".zh") { "zh" } else { "en" };
    let (name, generated) = match document.trim_end_matches(".zh") {
        "docs/reference/command-line" => ("commands", command_line(lang)),
        "docs/reference/configuration" => ("keys", keys(lang)),
        _ => return None,
    };
    let begin = format!("{BEGIN}{name} -->");
    let (before, rest) = text.split_once(&begin).unwrap_or_else(|| panic!("{document} has no {begin}"));
    let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{document} has no {END}"));
    Some(format!("{before}{begin}\n\n{generated}\n{END}{after}"))
}

fn command_line(lang: &str) -> String {
    let mut text = String::new();
    for (name, help) in Commands::for_lang(lang).all {
        // A project configured for the language needs no flag for it.
        let command = if name == "aide" { "aide --help".to_owned() } else { format!("{name} --help") };
        text += &format!("## {name}\n\n```console\n$ {command}\n{}\n```\n\n", help.trim_end());
    }
    text.trim_end().to_owned() + "\n"
}

/// Words of the table of keys.
struct Words {
    head: &'static str,
    text: &'static str,
    address: &'static str,
    link: &'static str,
    list: &'static str,
    phases: &'static str,
    tables: &'static str,
    map: &'static str,
    needs_trust: &'static str,
    user_only: &'static str,
    conditions: &'static str,
    /// The sections that only a person's own file has.
    sections: &'static [(&'static str, &'static str)],
    /// What is said of their keys.
    keys: &'static [(&'static str, &'static str)],
}

const ENGLISH: Words = Words {
    head: "| key | values | default | variable | flag | meaning |",
    text: "text",
    address: "`localhost` or an IP address",
    link: "empty, or `http://…`, `https://…`",
    list: "list of strings",
    phases: "list of names",
    tables: "tables",
    map: "table of strings",
    needs_trust: "In a project's configuration it requires `aide trust`.",
    user_only: "Only in your own configuration.",
    conditions: "hooks and requirements",
    sections: &[
        ("notify", "telling you that questions are waiting"),
        ("daemon", "the resident process"),
        ("daemon.concurrency", "how many agents of workflows work at a time"),
        ("daemon.tools", "what agents of workflows may do"),
    ],
    keys: &[
        ("notify.when", "How you are told, unless `--notify` says otherwise."),
        ("notify.command", "The program to run, with its arguments, for `command`."),
        (
            "notify.steps",
            "What is done while questions stay open and you have not looked at them: `after` (such as `\"2m\"`), `how` (`desktop`, `terminal`, `command`, `webhook`, `ntfy`), and what that needs. They take the place of `notify.when`. See [notifications](../guide/configuration.md#notifications).",
        ),
        ("notify.details", "Whether a notice of a step holds the questions and their options."),
        (
            "daemon.http_port",
            "The port of the pages, the API and `/ws`. When it is in use, the daemon does not start; 0 takes any free one.",
        ),
        ("daemon.ws_port", "The port that has nothing but WebSockets. 0 takes any free one."),
        (
            "daemon.bind",
            "The address to listen on. On any other than loopback everybody needs a login, programs the secret.",
        ),
        ("daemon.url", "The link by which people come, where it is not the address and the port."),
        ("daemon.log_level", "How much `aide daemon logs` has to show."),
        (
            "daemon.keep_events",
            "How many events are kept at least. Those of workflows that have not ended are kept in any case.",
        ),
        (
            "daemon.stall_limit",
            "How many seconds a thread of the daemon may wait for a lock, the disk or another thread. Then the daemon is stuck: it logs every wait, and begins anew.",
        ),
        (
            "daemon.decide",
            "Whether the daemon shows the questions of `aide decide submit`, or every command serves its own (`never`).",
        ),
        (
            "daemon.metrics",
            "Whether the daemon has `/metrics`, its load for Prometheus. See [watching a daemon](../guide/watching.md).",
        ),
        (
            "daemon.provider",
            "The name of the provider of all agents of workflows that name none and have no folder: one of `[[agent.providers]]` in your own configuration; empty for none.",
        ),
        (
            "daemon.agents",
            "Agents of workflows, beside those that there are anyway, or instead of them. Their keys are below.",
        ),
        (
            "daemon.task_timeout",
            "How long an agent may work on a task, in seconds; the time in which a person is asked is not counted.",
        ),
        ("daemon.concurrency.total", "All kinds together. What waits for a person is not counted."),
        ("daemon.concurrency.executor", "Agents that do tasks, and as many that search."),
        ("daemon.concurrency.orchestrator", "Agents that understand, route and plan."),
        ("daemon.concurrency.reviewer", "Agents that review."),
        ("daemon.concurrency.tool", "Agents of the type `tool`."),
        ("daemon.concurrency.api", "Agents of the type `api`."),
        ("daemon.concurrency.database", "Agents of the type `database`."),
        (
            "daemon.tools.web_search",
            "Whether agents may use your search: `allow`, `ask` (a person is asked, for each call until they allow the tool for the workflow) or `deny`.",
        ),
        ("daemon.tools.fetch_url", "Whether they may read pages of the internet."),
        ("daemon.tools.read_file", "Whether they may read files of the project."),
        ("daemon.tools.write_file", "Whether they may write files of the project."),
        ("daemon.tools.shell_exec", "Whether they may run commands: with all that you may do yourself."),
        (
            "daemon.tools.search_command",
            "Your search as a program with its arguments: it reads what is looked for from standard input, and prints what it has found. Without it and `search_url` no agent can search.",
        ),
        (
            "daemon.tools.search_url",
            "Your search as an address, in which `{query}` stands for what is looked for; it may be one of your own network.",
        ),
    ],
};

const CHINESE: Words = Words {
    head: "| 键 | 取值 | 默认值 | 环境变量 | 参数 | 含义 |",
    text: "文本",
    address: "`localhost` 或 IP 地址",
    link: "空，或 `http://…`、`https://…`",
    list: "字符串列表",
    phases: "名称列表",
    tables: "表",
    map: "字符串表",
    needs_trust: "写在项目配置中时须先执行 `aide trust`。",
    user_only: "只能写在您自己的配置中。",
    conditions: "钩子与条件",
    sections: &[
        ("notify", "有新的待定项时通知您"),
        ("daemon", "常驻进程"),
        ("daemon.concurrency", "工作流的智能体同时工作的数量"),
        ("daemon.tools", "工作流的智能体可以做什么"),
    ],
    keys: &[
        ("notify.when", "如何通知，除非 `--notify` 另有指定。"),
        ("notify.command", "值为 `command` 时执行的程序及其参数。"),
        (
            "notify.steps",
            "待定项未结束且您尚未查看时依次做什么：`after`（如 `\"2m\"`）、`how`（`desktop`、`terminal`、`command`、`webhook`、`ntfy`）及其所需的键。它们取代 `notify.when`。见[通知](../guide/configuration.zh.md#通知)。",
        ),
        ("notify.details", "各步的通知中是否包含问题与选项。"),
        ("daemon.http_port", "页面、API 与 `/ws` 的端口。被占用时常驻进程不会启动；0 为任意空闲端口。"),
        ("daemon.ws_port", "只提供 WebSocket 的端口。0 为任意空闲端口。"),
        ("daemon.bind", "监听地址。回环地址以外，人都须登录，程序都须出示密钥。"),
        ("daemon.url", "供人访问的地址，与监听地址和端口不同时填写。"),
        ("daemon.log_level", "`aide daemon logs` 的详细程度。"),
        ("daemon.keep_events", "至少保留多少条事件。尚未结束的工作流的事件始终保留。"),
        (
            "daemon.stall_limit",
            "守护进程的线程等待锁、磁盘或其他线程的最长秒数。超过即视为卡住：记录所有等待并就地重启。",
        ),
        (
            "daemon.decide",
            "`aide decide submit` 的待定项是否由守护进程提供网页，还是由各命令自己提供（`never`）。",
        ),
        (
            "daemon.metrics",
            "守护进程是否提供 `/metrics`，即供 Prometheus 读取的负载。见[观察守护进程](../guide/watching.zh.md)。",
        ),
        (
            "daemon.provider",
            "工作流中没有指明提供者、也没有目录的智能体使用的提供者的名称：您自己的配置中 `[[agent.providers]]` 之一；空为没有。",
        ),
        ("daemon.agents", "工作流的智能体：在已有的之外增加，或按 id 取代。各键见下文。"),
        ("daemon.task_timeout", "智能体完成一个任务的时限，单位为秒；等待人回答的时间不计。"),
        ("daemon.concurrency.total", "各类合计。等待人回答的不计。"),
        ("daemon.concurrency.executor", "执行任务的智能体；负责搜索的智能体数量与之相同。"),
        ("daemon.concurrency.orchestrator", "负责理解、路由与计划的智能体。"),
        ("daemon.concurrency.reviewer", "负责评审的智能体。"),
        ("daemon.concurrency.tool", "`tool` 类的智能体。"),
        ("daemon.concurrency.api", "`api` 类的智能体。"),
        ("daemon.concurrency.database", "`database` 类的智能体。"),
        (
            "daemon.tools.web_search",
            "智能体可否使用您的搜索：`allow`（可以）、`ask`（先询问人，每次调用一次，直到其在此工作流中始终允许该工具）或 `deny`（不可以）。",
        ),
        ("daemon.tools.fetch_url", "可否读取互联网上的页面。"),
        ("daemon.tools.read_file", "可否读取项目中的文件。"),
        ("daemon.tools.write_file", "可否写入项目中的文件。"),
        ("daemon.tools.shell_exec", "可否执行命令：命令能做您自己能做的一切。"),
        (
            "daemon.tools.search_command",
            "您的搜索：程序及其参数，从标准输入读取要搜索的内容，输出找到的结果。没有它和 `search_url` 就无法搜索。",
        ),
        (
            "daemon.tools.search_url",
            "您的搜索：地址，其中 `{query}` 代表要搜索的内容；可以在您自己的网络中。",
        ),
    ],
};

fn keys(lang: &str) -> String {
    let words = if lang == "en" { &ENGLISH } else { &CHINESE };
    let Explanations { sections, keys: explained } = Explanations::for_lang(lang);
    let folder = Folder::empty();
    let submit = folder.aide(["decide", "submit", "--help", "--lang", lang]).stdout;
    let general = folder.aide(["--help", "--lang", lang]).stdout;
    let daemon = folder.aide(["daemon", "start", "--help", "--lang", lang]).stdout;
    let own = |all: &[(&str, &'static str)], name: &str| {
        all.iter().find(|(found, _)| *found == name).map(|(_, text)| *text)
    };
    let mut text = String::new();
    let mut last_section = "";
    for key in settings::KEYS {
        // `flow.hooks` and `flow.require` come after the sections of `flow`.
        let section = key.name.rsplit_once('.').map_or("", |(section, _)| section);
        if section != last_section {
            let title = match sections.get(section) {
                _ if key.kind == Kind::Tables => words.conditions,
                Some(title) => title,
                None => own(words.sections, section).unwrap_or_else(|| panic!("{section} is not explained")),
            };
            let heading = if title == section { title.to_owned() } else { format!("{section}: {title}") };
            text += &format!("\n## {heading}\n\n{}\n|---|---|---|---|---|---|\n", words.head);
            last_section = section;
        }
        let values = values(words, key);
        let variables: Vec<String> = key.variables.iter().map(|name| format!("`{name}`")).collect();
        let variables = if variables.is_empty() { "–".to_owned() } else { variables.join(", ") };
        let flag = key.flag.map_or("–".to_owned(), |name| {
            let is_known =
                [&submit, &general, &daemon].iter().any(|help| help.contains(&format!("{name} <")));
            assert!(is_known, "{name} is in no help");
            format!("`{name}`")
        });
        let meaning = own(words.keys, key.name).map(str::to_owned);
        let meaning = meaning.or_else(|| explained.get(key.name).cloned());
        let mut meaning = meaning.unwrap_or_else(|| panic!("{} is not explained", key.name));
        for (applies, sentence) in
            [(key.can_need_trust(), words.needs_trust), (key.is_user_only(), words.user_only)]
        {
            // Some explanations say it themselves.
            if applies && !meaning.contains("aide trust") {
                let space = if lang == "en" { " " } else { "" };
                meaning = format!("{meaning}{space}{sentence}");
            }
        }
        let default = key.default().to_string();
        text += &format!("| `{}` | {values} | `{default}` | {variables} | {flag} | {meaning} |\n", key.name);
    }
    text.trim_start().to_owned()
}

fn values(words: &Words, key: &Key) -> String {
    let listed =
        |values: &[&str]| values.iter().map(|value| format!("`{value}`")).collect::<Vec<_>>().join(", ");
    match key.kind {
        Kind::Boolean => listed(&["true", "false"]),
        Kind::Integer { min, max } => format!("`{min}` – `{max}`"),
        Kind::OneOf(values) => listed(values),
        Kind::Text => words.text.to_owned(),
        Kind::Address => words.address.to_owned(),
        Kind::Link => words.link.to_owned(),
        Kind::Texts => words.list.to_owned(),
        Kind::Phases => words.phases.to_owned(),
        Kind::Tables => words.tables.to_owned(),
        Kind::Map => words.map.to_owned(),
    }
}

/// What the file that `aide init` writes says of its sections, and of each key: the comment above it, in one language.
#[derive(Default)]
struct Explanations {
    sections: BTreeMap<String, String>,
    keys: BTreeMap<String, String>,
}

impl Explanations {
    fn for_lang(lang: &str) -> Self {
        let folder = Folder::empty();
        assert_eq!(folder.aide(["init", "--lang", lang]).code, Some(0));
        let file = std::fs::read_to_string(folder.join(".aide/config.toml")).unwrap();
        let mut explained = Self::default();
        let (mut section, mut comment) = (String::new(), String::new());
        // The array of tables that a comment is about.
        let mut table = None;
        for line in file.lines() {
            let words = line.strip_prefix("# ").unwrap_or_default();
            // A key whose default differs between machines is shown as a comment.
            let key = if words.is_empty() { line } else { words }.split_once(" = ").map(|(name, _)| name);
            let key = key.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
            if let Some(name) = line.strip_prefix('[').and_then(|name| name.strip_suffix(']')) {
                section = name.to_owned();
                comment.clear();
            } else if let Some((name, title)) = title(words) {
                let in_lang =
                    title.split_once(" / ").map_or(title, |both| if lang == "en" { both.1 } else { both.0 });
                explained.sections.insert(name.to_owned(), in_lang.to_owned());
            } else if let Some(key) = key {
                if !comment.is_empty() {
                    explained.keys.entry(format!("{section}.{key}")).or_insert_with(|| comment.clone());
                }
                comment.clear();
            } else if words.is_empty() {
                comment.clear();
                table = None;
            } else {
                let (name, words) = match words.strip_prefix("[[").and_then(|rest| rest.split_once("]]")) {
                    Some((name, words)) => (Some(name.to_owned()), words.trim()),
                    None => (table.take(), words),
                };
                let comment = match &name {
                    Some(name) => explained.keys.entry(name.clone()).or_default(),
                    None => &mut comment,
                };
                table = name;
                // In both languages at once, or in one.
                if !words.is_empty() && words.is_ascii() == (lang == "en") {
                    if needs_space(comment, words) {
                        comment.push(' ');
                    }
                    *comment += &words.replace('|', "\\|");
                }
            }
        }
        explained
    }
}

/// The section that a comment is the title of, and the title.
fn title(words: &str) -> Option<(&str, &str)> {
    let (name, title) = words.strip_prefix('[')?.split_once("] ")?;
    (!name.starts_with('[')).then_some((name, title))
}

/// Whether two lines of a comment are joined with a space: not between Chinese characters.
fn needs_space(before: &str, after: &str) -> bool {
    let is_ascii = |c: Option<char>| c.is_some_and(|c| c.is_ascii());
    !before.is_empty()
        && (is_ascii(before.chars().last()) || is_ascii(after.chars().next()))
        && !before.ends_with(['，', '。', '；', '：', '（'])
}

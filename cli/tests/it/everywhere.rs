//! What is open in all projects: `list --all`, `open --all`; and what other devices reach: `open --qr`, `open --phone`.

use crate::support::running::RunningServer;
use crate::support::{CommandOutput, Folder, minimal, minimal_answers, remove_folder, until};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A person with projects, of whom no daemon runs.
struct Person {
    folder: Folder,
}

impl Person {
    fn new(projects: &[&str]) -> Self {
        let person = Self { folder: Folder::empty() };
        fs::create_dir_all(person.folder.join("home")).unwrap();
        for project in projects {
            fs::create_dir_all(person.folder.join(project)).unwrap();
            assert_eq!(person.aide(project, &["init", "--lang", "en"]).code, Some(0));
        }
        person
    }

    fn command(&self, project: &str, arguments: &[&str]) -> Command {
        let mut command = self.folder.command(arguments);
        command.current_dir(self.folder.join(project)).env("HOME", self.folder.join("home"));
        command.env("PATH", "/usr/bin:/bin").env("AIDE_LANG", "en").env("AIDE_DECIDE_PORT", "0");
        command
    }

    fn aide(&self, project: &str, arguments: &[&str]) -> CommandOutput {
        CommandOutput::new(self.command(project, arguments).output().unwrap())
    }

    /// Asks in the background.
    fn ask(&self, project: &str, task: &str) {
        let mut questions = minimal();
        questions["task"] = task.into();
        let asked = self.aide(project, &["decide", "submit", "--detach", &questions.to_string()]);
        assert_eq!(asked.code, Some(0), "{asked:?}");
    }

    fn listed(&self, project: &str) -> Vec<Value> {
        let listed = self.aide(project, &["decide", "list", "--all", "--json"]);
        assert_eq!((listed.code, &*listed.stderr), (Some(0), ""), "{listed:?}");
        serde_json::from_str(&listed.stdout).unwrap()
    }

    fn root(&self, project: &str) -> String {
        self.folder.path().canonicalize().unwrap().join(project).display().to_string()
    }
}

impl Drop for Person {
    fn drop(&mut self) {
        for project in ["a", "b", "disk/c"] {
            if self.folder.join(project).exists() {
                self.aide(project, &["decide", "cancel"]);
            }
        }
    }
}

/// A command that prints, and goes on.
struct ServingCommand {
    child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl ServingCommand {
    fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { child, lines }
    }

    /// Reads up to the line with a link, and returns that.
    fn link(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            assert!(self.lines.read_line(&mut line).unwrap() > 0, "no link");
            if let Some(link) = line.trim_end().strip_prefix("→ Open: ") {
                return link.to_owned();
            }
        }
    }

    fn finish(mut self) -> (Option<i32>, String) {
        let mut status = None;
        until("it ends", || {
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let mut errors = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut errors).unwrap();
        (status.unwrap().code(), errors)
    }
}

/// Asks a server on any address of this machine.
fn ask(authority: &str, method: &str, path: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(authority).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let request =
        format!("{method} {path} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n{headers}\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn everything_that_is_open_is_listed_without_a_daemon() {
    let person = Person::new(&["a", "b", "disk/c", "elsewhere"]);
    assert_eq!(person.listed("elsewhere"), Vec::<Value>::new());
    person.aide("elsewhere", &["decide", "list", "--all"]).succeeded("→ no questions are open\n");
    person.ask("a", "First");
    person.ask("b", "Second");
    let listed = person.listed("elsewhere");
    let of = |index: usize, name: &str| listed[index][name].as_str().unwrap().to_owned();
    assert_eq!((listed.len(), of(0, "task"), of(1, "task")), (2, "First".into(), "Second".into()));
    assert_eq!((of(0, "project"), of(1, "project")), (person.root("a"), person.root("b")));
    assert_eq!((of(0, "status"), of(0, "url").starts_with("http://localhost:")), ("pending".into(), true));
    let told = person.aide("elsewhere", &["decide", "list", "--all"]).stdout;
    let lines: Vec<_> = told.lines().collect();
    assert_eq!((lines[0], lines[2]), (&*person.root("a"), &*person.root("b")), "{told}");
    assert!(lines[1].starts_with("  ") && lines[1].contains("First"), "{told}");
    // A disk that is away for a moment hides its projects, and they are not forgotten.
    let away = person.folder.join("disk-away");
    person.ask("disk/c", "Third");
    fs::rename(person.folder.join("disk"), &away).unwrap();
    assert_eq!(person.listed("elsewhere").len(), 2);
    fs::rename(&away, person.folder.join("disk")).unwrap();
    assert_eq!(person.listed("elsewhere").len(), 3);
    person.aide("disk/c", &["decide", "cancel"]);
    // A folder that is gone is forgotten.
    person.aide("a", &["decide", "cancel"]);
    remove_folder(&person.folder.join("a"));
    assert_eq!(person.listed("elsewhere").len(), 1);
    let known = fs::read_to_string(person.folder.join("home/.local/state/aide/projects.json")).unwrap();
    assert!(!known.contains(&person.root("a")) && known.contains(&person.root("b")), "{known}");
    // What a later program has written there says nothing, and stays as it is.
    let later = r#"{"format":2,"needs":"9.0.0","projects":[{"path":"/"}]}"#;
    let file = person.folder.join("home/.local/state/aide/projects.json");
    fs::write(&file, later).unwrap();
    assert_eq!(person.listed("elsewhere").len(), 0);
    person.ask("b", "Fourth");
    assert_eq!(fs::read_to_string(file).unwrap(), later);
    person.aide("b", &["decide", "cancel"]);
}

#[test]
fn all_projects_are_opened_on_one_page_until_nothing_is_open() {
    let person = Person::new(&["a", "b", "elsewhere"]);
    let nothing = person.aide("elsewhere", &["decide", "open", "--all"]);
    assert_eq!(nothing.code, Some(1), "{nothing:?}");
    person.ask("a", "First");
    person.ask("b", "Second");
    let mut command = person.command("elsewhere", &["decide", "open", "--all"]);
    command.env("AIDE_BROWSER", "true");
    let mut serving = ServingCommand::start(command);
    let link = serving.link();
    let authority = link.strip_prefix("http://").unwrap().replace("localhost", "127.0.0.1");
    // AIDE_DECIDE_PORT asks for any free port.
    let port: u16 = authority.rsplit_once(':').unwrap().1.parse().unwrap();
    assert!(!(3721..=3730).contains(&port), "{link}");
    let page = ask(&authority, "GET", "/", "");
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("First") && page.contains("Second"), "{page}");
    assert_eq!(person.aide("a", &["decide", "cancel"]).code, Some(0));
    assert!(ask(&authority, "GET", "/", "").contains("Second"));
    assert_eq!(person.aide("b", &["decide", "cancel"]).code, Some(0));
    assert_eq!(serving.finish(), (Some(0), String::new()));
}

#[test]
fn a_link_is_shown_as_a_code_where_the_terminal_can() {
    let person = Person::new(&["a"]);
    person.ask("a", "First");
    let shown = |variables: &[(&str, &str)]| {
        let mut command = person.command("a", &["decide", "open", "--qr"]);
        command.envs(variables.iter().copied());
        CommandOutput::new(command.output().unwrap())
    };
    let able = shown(&[("TERM", "xterm"), ("LANG", "C.UTF-8")]);
    let local = "→ this link leads to this computer; add --phone for a phone\n";
    assert_eq!((able.code, &*able.stderr), (Some(0), local));
    let (code, link) = able.stdout.split_once("→ Open: http://localhost:").unwrap();
    assert!(link.trim_end().parse::<u16>().is_ok(), "{link}");
    let lines: Vec<_> = code.lines().collect();
    let width = lines[0].chars().count();
    assert!(lines.iter().all(|line| line.chars().count() == width), "{code}");
    assert!(lines.len() == width.div_ceil(2) && code.chars().all(|c| "█▀▄ \n".contains(c)), "{code}");
    for variables in [&[("TERM", "dumb"), ("LANG", "C.UTF-8")], &[("TERM", "xterm"), ("LANG", "C")]] {
        let unable = shown(variables);
        assert!(unable.stdout.starts_with("→ Open: http"), "{unable:?}");
        assert_eq!(
            unable.stderr,
            format!("⚠ this terminal cannot show a QR code: use the link above\n{local}")
        );
    }
}

#[test]
fn a_phone_gets_in_once_by_the_link_and_the_page_of_this_machine_stays() {
    let person = Person::new(&["a"]);
    let mut questions = minimal();
    questions["task"] = "Zebra".into();
    let waiting = RunningServer::start(person.command("a", &["decide", "submit", &questions.to_string()]));
    let mut command = person.command("a", &["decide", "open", "--phone", "--host", "127.0.0.2"]);
    command.env("LANG", "C.UTF-8").env("TERM", "xterm");
    let mut serving = ServingCommand::start(command);
    let link = serving.link();
    let (authority, ticket) = link.strip_prefix("http://").unwrap().split_once('/').unwrap();
    assert!(authority.starts_with("127.0.0.2:") && ticket.starts_with("t/"), "{link}");
    let ticket = format!("/{ticket}");
    let refused = ask(authority, "GET", "/", "");
    assert!(refused.starts_with("HTTP/1.1 401") && !refused.contains("Zebra"), "{refused}");
    let enter = || {
        let headers = format!(
            "origin: http://{authority}\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 0\r\n"
        );
        ask(authority, "POST", &ticket, &headers)
    };
    let entered = enter();
    let cookie = entered.lines().find_map(|line| line.strip_prefix("set-cookie: ")?.split(';').next());
    let cookie = cookie.unwrap_or_else(|| panic!("{entered}"));
    assert!(enter().starts_with("HTTP/1.1 401"));
    let page = ask(authority, "GET", "/", &format!("cookie: {cookie}\r\n"));
    assert!(page.starts_with("HTTP/1.1 200") && page.contains("Zebra"), "{page}");
    // The usual page goes on working, and an answer there ends both.
    assert_eq!(waiting.answer(&minimal_answers()).status, 200);
    waiting.finish().succeeded("✓ The decision has been made\n");
    let (code, errors) = serving.finish();
    assert_eq!(code, Some(0));
    assert!(errors.starts_with("⚠ the link is not encrypted (HTTP)"), "{errors}");
}

#[test]
fn a_phone_needs_a_login_and_an_address() {
    let person = Person::new(&["a"]);
    person.ask("a", "First");
    let mut command = person.command("a", &["decide", "open", "--phone", "--host", "127.0.0.2"]);
    let refused = CommandOutput::new(command.env("AIDE_DECIDE_AUTH", "never").output().unwrap());
    refused.failed(
        1,
        "✗ a page that other devices can reach needs a login: auth = never is not allowed\n  \
         hint: set decide.auth (or AIDE_DECIDE_AUTH) to auto or always\n",
    );
    for host in ["example.com", "0.0.0.0", "localhost", "224.0.0.1"] {
        let refused = person.aide("a", &["decide", "open", "--phone", "--host", host]);
        assert_eq!(refused.code, Some(2), "{host}: {refused:?}");
    }
    assert_eq!(person.aide("a", &["decide", "open", "--host", "127.0.0.2"]).code, Some(2));
}

//! Runs what a document shows, and compares what is printed.

use crate::markdown::{Part, parts};
use crate::names::{self, Names};
use crate::shell::{Shell, State};
use crate::support::Folder;
use model::{ANSWERS_SCHEMA, QUESTIONS_SCHEMA, Questions};
use serde_json::Value;
use std::fs;
use std::mem::take;
use std::path::Path;
use std::time::Duration;

/// While a document is being updated, a command that prints nothing for this long is waiting for another process or the user.
const PAUSE: Duration = Duration::from_secs(2);

/// A command and what it prints.
#[derive(Debug, Default)]
struct Step {
    /// `None` where a block goes on with what the command before prints.
    command: Option<String>,
    /// As it is written.
    lines: String,
    printed: String,
}

struct Player<'a> {
    name: &'a str,
    shell: Shell,
    names: Names,
    /// To be run once the next command has printed its first line.
    meanwhile: Option<String>,
    /// Where the next block is to be written.
    file: Option<String>,
    /// The next script runs beside a command that waits.
    is_beside: bool,
    update: bool,
}

/// Runs every example of the document `name` that `text` is. With `update`, returns the text with what was printed.
pub(crate) fn play(name: &str, text: &str, update: bool) -> String {
    let mut player = Player {
        name,
        shell: Shell::new(),
        names: Names::default(),
        meanwhile: None,
        file: None,
        is_beside: false,
        update,
    };
    let updated = player.document(text, 0);
    player.settle(0);
    updated
}

impl Player<'_> {
    fn document(&mut self, text: &str, offset: usize) -> String {
        let mut updated = text.to_owned();
        for part in parts(text) {
            match part {
                Part::Directive { line, name, value } => self.direct(line + offset, &name, value),
                Part::Block { line, info, text: block } => {
                    let new = self.block(line + offset, &info, &block);
                    if new != block {
                        updated = updated.replacen(&block, &new, 1);
                    }
                }
                Part::Line { .. } => {}
            }
        }
        updated
    }

    #[track_caller]
    fn fail(&self, line: usize, what: &str) -> ! {
        panic!("{}:{line}: {what}", self.name)
    }

    fn direct(&mut self, line: usize, name: &str, value: String) {
        match name {
            "fresh" => {
                self.settle(line);
                self.shell = Shell::new();
                self.names = Names::default();
                self.beside(line, &value);
            }
            "run" => self.beside(line, &value),
            "meanwhile" => self.meanwhile = Some(value),
            "file" => self.file = Some(value),
            "beside" => self.is_beside = true,
            "generated" => {}
            _ => self.fail(line, &format!("no such directive: {name}")),
        }
    }

    fn block(&mut self, line: usize, info: &str, text: &str) -> String {
        let mut words = info.split_whitespace();
        let language = words.next().unwrap_or_default();
        if words.next() == Some("not-run") {
            return text.to_owned();
        }
        if let Some(file) = self.file.take() {
            let path = match file.strip_prefix("~/") {
                Some(path) => self.shell.home().join(path),
                None => self.shell.project().join(&file),
            };
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
            if language == "toml" {
                self.beside(line, "aide config list");
            }
        }
        match language {
            "console" => return self.console(line, text),
            "sh" => self.script(line, text),
            "json" => check_json(self.name, line, text),
            "toml" => check_toml(self.name, line, text),
            "markdown" => return self.document(text, line),
            // That of nginx is tried by end2end/tests/every/below.spec.ts.
            "text" | "nginx" => {}
            _ => self.fail(line, &format!("a block of {language:?}, which nobody checks")),
        }
        text.to_owned()
    }

    /// Runs a command beside the one that an example shows.
    fn beside(&mut self, line: usize, command: &str) {
        let command = self.real(command);
        match self.shell.beside(&command) {
            Ok(printed) => self.names.note_port(&printed),
            Err(printed) => self.fail(line, &format!("failed: {command}\n{printed}")),
        }
    }

    fn real(&self, command: &str) -> String {
        let [project, home] = [self.shell.project(), self.shell.home()].map(Path::to_string_lossy);
        names::real_folders(&self.names.command(command), &project, &home)
    }

    fn documented(&self, printed: &str) -> String {
        let [project, home] = [self.shell.project(), self.shell.home()].map(Path::to_string_lossy);
        names::folders(printed, &project, &home)
    }

    /// The command that was shown last ends now, and says nothing more.
    fn settle(&mut self, line: usize) {
        if let Err(error) = self.shell.until(|_| false) {
            self.fail(line, &format!("the command before does not end: {error}"));
        }
        let printed = self.shell.printed();
        if !printed.is_empty() && !self.update {
            self.fail(line, &format!("the command before also printed:\n{printed}"));
        }
        self.shell.forget();
    }

    fn script(&mut self, line: usize, text: &str) {
        if take(&mut self.is_beside) {
            return self.beside(line, text);
        }
        self.settle(line);
        self.shell.start(&self.real(text));
        let end = self.shell.until(|_| false);
        if *self.shell.state() != State::Ended(0) {
            self.fail(line, &format!("{end:?}, {:?}:\n{text}\n{}", self.shell.state(), self.shell.printed()));
        }
        self.shell.forget();
    }

    fn console(&mut self, line: usize, text: &str) -> String {
        let steps = steps(text);
        let last = steps.len().saturating_sub(1);
        let mut updated = String::new();
        for (index, step) in steps.into_iter().enumerate() {
            if let Some(command) = &step.command {
                self.settle(line);
                self.shell.start(&self.real(command));
            }
            updated += &step.lines;
            updated += &self.compare(line, &step, index == last);
        }
        updated
    }

    /// Reads what the step prints. The last one of a block may go on running.
    fn compare(&mut self, line: usize, step: &Step, is_last: bool) -> String {
        let expected = step.printed.trim_end().to_owned();
        if is_last && let Some(meanwhile) = take(&mut self.meanwhile) {
            let _ = self.shell.until(|printed| printed.contains('\n'));
            self.beside(line, &meanwhile);
        }
        if self.update {
            if is_last {
                self.shell.until_quiet(PAUSE);
            } else {
                let _ = self.shell.until(|_| false);
            }
            let printed = self.documented(self.shell.printed());
            let blank = &step.printed[expected.len()..];
            let blank = if printed.is_empty() { blank } else { blank.strip_prefix('\n').unwrap_or(blank) };
            // What still fits stays as it is.
            let printed = if self.names.agree(&expected, &printed) {
                if expected.is_empty() { expected } else { expected + "\n" }
            } else {
                self.names.documented(&printed, &expected)
            };
            self.shell.forget();
            return printed + blank;
        }
        let names = self.names.clone();
        let [project, home] =
            [self.shell.project(), self.shell.home()].map(|path| path.to_string_lossy().into_owned());
        let is_complete = |printed: &str| {
            // Where nothing is expected, only the end shows that nothing came.
            !expected.is_empty()
                && printed.ends_with('\n')
                && names.clone().agree(&expected, &names::folders(printed, &project, &home))
        };
        let error = self.shell.until(|printed| is_last && is_complete(printed)).err();
        let printed = self.documented(self.shell.printed());
        if !self.names.agree(&expected, &printed) {
            let command = step.command.as_deref().unwrap_or("(the command before)");
            let why = error.map(|error| format!("\n({error})")).unwrap_or_default();
            self.fail(
                line,
                &format!(
                    "{command}\n--- documented\n{expected}\n--- printed\n{}{why}\n---",
                    printed.trim_end()
                ),
            );
        }
        self.shell.forget();
        step.printed.clone()
    }
}

/// The commands of a block: a line that begins with `$ `, and those after it that begin with `> `.
fn steps(text: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut in_command = false;
    for line in text.split_inclusive('\n') {
        if let Some(command) = line.strip_prefix("$ ") {
            steps.push(Step {
                command: Some(command.trim_end().to_owned()),
                lines: line.to_owned(),
                printed: String::new(),
            });
            in_command = true;
            continue;
        }
        if steps.is_empty() {
            steps.push(Step::default());
        }
        let Some(step) = steps.last_mut() else { continue };
        match (in_command, line.strip_prefix("> "), &mut step.command) {
            (true, Some(more), Some(command)) => {
                *command = format!("{command}\n{}", more.trim_end());
                step.lines += line;
            }
            _ => {
                in_command = false;
                step.printed += line;
            }
        }
    }
    steps
}

/// Questions and answers fit their schemas, and the questions can be asked.
fn check_json(name: &str, line: usize, text: &str) {
    let value: Value =
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}:{line}: no JSON: {error}"));
    let schema = if value.get("items").is_some_and(Value::is_array) && value.get("task").is_some() {
        if let Err(problems) = Questions::parse(text.as_bytes()) {
            panic!("{name}:{line}: {problems:?}");
        }
        QUESTIONS_SCHEMA
    } else if value.get("decisions").is_some() {
        ANSWERS_SCHEMA
    } else {
        return;
    };
    let schema = jsonschema::draft202012::new(&serde_json::from_str(schema).unwrap()).unwrap();
    if let Err(error) = schema.validate(&value) {
        panic!("{name}:{line}: {error}");
    }
}

/// The program reads it, in a project or as the person's own.
fn check_toml(name: &str, line: usize, text: &str) {
    let folder = Folder::empty();
    let own = ["[notify]", "[daemon]", "[daemon.", "[[daemon."].iter().any(|section| text.contains(section));
    folder.write(".aide/config.toml", if own { "" } else { text });
    folder.write("home/aide/config.toml", if own { text } else { "" });
    let mut command = folder.command(["config", "list", "--json"]);
    let output = command.env("XDG_CONFIG_HOME", folder.join("home")).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{name}:{line}: {errors}");
    // Keys that need trust are reported, and their values are still printed.
    assert!(errors.lines().all(|line| line.contains("aide trust")), "{name}:{line}: {errors}");
    let list: Value = serde_json::from_slice(&output.stdout).unwrap();
    let says_something = list.as_object().unwrap().values().any(|value| {
        value["source"] == if own { "user" } else { "project" } || value.get("untrusted").is_some()
    });
    assert!(says_something, "{name}:{line}: {list}");
}

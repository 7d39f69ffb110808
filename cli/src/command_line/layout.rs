//! What all commands share of how they are called: the look of their help, and the shapes of their arguments.

use clap::builder::ValueParser;
use clap::{Arg, ArgAction, ArgMatches, Command};
use std::ffi::{OsStr, OsString};
use std::path::Path;
use texts::Lang;

const TEMPLATE: &str = "{about-with-newline}\n{usage}\n\n{all-args}{after-help}\n";
/// The session that a command is about.
const SESSION: &str = "SESSION";

/// What the help of several commands says. One table per language.
struct Words {
    usage: &'static str,
    commands: &'static str,
    arguments: &'static str,
    options: &'static str,
    session: &'static str,
    json: &'static str,
}

static ZH: Words = Words {
    usage: "用法:",
    commands: "子命令",
    arguments: "参数",
    options: "选项",
    session: "会话标识，如 2025-01-15T10-30-00；默认为最近一次未排队的提交",
    json: "任何状态都输出一行 JSON，其 status 字段给出状态",
};

static EN: Words = Words {
    usage: "Usage:",
    commands: "Commands",
    arguments: "Arguments",
    options: "Options",
    session: "A session, such as 2025-01-15T10-30-00; by default the newest asked without --queue",
    json: "Print one line of JSON in every state; its status field says which",
};

/// The program, by the name that it was called by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Program {
    Aide,
    /// What programs know that drive workflows (contract/terminal §1.1).
    Finger,
}

impl Program {
    /// What was called as `name`, which may be a path.
    pub(crate) fn called(name: Option<&OsStr>) -> Self {
        match name.map(Path::new).and_then(Path::file_name) {
            Some(name) if name == Self::Finger.name() => Self::Finger,
            _ => Self::Aide,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Aide => "aide",
            Self::Finger => "finger",
        }
    }

    /// How a command about workflows begins.
    fn workflow(self) -> &'static str {
        match self {
            Self::Aide => "aide workflow",
            Self::Finger => "finger",
        }
    }

    /// A text in which `{finger}` stands for the program, and `{workflow}` for the beginning of a command about workflows.
    fn fill(self, text: &str) -> String {
        text.replace("{finger}", self.name()).replace("{workflow}", self.workflow())
    }
}

/// Makes commands and arguments, in one language.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    pub(crate) lang: Lang,
    pub(crate) program: Program,
}

impl Layout {
    /// Returns the table of this language.
    pub(crate) fn pick<T>(self, zh: &'static T, en: &'static T) -> &'static T {
        match self.lang {
            Lang::Zh => zh,
            Lang::En => en,
        }
    }

    fn words(self) -> &'static Words {
        self.pick(&ZH, &EN)
    }

    /// Returns a command without arguments.
    pub(crate) fn command(
        self,
        name: &'static str,
        about: &'static str,
        usage: &'static str,
        after: &'static str,
    ) -> Command {
        let words = self.words();
        Command::new(name)
            .about(about)
            .override_usage(usage)
            .after_help(after)
            .help_template(TEMPLATE.replace("{usage}", &format!("{} {{usage}}", words.usage)))
            .subcommand_help_heading(words.commands)
            .next_help_heading(words.options)
            .disable_help_flag(true)
            .disable_help_subcommand(true)
    }

    /// Returns a command without arguments that both programs have. `usage` and `after` name the program by `{finger}`, and
    /// what a command about workflows begins with by `{workflow}`.
    pub(crate) fn shared_command(
        self,
        name: &'static str,
        about: &'static str,
        usage: &str,
        after: &str,
    ) -> Command {
        let usage = self.program.fill(usage);
        let usage = match self.lang {
            Lang::Zh => usage.replace("[OPTIONS]", "[选项]").replace("<COMMAND>", "<子命令>"),
            Lang::En => usage,
        };
        let command = self.command(name, about, "", "");
        command.override_usage(usage).after_help(self.program.fill(after))
    }

    /// Returns an argument that is known by its place, and need not be given.
    pub(crate) fn positional(self, name: &'static str, about: &'static str) -> Arg {
        Arg::new(name).help(about).help_heading(self.words().arguments).value_parser(ValueParser::os_string())
    }

    /// Returns the argument that names a session.
    pub(crate) fn session(self) -> Arg {
        self.positional(SESSION, self.words().session)
    }

    /// Returns a flag with a value.
    pub(crate) fn value(self, name: &'static str, placeholder: &'static str, about: &'static str) -> Arg {
        Arg::new(name)
            .long(name)
            .value_name(placeholder)
            .help(about)
            .value_parser(ValueParser::os_string())
            .allow_negative_numbers(true)
    }

    /// Returns a flag without one.
    pub(crate) fn flag(self, name: &'static str, about: &'static str) -> Arg {
        Arg::new(name).long(name).help(about).action(ArgAction::SetTrue)
    }

    /// Returns the flag `--json` of commands that say what has become of questions.
    pub(crate) fn json(self) -> Arg {
        self.flag("json", self.words().json)
    }
}

/// Returns the value of an argument, as given; `None` also for one that the command does not have.
pub(crate) fn text(matches: &ArgMatches, name: &str) -> Option<OsString> {
    matches.try_get_one::<OsString>(name).ok().flatten().cloned()
}

/// Returns those of these flags that have a value, as they are written on a command line.
pub(crate) fn written<'v>(
    flags: impl IntoIterator<Item = (&'static str, &'v Option<OsString>)>,
) -> Vec<OsString> {
    let given = flags.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    given
        .map(|(name, value)| {
            // In one word: a value may begin with a dash.
            let mut word = OsString::from(format!("{name}="));
            word.push(value);
            word
        })
        .collect()
}

/// Returns whether a flag is given; false also for one that the command does not have.
pub(crate) fn is_set(matches: &ArgMatches, name: &str) -> bool {
    matches.try_get_one::<bool>(name).ok().flatten().copied().unwrap_or_default()
}

/// Returns the session that is named, as given.
pub(crate) fn session(matches: &ArgMatches) -> Option<OsString> {
    text(matches, SESSION)
}

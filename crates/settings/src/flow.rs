//! `[flow]` and `[plantuml]`: the settings of `aide flow`.

use crate::PhasesFault;
use model::is_blank;

/// What is configured of tasks and their phases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowConfig {
    /// `flow.phases`: the names of the phases in their order, at least one, each once.
    pub phases: Vec<String>,
    /// `flow.back_confirm`: whether a step back to an earlier phase has to be confirmed.
    pub back_confirm: bool,
    /// `flow.commit`.
    pub commit: CommitChoice,
    /// `[flow.git]`.
    pub git: FlowGit,
    /// `[flow.plantuml]` and `[plantuml]`.
    pub plantuml: PlantUmlHook,
    /// `[flow.changelog]`.
    pub changelog: ChangelogHook,
    /// `[[flow.hooks]]`.
    pub hooks: Vec<FlowHook>,
    /// `[[flow.require]]`.
    pub require: Vec<Requirement>,
}

/// How actions are kept in git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowGit {
    /// `flow.git.enabled`: whether actions are committed.
    pub enabled: bool,
    /// `flow.git.required`: whether an action fails where git cannot be used.
    pub required: bool,
    /// `flow.git.allow_empty_commit`: whether an action that changed no file is committed.
    pub allow_empty_commit: bool,
    /// `flow.git.allow_detached`: whether a task may start where no branch is checked out.
    pub allow_detached: bool,
    /// `flow.git.add_strategy`.
    pub add_strategy: AddStrategy,
}

/// Which files go into a commit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AddStrategy {
    /// Every changed and every new one.
    #[default]
    All,
    /// Changed ones that git knows.
    Tracked,
    /// What the person has added.
    Staged,
}

/// Which of the files that were changed by others may be committed, and whether to ask first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CommitChoice {
    /// As [`CommitChoice::Ask`] on a terminal. Elsewhere every file is committed, as documented, but no new one that looks
    /// like a secret.
    #[default]
    Auto,
    /// Every changed and every new file, without asking.
    All,
    /// Changed files that git knows, without asking.
    Tracked,
    /// What the person agrees to.
    Ask,
}

/// The checks of PlantUML diagrams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlantUmlHook {
    /// `flow.plantuml.enabled`.
    pub enabled: bool,
    /// `flow.plantuml.glob`: which files are diagrams.
    pub glob: Vec<String>,
    /// `flow.plantuml.on_missing_tool`.
    pub on_missing_tool: OnMissing,
    /// `flow.plantuml.generate_png`: whether pictures are drawn.
    pub generate_png: bool,
    /// `plantuml.jar_path`: the Java archive; empty for the command `plantuml`.
    pub jar_path: String,
    /// `plantuml.java_path`: the Java that runs it.
    pub java_path: String,
}

/// What a missing program means.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum OnMissing {
    /// A warning.
    #[default]
    Warn,
    /// A failure.
    Error,
}

/// The check of the list of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangelogHook {
    /// `flow.changelog.enabled`.
    pub enabled: bool,
    /// `flow.changelog.path`: the file.
    pub path: String,
    /// `flow.changelog.required`: whether the phase cannot be left without a change of it.
    pub required: bool,
}

/// A command of the project that runs when something happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowHook {
    /// When it runs.
    pub on: HookPoint,
    /// In which phase; `None` is in each.
    pub phase: Option<String>,
    /// The program and its arguments, at least the program.
    pub run: Vec<String>,
    /// How long it may take, in seconds.
    pub timeout: u64,
}

/// When a command runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookPoint {
    /// When a phase begins.
    Enter,
    /// Before a phase ends.
    Leave,
    /// With each action that records something and does not change the phase.
    Step,
}

/// What must be so before a phase can be left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The phase.
    pub phase: String,
    /// What is asked of its decisions.
    pub decision: RequiredDecision,
}

/// What is asked of decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequiredDecision {
    /// They were answered.
    Answered,
}

impl AddStrategy {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["all", "tracked", "staged"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Tracked => "tracked",
            Self::Staged => "staged",
        }
    }
}

impl CommitChoice {
    /// Every choice.
    pub const EVERY: [Self; 4] = [Self::Auto, Self::All, Self::Tracked, Self::Ask];
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["auto", "all", "tracked", "ask"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::All => "all",
            Self::Tracked => "tracked",
            Self::Ask => "ask",
        }
    }
}

impl FlowConfig {
    /// Returns which files go into a commit, after `flow.git.add_strategy` and `flow.commit`: the narrower counts.
    pub fn strategy(&self) -> AddStrategy {
        match (self.git.add_strategy, self.commit) {
            (AddStrategy::All, CommitChoice::Tracked) => AddStrategy::Tracked,
            (strategy, _) => strategy,
        }
    }
}

impl OnMissing {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["warn", "error"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

impl HookPoint {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["enter", "leave", "step"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Enter => "enter",
            Self::Leave => "leave",
            Self::Step => "step",
        }
    }
}

impl RequiredDecision {
    /// What may be written.
    pub const NAMES: &'static [&'static str] = &["answered"];

    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            Self::Answered => "answered",
        }
    }
}

impl Default for FlowConfig {
    fn default() -> Self {
        let phases = ["task-optimize", "flow-design", "impl", "verify", "docs", "finish"];
        Self {
            phases: phases.map(str::to_owned).into(),
            back_confirm: false,
            commit: CommitChoice::default(),
            git: FlowGit::default(),
            plantuml: PlantUmlHook::default(),
            changelog: ChangelogHook::default(),
            hooks: Vec::new(),
            require: Vec::new(),
        }
    }
}

impl Default for FlowGit {
    fn default() -> Self {
        Self {
            enabled: true,
            required: true,
            allow_empty_commit: false,
            allow_detached: false,
            add_strategy: AddStrategy::default(),
        }
    }
}

impl Default for PlantUmlHook {
    fn default() -> Self {
        let glob = ["docs/**/*.puml", "docs/**/*.plantuml", "discuss/**/*.puml", "discuss/**/*.plantuml"];
        Self {
            enabled: true,
            glob: glob.map(str::to_owned).into(),
            on_missing_tool: OnMissing::default(),
            generate_png: true,
            jar_path: String::new(),
            java_path: "java".to_owned(),
        }
    }
}

impl Default for ChangelogHook {
    fn default() -> Self {
        Self { enabled: true, path: "CHANGELOG.md".to_owned(), required: true }
    }
}

/// What is wrong with `names` as the phases of a task.
pub fn phases_fault(names: &[String]) -> Option<PhasesFault> {
    let names: Vec<&str> = names.iter().map(|name| name.trim()).collect();
    let repeated = |(index, name): (usize, &&str)| {
        names.iter().take(index).any(|other| other == name).then(|| PhasesFault::Repeated((*name).to_owned()))
    };
    if names.is_empty() {
        return Some(PhasesFault::Empty);
    }
    if names.iter().any(|name| is_blank(name)) {
        return Some(PhasesFault::Blank);
    }
    names.iter().enumerate().find_map(repeated)
}

//! `[flow]` and `[plantuml]`: what `aide flow` is told.

use super::error::PhasesFault;
use super::layer::{Entry, Found, Reader};
use crate::{ConfigError, ConfigErrorKind};
use model::is_blank;

/// The shortest and longest time a hook may be given, in seconds.
const HOOK_TIMEOUT: (i64, i64) = (1, 3600);
const DEFAULT_HOOK_TIMEOUT: u64 = 60;

/// What is configured of tasks and their phases.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowConfig {
    /// `flow.phases`: the names of the phases in their order, at least one, each once.
    pub phases: Vec<String>,
    /// `flow.back_confirm`: whether a step back to an earlier phase has to be confirmed.
    pub back_confirm: bool,
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

impl FlowConfig {
    pub(crate) fn read(reader: &Reader<'_>) -> Result<Self, ConfigError> {
        let Self { phases, back_confirm, git, plantuml, changelog, .. } = Self::default();
        let phases = reader.find("flow.phases")?.map(read_phases).transpose()?.unwrap_or(phases);
        let entries = |key| reader.find(key)?.map_or_else(|| Ok(Vec::new()), Found::tables);
        let hooks = entries("flow.hooks")?.into_iter().map(|entry| read_hook(entry, &phases));
        let require = entries("flow.require")?.into_iter().map(|entry| read_requirement(entry, &phases));
        Ok(Self {
            back_confirm: reader.boolean("flow.back_confirm")?.unwrap_or(back_confirm),
            git: FlowGit {
                enabled: reader.boolean("flow.git.enabled")?.unwrap_or(git.enabled),
                required: reader.boolean("flow.git.required")?.unwrap_or(git.required),
                allow_empty_commit: reader
                    .boolean("flow.git.allow_empty_commit")?
                    .unwrap_or(git.allow_empty_commit),
                allow_detached: reader.boolean("flow.git.allow_detached")?.unwrap_or(git.allow_detached),
                add_strategy: reader
                    .choice("flow.git.add_strategy", |text| {
                        let all = [AddStrategy::All, AddStrategy::Tracked, AddStrategy::Staged];
                        all.into_iter().find(|strategy| strategy.name() == text)
                    })?
                    .unwrap_or(git.add_strategy),
            },
            plantuml: PlantUmlHook {
                enabled: reader.boolean("flow.plantuml.enabled")?.unwrap_or(plantuml.enabled),
                glob: reader.texts("flow.plantuml.glob")?.unwrap_or(plantuml.glob),
                on_missing_tool: reader
                    .choice("flow.plantuml.on_missing_tool", |text| {
                        [OnMissing::Warn, OnMissing::Error].into_iter().find(|what| what.name() == text)
                    })?
                    .unwrap_or(plantuml.on_missing_tool),
                generate_png: reader.boolean("flow.plantuml.generate_png")?.unwrap_or(plantuml.generate_png),
                jar_path: reader.text("plantuml.jar_path")?.unwrap_or(plantuml.jar_path),
                java_path: reader.text("plantuml.java_path")?.unwrap_or(plantuml.java_path),
            },
            changelog: ChangelogHook {
                enabled: reader.boolean("flow.changelog.enabled")?.unwrap_or(changelog.enabled),
                path: reader.text("flow.changelog.path")?.unwrap_or(changelog.path),
                required: reader.boolean("flow.changelog.required")?.unwrap_or(changelog.required),
            },
            hooks: hooks.collect::<Result<_, _>>()?,
            require: require.collect::<Result<_, _>>()?,
            phases,
        })
    }

    /// The keys that start programs, as far as they say anything: a stranger could use them.
    pub(crate) fn risky(&self) -> Vec<&'static str> {
        let default = PlantUmlHook::default();
        let risky = [
            ("flow.hooks", !self.hooks.is_empty()),
            ("plantuml.jar_path", self.plantuml.jar_path != default.jar_path),
            ("plantuml.java_path", self.plantuml.java_path != default.java_path),
        ];
        risky.into_iter().filter_map(|(key, is_risky)| is_risky.then_some(key)).collect()
    }
}

/// The names, trimmed. There is no falling back to others: a task would run through phases that nobody chose.
fn read_phases(found: Found<'_>) -> Result<Vec<String>, ConfigError> {
    let fault = |fault| found.error(ConfigErrorKind::Phases(fault));
    let array = found.item.as_array().filter(|array| !array.is_empty());
    // What is no text is no name either.
    let texts = array.into_iter().flatten().map(|value| value.as_str().unwrap_or_default());
    let phases: Vec<String> = texts.map(|name| name.trim().to_owned()).collect();
    phases_fault(&phases).map_or(Ok(phases), |is| Err(fault(is)))
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

fn read_hook(entry: Entry<'_>, phases: &[String]) -> Result<FlowHook, ConfigError> {
    let on = entry.need("flow.hooks.on")?.choice(HookPoint::NAMES, |text| {
        [HookPoint::Enter, HookPoint::Leave, HookPoint::Step].into_iter().find(|on| on.name() == text)
    })?;
    let timeout = entry.find("flow.hooks.timeout").map(|found| found.integer(HOOK_TIMEOUT)).transpose()?;
    Ok(FlowHook {
        on,
        phase: entry.find("flow.hooks.phase").map(|found| read_phase(found, phases)).transpose()?,
        run: read_command(entry.need("flow.hooks.run")?)?,
        timeout: timeout.unwrap_or(DEFAULT_HOOK_TIMEOUT),
    })
}

/// A program and its arguments, or a line for the shell.
fn read_command(found: Found<'_>) -> Result<Vec<String>, ConfigError> {
    let (command, program) = match found.item.as_str() {
        Some(line) => (["sh", "-c", line].map(str::to_owned).into(), Some(line)),
        None => (found.texts().map_err(|_| found.wrong_type("string or array of strings"))?, None),
    };
    match program.or(command.first().map(String::as_str)) {
        Some(program) if !is_blank(program) => Ok(command),
        _ => Err(found.error(ConfigErrorKind::NoProgram)),
    }
}

fn read_requirement(entry: Entry<'_>, phases: &[String]) -> Result<Requirement, ConfigError> {
    let decision = entry.need("flow.require.decision")?;
    Ok(Requirement {
        phase: read_phase(entry.need("flow.require.phase")?, phases)?,
        decision: decision.choice(RequiredDecision::NAMES, |text| {
            (text == RequiredDecision::Answered.name()).then_some(RequiredDecision::Answered)
        })?,
    })
}

fn read_phase(found: Found<'_>, phases: &[String]) -> Result<String, ConfigError> {
    let name = found.text()?.trim();
    if phases.iter().any(|phase| phase == name) {
        return Ok(name.to_owned());
    }
    Err(found.error(ConfigErrorKind::UnknownPhase { name: super::error::shorten(name) }))
}

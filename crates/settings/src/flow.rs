//! `[flow]` and `[plantuml]`: what `aide flow` is told.

use crate::error::{PhasesFault, shorten};
use crate::layer::{Entry, Found};
use crate::{ConfigError, ConfigErrorKind, Followed, Key, Layers, keys};
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

impl Layers<'_> {
    /// What is said of tasks and their phases.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value.
    pub fn flow(&self) -> Result<FlowConfig, ConfigError> {
        let FlowConfig { phases, back_confirm, git, plantuml, changelog, .. } = FlowConfig::default();
        let phases = self.find(&keys::FLOW_PHASES)?.map(read_phases).transpose()?.unwrap_or(phases);
        let entries = |key: &'static Key| self.find(key)?.map_or_else(|| Ok(Vec::new()), Found::tables);
        let hooks = entries(&keys::FLOW_HOOKS)?.into_iter().map(|entry| read_hook(entry, &phases));
        let require = entries(&keys::FLOW_REQUIRE)?.into_iter().map(|entry| read_requirement(entry, &phases));
        Ok(FlowConfig {
            back_confirm: self.boolean(&keys::FLOW_BACK_CONFIRM)?.unwrap_or(back_confirm),
            git: FlowGit {
                enabled: self.boolean(&keys::FLOW_GIT_ENABLED)?.unwrap_or(git.enabled),
                required: self.boolean(&keys::FLOW_GIT_REQUIRED)?.unwrap_or(git.required),
                allow_empty_commit: self
                    .boolean(&keys::FLOW_GIT_ALLOW_EMPTY_COMMIT)?
                    .unwrap_or(git.allow_empty_commit),
                allow_detached: self.boolean(&keys::FLOW_GIT_ALLOW_DETACHED)?.unwrap_or(git.allow_detached),
                add_strategy: self
                    .choice(&keys::FLOW_GIT_ADD_STRATEGY, |text| {
                        let all = [AddStrategy::All, AddStrategy::Tracked, AddStrategy::Staged];
                        all.into_iter().find(|strategy| strategy.name() == text)
                    })?
                    .unwrap_or(git.add_strategy),
            },
            plantuml: PlantUmlHook {
                enabled: self.boolean(&keys::FLOW_PLANTUML_ENABLED)?.unwrap_or(plantuml.enabled),
                glob: self.texts(&keys::FLOW_PLANTUML_GLOB)?.unwrap_or(plantuml.glob),
                on_missing_tool: self
                    .choice(&keys::FLOW_PLANTUML_ON_MISSING_TOOL, |text| {
                        [OnMissing::Warn, OnMissing::Error].into_iter().find(|what| what.name() == text)
                    })?
                    .unwrap_or(plantuml.on_missing_tool),
                generate_png: self
                    .boolean(&keys::FLOW_PLANTUML_GENERATE_PNG)?
                    .unwrap_or(plantuml.generate_png),
                jar_path: self.text(&keys::PLANTUML_JAR_PATH)?.unwrap_or(plantuml.jar_path),
                java_path: self.text(&keys::PLANTUML_JAVA_PATH)?.unwrap_or(plantuml.java_path),
            },
            changelog: ChangelogHook {
                enabled: self.boolean(&keys::FLOW_CHANGELOG_ENABLED)?.unwrap_or(changelog.enabled),
                path: self.text(&keys::FLOW_CHANGELOG_PATH)?.unwrap_or(changelog.path),
                required: self.boolean(&keys::FLOW_CHANGELOG_REQUIRED)?.unwrap_or(changelog.required),
            },
            hooks: hooks.collect::<Result<_, _>>()?,
            require: require.collect::<Result<_, _>>()?,
            phases,
        })
    }

    /// The same as far as it may be followed: what would start programs is not, unless `is_trusted` says that the person
    /// has trusted this text of the project's file. In their own file it is their own.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value, also one that would not be followed: a mistake is one, whoever made it.
    pub fn followed_flow(
        &self,
        is_trusted: impl FnOnce(&str) -> bool,
    ) -> Result<Followed<FlowConfig>, ConfigError> {
        let flow = self.flow()?;
        let mut ignored = self.needing_trust();
        ignored.retain(|key| key.name.starts_with("flow.") || key.name.starts_with("plantuml."));
        if ignored.is_empty() || is_trusted(self.project_text()) {
            return Ok(Followed { value: flow, ignored: Vec::new() });
        }
        Ok(Followed { value: self.ignoring(&ignored).flow()?, ignored })
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
pub(crate) fn read_command(found: Found<'_>) -> Result<Vec<String>, ConfigError> {
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
    Err(found.error(ConfigErrorKind::UnknownPhase { name: shorten(name) }))
}

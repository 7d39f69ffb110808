//! `[flow]` and `[plantuml]`.

use crate::error::shorten;
use crate::layer::{Entry, LocatedItem};
use crate::{
    AddStrategy, ChangelogHook, CommitChoice, ConfigError, ConfigErrorKind, EffectiveValue, FlowConfig,
    FlowGit, FlowHook, HookPoint, Key, Layers, OnMissing, PlantUmlHook, RequiredDecision, Requirement, keys,
    phases_fault,
};
use model::is_blank;

/// The shortest and longest time a hook may be given, in seconds.
const HOOK_TIMEOUT: (i64, i64) = (1, 3600);
const DEFAULT_HOOK_TIMEOUT: u64 = 60;

impl Layers<'_> {
    /// What is said of tasks and their phases.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value.
    pub fn flow(&self) -> Result<FlowConfig, ConfigError> {
        let FlowConfig { phases, back_confirm, commit, git, plantuml, changelog, .. } = FlowConfig::default();
        let phases = self.find(&keys::FLOW_PHASES)?.map(read_phases).transpose()?.unwrap_or(phases);
        let entries = |key: &'static Key| self.find(key)?.map_or_else(|| Ok(Vec::new()), LocatedItem::tables);
        let hooks = entries(&keys::FLOW_HOOKS)?.into_iter().map(|entry| read_hook(entry, &phases));
        let require = entries(&keys::FLOW_REQUIRE)?.into_iter().map(|entry| read_requirement(entry, &phases));
        Ok(FlowConfig {
            back_confirm: self.boolean(&keys::FLOW_BACK_CONFIRM)?.unwrap_or(back_confirm),
            commit: self
                .choice(&keys::FLOW_COMMIT, |text| {
                    CommitChoice::EVERY.into_iter().find(|choice| choice.name() == text)
                })?
                .unwrap_or(commit),
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

    /// The same as far as it may be applied: settings that would start programs are not, unless `is_trusted` says that the user
    /// has trusted this text of the project's file. In the user's own file they are the user's own.
    ///
    /// # Errors
    ///
    /// When a key has a wrong value, also one that would not be applied: a mistake is an error, regardless of its
    /// author.
    pub fn followed_flow(
        &self,
        is_trusted: impl FnOnce(&str) -> bool,
    ) -> Result<EffectiveValue<FlowConfig>, ConfigError> {
        let flow = self.flow()?;
        let mut ignored = self.needing_trust();
        ignored.retain(|key| key.name.starts_with("flow.") || key.name.starts_with("plantuml."));
        if ignored.is_empty() || is_trusted(self.project_text()) {
            return Ok(EffectiveValue { value: flow, ignored: Vec::new() });
        }
        Ok(EffectiveValue { value: self.ignoring(&ignored).flow()?, ignored })
    }
}

/// The names, trimmed. There is no fallback: a task would run through phases that the user did not choose.
fn read_phases(found: LocatedItem<'_>) -> Result<Vec<String>, ConfigError> {
    let fault = |fault| found.error(ConfigErrorKind::Phases(fault));
    let array = found.item.as_array().filter(|array| !array.is_empty());
    // What is no text is no name either.
    let texts = array.into_iter().flatten().map(|value| value.as_str().unwrap_or_default());
    let phases: Vec<String> = texts.map(|name| name.trim().to_owned()).collect();
    phases_fault(&phases).map_or(Ok(phases), |is| Err(fault(is)))
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
pub(super) fn read_command(found: LocatedItem<'_>) -> Result<Vec<String>, ConfigError> {
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

fn read_phase(found: LocatedItem<'_>, phases: &[String]) -> Result<String, ConfigError> {
    let name = found.text()?.trim();
    if phases.iter().any(|phase| phase == name) {
        return Ok(name.to_owned());
    }
    Err(found.error(ConfigErrorKind::UnknownPhase { name: shorten(name) }))
}

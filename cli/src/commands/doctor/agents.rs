//! Each agent's file, and the command in it, started as that agent would start it.

use super::Finding;
use super::probe::{Event, Probe, ProbeError};
use crate::messages::{Check, DoctorMessage};
use files::Dir;
use model::Via;
use serde_json::{Value, json};
use setup::{Agent, Entry, Installation, LaunchCommand, Places, Scope, WakeHooks};
use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};
use store::{Decisions, Project, ServerClaimOutcome};

/// How long a command may take to answer.
const LIMIT: Duration = Duration::from_secs(10);
/// How long progress may be missing while a call is held.
const PROGRESS: Duration = Duration::from_secs(15);
/// How long the server of a page may take to end: pages that are open hear of it first.
const SERVER_END: Duration = Duration::from_secs(20);
/// The tool without which nothing can be asked.
const SUBMIT: &str = "decide_submit";

/// Whose files are looked at.
const SCOPES: [Scope; 2] = [Scope::Project, Scope::User];

/// What is checked of one agent.
struct AgentCheck {
    agent: Agent,
    /// The files that have an entry for aide, or ought to.
    files: Vec<Installation>,
}

/// Checks one agent, or all that are installed or have an entry.
pub(super) fn check(places: &Places, only: Option<Agent>, hold: Option<Duration>) -> Vec<Finding> {
    let agents: Vec<AgentCheck> = match only {
        Some(agent) => vec![AgentCheck::new(agent, places)],
        None => Agent::ALL
            .into_iter()
            .map(|agent| AgentCheck::new(agent, places))
            .filter(|checked| checked.has_entry() || checked.agent.is_found(places, Scope::Project))
            .collect(),
    };
    if only.is_none() && !agents.iter().any(AgentCheck::has_entry) {
        let remedy = DoctorMessage::Run { command: "aide setup".to_owned() };
        return vec![Finding::wrong(Check::Agents, "no_agents", DoctorMessage::NoAgents, remedy)];
    }
    // All at once: a command that hangs keeps no other one waiting.
    thread::scope(|scope| {
        let checks: Vec<_> =
            agents.iter().map(|checked| scope.spawn(move || checked.check(places, only, hold))).collect();
        checks.into_iter().flat_map(|check| check.join().unwrap_or_default()).collect()
    })
}

impl AgentCheck {
    fn new(agent: Agent, places: &Places) -> Self {
        let [mut of_project, of_user] = SCOPES.map(|scope| agent.installed(places, scope));
        // Where the home is a project, they may be one file, which is the user's.
        if of_project.path == of_user.path {
            of_project.entry = Entry::NoFile;
        }
        Self { agent, files: vec![of_project, of_user] }
    }

    fn has_entry(&self) -> bool {
        let is_entry = |file: &Installation| !matches!(file.entry, Entry::NoFile | Entry::Missing);
        self.files.iter().any(is_entry)
    }

    fn check(&self, places: &Places, only: Option<Agent>, hold: Option<Duration>) -> Vec<Finding> {
        let check = Check::Agent(self.agent.title());
        let set_up = || DoctorMessage::Run { command: format!("aide setup {}", self.agent.name()) };
        let mut findings = Vec::new();
        let mut is_set_up = false;
        for (Installation { path, entry }, scope) in self.files.iter().zip(SCOPES) {
            let path = path.clone();
            match entry {
                Entry::NoFile | Entry::Missing => {}
                Entry::Unreadable { reason } => {
                    let found = DoctorMessage::Unreadable { path: path.clone(), reason: reason.clone() };
                    findings.push(Finding::wrong(
                        check,
                        "unreadable",
                        found,
                        DoctorMessage::Correct { path },
                    ));
                    is_set_up = true;
                }
                Entry::NoProgram => {
                    let found = DoctorMessage::NoProgram { path };
                    findings.push(Finding::wrong(check, "no_program", found, set_up()));
                    is_set_up = true;
                }
                Entry::Found(started) => {
                    is_set_up = true;
                    findings.extend(self.check_hooks(places, &path, started, scope));
                    findings.extend(self.check_entry(places, &path, started, (scope, hold)));
                }
            }
        }
        if let Some(Installation { path, .. }) = self.files.last().filter(|_| !is_set_up) {
            let found = DoctorMessage::NotSetUp { path: path.clone() };
            findings.push(match only {
                Some(_) => Finding::wrong(check, "not_set_up", found, set_up()),
                // Its folder may be there for the skill alone, or the person asks through other agents.
                None => Finding::info(check, "not_set_up", found, Some(set_up())),
            });
        }
        findings.into_iter().map(|finding| finding.for_agent(self.agent)).collect()
    }

    /// An agent that expects the answer to wake it needs the hooks that do.
    fn check_hooks(
        &self,
        places: &Places,
        entry: &Path,
        started: &LaunchCommand,
        scope: Scope,
    ) -> Option<Finding> {
        let check = Check::Agent(self.agent.title());
        let is_woken = started.variables.get(mcp::WAKE).is_some_and(|value| value == "1");
        let entry = entry.to_owned();
        match self.agent.waking(places, scope) {
            WakeHooks::Unreadable { path, reason } if path != entry => {
                let found = DoctorMessage::Unreadable { path: path.clone(), reason };
                Some(Finding::wrong(check, "unreadable_hooks", found, DoctorMessage::Correct { path }))
            }
            WakeHooks::Missing { path } if is_woken => {
                let of_project = if scope == Scope::Project { " --project" } else { "" };
                let command = format!("aide setup {}{of_project} --hook", self.agent.name());
                let found = DoctorMessage::HooksMissing { entry, path };
                Some(Finding::wrong(check, "hooks_missing", found, DoctorMessage::Run { command }))
            }
            WakeHooks::Never if is_woken => {
                let found = DoctorMessage::NeverWoken { entry: entry.clone() };
                Some(Finding::wrong(check, "never_woken", found, DoctorMessage::Correct { path: entry }))
            }
            _ => None,
        }
    }

    fn check_entry(
        &self,
        places: &Places,
        path: &Path,
        started: &LaunchCommand,
        (scope, hold): (Scope, Option<Duration>),
    ) -> Vec<Finding> {
        let check = Check::Agent(self.agent.title());
        let set_up = || DoctorMessage::Run { command: format!("aide setup {}", self.agent.name()) };
        let mut findings = Vec::new();
        // The files of a repository are written by others: no program that they name is started.
        if scope == Scope::Project && !started.is_as_written_into_projects() {
            let found =
                DoctorMessage::NamesAnotherProgram { path: path.to_owned(), command: command_of(started) };
            let command = format!("aide setup {} --project", self.agent.name());
            return vec![Finding::wrong(check, "other_program", found, DoctorMessage::Run { command })];
        }
        if let (Some(limit), Some(held)) = (started.limit, started.hold)
            && held >= limit
        {
            let (limit, hold) = (limit.as_secs(), held.as_secs());
            let found = DoctorMessage::LimitTooShort { path: path.to_owned(), limit, hold };
            findings.push(Finding::wrong(check, "limit_too_short", found, set_up()));
        }
        if !started.is_current {
            let found = DoctorMessage::OldEntry { path: path.to_owned() };
            findings.push(Finding::wrong(check, "old_entry", found, set_up()));
        }
        let environment = self.agent.environment(started, env::vars_os());
        let trial = Trial { agent: self.agent, started, environment, folder: &places.project };
        match trial.shake_hands() {
            Ok(tools) => {
                let found = DoctorMessage::Answers { path: path.to_owned(), tools };
                findings.push(Finding::fine(check, "answers", found));
                if let Some(hold) = hold {
                    findings.push(trial.hold(hold));
                }
            }
            Err((method, trouble)) => findings.push(trial.trouble(method, trouble)),
        }
        findings
    }
}

/// What an entry starts, as one line.
fn command_of(started: &LaunchCommand) -> String {
    let words = [&started.program].into_iter().chain(&started.arguments).map(String::as_str);
    words.collect::<Vec<_>>().join(" ")
}

/// A command as an agent starts it.
struct Trial<'a> {
    agent: Agent,
    started: &'a LaunchCommand,
    environment: Vec<(OsString, OsString)>,
    folder: &'a Path,
}

impl Trial<'_> {
    fn start(&self, environment: &[(OsString, OsString)], folder: &Path) -> Result<Probe, ProbeError> {
        let LaunchCommand { program, arguments, .. } = self.started;
        Probe::start(program, arguments, environment, folder, self.agent.client_name())
    }

    /// Both handshakes, each with a process of its own. Returns how many tools there are, 0 where that of aide is missing.
    fn shake_hands(&self) -> Result<usize, (&'static str, ProbeError)> {
        let at = |method| move |trouble| (method, trouble);
        let mut legacy = self.start(&self.environment, self.folder).map_err(at("initialize"))?;
        legacy.initialize(LIMIT).map_err(at("initialize"))?;
        let listed = legacy.call("tools/list", json!({}), LIMIT).map_err(at("tools/list"))?;
        drop(legacy);
        let mut modern = self.start(&self.environment, self.folder).map_err(at("server/discover"))?;
        let meta = json!({ "_meta": modern.modern_meta() });
        modern.call("server/discover", meta.clone(), LIMIT).map_err(at("server/discover"))?;
        modern.call("tools/list", meta, LIMIT).map_err(at("tools/list"))?;
        let tools = listed.get("tools").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let is_ours = tools.iter().any(|tool| tool.get("name").is_some_and(|name| name == SUBMIT));
        if is_ours { Ok(tools.len()) } else { Err(("tools/list", ProbeError::Refused(String::new()))) }
    }

    fn trouble(&self, method: &'static str, trouble: ProbeError) -> Finding {
        let check = Check::Agent(self.agent.title());
        let program = self.started.program.clone();
        let command = command_of(self.started);
        let set_up = || DoctorMessage::Run { command: format!("aide setup {}", self.agent.name()) };
        let by_hand = || DoctorMessage::TryByHand { command: command.clone() };
        match trouble {
            ProbeError::NotStarted(error) => {
                let code =
                    if error.kind() == ErrorKind::NotFound { "command_missing" } else { "not_started" };
                let found = DoctorMessage::NotStarted { program, reason: error.to_string() };
                Finding::wrong(check, code, found, set_up())
            }
            ProbeError::Silent => {
                let found = DoctorMessage::Silent { program, method, seconds: LIMIT.as_secs() };
                Finding::wrong(check, "silent", found, by_hand())
            }
            ProbeError::Garbage(line) => {
                let found = DoctorMessage::Garbage { program, line };
                Finding::wrong(check, "garbage", found, DoctorMessage::PrintNothing)
            }
            ProbeError::Ended(words) => {
                let found = DoctorMessage::EndedEarly { program, words };
                Finding::wrong(check, "ended", found, by_hand())
            }
            ProbeError::Refused(words) if words.is_empty() => {
                Finding::wrong(check, "no_tools", DoctorMessage::NoTools { program }, set_up())
            }
            ProbeError::Refused(words) => {
                Finding::wrong(check, "refused", DoctorMessage::RefusedCall { method, words }, set_up())
            }
        }
    }

    /// Asks in a project of its own, and waits so long.
    fn hold(&self, hold: Duration) -> Finding {
        let check = Check::Agent(self.agent.title());
        let set_up = || DoctorMessage::Run { command: format!("aide setup {}", self.agent.name()) };
        let Some(place) = TrialProject::make(self.agent) else {
            let words = env::temp_dir().display().to_string();
            return Finding::wrong(check, "not_held", DoctorMessage::NotHeld { words }, set_up());
        };
        let mut environment = self.environment.clone();
        quiet(&mut environment, &place.folder);
        let held = self.hold_in(&place, &environment, hold);
        place.cancel();
        match held {
            Ok(()) => Finding::fine(check, "held", DoctorMessage::Held { seconds: hold.as_secs() }),
            Err(ProbeError::Silent) => {
                let found = DoctorMessage::NoProgress { seconds: PROGRESS.as_secs() };
                Finding::wrong(check, "no_progress", found, set_up())
            }
            Err(ProbeError::Refused(words)) => {
                Finding::wrong(check, "not_held", DoctorMessage::NotHeld { words }, set_up())
            }
            Err(trouble) => self.trouble("tools/call", trouble),
        }
    }

    fn hold_in(
        &self,
        place: &TrialProject,
        environment: &[(OsString, OsString)],
        hold: Duration,
    ) -> Result<(), ProbeError> {
        let mut probe = self.start(environment, &place.project())?;
        probe.initialize(LIMIT)?;
        let options = json!([{ "value": "a", "label": "A" }, { "value": "b", "label": "B" }]);
        let mut call = json!({
            "name": SUBMIT,
            "arguments": {
                "project": place.project(),
                "task": "aide doctor",
                "source": "aide doctor",
                "items": [{ "id": 1, "title": "aide doctor", "options": options }],
                "wait": true,
            },
        });
        let end = Instant::now() + hold;
        let mut token = 0;
        loop {
            token += 1;
            call["_meta"] = json!({ "progressToken": token });
            let id = probe.send("tools/call", call.clone())?;
            let result = loop {
                // Progress comes every ten seconds; what is missing at the end of the trial is not waited for.
                let now = Instant::now();
                if now >= end {
                    return Ok(());
                }
                match probe.wait(id, (now + PROGRESS).min(end)) {
                    Ok(Event::Progress) => {}
                    Ok(Event::Answer(result)) => break result,
                    Err(ProbeError::Silent) if Instant::now() >= end => return Ok(()),
                    Err(trouble) => return Err(trouble),
                }
            };
            // The hold is shorter than the trial: an agent would ask again, for the same session.
            let content = result.get("structuredContent").cloned().unwrap_or_default();
            let text = |name: &str| content.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
            let session = text("session_id");
            if text("status") != "pending" || session.is_empty() {
                let first = result.pointer("/content/0/text").and_then(Value::as_str).unwrap_or_default();
                let words: String = first.chars().filter(|c| !c.is_control()).take(200).collect();
                return Err(ProbeError::Refused(words));
            }
            call = json!({
                "name": "decide_wait",
                "arguments": {
                    "project": place.project(), "session_id": session,
                    "timeout_seconds": hold.as_secs().max(30),
                },
            });
        }
    }
}

/// A folder with a project and everything that a command keeps elsewhere. It goes with this.
struct TrialProject {
    folder: PathBuf,
    decisions: Decisions,
}

impl TrialProject {
    fn make(agent: Agent) -> Option<Self> {
        let folder = env::temp_dir().join(format!("aide-doctor-{}-{}", std::process::id(), agent.name()));
        // What is there already belongs to another program.
        if folder.exists() {
            return None;
        }
        let project = folder.join("project");
        Dir::ensure(&project).ok()?;
        let made = || {
            store::init_below(&project, None, None).ok()?;
            Project::at(&project).ok()?.decisions().ok()
        };
        match made() {
            Some(decisions) => Some(Self { folder, decisions }),
            None => {
                remove(&folder);
                None
            }
        }
    }

    fn project(&self) -> PathBuf {
        self.folder.join("project")
    }

    /// Withdraws what was asked there, and so ends the server of its page.
    fn cancel(&self) {
        for set in self.decisions.open_sets().unwrap_or_default() {
            if let Err(error) = decide::cancel(&self.decisions, &set.session, Via::Terminal) {
                tracing::warn!(?error, "cannot withdraw the questions of a trial");
            }
        }
    }
}

impl Drop for TrialProject {
    fn drop(&mut self) {
        // The server of its page writes there until it has ended.
        let claim = self.decisions.claim_server_within(SERVER_END);
        if !matches!(claim, Ok(ServerClaimOutcome::Ours(_))) {
            tracing::warn!(folder = %self.folder.display(), "the server of a trial does not stop");
        }
        remove(&self.folder);
    }
}

fn remove(folder: &Path) {
    if let Err(error) = fs::remove_dir_all(folder) {
        tracing::warn!(folder = %folder.display(), %error, "cannot remove the folder of a trial");
    }
}

/// Keeps what is asked for a trial from the person: from notices, from the daemon, and from the pages of other projects.
fn quiet(environment: &mut Vec<(OsString, OsString)>, folder: &Path) {
    let set = [
        ("AIDE_NOTIFY", "none".into()),
        ("AIDE_DECIDE_PORT", "0".into()),
        ("XDG_STATE_HOME", folder.join("state").into_os_string()),
        ("XDG_CONFIG_HOME", folder.join("config").into_os_string()),
        ("FINGER_HOME", folder.join("daemon").into_os_string()),
    ];
    let unset =
        ["AIDE_PROJECT", "CLAUDE_PROJECT_DIR", "AIDE_DECIDE_URL", "AIDE_DECIDE_BIND", "AIDE_DECIDE_AUTH"];
    environment.retain(|(name, _)| {
        unset.iter().all(|unset| name != unset) && set.iter().all(|(set, _)| name != set)
    });
    environment.extend(set.map(|(name, value)| (name.into(), value)));
}

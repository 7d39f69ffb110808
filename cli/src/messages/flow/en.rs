//! English.

use super::{FlowHelp, FlowMessage, phase_line};
use flow::InProgress;
use model::flow::{StatusRule, short_hash};
use texts::Lang;

pub(super) fn tell(message: &FlowMessage) -> String {
    match message {
        FlowMessage::Started { phase } => format!("Task started: {phase}"),
        FlowMessage::Entered { phase } => format!("Entered phase: {phase}"),
        FlowMessage::WentBack { phase } => format!("Went back to phase: {phase}"),
        FlowMessage::ErrorRecorded { summary } => format!("Error recorded: {summary}"),
        FlowMessage::DiagramsDone { count: 1 } => "PlantUML: 1 file done".to_owned(),
        FlowMessage::DiagramsDone { count } => format!("PlantUML: {count} files done"),
        FlowMessage::NoPlantUml => {
            "There is no PlantUML (neither jar nor command); diagrams were not checked or drawn".to_owned()
        }
        FlowMessage::ChangelogReminder { path } => format!("Please update {path}"),
        FlowMessage::ChangelogMissed { path } => format!("Left docs without a change of {path}"),
        FlowMessage::NotCommitted { why } => format!("Recorded, but not committed: {}", tell(why)),
        FlowMessage::Interrupted { task, phase } => {
            format!("Task {task} was still in phase {phase}; it is archived, see aide flow show {task}")
        }

        FlowMessage::ConfirmBack => "Going back has to be confirmed. First:".to_owned(),
        FlowMessage::ConfirmBackFirst => "1. Read the guide for rework".to_owned(),
        FlowMessage::ConfirmBackThen => "2. Update the task's documents (why, and what is new)".to_owned(),
        FlowMessage::ConfirmBackCommand => "3. Then run:".to_owned(),
        FlowMessage::ConfirmCommand { key } => format!("   aide flow back-confirm --key {key}"),
        FlowMessage::RunConfirm { key } => format!("Run: aide flow back-confirm --key {key}"),
        FlowMessage::BackRequested => "A request to go back already waits for its confirmation".to_owned(),
        FlowMessage::BackTarget { phase } => format!("To phase: {phase}"),
        FlowMessage::BackReason { reason } => format!("Reason: {reason}"),
        FlowMessage::BackCancelled => "The request to go back is cancelled".to_owned(),
        FlowMessage::BeginAnew => "Better begin a new conversation (/exit)".to_owned(),
        FlowMessage::NoBackRequest => "No request to go back waits for confirmation".to_owned(),
        FlowMessage::WrongKey => "The key is not that of the request".to_owned(),
        FlowMessage::GiveKey => "--key <KEY> or --cancel is needed".to_owned(),

        FlowMessage::NoTask => "No active task".to_owned(),
        FlowMessage::PresentTask { task } => format!("Task: {task}"),
        FlowMessage::Phase { phase } => format!("Phase: {phase}"),
        FlowMessage::Step { step } => format!("Step: {step}"),
        FlowMessage::StartedAt { time } => format!("Started: {time}"),
        FlowMessage::Latest { summary } => format!("Latest: {summary}"),
        FlowMessage::LatestAt { time } => format!("At: {time}"),
        FlowMessage::Commit { hash } => format!("Git commit: {}", short_hash(hash)),
        FlowMessage::PhaseLine { phases, present } => format!("Progress: {}", phase_line(phases, present)),
        FlowMessage::TimeSpent { seconds, in_phase } => {
            let words = Lang::En.history();
            format!("Time spent: {} ({} in this phase)", words.duration(*seconds), words.duration(*in_phase))
        }
        FlowMessage::LastSteps => "Last steps:".to_owned(),
        FlowMessage::OpenDecisions { count } => {
            format!("Open decisions: {count}; aide decide open shows the page")
        }
        FlowMessage::NoTasks => "No tasks".to_owned(),
        FlowMessage::PresentTasks => "Present task:".to_owned(),
        FlowMessage::EarlierTasks => "Archived tasks:".to_owned(),
        FlowMessage::TaskLine { number, is_present, task, phase, summary } => {
            format!("{}[{number}] {task} ({phase}) {summary}", if *is_present { '*' } else { ' ' })
        }
        FlowMessage::UnreadableTask { number, task, why } => format!(" [{number}] {task}  {}", tell(why)),
        FlowMessage::SeeTask => "aide flow show <task_id> shows all of a task".to_owned(),
        FlowMessage::TaskId { task } => format!("Task: {task}"),
        FlowMessage::PresentPhase { phase } => format!("Phase: {phase}"),
        FlowMessage::PresentStep { step } => format!("Step: {step}"),
        FlowMessage::History => "History:".to_owned(),
        FlowMessage::Entry { number, time, action, phase, step, summary, hash } => {
            let hash = if hash.is_empty() { String::new() } else { format!(" [{}]", short_hash(hash)) };
            format!("[{number}] {time} {action} {phase} step={step}: {summary}{hash}")
        }

        FlowMessage::NoAideFolder => "There is no .aide folder; run aide init first".to_owned(),
        FlowMessage::NoStatus => {
            "There is no task; run aide flow start <phase> \"<summary>\" first".to_owned()
        }
        FlowMessage::Blank => "The text must not be blank".to_owned(),
        FlowMessage::TooLong { limit, found } => {
            format!("The text is too long: {found} characters, at most {limit}")
        }
        FlowMessage::UnknownPhase { phase } => format!("Unknown phase: {phase} (see flow.phases)"),
        FlowMessage::NotNext { from, to } => {
            format!("Not possible: {from} -> {to} (next-part goes to the next phase, none can be skipped)")
        }
        FlowMessage::NotBack { from, to } => {
            format!("Not possible: {from} -> {to} (back-part goes to an earlier phase)")
        }
        FlowMessage::NextPhaseIs { phase } => format!("the next phase is {phase}"),
        FlowMessage::PhasesAre { phases } => format!("the phases are: {phases}"),
        FlowMessage::AtLastPhase => "this is the last phase".to_owned(),
        FlowMessage::Busy { pid, purpose } => match pid {
            Some(pid) if purpose.is_empty() => format!("The state is in use (process {pid})"),
            Some(pid) => format!("The state is in use (process {pid} runs aide flow {purpose})"),
            None => "The state is in use".to_owned(),
        },
        FlowMessage::TryLater => "try again later".to_owned(),
        FlowMessage::NotJson { file, words } => format!("Cannot read the state of the task: {file}: {words}"),
        FlowMessage::BadStatus { file, path, rule } => {
            let rule = match rule {
                StatusRule::Object if path.is_empty() => "must be an object".to_owned(),
                StatusRule::Object => format!("{path} must be an object"),
                StatusRule::Text => format!("{path} must be a string that is not blank"),
                StatusRule::TaskName => format!("{path} cannot be part of a file name"),
                StatusRule::Integer => format!("{path} must be an integer"),
                StatusRule::List => format!("{path} must be a list"),
                StatusRule::Action => format!("{path} is no known action"),
                StatusRule::TextOrMissing => format!("{path} must be a string or missing"),
                StatusRule::Once => format!("{path} is there twice"),
            };
            format!("Cannot read the state of the task: {file}: {rule}")
        }
        FlowMessage::MendStatus => {
            "the file was not touched; mend it, or keep a copy, delete it and run aide flow start".to_owned()
        }
        FlowMessage::UnknownTask { task } => format!("No such task: {task}"),
        FlowMessage::SeeTasks => "aide flow list shows all tasks".to_owned(),
        FlowMessage::Undecided { phase } => format!("Phase {phase} needs decisions before it is left; open:"),
        FlowMessage::NothingAsked { phase } => {
            format!("Phase {phase} needs decisions before it is left, and none was made in it")
        }
        FlowMessage::OpenItem { id, title } => format!("{id}. {title}"),
        FlowMessage::OpenPage => {
            "aide decide open shows the page; try again when the user has decided".to_owned()
        }
        FlowMessage::AskFirst => {
            "ask with aide decide submit '<json>', and try again when the user has decided".to_owned()
        }

        FlowMessage::NoGit => "There is no git command; install git first".to_owned(),
        FlowMessage::InstallGit | FlowMessage::MakeRepository => {
            "set flow.git.enabled = false if nothing is to be committed".to_owned()
        }
        FlowMessage::NoRepository => {
            "This is not in a git repository; run git init first, or go where it is".to_owned()
        }
        FlowMessage::Bare => "This git repository has no work tree".to_owned(),
        FlowMessage::UseWorkTree => "run it in a work tree".to_owned(),
        FlowMessage::Detached => "HEAD is detached; no branch would have the commit".to_owned(),
        FlowMessage::SwitchBranch => {
            "make a branch with git switch -c <name>, or set flow.git.allow_detached = true".to_owned()
        }
        FlowMessage::GoingOn { what } => format!("A {} is in progress", command(*what)),
        FlowMessage::EndIt { what } => {
            let command = command(*what);
            format!(
                "finish it with {command} --continue or give it up with {command} --abort, then try again"
            )
        }
        FlowMessage::Unmerged { files } => format!("Files are in conflict: {files}"),
        FlowMessage::Resolve => "resolve it, run git add, then try again".to_owned(),
        FlowMessage::IndexLocked { path } => format!("The git index is in use: {}", path.display()),
        FlowMessage::UnlockIndex => {
            "wait for the other git command; if none is running, delete that file and try again".to_owned()
        }
        FlowMessage::NoIdentity => "git does not know who commits".to_owned(),
        FlowMessage::SetIdentity => {
            "run git config user.name \"<name>\" and git config user.email \"<address>\", then try again"
                .to_owned()
        }
        FlowMessage::GitFailed { command } => format!("{command} failed:"),
        FlowMessage::NothingRecorded => {
            "nothing was recorded: state, index and history are as before; solve it and try again".to_owned()
        }
        FlowMessage::RepositoryFile { path, error } => {
            format!("Cannot read or write {}: {error}", path.display())
        }

        FlowMessage::BadDiagrams => "PlantUML found mistakes:".to_owned(),
        FlowMessage::BadDiagram { file, words } => format!("{file}: {words}"),
        FlowMessage::CorrectDiagrams => "correct them and try again".to_owned(),
        FlowMessage::NoPicture { file, words } => format!("PlantUML made no PNG: {file} {words}"),
        FlowMessage::PlantUmlMissing => "There is no PlantUML (neither jar nor command)".to_owned(),
        FlowMessage::InstallPlantUml => {
            "install plantuml, set plantuml.jar_path, or set flow.plantuml.on_missing_tool = \"warn\""
                .to_owned()
        }
        FlowMessage::NoChangelog { path } => {
            format!("{path} has to be updated before docs is left (there is no such file)")
        }
        FlowMessage::ChangelogUnchanged { path } => {
            format!("{path} has to be updated before docs is left (it was not changed in this phase)")
        }
        FlowMessage::WriteChangelog { path } => {
            format!("update {path} and try again; set flow.changelog.required = false if it need not be")
        }
        FlowMessage::HookFailed { command, code } => match code {
            Some(code) => format!("A hook failed (exit code {code}): {command}"),
            None => format!("A hook was ended by a signal: {command}"),
        },
        FlowMessage::HookTimedOut { command, seconds } => {
            format!("A hook took longer than {seconds} s and was ended: {command}")
        }
        FlowMessage::HookNotStarted { command, error } => format!("Cannot start a hook: {command}: {error}"),
        FlowMessage::CorrectHook => {
            "nothing was recorded; solve it and try again, or change flow.hooks in the configuration"
                .to_owned()
        }
        FlowMessage::Words { words } => words.clone(),
    }
}

fn command(what: InProgress) -> &'static str {
    match what {
        InProgress::Merge => "git merge",
        InProgress::Rebase => "git rebase",
        InProgress::CherryPick => "git cherry-pick",
        InProgress::Revert => "git revert",
    }
}

pub(in super::super) const HELP: FlowHelp = FlowHelp {
    flow: "Record the phases and steps of a task, and commit them",
    flow_usage: "aide flow [OPTIONS] <COMMAND>",
    flow_after: "\
Examples:
  aide flow start task-optimize \"Begin: user authentication\"
  aide flow next-step \"requirements are clear\"
  aide flow next-part flow-design \"task is clear, design begins\"
  aide flow status

An action is done as a whole or not at all: checks, hooks, state, git add, git
commit. The commit's message is [aide] <phase>: <summary>. The phases are those of
flow.phases; by default task-optimize, flow-design, impl, verify, docs, finish.",
    start: "Begin a task",
    start_usage: "aide flow start [OPTIONS] <PHASE> <SUMMARY>",
    start_after: "The task before it goes to .aide/logs/; aide flow list and show find it there.",
    next_step: "A step is done",
    next_step_usage: "aide flow next-step [OPTIONS] <SUMMARY>",
    back_step: "A step is taken back",
    back_step_usage: "aide flow back-step [OPTIONS] <SUMMARY>",
    next_part: "Go on to the next phase",
    next_part_usage: "aide flow next-part [OPTIONS] <PHASE> <SUMMARY>",
    next_part_after: "\
No phase can be skipped. Before flow-design is left, PlantUML diagrams that were
changed are checked and drawn as PNG; before docs is left, CHANGELOG.md has to be
updated. See flow.plantuml.*, flow.changelog.* and [[flow.require]].",
    back_part: "Go back to an earlier phase",
    back_part_usage: "aide flow back-part [OPTIONS] <PHASE> <SUMMARY>",
    back_part_after: "\
With flow.back_confirm = true it only notes the wish; aide flow back-confirm then
goes back.",
    back_confirm: "Confirm or cancel the wish to go back",
    back_confirm_usage: "aide flow back-confirm [OPTIONS] (--key <KEY> | --cancel)",
    back_confirm_after: "For flow.back_confirm = true only.",
    key: "the key that back-part has printed",
    cancel: "cancel the wish",
    issue: "Record an issue",
    issue_usage: "aide flow issue [OPTIONS] <SUMMARY>",
    error: "Record an error",
    error_usage: "aide flow error [OPTIONS] <SUMMARY>",
    step_after: "The number of the step only ever grows. Success says nothing, but for error.",
    phase: "a phase, one of flow.phases",
    summary: "what was done, or why; at most 500 characters",
    json: "print one line of JSON: task_id, action, phase, step, summary, timestamp, git_commit",
    status: "Show the present task",
    status_usage: "aide flow status [OPTIONS]",
    status_after: "In a terminal it also shows all phases, the last steps and the time spent.",
    watch: "show it again whenever it changes, until interrupted; with --json one line each time",
    list: "List the present task and the archived ones",
    list_usage: "aide flow list [OPTIONS]",
    show: "Show everything that was recorded of a task",
    show_usage: "aide flow show [OPTIONS] [TASK]",
    task: "a task, such as 2025-01-15T10-30-00; by default the present one",
    see_json: "print one line of JSON",
    log: "Print a report of a task",
    log_usage: "aide flow log [OPTIONS] [TASK]",
    log_format: "md (the default)",
};

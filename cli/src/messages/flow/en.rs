//! English.

use super::{FlowMessage, phase_line};
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
            "PlantUML not found (neither jar nor command); diagrams were not checked or drawn".to_owned()
        }
        FlowMessage::ChangelogReminder { path } => format!("Please update {path}"),
        FlowMessage::ChangelogMissed { path } => format!("Left docs without updating {path}"),
        FlowMessage::NotCommitted { why } => format!("Recorded, but not committed: {}", tell(why)),
        FlowMessage::Interrupted { task, phase } => {
            format!("Task {task} was still in phase {phase}; it has been archived, see aide flow show {task}")
        }

        FlowMessage::ConfirmBack => "Going back needs confirmation. First:".to_owned(),
        FlowMessage::ConfirmBackFirst => "1. Read the rework guide".to_owned(),
        FlowMessage::ConfirmBackThen => {
            "2. Update the task's documents (the reason, and what is new)".to_owned()
        }
        FlowMessage::ConfirmBackCommand => "3. Then run:".to_owned(),
        FlowMessage::ConfirmCommand { key } => format!("   aide flow back-confirm --key {key}"),
        FlowMessage::RunConfirm { key } => format!("Run: aide flow back-confirm --key {key}"),
        FlowMessage::BackRequested => "A request to go back is already waiting for confirmation".to_owned(),
        FlowMessage::BackTarget { phase } => format!("Target phase: {phase}"),
        FlowMessage::BackReason { reason } => format!("Reason: {reason}"),
        FlowMessage::BackCancelled => "Going back was cancelled".to_owned(),
        FlowMessage::BeginAnew => "Consider starting a new conversation (/exit)".to_owned(),
        FlowMessage::NoBackRequest => "No request to go back is waiting for confirmation".to_owned(),
        FlowMessage::WrongKey => "Wrong confirmation key".to_owned(),
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
        FlowMessage::Problems { errors, issues } => format!("Errors: {errors}, issues: {issues}"),
        FlowMessage::LastSteps => "Latest steps:".to_owned(),
        FlowMessage::OpenDecisions { count } => {
            format!("Open questions: {count}; run aide decide open to see the page")
        }
        FlowMessage::NoTasks => "No tasks".to_owned(),
        FlowMessage::PresentTasks => "Current task:".to_owned(),
        FlowMessage::EarlierTasks => "Archived tasks:".to_owned(),
        FlowMessage::TaskLine { number, is_present, task, phase, summary } => {
            format!("{}[{number}] {task} ({phase}) {summary}", if *is_present { '*' } else { ' ' })
        }
        FlowMessage::UnreadableTask { number, task, why } => format!(" [{number}] {task}  {}", tell(why)),
        FlowMessage::SeeTask => "Run aide flow show <task_id> for the details of a task".to_owned(),
        FlowMessage::TaskId { task } => format!("Task: {task}"),
        FlowMessage::PresentPhase { phase } => format!("Phase: {phase}"),
        FlowMessage::PresentStep { step } => format!("Step: {step}"),
        FlowMessage::History => "History:".to_owned(),
        FlowMessage::Entry { number, time, action, phase, step, summary, hash } => {
            let hash = if hash.is_empty() { String::new() } else { format!(" [{}]", short_hash(hash)) };
            format!("[{number}] {time} {action} {phase} step={step}: {summary}{hash}")
        }

        FlowMessage::NoAideFolder => "No .aide folder found; run aide init first".to_owned(),
        FlowMessage::NoStatus => "No task found; run aide flow start <phase> \"<summary>\" first".to_owned(),
        FlowMessage::Blank => "The text must not be blank".to_owned(),
        FlowMessage::TooLong { limit, found } => {
            format!("The text is too long: {found} characters, at most {limit}")
        }
        FlowMessage::UnknownPhase { phase } => format!("Unknown phase: {phase} (see flow.phases)"),
        FlowMessage::NotNext { from, to } => {
            format!(
                "Invalid transition: {from} -> {to} (next-part only goes to the next phase; none can be skipped)"
            )
        }
        FlowMessage::NotBack { from, to } => {
            format!("Invalid transition: {from} -> {to} (back-part only goes to an earlier phase)")
        }
        FlowMessage::NextPhaseIs { phase } => format!("the next phase is {phase}"),
        FlowMessage::PhasesAre { phases } => format!("the phases are: {phases}"),
        FlowMessage::AtLastPhase => "this is the last phase".to_owned(),
        FlowMessage::Busy { pid, purpose } => match pid {
            Some(pid) if purpose.is_empty() => format!("The state is in use (process {pid})"),
            Some(pid) => format!("The state is in use (process {pid} is running aide flow {purpose})"),
            None => "The state is in use".to_owned(),
        },
        FlowMessage::TryLater => "try again later".to_owned(),
        FlowMessage::NotJson { file, words } => format!("Cannot read the state file: {file}: {words}"),
        FlowMessage::BadStatus { file, path, rule } => {
            let rule = match rule {
                StatusRule::Object if path.is_empty() => "the top level must be an object".to_owned(),
                StatusRule::Object => format!("{path} must be an object"),
                StatusRule::Text => format!("{path} must be a non-blank string"),
                StatusRule::TaskName => format!("{path} cannot be used in a file name"),
                StatusRule::Integer => format!("{path} must be an integer"),
                StatusRule::List => format!("{path} must be a list"),
                StatusRule::Action => format!("{path} is not a known action"),
                StatusRule::TextOrMissing => format!("{path} must be a string or absent"),
                StatusRule::Once => format!("{path} appears twice"),
            };
            format!("Cannot read the state file: {file}: {rule}")
        }
        FlowMessage::MendStatus => {
            "the file was not changed; correct it, or back it up, delete it and run aide flow start"
                .to_owned()
        }
        FlowMessage::UnknownTask { task } => format!("No such task: {task}"),
        FlowMessage::SeeTasks => "run aide flow list to see all tasks".to_owned(),
        FlowMessage::Undecided { phase } => {
            format!("Decisions are needed before leaving {phase}; still open:")
        }
        FlowMessage::NothingAsked { phase } => {
            format!("Decisions are needed before leaving {phase}, and none has been made in this phase")
        }
        FlowMessage::OpenItem { id, title } => format!("{id}. {title}"),
        FlowMessage::OpenPage => {
            "run aide decide open to see the page, and try again once the user has decided".to_owned()
        }
        FlowMessage::AskFirst => {
            "ask with aide decide submit '<json>', and try again once the user has decided".to_owned()
        }

        FlowMessage::NoGit => "git not found; install git first".to_owned(),
        FlowMessage::InstallGit | FlowMessage::MakeRepository => {
            "set flow.git.enabled = false if you want no commits".to_owned()
        }
        FlowMessage::NoRepository => {
            "Not in a git repository; run git init first, or change to the right folder".to_owned()
        }
        FlowMessage::Bare => "This git repository has no work tree".to_owned(),
        FlowMessage::UseWorkTree => "run it in a work tree".to_owned(),
        FlowMessage::Detached => "HEAD is detached; the commit would belong to no branch".to_owned(),
        FlowMessage::SwitchBranch => {
            "create a branch with git switch -c <name>, or set flow.git.allow_detached = true".to_owned()
        }
        FlowMessage::GoingOn { what } => format!("A {} is in progress", command(*what)),
        FlowMessage::EndIt { what } => {
            let command = command(*what);
            format!(
                "finish it with {command} --continue or abandon it with {command} --abort, then try again"
            )
        }
        FlowMessage::Unmerged { files } => format!("Files with unresolved conflicts: {files}"),
        FlowMessage::Resolve => "resolve the conflicts, run git add, then try again".to_owned(),
        FlowMessage::IndexLocked { path } => format!("The git index is in use: {}", path.display()),
        FlowMessage::UnlockIndex => {
            "wait for the other git command; if none is running, delete that file and try again".to_owned()
        }
        FlowMessage::NoIdentity => "git does not know who you are".to_owned(),
        FlowMessage::SetIdentity => {
            "run git config user.name \"<name>\" and git config user.email \"<address>\", then try again"
                .to_owned()
        }
        FlowMessage::GitFailed { command } => format!("{command} failed:"),
        FlowMessage::NothingRecorded => {
            "nothing was recorded: state, index and history are unchanged; fix the problem and try again"
                .to_owned()
        }
        FlowMessage::RepositoryFile { path, error } => {
            format!("Cannot read or write {}: {error}", path.display())
        }

        FlowMessage::BadDiagrams => "PlantUML found errors:".to_owned(),
        FlowMessage::BadDiagram { file, words } => format!("{file}: {words}"),
        FlowMessage::CorrectDiagrams => "correct them and try again".to_owned(),
        FlowMessage::NoPicture { file, words } => format!("PlantUML produced no PNG: {file} {words}"),
        FlowMessage::PlantUmlMissing => "PlantUML not found (neither jar nor command)".to_owned(),
        FlowMessage::InstallPlantUml => {
            "install plantuml, set plantuml.jar_path, or set flow.plantuml.on_missing_tool = \"warn\""
                .to_owned()
        }
        FlowMessage::NoChangelog { path } => {
            format!("{path} must be updated before leaving docs (there is no such file)")
        }
        FlowMessage::ChangelogUnchanged { path } => {
            format!("{path} must be updated before leaving docs (it was not changed in this phase)")
        }
        FlowMessage::WriteChangelog { path } => {
            format!("update {path} and try again, or set flow.changelog.required = false")
        }
        FlowMessage::HookFailed { command, code } => match code {
            Some(code) => format!("A hook failed (exit code {code}): {command}"),
            None => format!("A hook was killed by a signal: {command}"),
        },
        FlowMessage::HookTimedOut { command, seconds } => {
            format!("A hook ran for more than {seconds} s and was killed: {command}")
        }
        FlowMessage::HookNotStarted { command, error } => format!("Cannot start a hook: {command}: {error}"),
        FlowMessage::CorrectHook => {
            "nothing was recorded; fix the problem and try again, or change flow.hooks in the configuration"
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

//! English.

use super::{FlowMessage, files, folders, phase_line, shell_words};
use model::flow::short_hash;
use texts::Lang;

pub(super) fn render(message: &FlowMessage) -> String {
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
        FlowMessage::NotCommitted { why } => format!("Recorded, but not committed: {}", why.en().what),
        FlowMessage::Interrupted { task, phase } => {
            format!("Task {task} was still in phase {phase}; it has been archived, see aide flow show {task}")
        }
        FlowMessage::RepositoriesLeftOut { paths } => {
            format!("Not committed, because they are git repositories of their own: {}", folders(paths, ", "))
        }
        FlowMessage::SubmoduleOrIgnore { path } => format!(
            "as a submodule: git submodule add <url> {path}; not under version control: add {path}/ to .gitignore; as ordinary files: remove its .git"
        ),

        FlowMessage::Committed { files, hash } => {
            format!("Committed {} as {}", counted(*files), short_hash(hash))
        }
        FlowMessage::Recovered { files, hash } => format!(
            "A command that was interrupted had committed {} as {}",
            counted(*files),
            short_hash(hash)
        ),
        FlowMessage::OthersCommitted { paths, count } => format!(
            "{} changed before the task began {} part of this commit: {}",
            counted(*count),
            if *count == 1 { "is" } else { "are" },
            files(paths, ", ")
        ),
        FlowMessage::HowToBeAsked => {
            "to undo it, keeping the files: git reset HEAD^ (of a first commit: git update-ref -d HEAD); the next action commits them again unless they are stashed (git stash -u); to start no task over such changes: aide config set flow.commit ask".to_owned()
        }
        FlowMessage::SecretsCommitted { paths } => {
            let looks = if paths.len() == 1 { "it looks like a secret" } else { "they look like secrets" };
            format!("Committed, although {looks}: {}", files(paths, ", "))
        }
        FlowMessage::TakeOut { paths } => {
            let (it, them) = if paths.len() == 1 { ("it is one", "it") } else { ("they are", "them") };
            let paths = shell_words(paths);
            format!("if {it}, before pushing: git rm --cached {paths}, add {them} to .gitignore, git commit --amend")
        }
        FlowMessage::SecretsLeftOut { paths } => {
            let looks = if paths.len() == 1 { "it looks like a secret" } else { "they look like secrets" };
            format!("Not committed, because {looks}: {}", files(paths, ", "))
        }
        FlowMessage::AddOrIgnore { paths } => match &paths[..] {
            [path] => {
                format!("if it is one: add {path} to .gitignore; if not: git add {}", shell_words(paths))
            }
            paths => format!("secrets: add to .gitignore; others: git add {}", shell_words(paths)),
        },
        FlowMessage::CommitOthers { paths, count } => {
            let (were, them) = if *count == 1 { ("was", "it") } else { ("were", "them") };
            format!(
                "{} {were} changed before this task: {}. Include {them} in its first commit? [y/N]",
                counted(*count),
                files(paths, ", ")
            )
        }
        FlowMessage::CommitSecrets { paths } => {
            format!("This looks like a secret: {}. Commit it all the same? [y/N]", files(paths, ", "))
        }
        FlowMessage::NothingBegun => "No task was started, and nothing was committed".to_owned(),
        FlowMessage::HowNotToCommit => {
            "commit or stash the changes first; or have only what you stage committed: aide config set flow.git.add_strategy staged"
                .to_owned()
        }
        FlowMessage::CannotAsk { paths, count } => format!(
            "Cannot ask whether to commit {} changed before this task (flow.commit is \"ask\", and there is no terminal): {}",
            counted(*count),
            files(paths, ", ")
        ),
        FlowMessage::SayYes => {
            "add --yes if the user agrees; or commit or stash the changes first".to_owned()
        }

        FlowMessage::BackAtNothing => "Back before the first step: there is no earlier one".to_owned(),
        FlowMessage::BackAt { step, summary } => format!("Back at step {step}: {summary}"),
        FlowMessage::Restored { step, hash, path } => {
            format!("The files of step {step} ({}): {path}", short_hash(hash))
        }
        FlowMessage::RemoveRestored { path } => {
            format!("To remove them: git worktree remove {path}")
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
        FlowMessage::UnreadableTask { number, task, why } => format!(" [{number}] {task}  {}", why.en().what),
        FlowMessage::SeeTask => "Run aide flow show <task_id> for the details of a task".to_owned(),
        FlowMessage::TaskId { task } => format!("Task: {task}"),
        FlowMessage::PresentPhase { phase } => format!("Phase: {phase}"),
        FlowMessage::PresentStep { step } => format!("Step: {step}"),
        FlowMessage::History => "History:".to_owned(),
        FlowMessage::Entry { number, time, action, phase, step, summary, hash } => {
            let hash = if hash.is_empty() { String::new() } else { format!(" [{}]", short_hash(hash)) };
            format!("[{number}] {time} {action} {phase} step={step}: {summary}{hash}")
        }

        FlowMessage::UnknownTask { task } => format!("No such task: {task}"),
        FlowMessage::SeeTasks => "run aide flow list to see all tasks".to_owned(),
    }
}

fn counted(files: usize) -> String {
    match files {
        1 => "1 file".to_owned(),
        files => format!("{files} files"),
    }
}

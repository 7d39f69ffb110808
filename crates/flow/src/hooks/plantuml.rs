//! Diagrams are checked, and pictures made of them, before the design is left.

use super::{HookContext, program};
use crate::error::{FlowError, GitError, HookError};
use crate::notice::Notice;
use settings::OnMissing;
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::process::Command;

/// How long PlantUML may take for all diagrams, in seconds. It is a Java program.
const LIMIT: u64 = 300;

/// Checks the diagrams that the phase has changed; those with mistakes forbid to leave it.
pub(super) fn run(context: &HookContext<'_>, notices: &mut Vec<Notice>) -> Result<(), FlowError> {
    let config = &context.config.plantuml;
    if !config.enabled {
        return Ok(());
    }
    let files: Vec<String> = changed(context)?.into_iter().collect();
    if files.is_empty() {
        return Ok(());
    }
    let plantuml = PlantUml::new(context);
    // All at once: every call starts a Java.
    match plantuml.call("-checkonly", &files) {
        Err(HookError::NotStarted { source, .. })
            if matches!(source.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) =>
        {
            return match config.on_missing_tool {
                OnMissing::Error => Err(HookError::NoPlantUml.into()),
                OnMissing::Warn => {
                    notices.push(Notice::NoPlantUml);
                    Ok(())
                }
            };
        }
        Ok(ended) if ended.status.success() => {}
        Ok(_) => return Err(plantuml.mistakes(&files)?.into()),
        Err(error) => return Err(error.into()),
    }
    if config.generate_png {
        let ended = plantuml.call("-tpng", &files)?;
        if !ended.status.success() {
            let file = files.join(", ");
            return Err(HookError::Picture { file, words: ended.words }.into());
        }
    }
    notices.push(Notice::DiagramsDone { count: files.len() });
    Ok(())
}

/// The diagrams that were changed in the present phase; all where that cannot be told.
fn changed(context: &HookContext<'_>) -> Result<BTreeSet<String>, GitError> {
    let globs = &context.config.plantuml.glob;
    let files = match context.repository {
        Some(repository) => {
            let specs: Vec<String> = globs.iter().map(|glob| format!(":(glob){glob}")).collect();
            if specs.is_empty() {
                return Ok(BTreeSet::new());
            }
            let list = |arguments: &[&str]| {
                let all: Vec<&str> =
                    arguments.iter().copied().chain(specs.iter().map(String::as_str)).collect();
                repository.list(&all)
            };
            let mut files = match context.before_phase(repository)? {
                Some(before) => list(&["diff", "-z", "--name-only", "--relative", &before, "--"])?,
                None => list(&["ls-files", "-z", "--"])?,
            };
            files.extend(list(&["ls-files", "-z", "-o", "--exclude-standard", "--"])?);
            files
        }
        None => globs.iter().flat_map(|glob| found(context, glob)).collect(),
    };
    // A diagram may have been removed.
    Ok(files.into_iter().filter(|file| context.root().join(file).is_file()).collect())
}

/// The files that match `pattern`, without git.
fn found(context: &HookContext<'_>, pattern: &str) -> Vec<String> {
    let Some(root) = context.root().to_str() else { return Vec::new() };
    let pattern = format!("{}/{pattern}", glob::Pattern::escape(root));
    let options = glob::MatchOptions { require_literal_separator: true, ..glob::MatchOptions::new() };
    let Ok(paths) = glob::glob_with(&pattern, options) else { return Vec::new() };
    let relative =
        paths.flatten().filter_map(|path| path.strip_prefix(root).ok()?.to_str().map(str::to_owned));
    relative.collect()
}

/// The program, and how it is started.
struct PlantUml<'s> {
    context: &'s HookContext<'s>,
    jar: Option<String>,
}

impl<'s> PlantUml<'s> {
    fn new(context: &'s HookContext<'s>) -> Self {
        let jar = &context.config.plantuml.jar_path;
        Self { context, jar: (!jar.is_empty() && context.root().join(jar).is_file()).then(|| jar.clone()) }
    }

    fn call(&self, what: &str, files: &[String]) -> Result<program::ProgramExit, HookError> {
        let mut command = match &self.jar {
            Some(jar) => {
                let mut java = Command::new(&self.context.config.plantuml.java_path);
                java.arg("-jar").arg(self.context.root().join(jar));
                java
            }
            None => Command::new("plantuml"),
        };
        // Not an option, whatever its name begins with.
        let files = files.iter().map(|file| format!("./{file}"));
        command.arg(what).args(files).current_dir(self.context.root());
        program::run(self.context, command, "plantuml", LIMIT)
    }

    /// Which of `files` have mistakes, and what is said of each.
    fn mistakes(&self, files: &[String]) -> Result<HookError, HookError> {
        let mut problems = Vec::new();
        for file in files {
            let ended = self.call("-checkonly", std::slice::from_ref(file))?;
            if !ended.status.success() {
                problems.push((file.clone(), ended.words));
            }
        }
        Ok(HookError::Diagrams { problems })
    }
}

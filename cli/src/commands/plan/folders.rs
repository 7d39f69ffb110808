//! In which folders the plans are, and which of them is meant.

use super::authored::file_for_folder;
use super::help;
use crate::command_line::layout::{Layout, text};
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{AgainMessage, Message, PlanMessage};
use agent::AGENTS;
use agent::plan::{Folders, PlanError, RUNTIME, agents_in, misplaced_in};
use clap::{Arg, ArgMatches};
use files::FileError;
use protocol::agent::Id;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// The plan that a command is about.
pub(super) const PLAN: &str = "PLAN";

/// The flags that name the folders.
pub(super) fn flags(layout: Layout) -> [Arg; 2] {
    let words = layout.pick(&help::ZH, &help::EN);
    [layout.value("agents", "DIR", words.agents), layout.value("runtime", "DIR", words.runtime)]
}

/// The argument that names a plan.
pub(super) fn plan(layout: Layout) -> Arg {
    layout.positional(PLAN, layout.pick(&help::ZH, &help::EN).plan)
}

/// The folders of the agents and of the system.
pub(super) struct Paths {
    pub(super) agents: PathBuf,
    pub(super) runtime: PathBuf,
}

impl Paths {
    /// Those that are named, else the project's.
    pub(super) fn from_args(context: &Context, matches: &ArgMatches) -> Result<Self, Failure> {
        let path = |flag: &str, name: &str| match text(matches, flag) {
            Some(path) => Ok(PathBuf::from(path)),
            None => Ok::<_, Failure>(context.project()?.root().join(".aide").join(name)),
        };
        Ok(Self { agents: path("agents", AGENTS)?, runtime: path("runtime", RUNTIME)? })
    }

    /// The same for the plan in the folder `plan`, which another project inside of this one may have: then that is named.
    pub(super) fn of_plan(
        context: &Context,
        matches: &ArgMatches,
        plan: &Path,
        command: &'static str,
    ) -> Result<Self, Failure> {
        let is_named = ["agents", "runtime"].iter().any(|flag| text(matches, flag).is_some());
        if !is_named
            && let Ok(project) = context.project()
            && let Ok(folder) = plan.canonicalize()
            && let Some(root) = folder.ancestors().find(|folder| folder.join(".aide").is_dir())
            && root != project.root()
            && root.starts_with(project.root())
        {
            let what = AgainMessage::OfOtherProject { path: plan.to_owned(), root: root.to_owned() };
            let hint = AgainMessage::GoThere { root: root.to_owned(), command };
            return Err(Failure::new(Message::again(what), Message::again(hint)));
        }
        Self::from_args(context, matches)
    }

    /// The project's.
    pub(super) fn of_project(context: &Context) -> Result<Self, Failure> {
        let aide = context.project()?.root().join(".aide");
        Ok(Self { agents: aide.join(AGENTS), runtime: aide.join(RUNTIME) })
    }

    /// Opens them, to write.
    pub(super) fn open(&self) -> Result<Folders, Failure> {
        Folders::open(&self.agents, &self.runtime).map_err(missing)
    }

    /// Opens them, to look; `None` when there was never a plan.
    pub(super) fn look(&self) -> Result<Option<Folders>, Failure> {
        Folders::look(&self.agents, &self.runtime).map_err(missing)
    }

    /// The agents that there are, and the files that have the names of agents.
    pub(super) fn agents_and_files(&self) -> Result<(BTreeSet<Id>, BTreeSet<Id>), Failure> {
        let agents = agents_in(&self.agents).map_err(missing)?;
        Ok((agents, misplaced_in(&self.agents).map_err(missing)?))
    }
}

fn missing(error: PlanError) -> Failure {
    match error {
        PlanError::Missing { path } => {
            let hint = Message::plan(PlanMessage::MakeAgents);
            Failure::new(Message::plan(PlanMessage::NoAgents { path }), hint)
        }
        PlanError::File(FileError::NotAFolder { path }) => file_for_folder(&path),
        error => error.into(),
    }
}

/// The plan of this name, which must be known.
pub(super) fn known(folders: Option<&Folders>, given: &OsStr) -> Result<Id, Failure> {
    let plans = match folders {
        Some(folders) => folders.plans().map_err(PlanError::from)?,
        None => BTreeSet::new(),
    };
    let name = given.to_string_lossy().into_owned();
    let plan = name.parse().ok().filter(|plan| plans.contains(plan));
    plan.ok_or_else(|| {
        let names: Vec<String> = plans.iter().map(ToString::to_string).collect();
        let hint =
            if names.is_empty() { PlanMessage::ActivateOne } else { PlanMessage::KnownPlans { names } };
        Failure::new(Message::plan(PlanMessage::UnknownPlan { name }), Message::plan(hint))
    })
}

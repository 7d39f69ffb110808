//! What of aide there is on this computer for this user.

use super::leftovers::Leftovers;
use super::program::Program;
use crate::context::Context;
use crate::daemon::Place;
use crate::everywhere::Everywhere;
use crate::failure::Failure;
use crate::messages::Message;
use crate::{known, places, user_files};
use client::Registered;
use setup::{Agent, Change, Places, Plan, Records, Request, Scope, take_out, those_set_up};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What there is.
pub(super) struct Found {
    pub(super) program: Program,
    /// How the entries of agents go.
    pub(super) entries: Plan,
    pub(super) records: Records,
    pub(super) place: Place,
    pub(super) daemon: Option<Registered>,
    /// The person's own configuration and state.
    pub(super) folders: Vec<Leftovers>,
    pub(super) projects: Vec<KnownProject>,
}

/// A project in which something was asked.
pub(super) struct KnownProject {
    pub(super) root: PathBuf,
    /// How many sets of questions are open there.
    pub(super) open: usize,
    /// The agents that are set up there.
    pub(super) agents: Vec<&'static str>,
}

impl Found {
    pub(super) fn look(context: &Context) -> Result<Self, Failure> {
        let places = places::of(context)?;
        let state =
            user_files::state().ok_or_else(|| Failure::new(Message::NoStateFolder, Message::SetHome))?;
        let records = Records::below(&state);
        let agents = Agent::ALL.to_vec();
        let request = Request { scope: Scope::User, agents, command: "aide".to_owned(), with_hooks: false };
        let entries = take_out(&places, &request, &records)?;
        let place = Place::of_user()?;
        let state = state.join("aide");
        let mut folders = Vec::new();
        folders.extend(
            user_files::config().and_then(|file| Some(Leftovers::configuration(file.parent()?.into()))),
        );
        if !place.path().starts_with(&state) {
            folders.push(Leftovers::daemon(place.path().to_owned()));
        }
        folders.push(Leftovers::state(state));
        Ok(Self {
            program: Program::running()?,
            entries,
            records,
            daemon: place.running()?,
            place,
            folders,
            projects: projects(context, &places),
        })
    }

    /// The files that lose an entry, each with the agents that it is for.
    pub(super) fn entries_by_file(&self) -> Vec<(&Path, Vec<&'static str>)> {
        let changed = self.entries.files.iter().filter(|file| file.change != Change::Unchanged);
        changed
            .map(|file| (file.path.as_path(), file.agents.iter().map(|agent| agent.title()).collect()))
            .collect()
    }
}

/// The projects that are known, by their folders.
fn projects(context: &Context, places: &Places) -> Vec<KnownProject> {
    let everywhere = Everywhere::look(context);
    let open: BTreeMap<&Path, usize> =
        everywhere.projects.iter().map(|open| (open.project.root(), open.entries.len())).collect();
    let mut roots: Vec<PathBuf> =
        known::all().into_iter().filter(|root| root.join(".aide").is_dir()).collect();
    roots.extend(open.keys().map(|root| (*root).to_owned()));
    roots.extend(context.project.as_ref().ok().map(|project| project.root().to_owned()));
    roots.retain(|root| root.join(".aide").is_dir());
    roots.sort();
    roots.dedup();
    let known = |root: PathBuf| {
        let there = Places { project: root.clone(), ..places.clone() };
        let agents = those_set_up(&there, Scope::Project, &Agent::ALL);
        KnownProject {
            open: open.get(&*root).copied().unwrap_or_default(),
            agents: agents.iter().map(|agent| agent.title()).collect(),
            root,
        }
    };
    roots.into_iter().map(known).collect()
}

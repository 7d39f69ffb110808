//! What of aide there is on this computer for this user.

use super::leftovers::Leftovers;
use super::program::Program;
use crate::context::Context;
use crate::everywhere::{OpenOverview, OpenProject};
use crate::failure::Failure;
use crate::messages::{ConfigMessage, Message};
use crate::user_daemon::Place;
use crate::{places, user_files};
use client::DaemonRegistration;
use model::SessionId;
use setup::{Agent, Change, Places, Plan, Records, Request, Scope, take_out, those_set_up};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// What there is.
pub(super) struct Inventory {
    pub(super) program: Program,
    /// How the entries of agents go.
    pub(super) entries: Plan,
    pub(super) records: Records,
    pub(super) place: Place,
    pub(super) daemon: Option<DaemonRegistration>,
    /// The person's own configuration and state.
    pub(super) folders: Vec<Leftovers>,
    pub(super) projects: Vec<KnownProject>,
    /// How many questions the workflows of the daemon ask.
    pub(super) asked: usize,
    /// Completions and pages of the manual that the user has written where the help of `completions` and `man` proposes.
    pub(super) written: Vec<PathBuf>,
}

/// A project that aide keeps something in.
pub(super) struct KnownProject {
    pub(super) root: PathBuf,
    /// The sets of questions that are open there.
    pub(super) open: Vec<SessionId>,
    /// The page that shows them and does not end with aide, where one is known: a server that was started beside the daemon is
    /// not.
    pub(super) page: Option<String>,
    /// The agents that are set up there.
    pub(super) agents: Vec<&'static str>,
}

impl Inventory {
    pub(super) fn look(context: &Context) -> Result<Self, Failure> {
        let places = places::resolve(context)?;
        let state = user_files::state().ok_or_else(|| {
            Failure::new(
                Message::config(ConfigMessage::NoStateFolder),
                Message::config(ConfigMessage::SetHome),
            )
        })?;
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
        let everywhere = OpenOverview::look(context);
        Ok(Self {
            program: Program::running()?,
            entries,
            records,
            daemon: place.running()?,
            place,
            folders,
            projects: projects(&everywhere, &places),
            asked: everywhere.daemon.as_ref().map_or(0, |(_, asked)| asked.len()),
            written: written(&places.home),
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

/// Where the help of `completions` and `man` proposes to write, as far as there is something.
const PROPOSED: [(&str, &str); 3] = [
    (".local/share/bash-completion/completions/aide", ""),
    (".config/fish/completions/aide.fish", ""),
    (".local/share/man/man1/aide.1", ".local/share/man/man1/aide*.1"),
];

/// What lies there; many files by a pattern.
fn written(home: &Path) -> Vec<PathBuf> {
    let there = PROPOSED.iter().filter(|(file, _)| home.join(file).exists());
    there.map(|(file, all)| home.join(if all.is_empty() { file } else { all })).collect()
}

/// The projects that are known, by their folders.
fn projects(everywhere: &OpenOverview, places: &Places) -> Vec<KnownProject> {
    let open: BTreeMap<&Path, &OpenProject> =
        everywhere.projects.iter().map(|open| (open.project.root(), open)).collect();
    let roots = everywhere.roots.iter().filter(|root| root.join(".aide").is_dir()).cloned();
    let known = |root: PathBuf| {
        let there = Places { project: root.clone(), ..places.clone() };
        let agents = those_set_up(&there, Scope::Project, &Agent::ALL);
        let open = open.get(&*root);
        // The daemon is stopped.
        let server =
            open.and_then(|open| open.server.as_ref()).filter(|server| server.scope != store::Scope::User);
        KnownProject {
            open: open
                .into_iter()
                .flat_map(|open| &open.entries)
                .map(|entry| entry.session.clone())
                .collect(),
            page: server.map(|server| server.url.clone()),
            agents: agents.iter().map(|agent| agent.title()).collect(),
            root,
        }
    };
    roots.map(known).collect()
}

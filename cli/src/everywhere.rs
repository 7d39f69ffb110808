//! Everything that is open on this machine for this user, with or without a daemon.

use crate::context::Context;
use crate::{known, user_daemon};
use client::{Client, DaemonRegistration};
use decide::Entry;
use protocol::workflow::api::DecisionView;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};
use store::{Decisions, Project, ServerInfo};

/// How long the disk of a project may take: the others are shown without it.
const PROJECT_LIMIT: Duration = Duration::from_secs(3);
/// How many projects are looked at together.
const AT_ONCE: usize = 64;
/// How long a daemon may take.
const DAEMON_LIMIT: Duration = Duration::from_secs(5);

/// What is open.
pub(crate) struct OpenOverview {
    /// The projects in which something is, by their folders.
    pub(crate) projects: Vec<OpenProject>,
    /// The folders of all projects that are known, be something open there or not.
    pub(crate) roots: Vec<PathBuf>,
    /// The folders whose disks do not answer.
    pub(crate) silent: Vec<PathBuf>,
    /// The daemon, if one runs, and what its workflows ask.
    pub(crate) daemon: Option<(DaemonRegistration, Vec<DecisionView>)>,
}

/// What is open in one project.
pub(crate) struct OpenProject {
    pub(crate) project: Project,
    pub(crate) decisions: Decisions,
    /// The server that shows it, if one does.
    pub(crate) server: Option<ServerInfo>,
    pub(crate) entries: Vec<Entry>,
}

enum ProjectContent {
    Gone,
    Nothing,
    Open(Box<OpenProject>),
}

impl OpenOverview {
    /// Looks through all projects that are known, and the one that this command is in. Those that are gone are forgotten.
    pub(crate) fn look(context: &Context) -> Self {
        let running = user_daemon::running();
        let asked = running.as_ref().and_then(ask);
        let mut roots = known::all();
        roots.extend(context.project.as_ref().ok().map(|project| project.root().to_owned()));
        roots.extend(asked.iter().flat_map(|(_, roots)| roots.clone()));
        roots.sort();
        roots.dedup();
        let (mut projects, mut silent, mut gone) = (Vec::new(), Vec::new(), Vec::new());
        // Many at once: several that do not answer take no longer than one.
        for roots in roots.chunks(AT_ONCE) {
            let looks: Vec<_> = roots.iter().map(|root| (begin(root), root)).collect();
            let deadline = Instant::now() + PROJECT_LIMIT;
            for (content, root) in looks {
                match content.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                    Ok(ProjectContent::Open(open)) => projects.push(*open),
                    Ok(ProjectContent::Nothing) => {}
                    Ok(ProjectContent::Gone) => gone.push(root.clone()),
                    Err(_) => silent.push(root.clone()),
                }
            }
        }
        known::forget(&gone);
        roots.retain(|root| !gone.contains(root));
        let daemon = running.map(|running| (running, asked.map(|(asked, _)| asked).unwrap_or_default()));
        Self { projects, roots, silent, daemon }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.projects.is_empty() && self.daemon.as_ref().is_none_or(|(_, asked)| asked.is_empty())
    }
}

fn begin(root: &Path) -> std::sync::mpsc::Receiver<ProjectContent> {
    let (sender, content) = channel();
    let root = root.to_owned();
    // Without a thread to be had, it does not answer.
    let _ = thread::Builder::new().spawn(move || sender.send(look_in(&root)));
    content
}

fn look_in(root: &Path) -> ProjectContent {
    let Some(project) = Project::at(root).ok().filter(|_| root.join(".aide").is_dir()) else {
        // A disk that is not there now may come back; a folder that was removed does not.
        let is_gone = root.parent().is_some_and(Path::is_dir);
        return if is_gone { ProjectContent::Gone } else { ProjectContent::Nothing };
    };
    let Ok(decisions) = project.decisions() else { return ProjectContent::Nothing };
    // The commands of that project report what cannot be read.
    let entries = decide::list_open(&decisions).unwrap_or_default();
    if entries.is_empty() {
        return ProjectContent::Nothing;
    }
    let server = decisions.live_server().ok().flatten();
    ProjectContent::Open(Box::new(OpenProject { project, decisions, server, entries }))
}

/// What the workflows of a daemon ask, and the folders of its projects.
fn ask(running: &DaemonRegistration) -> Option<(Vec<DecisionView>, Vec<PathBuf>)> {
    let client = Client::new(running.address().ok()?, Some(DAEMON_LIMIT)).ok()?;
    let runtime = crate::host::thread_runtime().ok()?;
    runtime.block_on(async {
        let asked = client.decisions(None, Some("pending")).await.ok()?.decisions;
        let sessions = client.sessions().await.unwrap_or_default();
        let roots = sessions.into_iter().map(|session| PathBuf::from(session.project_path));
        Some((asked, roots.filter(|root| root.is_absolute()).collect()))
    })
}

//! A server that was started for no questions in particular: it shows all that are open, and stays.

use super::{BoundServer, Server, failed, flow_config, stopped_early, undo};
use crate::context::Context;
use crate::failure::Failure;
use crate::messages::{Message, PlanMessage};
use crate::notify::Steps;
use crate::signals::Signals;
use crate::user_files;
use app::{Hall, PlanFolders};
use decide::LOOK_INTERVAL;
use files::Registration;
use settings::ServerSettings;
use std::convert::Infallible;
use std::sync::Arc;
use store::{Decisions, Project, ServerClaimOutcome, ServerInfo, StoreError};

/// What is served, and how.
pub(crate) struct Resident {
    pub(crate) project: Project,
    pub(crate) decisions: Decisions,
    pub(crate) plans: PlanFolders,
    pub(crate) settings: ServerSettings,
}

impl Resident {
    /// Serves until a signal comes; the exit code. `ready` is called once the page can be fetched.
    pub(crate) fn run(&self, context: &Context, ready: impl FnOnce(&ServerInfo)) -> Result<u8, Failure> {
        let runtime = server::runtime().map_err(|error| failed(&error))?;
        let code = runtime.block_on(async {
            let mut signals = Signals::listen().map_err(|error| failed(&error))?;
            let mut known = None;
            let claimed = self.decisions.claim_server()?;
            let BoundServer { bound, info, access } =
                BoundServer::new(&self.project, &self.decisions, &self.settings, None)?;
            match claimed {
                ServerClaimOutcome::Ours(claim) => known = Some(claim.register(&info)?),
                // It ends with its questions; those that come then are found here.
                ServerClaimOutcome::AlreadyRunning(other) => {
                    context.output.notice(&Message::ServedElsewhere { url: other.url });
                }
            }
            let hall = Hall::resident(self.project.clone(), self.decisions.clone(), context.language.page);
            let hall = hall
                .with_plans(self.plans.clone())
                .with_flow(flow_config)
                .with_undo(undo)
                .with_search(user_files::search_cache());
            let hall = Arc::new(hall);
            let mut server = Server::start(bound, Arc::clone(&hall), access);
            ready(&info);
            let mut steps = Steps::printing(context);
            let code = tokio::select! {
                biased;
                stopped = &mut server.task => Err(stopped_early(stopped)),
                code = signals.next() => Ok(code),
                never = self.stay(&hall, &info, &mut known, &mut steps) => match never {},
            };
            let ended = match code {
                Ok(code) => server.end(&hall, false, &mut signals).await.map(|()| code),
                Err(failure) => Err(failure),
            };
            steps.end(&hall);
            self.leave(known);
            ended
        });
        // Whatever still runs (half a request, an idle connection) has had its time.
        runtime.shutdown_background();
        // Nothing was submitted here.
        code.map_err(|failure| match failure.hint.as_deref() {
            Some(Message::SubmitAgain) => failure.with_hint(Message::plan(PlanMessage::ServeAgain)),
            _ => failure,
        })
    }

    /// Looks for what others do to the questions, and makes this server known as soon as no other is.
    async fn stay(
        &self,
        hall: &Hall,
        info: &ServerInfo,
        known: &mut Option<Registration>,
        steps: &mut Steps,
    ) -> Infallible {
        loop {
            // Where another server is known, that one tells the person.
            steps.look(hall, |_| known.is_some().then(|| info.clone()));
            tokio::time::sleep(LOOK_INTERVAL).await;
            hall.look();
            if known.is_none() {
                // What cannot be written now may be another time.
                *known = self.make_known(info).unwrap_or_default();
            }
        }
    }

    fn make_known(&self, info: &ServerInfo) -> Result<Option<Registration>, StoreError> {
        Ok(match self.decisions.claim_server()? {
            ServerClaimOutcome::Ours(claim) => Some(claim.register(info)?),
            ServerClaimOutcome::AlreadyRunning(_) => None,
        })
    }

    /// Questions that are still open look for their server where this one was.
    fn leave(&self, known: Option<Registration>) {
        let Some(known) = known else { return };
        if self.settings.needs_login() {
            self.decisions.remove_opener();
        }
        if self.decisions.open_sets().is_ok_and(|open| open.is_empty()) {
            drop(known);
        } else {
            known.leave_file();
        }
    }
}

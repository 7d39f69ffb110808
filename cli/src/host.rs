//! The server of a project in this process, from the first free port to the last farewell.

use crate::context::Context;
use crate::failure::Failure;
use crate::messages::Message;
use crate::signals::Signals;
use crate::{trust, user_files};
use app::{BlankForm, Session, TimeLimit};
use decide::End;
use files::Registered;
use model::Ending;
use server::{Access, Bound, Key, Limits, ServeError};
use settings::{Auth, ConfigError, FlowConfig, ServerSettings};
use std::future;
use std::io;
use std::mem;
use std::process;
use std::sync::Arc;
use store::{Decisions, Pending, Project, Secret, ServerInfo, Watch};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// What is served, and how.
pub(crate) struct Host {
    pub(crate) project: Project,
    pub(crate) decisions: Decisions,
    pub(crate) pending: Pending,
    pub(crate) form: Arc<BlankForm>,
    pub(crate) settings: ServerSettings,
}

impl Host {
    /// Serves until the questions end, the time is up or a signal comes. `ready` is called once the page can be fetched.
    pub(crate) fn run(&self, context: &Context, ready: impl FnOnce(&ServerInfo)) -> Result<End, Failure> {
        let last = self.decisions.last_server().map(|server| server.port);
        let bound = server::bind(&self.settings.host, self.settings.port, last)?;
        let link = if self.settings.url.is_empty() { bound.default_url() } else { self.settings.url.clone() };
        // Also where the person needs no login: other users of the machine do.
        let key = match self.settings.auth {
            Auth::Never => None,
            Auth::Auto | Auth::Always => {
                Some(Key::generate().map_err(|error| server_failed(error.to_string()))?)
            }
        };
        let info = ServerInfo {
            pid: process::id(),
            port: bound.port,
            url: link,
            started_at: store::now(),
            session_id: self.pending.session.clone(),
            bind: self.settings.host.clone(),
            configured_url: self.settings.url.clone(),
            auth: self.settings.auth.name().to_owned(),
            secret: Secret(key.as_ref().map(Key::to_hex).unwrap_or_default()),
        };
        let registration = match self.decisions.register_server(&info)? {
            Registered::Ours(registration) => registration,
            Registered::AlreadyRunning(_) => return Ok(End::Elsewhere),
        };
        let limit = self.settings.timeout.map(|span| Arc::new(TimeLimit::new(span)));
        trust::remember(&self.project, &self.settings);
        let (host, port, url) = (bound.host, bound.port, &self.settings.url);
        let access = match key {
            Some(key) if self.settings.needs_login() => Access::guarded(host, port, url, key),
            Some(key) => Access::owned(host, port, url, key),
            None => Access::open(host, port, url),
        };
        let (session, ended) = Session::new(
            self.project.clone(),
            self.decisions.clone(),
            self.pending.clone(),
            Arc::clone(&self.form),
            context.language.page,
        );
        let watch = self.decisions.watch(self.pending.session.clone());
        let runtime = runtime().map_err(|error| failed(&error))?;
        let end = runtime.block_on(async {
            let signals = Signals::listen().map_err(|error| failed(&error))?;
            let session = Arc::new(session.limited_by(limit.clone()).with_flow(self.flow_config()));
            // The process ends with the session: taking a thousand items apart would only delay that.
            mem::forget(Arc::clone(&session));
            let server = Server::start(bound, Arc::clone(&session), access);
            ready(&info);
            wait(server, &session, ended, watch, limit, signals).await
        });
        // Whatever still runs (half a request, an idle connection) has had its time.
        runtime.shutdown_background();
        if self.settings.needs_login() {
            self.decisions.remove_opener();
        }
        match end {
            // The questions, or those in their place, are still open.
            Ok(End::Ended(Ending::Replaced(_))) => registration.leave_file(),
            Ok(End::Ended(_)) => drop(registration),
            _ => registration.leave_file(),
        }
        end
    }
}

impl Host {
    /// What the configuration says of tasks, for whoever asks for it. A mistake there must not keep anybody from asking.
    fn flow_config(&self) -> impl Fn() -> Result<FlowConfig, ConfigError> + Send + Sync + 'static {
        let project = self.project.clone();
        move || {
            // Read anew: the file may have been edited since.
            let files = project.config_files(user_files::config());
            Ok(trust::flow_config(&project, files.layers()?)?.value)
        }
    }
}

/// The server on its own task, and the means to stop it.
struct Server {
    task: JoinHandle<Result<(), ServeError>>,
    stop: oneshot::Sender<()>,
}

impl Server {
    fn start(bound: Bound, session: Arc<Session>, access: Access) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let stopped = async {
                // A sender that is gone says the same.
                let _ = stopped.await;
            };
            server::serve(bound, server::router(session, access), Limits::default(), stopped).await
        });
        Self { task, stop }
    }
}

/// Waits for the end of the questions or of the time or for a signal, then for the server to say its farewells.
async fn wait(
    mut server: Server,
    session: &Session,
    mut ended: oneshot::Receiver<Ending>,
    mut watch: Watch,
    limit: Option<Arc<TimeLimit>>,
    mut signals: Signals,
) -> Result<End, Failure> {
    let reached = async {
        match limit {
            Some(limit) => limit.reached().await,
            None => future::pending().await,
        }
    };
    let end = tokio::select! {
        biased;
        // Without a sender there can be no answer any more; the server's end says why.
        Ok(ending) = &mut ended => End::Ended(ending),
        stopped = &mut server.task => return Err(stopped_early(stopped)),
        code = signals.next() => End::Interrupted(code),
        ending = decide::changed(&mut watch) => End::Ended(ending),
        () = reached => End::TimedOut,
    };
    // Open pages learn from this server how it ended; there will be no other.
    session.close();
    // The server may have ended by itself in this very moment.
    let _ = server.stop.send(());
    tokio::select! {
        stopped = &mut server.task => {
            if let (Ok(Err(error)), false) = (&stopped, matches!(end, End::Ended(_))) {
                return Err(server_failed(error.to_string()));
            }
        }
        // Who asks twice does not want to wait for farewells.
        _ = signals.next() => {}
    }
    // An answer that was accepted during the farewells stands.
    Ok(ended.try_recv().map_or(end, End::Ended))
}

fn runtime() -> io::Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()
}

fn stopped_early(stopped: Result<Result<(), ServeError>, tokio::task::JoinError>) -> Failure {
    server_failed(match stopped {
        Ok(Ok(())) => "stopped".to_owned(),
        Ok(Err(error)) => error.to_string(),
        Err(error) => error.to_string(),
    })
}

pub(crate) fn failed(error: &io::Error) -> Failure {
    server_failed(error.to_string())
}

fn server_failed(words: String) -> Failure {
    Failure::new(Message::ServerFailed { words }, Message::SubmitAgain)
}

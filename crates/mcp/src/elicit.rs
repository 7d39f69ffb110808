//! Having the client show the person the link to the page (URL elicitation). Whatever comes back is no answer: the person has agreed
//! to open a page, or has not.

use crate::backend::{Elicit, ToolFailure};
use crate::client::{Client, is_modern};
use crate::tasks;
use crate::tool_result::shortened;
use model::SessionId;
use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, CustomNotification, ElicitRequest, ElicitRequestParams, InputRequest,
    InputRequests, InputRequiredResult, RequestStateCodec, SealOptions, ServerNotification, ServerRequest,
};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RequestHandle, RoleServer};
use serde_json::{Map, Value, json};
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// Clients whose calls can take longer are not asked by themselves: waiting costs them nothing.
const SHORT_CLOCK: Duration = Duration::from_secs(10 * 60);
/// What comes back faster was shown to no person.
const SHOWN: Duration = Duration::from_secs(1);
/// For so long a client may call again with what it was given.
const STATE: Duration = Duration::from_secs(24 * 60 * 60);
/// The name of the one thing that is asked of a client.
const PAGE: &str = "page";
const COMPLETE: &str = "notifications/elicitation/complete";
/// Of so many clients it is known that they show nothing, and of so many sessions what was shown.
const MAX_REMEMBERED: usize = 1000;

/// What is known of links that clients were to show.
#[derive(Default)]
pub(crate) struct Dialogs {
    /// They answer without showing anything.
    blind: Mutex<HashSet<Client>>,
    /// Seals what a client brings back.
    codec: OnceLock<RequestStateCodec>,
}

/// The sessions whose link a client was to show, by the name of the dialog.
pub(crate) type ShownLinks = Mutex<HashMap<SessionId, String>>;

/// What a client brings back, as this process has given it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ResumedCall {
    pub(crate) session: SessionId,
    pub(crate) root: PathBuf,
    /// Whether it came back too fast for a person to have seen anything.
    pub(crate) is_blind: bool,
}

impl Dialogs {
    fn blind(&self) -> MutexGuard<'_, HashSet<Client>> {
        self.blind.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a client of an earlier revision is asked while its call is held.
    pub(crate) fn is_asked(
        &self,
        mode: Elicit,
        client: &Client,
        limit: Duration,
        context: &RequestContext<RoleServer>,
    ) -> bool {
        let is_wanted = match mode {
            Elicit::Auto => limit < SHORT_CLOCK,
            Elicit::Url => true,
            Elicit::Off => false,
        };
        is_wanted && !is_modern(context) && shows_links(context) && !self.blind().contains(client)
    }

    /// Whether a client of the newest revision is asked to call again.
    pub(crate) fn is_sent_back(
        &self,
        mode: Elicit,
        client: &Client,
        context: &RequestContext<RoleServer>,
    ) -> bool {
        mode == Elicit::Url && is_modern(context) && shows_links(context) && !self.blind().contains(client)
    }

    /// Notes that a client came back after so long.
    pub(crate) fn came_back(&self, client: &Client, after: Duration) {
        if after < SHOWN {
            let mut blind = self.blind();
            if blind.len() >= MAX_REMEMBERED {
                blind.clear();
            }
            blind.insert(client.clone());
        }
    }

    fn codec(&self) -> Result<&RequestStateCodec, ToolFailure> {
        if self.codec.get().is_none() {
            let mut key = [0_u8; 32];
            let unable = |words: String| ToolFailure { what: words, hint: None };
            getrandom::fill(&mut key).map_err(|error| unable(error.to_string()))?;
            let codec = RequestStateCodec::try_new(key).map_err(|error| unable(error.to_string()))?;
            // Another call may have been faster.
            let _ = self.codec.set(codec);
        }
        self.codec.get().ok_or_else(|| ToolFailure { what: "there is no key".to_owned(), hint: None })
    }

    /// What a client of the newest revision is to do before it calls again.
    pub(crate) fn send_back(
        &self,
        call: &str,
        session: &SessionId,
        root: &Path,
        url: &str,
        task: &str,
    ) -> Result<InputRequiredResult, ToolFailure> {
        let state = json!({ "session": session, "root": root, "at": millis() }).to_string();
        let options = SealOptions::new().associated_data(call.as_bytes()).ttl(STATE);
        let sealed = self.codec()?.seal_with(state.as_bytes(), &options);
        let id = tasks::token()?;
        let request = InputRequest::Elicitation(ElicitRequest::new(params(url, task, id)));
        let requests = InputRequests::from([(PAGE.to_owned(), request)]);
        Ok(InputRequiredResult::new(Some(requests), Some(sealed)))
    }

    /// Reads what a client has brought back with the same `call`.
    pub(crate) fn resume(&self, call: &str, state: &str) -> Result<ResumedCall, ErrorData> {
        let foreign = || {
            let words = "requestState was not issued by this server for this call; call again without it";
            ErrorData::invalid_params(words, None)
        };
        let codec = self.codec().map_err(|unable| ErrorData::internal_error(unable.text(), None))?;
        let opened = codec.open_with(state, call.as_bytes()).map_err(|_| foreign())?;
        let state: Value = serde_json::from_slice(&opened).map_err(|_| foreign())?;
        let text = |name: &str| state.get(name).and_then(Value::as_str);
        let session = text("session").and_then(|session| session.parse().ok()).ok_or_else(foreign)?;
        let root = text("root").map(PathBuf::from).ok_or_else(foreign)?;
        let at = state.get("at").and_then(Value::as_u64).ok_or_else(foreign)?;
        let is_blind = Duration::from_millis(millis().saturating_sub(at)) < SHOWN;
        Ok(ResumedCall { session, root, is_blind })
    }
}

/// What belongs to a call: it is sealed together with what a client is given.
pub(crate) fn call(request: &CallToolRequestParams, client: &Client) -> String {
    let arguments = request.arguments.clone().map_or(Value::Null, Value::Object);
    json!(["tools/call", request.name, client.name, client.version, sorted(&arguments)]).to_string()
}

/// The same value, whatever the order of its members.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let mut names: Vec<_> = members.keys().collect();
            names.sort_unstable();
            let members = names.into_iter().map(|name| (name.clone(), sorted(&members[name])));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Array(values) => values.iter().map(sorted).collect(),
        other => other.clone(),
    }
}

/// Whether a client shows links. An empty capability means forms alone.
fn shows_links(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    capabilities
        .and_then(|capabilities| capabilities.elicitation)
        .is_some_and(|elicitation| elicitation.url.is_some())
}

fn params(url: &str, task: &str, id: String) -> ElicitRequestParams {
    ElicitRequestParams::UrlElicitationParams {
        meta: None,
        message: format!("Your decision is needed: {}. Open the page to answer.", shortened(task)),
        url: url.to_owned(),
        elicitation_id: id,
    }
}

/// A link that a client shows while its call is held.
pub(crate) struct Dialog {
    handle: RequestHandle<RoleServer>,
    begun: Instant,
}

impl Dialog {
    /// Has a client show the link; the dialog, and its name. `None` when the client is gone.
    pub(crate) async fn open(peer: &Peer<RoleServer>, url: &str, task: &str) -> Option<(Self, String)> {
        let id = tasks::token().ok()?;
        let request = ServerRequest::ElicitRequest(ElicitRequest::new(params(url, task, id.clone())));
        let begun = Instant::now();
        let handle = peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.ok()?;
        Some((Self { handle, begun }, id))
    }

    /// Completes when the client has come back; after how long.
    pub(crate) async fn ended(&mut self) -> Duration {
        // Whatever it says: it is no answer.
        let _ = (&mut self.handle.rx).await;
        self.begun.elapsed()
    }

    /// Has the client close it.
    pub(crate) async fn close(self) {
        let _ = self.handle.cancel(Some("the call has ended".to_owned())).await;
    }
}

/// Notes that a client was to show the link of a session.
pub(crate) fn note(shown: &ShownLinks, session: &SessionId, id: String) {
    let mut shown = shown.lock().unwrap_or_else(PoisonError::into_inner);
    if shown.len() >= MAX_REMEMBERED {
        shown.clear();
    }
    shown.insert(session.clone(), id);
}

/// Says that what a client was to show has ended.
pub(crate) async fn complete(shown: &ShownLinks, session: &SessionId, peer: &Peer<RoleServer>) {
    let id = shown.lock().unwrap_or_else(PoisonError::into_inner).remove(session);
    if let Some(id) = id {
        let complete = CustomNotification::new(COMPLETE, Some(json!({ "elicitationId": id })));
        // A client that is gone is noticed elsewhere.
        let _ = peer.send_notification(ServerNotification::CustomNotification(complete)).await;
    }
}

fn millis() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Dialogs, call};
    use crate::client::Client;
    use rmcp::model::CallToolRequestParams;
    use serde_json::{Value, json};
    use std::path::Path;

    fn request(arguments: Value) -> CallToolRequestParams {
        let Value::Object(arguments) = arguments else { panic!("{arguments}") };
        CallToolRequestParams::new("decide_submit").with_arguments(arguments)
    }

    #[test]
    fn what_a_client_brings_back_fits_the_same_call_alone() {
        let client = |name: &str| Client { name: name.to_owned(), version: "1".to_owned() };
        let dialogs = Dialogs::default();
        let asked =
            call(&request(json!({ "task": "x", "items": [{ "id": 1, "title": "t" }] })), &client("a"));
        let session = "2025-01-15T10-30-00".parse().unwrap();
        let sent = dialogs.send_back(&asked, &session, Path::new("/p"), "http://localhost:1/", "x").unwrap();
        let state = sent.request_state.unwrap();
        let resumed = dialogs.resume(&asked, &state).unwrap();
        assert_eq!((resumed.session, resumed.root.as_path()), (session, Path::new("/p")));
        assert!(resumed.is_blind);
        // The order of members is no part of a call.
        let same = call(&request(json!({ "items": [{ "title": "t", "id": 1 }], "task": "x" })), &client("a"));
        assert!(dialogs.resume(&same, &state).is_ok());
        for other in [
            call(&request(json!({ "task": "y", "items": [{ "id": 1, "title": "t" }] })), &client("a")),
            call(&request(json!({ "task": "x", "items": [{ "id": 1, "title": "t" }] })), &client("b")),
        ] {
            assert!(dialogs.resume(&other, &state).is_err(), "{other}");
        }
        for forged in ["", "x", "rs1.e30.AAAA", &format!("{state}A"), &state[..state.len() - 2]] {
            let refused = dialogs.resume(&asked, forged).unwrap_err();
            assert!(refused.message.starts_with("requestState was not issued by this server"), "{refused}");
        }
        assert!(Dialogs::default().resume(&asked, &state).is_err(), "of another process");
    }
}

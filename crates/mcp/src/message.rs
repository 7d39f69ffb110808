//! JSON-RPC messages: the methods that are known, reading a request, and what is wrong with what is no message.

use crate::tasks::TaskSubscription;
use rmcp::model::{ClientRequest, ErrorCode, ErrorData, GetExtensions, JsonRpcMessage, JsonRpcRequest};
use rmcp::service::{RoleServer, RxJsonRpcMessage};
use serde_json::{Map, Value, json};

/// Methods that are known: what is wrong with a request for one is its parameters.
const METHODS: [&str; 20] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "skills/get",
    "skills/list",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];
/// Methods that the newest revision does not have any more.
const REMOVED: [&str; 5] =
    ["initialize", "logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"];

/// The request that follows what changes.
pub(crate) const LISTEN: &str = "subscriptions/listen";

/// What is said of parameters that are not those of `method`.
fn misfit(method: &str) -> String {
    format!("invalid parameters for {method}")
}

/// What is answered to a request for `method` that is none of those that are known, as far as it was read. `is_modern` when it
/// is one of the newest revision.
pub(crate) fn unknown(method: &str, is_modern: bool) -> ErrorData {
    if METHODS.contains(&method) && !(is_modern && REMOVED.contains(&method)) {
        return ErrorData::invalid_params(misfit(method), None);
    }
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, format!("there is no method {}", json!(method)), None)
}

/// What is wrong with an object that is no message.
pub(crate) fn refusal(members: &Map<String, Value>) -> (ErrorCode, String) {
    let refused = |words: &str| (ErrorCode::INVALID_REQUEST, words.to_owned());
    match (members.get("method"), members.get("id")) {
        (Some(Value::String(method)), _) if members.get("jsonrpc") != Some(&json!("2.0")) => {
            refused(&format!("{method}: jsonrpc must be \"2.0\""))
        }
        (Some(Value::String(_)), Some(id)) if !is_id(id) => refused("id must be a string or an integer"),
        (Some(Value::String(method)), _) => (ErrorCode::INVALID_PARAMS, misfit(method)),
        (Some(_), _) => refused("method must be a string"),
        (None, _) => refused("a message must have a method, a result or an error"),
    }
}

/// Whether a request can have this id.
pub(crate) fn is_id(id: &Value) -> bool {
    id.is_i64() || id.is_string()
}

/// Reads a request for `method`.
pub(crate) fn read_request(
    method: &str,
    members: Map<String, Value>,
) -> Result<JsonRpcRequest<ClientRequest>, (ErrorCode, String)> {
    let is_known = METHODS.contains(&method);
    let followed = if method == LISTEN { TaskSubscription::read(members.get("params")) } else { None };
    let misfit = || (ErrorCode::INVALID_PARAMS, misfit(method));
    match serde_json::from_value::<RxJsonRpcMessage<RoleServer>>(Value::Object(members)) {
        Ok(JsonRpcMessage::Request(mut request)) => match &request.request {
            ClientRequest::CustomRequest(_) if is_known && !REMOVED.contains(&method) => Err(misfit()),
            _ => {
                if let Some(followed) = followed {
                    request.request.extensions_mut().insert(followed);
                }
                Ok(request)
            }
        },
        _ => Err(misfit()),
    }
}

/// Whether the bytes of a message contain `part`.
pub(crate) fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

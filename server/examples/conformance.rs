//! The tools, resources and prompts that the conformance suite of the Model Context Protocol calls, on the layer that serves
//! agents: the same gate, the same endpoint, the same sessions. It prints its address, and serves until it is killed.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program of the tests")]
#![expect(deprecated, reason = "earlier revisions have sampling, roots and logging")]

use mcp::Http;
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ClientResult, CompleteRequestParams, CompleteResult,
    GetPromptRequestParams, GetPromptResponse, InputRequiredResult, InputResponses, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, LoggingLevel,
    LoggingMessageNotificationParam, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, RequestStateCodec, ServerCapabilities, ServerConfig,
    ServerRequest, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use server::{Access, Limits};
use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

/// A red pixel.
const PNG: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
/// No sound at all.
const WAV: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const PAUSE: Duration = Duration::from_millis(50);
const ABOUT: &str = "For the conformance suite";
const ADDRESS: &str = "127.0.0.1";

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    runtime.block_on(async {
        let bound = server::bind_exactly(ADDRESS, 0).unwrap();
        println!("{}/mcp", bound.default_url());
        let codec = Arc::new(RequestStateCodec::try_new([7; 32]).unwrap());
        let http = Arc::new(Http::serving(move || Fixtures { codec: Arc::clone(&codec) }).unwrap());
        let router = server::mcp_router(&http, Access::open(bound.host, bound.port, ""));
        server::serve(bound, router, Limits::default(), pending()).await.unwrap();
    });
}

/// What is called.
struct Fixtures {
    codec: Arc<RequestStateCodec>,
}

fn from_value<T: DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

/// A result, which the newest revision calls complete.
fn whole<T: DeserializeOwned>(mut value: Value) -> T {
    value["resultType"] = "complete".into();
    from_value(value)
}

fn text(words: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": words }] })
}

fn complete(result: Value) -> Result<CallToolResponse, ErrorData> {
    Ok(CallToolResponse::Complete(whole(result)))
}

fn image() -> Value {
    json!({ "type": "image", "data": PNG, "mimeType": "image/png" })
}

fn resource(uri: &str, mime: &str, text: &str) -> Value {
    json!({ "type": "resource", "resource": { "uri": uri, "mimeType": mime, "text": text } })
}

/// A request for one text, or one flag, from the person.
fn elicitation(message: &str, name: &str, kind: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { (name): { "type": kind } }, "required": [name] });
    json!({ "method": "elicitation/create", "params": { "mode": "form", "message": message, "requestedSchema": schema } })
}

fn sampling(question: &str, tokens: u32) -> Value {
    let messages = json!([{ "role": "user", "content": { "type": "text", "text": question } }]);
    json!({ "method": "sampling/createMessage", "params": { "messages": messages, "maxTokens": tokens } })
}

fn roots() -> Value {
    json!({ "method": "roots/list" })
}

fn required(requests: Value, state: Option<String>) -> InputRequiredResult {
    InputRequiredResult::new(Some(from_value(requests)), state)
}

/// What was said to an elicitation: the content that was accepted.
fn content<'r>(responses: &'r InputResponses, name: &str) -> Option<&'r Value> {
    responses.get(name).filter(|response| response["action"] == "accept")?.get("content")
}

fn all_fields() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
            "verified": { "type": "boolean", "default": true },
        },
    })
}

fn all_choices() -> Value {
    let titled = |words: [&str; 3]| -> Vec<Value> {
        words
            .iter()
            .zip(1..)
            .map(|(title, number)| json!({ "const": format!("value{number}"), "title": title }))
            .collect()
    };
    let options = ["option1", "option2", "option3"];
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": options },
            "titledSingle": { "type": "string", "oneOf": titled(["First Option", "Second Option", "Third Option"]) },
            "legacyEnum": {
                "type": "string", "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": options } },
            "titledMulti": {
                "type": "array",
                "items": { "anyOf": titled(["First Choice", "Second Choice", "Third Choice"]) },
            },
        },
    })
}

/// Keywords of JSON Schema that have to come through unchanged.
fn every_keyword() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef", "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

const TOOLS: [&str; 22] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_error_handling",
    "test_tool_with_progress",
    "test_sampling",
    "test_elicitation",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
];

fn tools() -> Vec<Tool> {
    let tool = |name: &str, schema: Value| {
        from_value(json!({ "name": name, "description": ABOUT, "inputSchema": schema }))
    };
    let plain = || json!({ "type": "object", "properties": {} });
    let mut tools: Vec<Tool> = TOOLS.iter().map(|name| tool(name, plain())).collect();
    tools.push(tool("test_input_required_result_capabilities", plain()));
    tools.push(tool("json_schema_2020_12_tool", every_keyword()));
    let header = json!({ "type": "string", "x-mcp-header": "Word" });
    tools.push(tool("test_custom_header", json!({ "type": "object", "properties": { "word": header } })));
    tools
}

impl Fixtures {
    /// Asks the client of an earlier revision.
    async fn ask(context: &RequestContext<RoleServer>, request: Value) -> Result<Value, ErrorData> {
        let request: ServerRequest = from_value(request);
        let failed = |words: String| ErrorData::internal_error(words, None);
        let result: ClientResult =
            context.peer.send_request(request).await.map_err(|error| failed(error.to_string()))?;
        serde_json::to_value(result).map_err(|error| failed(error.to_string()))
    }

    async fn fill_in(
        context: &RequestContext<RoleServer>,
        schema: Value,
    ) -> Result<CallToolResponse, ErrorData> {
        let params = json!({ "mode": "form", "message": "Please choose", "requestedSchema": schema });
        let told = Self::ask(context, json!({ "method": "elicitation/create", "params": params })).await?;
        let words = format!("Elicitation completed: action={}, content={}", told["action"], told["content"]);
        complete(text(&words))
    }

    /// What an earlier round has left with the client, if it is unchanged.
    fn opened(&self, state: Option<&String>) -> Result<Option<String>, ErrorData> {
        let Some(state) = state else { return Ok(None) };
        let opened = self.codec.open(state);
        let opened = opened.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        Ok(Some(String::from_utf8(opened).unwrap()))
    }

    fn sealed(&self, round: &str) -> Option<String> {
        Some(self.codec.seal(round.as_bytes()))
    }

    /// Rounds of questions, each an answer to a call.
    fn rounds(
        &self,
        request: &CallToolRequestParams,
        capabilities: &Value,
    ) -> Result<CallToolResponse, ErrorData> {
        let state = self.opened(request.request_state.as_ref())?;
        let none = InputResponses::new();
        let responses = request.input_responses.as_ref().unwrap_or(&none);
        let name = || elicitation("What is your name?", "name", "string");
        let required =
            |requests: Value, state| Ok(CallToolResponse::InputRequired(required(requests, state)));
        match request.name.trim_start_matches("test_input_required_result_") {
            "elicitation" => {
                match content(responses, "user_name").and_then(|content| content["name"].as_str()) {
                    Some(name) => complete(text(&format!("Hello, {name}!"))),
                    None => required(json!({ "user_name": name() }), None),
                }
            }
            "sampling" => match responses.get("capital_question") {
                Some(told) => complete(text(&told["content"]["text"].to_string())),
                None => required(
                    json!({ "capital_question": sampling("What is the capital of France?", 100) }),
                    None,
                ),
            },
            "list_roots" => match responses.get("client_roots") {
                Some(told) => complete(text(&told["roots"].to_string())),
                None => required(json!({ "client_roots": roots() }), None),
            },
            "multiple_inputs" => {
                let names = ["user_name", "greeting", "client_roots"];
                if state.is_some() && names.iter().all(|name| responses.contains_key(*name)) {
                    return complete(text("All of it has come"));
                }
                let requests = json!({
                    "user_name": name(), "greeting": sampling("Generate a greeting", 50), "client_roots": roots(),
                });
                required(requests, self.sealed("1"))
            }
            "multi_round" => match state.as_deref() {
                Some("1") if responses.contains_key("step1") => {
                    let next = elicitation("Step 2: What is your favorite color?", "color", "string");
                    required(json!({ "step2": next }), self.sealed("2"))
                }
                Some("2") if responses.contains_key("step2") => complete(text("Both steps are done")),
                _ => {
                    let first = elicitation("Step 1: What is your name?", "name", "string");
                    required(json!({ "step1": first }), self.sealed("1"))
                }
            },
            "capabilities" => {
                let mut requests = json!({});
                if capabilities.get("elicitation").is_some() {
                    requests["user_name"] = name();
                }
                if capabilities.get("sampling").is_some() {
                    requests["greeting"] = sampling("Generate a greeting", 50);
                }
                required(requests, self.sealed("1"))
            }
            // The two that are about the state.
            _ => match state {
                Some(_) if responses.contains_key("confirm") => complete(text("state-ok")),
                _ => required(
                    json!({ "confirm": elicitation("Please confirm", "ok", "boolean") }),
                    self.sealed("1"),
                ),
            },
        }
    }
}

impl ServerHandler for Fixtures {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_logging()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .build();
        ServerConfig::new(capabilities)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let capabilities = serde_json::to_value(context.client_capabilities()).unwrap_or_default();
        let argument = |name: &str| {
            let arguments = request.arguments.as_ref();
            arguments.and_then(|arguments| arguments.get(name)?.as_str()).unwrap_or_default().to_owned()
        };
        match &*request.name {
            "test_simple_text" => complete(text("This is a simple text response for testing.")),
            "test_image_content" => complete(json!({ "content": [image()] })),
            "test_audio_content" => {
                complete(json!({ "content": [{ "type": "audio", "data": WAV, "mimeType": "audio/wav" }] }))
            }
            "test_embedded_resource" => {
                let told = "This is an embedded resource content.";
                complete(json!({ "content": [resource("test://embedded-resource", "text/plain", told)] }))
            }
            "test_multiple_content_types" => {
                let first = json!({ "type": "text", "text": "Multiple content types test:" });
                let told = r#"{"test":"data","value":123}"#;
                let last = resource("test://mixed-content-resource", "application/json", told);
                complete(json!({ "content": [first, image(), last] }))
            }
            "test_tool_with_logging" => {
                for words in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
                    let told = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(words));
                    let _ = context.peer.notify_logging_message(told).await;
                    tokio::time::sleep(PAUSE).await;
                }
                complete(text("Done"))
            }
            "test_error_handling" => {
                let mut told = text("This tool intentionally returns an error for testing");
                told["isError"] = true.into();
                complete(told)
            }
            "test_tool_with_progress" => {
                for progress in [0.0, 50.0, 100.0] {
                    if let Some(token) = context.meta.get_progress_token() {
                        let told = ProgressNotificationParam::new(token, progress).with_total(100.0);
                        let _ = context.peer.notify_progress(told).await;
                    }
                    tokio::time::sleep(PAUSE).await;
                }
                complete(text("Done"))
            }
            "test_sampling" => {
                let told = Self::ask(&context, sampling(&argument("prompt"), 100)).await?;
                let content = &told["content"];
                let words = content["text"].as_str().or_else(|| content[0]["text"].as_str());
                complete(text(&format!("LLM response: {}", words.unwrap_or_default())))
            }
            "test_elicitation" => {
                let field = |about: &str| json!({ "type": "string", "description": about });
                let schema = json!({
                    "type": "object",
                    "properties": { "username": field("User's response"), "email": field("User's email address") },
                    "required": ["username", "email"],
                });
                let params =
                    json!({ "mode": "form", "message": argument("message"), "requestedSchema": schema });
                let told =
                    Self::ask(&context, json!({ "method": "elicitation/create", "params": params })).await?;
                complete(text(&format!(
                    "User response: action={}, content={}",
                    told["action"], told["content"]
                )))
            }
            "test_elicitation_sep1034_defaults" => Self::fill_in(&context, all_fields()).await,
            "test_elicitation_sep1330_enums" => Self::fill_in(&context, all_choices()).await,
            "test_missing_capability" => match capabilities.get("sampling") {
                Some(sampling) if !sampling.is_null() => complete(text("It is there")),
                _ => {
                    let wanted = from_value(json!({ "sampling": {} }));
                    Err(ErrorData::missing_required_client_capability(wanted))
                }
            },
            "test_streaming_elicitation" => {
                let requests = json!({ "user_name": elicitation("What is your name?", "name", "string") });
                Ok(CallToolResponse::InputRequired(required(requests, None)))
            }
            "test_logging_tool" => complete(text("Nothing was logged, as it was not asked for")),
            "test_custom_header" => complete(text(&argument("word"))),
            "json_schema_2020_12_tool" => complete(text("It fits")),
            name if name.starts_with("test_input_required_result_") => self.rounds(&request, &capabilities),
            name => Err(ErrorData::invalid_params(format!("there is no tool {name}"), None)),
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let one = |name: &str, mime: &str| json!({ "uri": format!("test://{name}"), "name": name, "mimeType": mime });
        Ok(whole(json!({ "resources": [
            one("static-text", "text/plain"), one("static-binary", "image/png"), one("watched-resource", "text/plain"),
        ] })))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let template = json!({ "uriTemplate": "test://template/{id}/data", "name": "template" });
        Ok(whole(json!({ "resourceTemplates": [template] })))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = &*request.uri;
        let of_template =
            |uri: &str| Some(uri.strip_prefix("test://template/")?.strip_suffix("/data")?.to_owned());
        let content = match uri {
            "test://static-text" => {
                json!({ "uri": uri, "mimeType": "text/plain", "text": "This is the content of the static text resource." })
            }
            "test://watched-resource" => json!({ "uri": uri, "mimeType": "text/plain", "text": "Watched" }),
            "test://static-binary" => json!({ "uri": uri, "mimeType": "image/png", "blob": PNG }),
            uri => match of_template(uri) {
                Some(id) => {
                    let data = format!("Data for ID: {id}");
                    let told = json!({ "id": id, "templateTest": true, "data": data }).to_string();
                    json!({ "uri": uri, "mimeType": "application/json", "text": told })
                }
                None => {
                    let data = Some(json!({ "uri": uri }));
                    return Err(ErrorData::resource_not_found(format!("there is no {uri}"), data));
                }
            },
        };
        Ok(ReadResourceResponse::Complete(whole(json!({ "contents": [content] }))))
    }

    async fn subscribe(
        &self,
        _: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn unsubscribe(
        &self,
        _: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn set_level(
        &self,
        _: SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.clone())
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        // Nothing changes here.
        context.cancelled().await;
        Ok(())
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Ok(whole(json!({ "completion": { "values": [], "total": 0, "hasMore": false } })))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let argument = |name: &str| json!({ "name": name, "description": ABOUT, "required": true });
        Ok(whole(json!({ "prompts": [
            { "name": "test_simple_prompt", "description": ABOUT },
            { "name": "test_prompt_with_arguments", "description": ABOUT, "arguments": [argument("arg1"), argument("arg2")] },
            { "name": "test_prompt_with_embedded_resource", "description": ABOUT, "arguments": [argument("resourceUri")] },
            { "name": "test_prompt_with_image", "description": ABOUT },
            { "name": "test_input_required_result_prompt", "description": ABOUT },
        ] })))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let argument = |name: &str| {
            let arguments = request.arguments.as_ref();
            arguments.and_then(|arguments| arguments.get(name)?.as_str()).unwrap_or_default().to_owned()
        };
        let user = |content: Value| json!({ "role": "user", "content": content });
        let said = |words: &str| user(json!({ "type": "text", "text": words }));
        let messages = match &*request.name {
            "test_simple_prompt" => vec![said("This is a simple prompt for testing.")],
            "test_prompt_with_arguments" => {
                let words = format!(
                    "Prompt with arguments: arg1='{}', arg2='{}'",
                    argument("arg1"),
                    argument("arg2")
                );
                vec![said(&words)]
            }
            "test_prompt_with_embedded_resource" => {
                let told = "Embedded resource content for testing.";
                let first = user(resource(&argument("resourceUri"), "text/plain", told));
                vec![first, said("Please process the embedded resource above.")]
            }
            "test_prompt_with_image" => vec![user(image()), said("Please analyze the image above.")],
            "test_input_required_result_prompt" => {
                let context = request.input_responses.as_ref().and_then(|told| content(told, "user_context"));
                let Some(context) = context else {
                    let asked = elicitation("What context should the prompt use?", "context", "string");
                    return Ok(GetPromptResponse::InputRequired(required(
                        json!({ "user_context": asked }),
                        None,
                    )));
                };
                vec![said(&context["context"].to_string())]
            }
            name => return Err(ErrorData::invalid_params(format!("there is no prompt {name}"), None)),
        };
        Ok(GetPromptResponse::Complete(whole(json!({ "messages": messages }))))
    }
}

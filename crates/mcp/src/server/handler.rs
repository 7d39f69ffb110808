//! The methods of the protocol, each of which leads to what does it.

use super::tasks::followed_tasks;
use super::{Call, SeenResources, Server, blocking, internal, note};
use crate::backend::Elicit;
use crate::client::{Client, is_modern};
use crate::elicit;
use crate::project;
use crate::resources::{self, Content, ResourceUri};
use crate::tasks;
use crate::tools::{self, INSTRUCTIONS, Name};
use crate::work::Arguments;
use crate::{message, skill};
use rmcp::ErrorData;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CancelTaskParams, CompleteRequestParams,
    CompleteResult, CompletionInfo, ContentBlock, CustomRequest, CustomResult, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, GetSkillRequestParams, GetSkillResult, GetTaskParams, GetTaskResult,
    Implementation, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListSkillsResult,
    ListToolsResult, PaginatedRequestParams, PromptMessage, ReadResourceRequestParams, ReadResourceResponse,
    ReadResourceResult, Reference, ResourceContents, ResourceUpdatedNotificationParam, Role,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter, Tool,
    UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer, SubscriptionContext};
use serde_json::json;
use std::env;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};
use store::AskerState;

/// How often to look whether what a client follows has changed.
const FOLLOW: Duration = Duration::from_secs(1);
/// A first look that takes longer may have missed a change since the subscription began.
const LATE: Duration = Duration::from_millis(100);
/// How many resources a client may follow.
const MAX_FOLLOWED: usize = 100;

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_completions()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tasks()
            .enable_skills()
            .build();
        let aide = Implementation::new("aide", env!("CARGO_PKG_VERSION")).with_title("aide");
        ServerConfig::new(capabilities).with_server_info(aide).with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::all().into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = Name::named(&request.name) else {
            let names = Name::ALL.map(Name::name).join(", ");
            let words = format!("there is no tool {}; available: {names}", json!(request.name));
            return Err(ErrorData::invalid_params(words, None));
        };
        // Else nothing is sealed with it.
        let is_needed = request.request_state.is_some() || self.shared.options.elicit == Elicit::Url;
        let text =
            if is_needed { elicit::call(&request, &Client::from_context(&context)) } else { String::new() };
        let resumed = match request.request_state.as_deref() {
            Some(state) => Some(self.shared.dialogs.resume(&text, state)?),
            None => None,
        };
        let call = Call { arguments: request.arguments.unwrap_or_default(), text, resumed };
        let answer = Box::pin(self.call(tool, call, &context)).await;
        Ok(answer
            .unwrap_or_else(|unable| CallToolResult::error(vec![ContentBlock::text(unable.text())]).into()))
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(message::unknown(&request.method, is_modern(&context)))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let all = resources::all().into_iter().filter(|resource| self.has_resource(&resource.uri));
        Ok(ListResourcesResult::with_all_items(all.collect()))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let templates = if self.shared.options.names_project { Vec::new() } else { resources::templates() };
        Ok(ListResourceTemplatesResult::with_all_items(templates))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let missing = || {
            let words = format!("there is no resource {}", json!(uri));
            ErrorData::resource_not_found(words, Some(json!({ "uri": uri })))
        };
        let readable = ResourceUri::at(&uri).filter(|_| self.has_resource(&uri)).ok_or_else(missing)?;
        let content = self.content(readable, &context).await?.ok_or_else(missing)?;
        let contents = match content {
            Content::Json(json) => {
                ResourceContents::text(json.to_string(), uri.clone()).with_mime_type(resources::JSON)
            }
            Content::Skill => {
                ResourceContents::text(skill::TEXT, uri.clone()).with_mime_type(skill::MARKDOWN)
            }
        };
        Ok(ReadResourceResult::new(vec![contents]).into())
    }

    async fn list_skills(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListSkillsResult, ErrorData> {
        Ok(ListSkillsResult::with_all_items(vec![skill::skill()]))
    }

    async fn get_skill(
        &self,
        request: GetSkillRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetSkillResult, ErrorData> {
        if request.uri != skill::URI {
            return Err(ErrorData::invalid_params(format!("there is no skill {}", json!(request.uri)), None));
        }
        Ok(GetSkillResult::new(skill::skill()))
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let uri = request.uri;
        if !self.has_resource(&uri) {
            let words = format!("there is no resource {}", json!(uri));
            return Err(ErrorData::resource_not_found(words, None));
        }
        let uris = vec![uri.clone()];
        let mut seen = SeenResources::new();
        // Subscribers get what happens from now on.
        self.changed(&uris, &mut seen, &context).await;
        let mut followed = self.own.followed.lock().unwrap_or_else(PoisonError::into_inner);
        if followed.contains_key(&uri) {
            return Ok(());
        }
        if followed.len() >= MAX_FOLLOWED {
            let words = format!("at most {MAX_FOLLOWED} resources can be followed at a time");
            return Err(ErrorData::invalid_params(words, None));
        }
        let server = self.clone();
        let following = tokio::spawn(async move {
            while !context.peer.is_transport_closed() {
                tokio::time::sleep(FOLLOW).await;
                for uri in server.changed(&uris, &mut seen, &context).await {
                    let update = ResourceUpdatedNotificationParam::new(uri);
                    if context.peer.notify_resource_updated(update).await.is_err() {
                        return;
                    }
                }
            }
        });
        followed.insert(uri, following);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let following = self.own.followed.lock().unwrap_or_else(PoisonError::into_inner).remove(&request.uri);
        if let Some(following) = following {
            following.abort();
        }
        Ok(())
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let uris = requested.resource_subscriptions.iter().flatten();
        let known: Vec<_> = uris.filter(|uri| self.has_resource(uri)).take(MAX_FOLLOWED).cloned().collect();
        let filter = SubscriptionFilter::builder();
        Some(if known.is_empty() { filter.build() } else { filter.resource_subscriptions(known).build() })
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let uris = context.accepted().resource_subscriptions.clone().unwrap_or_default();
        let mut tasks = followed_tasks(context.request_context()).0;
        let mut closing = self.shared.closing.clone();
        let begun = Instant::now();
        let mut seen = SeenResources::new();
        let mut is_first = true;
        loop {
            if self.push_tasks(&mut tasks, context.request_context()).await.is_err() {
                return Ok(());
            }
            let mut changed = self.changed(&uris, &mut seen, context.request_context()).await;
            if std::mem::take(&mut is_first) && begun.elapsed() > LATE {
                changed.clone_from(&uris);
            }
            for uri in changed {
                if context.sink().notify_resource_updated(uri).await.is_err() {
                    return Ok(());
                }
            }
            let pause = async {
                if uris.is_empty() && tasks.is_empty() {
                    std::future::pending::<()>().await;
                }
                tokio::time::sleep(FOLLOW).await;
            };
            tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = crate::hold::closed(&mut closing) => return Ok(()),
                () = pause => {}
            }
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = match &request.r#ref {
            Reference::Resource(resource)
                if resource.uri == resources::TEMPLATE && request.argument.name == resources::SESSION =>
            {
                let folder = self.folder(&Arguments::new(), &context).await.map_err(internal)?;
                let beginning = request.argument.value.clone();
                let found = self.at(folder, move |place| {
                    Ok(resources::sessions(place, &beginning, CompletionInfo::MAX_VALUES))
                });
                found.await.map_err(internal)?.unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let completion = CompletionInfo::with_all_values(values);
        completion.map(CompleteResult::new).map_err(|words| ErrorData::internal_error(words, None))
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let prompts = if self.shared.options.names_project { Vec::new() } else { resources::prompts() };
        Ok(ListPromptsResult::with_all_items(prompts))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let missing =
            || ErrorData::invalid_params(format!("there is no prompt {}", json!(request.name)), None);
        if self.shared.options.names_project {
            return Err(missing());
        }
        let folder = self.folder(&Arguments::new(), &context).await.map_err(internal)?;
        let opened = Arc::clone(&self.shared.opened);
        let search = self.shared.options.search.clone();
        let (name, arguments) = (request.name.clone(), request.arguments.clone().unwrap_or_default());
        let text = blocking(move || {
            let place = opened.get(&project::discover(&folder)?)?;
            resources::prompt(&name, &arguments, place.as_ref(), search.as_ref()).transpose()
        });
        let text = text.await.map_err(|unable| ErrorData::invalid_params(unable.text(), None))?;
        let message = PromptMessage::new_text(Role::User, text.ok_or_else(missing)?);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.own.roots.lock().await = None;
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        Ok(GetTaskResult::new(self.task_state(&request.task_id, &context).await?))
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Nothing is asked of clients, so that nothing can be answered.
        self.find_task(&request.task_id, &context).await.map(drop)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let (task, place, _) = self.find_task(&request.task_id, &context).await?;
        note(&place, &task.session, &Client::from_context(&context), AskerState::WentOn).await;
        // The waiting of this client ends, and the questions go on.
        let changed = blocking(move || {
            let changed = place.decisions.change_receipt(&task.session, |receipt| {
                let mut waiting = receipt.tasks.iter_mut();
                if let Some(waiting) = waiting.find(|waiting| tasks::is_token(&waiting.token, &task.token)) {
                    waiting.cancelled = true;
                }
            });
            changed.map_err(|error| project::unable(&error))
        });
        changed.await.map_err(|unable| ErrorData::internal_error(unable.text(), None))
    }
}

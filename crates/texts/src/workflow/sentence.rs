//! What has happened to a workflow, as a sentence.

use crate::{Lang, fill};
use protocol::workflow::{AgentState, Event, ResourceStatus, SimpleStatus, Trigger};
use std::borrow::Cow;

/// How much of what an agent or a person says stands in a sentence, in characters.
const MAX_SAID: usize = 400;

impl Lang {
    /// Why something in a workflow has failed: the sentences of the program in this language, and all others as they are.
    pub fn failure(self, error: &str) -> Cow<'_, str> {
        // It may stand behind a code.
        let told = error.strip_prefix("proposal_error: ").unwrap_or(error);
        let [en, zh] = match told {
            "the user has not said what was meant" => {
                ["The user did not clarify the request.", "用户没有说明意图。"]
            }
            "the planner gives no reason" => ["The planner gave no reason.", "规划者没有给出原因。"],
            "the person did not want the plan" => ["The user rejected the plan.", "用户没有采用计划。"],
            "the review did not accept the result" => {
                ["The review did not accept the result.", "评审没有通过结果。"]
            }
            "a result without evidence is not accepted" => {
                ["A result without evidence is not accepted.", "没有证据的结果不予通过。"]
            }
            "no reason given" => ["No reason was given.", "没有给出原因。"],
            "aborted" => ["The user aborted it.", "用户已中止。"],
            "max_rounds" => ["The agent needed too many steps.", "智能体用完了允许的步数。"],
            "dispatch queue timeout" => ["No agent was free in time.", "没有智能体按时空闲。"],
            _ => return self.cause(error),
        };
        Cow::Borrowed(if self == Self::Zh { zh } else { en })
    }

    /// What an event tells, as a sentence of this language; the names in it, and what agents and people have said, stay as they are.
    pub fn sentence(self, event: &Event) -> String {
        let say = |en: &str, zh: &str, values: &[(&str, &str)]| {
            let values: Vec<_> = values.iter().map(|(name, value)| (*name, clipped(value))).collect();
            let values: Vec<_> = values.iter().map(|(name, value)| (*name, &**value)).collect();
            fill(if self == Self::Zh { zh } else { en }, &values)
        };
        let words = self.workflows();
        match event {
            Event::SessionCreated(told) => {
                say("Session {name} began.", "会话 {name} 已开始。", &[("name", &told.name)])
            }
            Event::SessionResumed(_) => say("The session was resumed.", "会话已继续。", &[]),
            Event::SessionPaused(_) => say("The session was paused.", "会话已暂停。", &[]),
            Event::SessionCompressed(told) => say(
                "The session was compressed from {before} {before:message|messages} to {after}.",
                "会话已从 {before} 条消息压缩为 {after} 条。",
                &[("before", &told.original_size.to_string()), ("after", &told.compressed_size.to_string())],
            ),
            Event::TaskStarted(told) => {
                let (task, agent) = (&*told.task_id, told.agent_id.as_deref().unwrap_or_default());
                let values = [("task", task), ("agent", agent), ("text", &told.description)];
                if agent.is_empty() {
                    say("{task} began: {text}", "{task} 开始: {text}", &values)
                } else {
                    say("{agent} began {task}: {text}", "{agent} 开始 {task}: {text}", &values)
                }
            }
            Event::TaskProgress(told) => {
                let percent = told.progress.to_string();
                let values = [("task", &*told.task_id), ("percent", &percent)];
                let sentence = say("{task} is {percent}% done.", "{task} 已完成 {percent}%。", &values);
                with(sentence, told.message.as_deref())
            }
            Event::TaskCompleted(told) => {
                let seconds = told.duration.map(|millis| (millis / 1000).to_string());
                let values = [("task", &*told.task_id), ("seconds", seconds.as_deref().unwrap_or_default())];
                match seconds {
                    Some(_) => say(
                        "{task} is done, after {seconds} s.",
                        "{task} 已完成，用时 {seconds} 秒。",
                        &values,
                    ),
                    None => say("{task} is done.", "{task} 已完成。", &values),
                }
            }
            Event::TaskFailed(told) => {
                let values = [("task", &*told.task_id), ("error", &*self.failure(&told.error))];
                if told.retryable == Some(true) {
                    say(
                        "{task} failed and can be tried again: {error}",
                        "{task} 失败，可以重试: {error}",
                        &values,
                    )
                } else {
                    say("{task} failed: {error}", "{task} 失败: {error}", &values)
                }
            }
            Event::TaskBlocked(told) => say(
                "{task} cannot continue: {reason}",
                "{task} 无法继续: {reason}",
                &[("task", &told.task_id), ("reason", &told.reason)],
            ),
            Event::ToolCall(told) => say(
                "{agent} called {tool}: {input}",
                "{agent} 调用了 {tool}: {input}",
                &[("agent", &told.agent_id), ("tool", &told.tool_name), ("input", &input(&told.input))],
            ),
            Event::ToolResult(told) => say(
                "{tool} answered {agent} after {seconds} s.",
                "{tool} 在 {seconds} 秒后回复了 {agent}。",
                &[
                    ("tool", &told.tool_name),
                    ("agent", &told.agent_id),
                    ("seconds", &(told.duration / 1000).to_string()),
                ],
            ),
            Event::ToolError(told) => say(
                "{tool} failed for {agent}: {error}",
                "{agent} 的 {tool} 失败: {error}",
                &[("tool", &told.tool_name), ("agent", &told.agent_id), ("error", &told.error)],
            ),
            Event::UserMessage(told) => {
                say("The user wrote: {text}", "用户说: {text}", &[("text", &told.content)])
            }
            Event::AssistantChunk(told) => {
                say("An agent is writing: {text}", "智能体正在说: {text}", &[("text", &told.content)])
            }
            Event::AssistantComplete(told) => match Step::read(&told.content) {
                Some(Step { action, thought: None }) => {
                    say("An agent chose {action}.", "智能体选择了 {action}。", &[("action", &action)])
                }
                Some(Step { action, thought: Some(thought) }) => say(
                    "An agent chose {action}: {thought}",
                    "智能体选择了 {action}: {thought}",
                    &[("action", &action), ("thought", &thought)],
                ),
                None => say("An agent wrote: {text}", "智能体说: {text}", &[("text", &told.content)]),
            },
            Event::AgentStepCompleted(told) => {
                let agent = told.agent_id.as_deref().unwrap_or(if self == Self::Zh {
                    "智能体"
                } else {
                    "An agent"
                });
                let round = told.round.to_string();
                let values = [("agent", agent), ("round", &*round), ("action", &*told.action)];
                let sentence = if told.success {
                    say(
                        "{agent} did step {round}: {action}.",
                        "{agent} 完成第 {round} 步: {action}。",
                        &values,
                    )
                } else {
                    say(
                        "Step {round} of {agent} did not work: {action}.",
                        "{agent} 的第 {round} 步未成功: {action}。",
                        &values,
                    )
                };
                with(sentence, Some(&told.thought))
            }
            Event::PlanUpdated(told) => say(
                "The plan has {total} {total:task|tasks}, {done} done.",
                "计划有 {total} 个任务，已完成 {done} 个。",
                &[("total", &told.task_count.to_string()), ("done", &told.completed_count.to_string())],
            ),
            Event::WorkflowProgress(told) => say(
                "The workflow is {percent}% done.",
                "工作流已完成 {percent}%。",
                &[("percent", &told.overall_progress.to_string())],
            ),
            Event::PhaseTransition(told) => {
                let (from, to) = (words.phase(told.from), words.phase(told.to));
                if told.trigger == Some(Trigger::CancelRequested) {
                    return say("The workflow was cancelled.", "工作流已取消。", &[]);
                }
                match &told.reason {
                    None => say("Phase: {from} → {to}", "阶段: {from} → {to}", &[("from", from), ("to", to)]),
                    Some(reason) => say(
                        "Phase: {from} → {to}, rejected: {reason}",
                        "阶段: {from} → {to}，未通过: {reason}",
                        &[("from", from), ("to", to), ("reason", &clipped(reason))],
                    ),
                }
            }
            Event::PhaseOutputSaved(told) => say(
                "The result was saved to {path}.",
                "结果已保存到 {path}。",
                &[("path", &told.output_path)],
            ),
            Event::DecisionTreeNode(told) => {
                let sentence = say("Chosen: {action}.", "已选择: {action}。", &[("action", &told.action)]);
                with(sentence, Some(&told.thought))
            }
            Event::ResourceUpdate(told) => {
                let agent = &told.resource_id;
                match agent_state(&told.status) {
                    Some(state) => say(
                        "{agent} is {state}.",
                        "{agent}: {state}。",
                        &[("agent", agent), ("state", words.agent(state))],
                    ),
                    None => say(
                        "{agent}: {state}",
                        "{agent}: {state}",
                        &[("agent", agent), ("state", &told.status)],
                    ),
                }
            }
            Event::ResourceShortage(told) => say(
                "No agent qualifies: {reason}",
                "没有合适的智能体: {reason}",
                &[("reason", &self.cause(&told.reason))],
            ),
            Event::WaitingForUser(told) => {
                let sentence = say("The workflow is waiting for the user.", "工作流在等待用户。", &[]);
                with(sentence, told.suggestion.as_deref())
            }
            Event::UserDecisionRequired(told) => {
                say("Question: {text}", "提问: {text}", &[("text", &self.question(&told.message))])
            }
            Event::UserDecisionReceived(told) => match &*told.decision {
                "timeout" if told.selected.is_empty() => {
                    say("The question expired without an answer.", "提问已过期，无人回答。", &[])
                }
                "cancelled" if told.selected.is_empty() => {
                    say("The question was withdrawn.", "提问已撤回。", &[])
                }
                "returned" if told.selected.is_empty() => {
                    say("The question was sent back.", "提问被退回。", &[])
                }
                answer => {
                    let effect = told.context.as_ref().and_then(|context| self.effect_in(context));
                    let answer = effect.as_deref().unwrap_or(answer);
                    say("Answer: {text}", "回答: {text}", &[("text", answer)])
                }
            },
            Event::SystemError(told) => say(
                "Error in {component}: {error}",
                "{component} 出错: {error}",
                &[("component", &told.component), ("error", &*self.failure(&told.error))],
            ),
            Event::AgentUpdate(told) => {
                let state = agent_state(&told.status).map_or(&*told.status, |state| words.agent(state));
                let values = [("agent", &*told.agent_id), ("state", state)];
                let sentence = match &told.current_task_id {
                    Some(task) => say(
                        "{agent} is {state} ({task}).",
                        "{agent}: {state}（{task}）。",
                        &[values[0], values[1], ("task", task)],
                    ),
                    None => say("{agent} is {state}.", "{agent}: {state}。", &values),
                };
                let step = told.step.as_ref().map(|step| format!("{} · {}", step.action, step.thought));
                with(sentence, step.as_deref())
            }
            Event::WorkflowUpdate(told) => {
                if let Some(said) = &told.user_input {
                    return say("The user wrote: {text}", "用户说: {text}", &[("text", said)]);
                }
                if let Some(agent) = told.waiting_for.iter().flatten().find_map(|it| it.agent_type.as_deref())
                {
                    return fill(words.waits_for_agent, &[("agent", agent)]);
                }
                let status = match told.status {
                    SimpleStatus::Planning => say("The workflow is being planned.", "工作流在计划中。", &[]),
                    SimpleStatus::Executing => {
                        say("The workflow is being executed.", "工作流在执行中。", &[])
                    }
                    SimpleStatus::Paused => say("The workflow is paused.", "工作流已暂停。", &[]),
                    SimpleStatus::Completed => say("The workflow is completed.", "工作流已完成。", &[]),
                    SimpleStatus::Failed => say("The workflow has ended.", "工作流已结束。", &[]),
                };
                with(status, told.orchestrator_state.as_ref().map(|state| &*state.thought))
            }
        }
    }
}

/// What an agent has answered: what it does next, and why.
struct Step {
    action: String,
    thought: Option<String>,
}

impl Step {
    /// Reads the object that agents answer with, whatever stands around it; `None` of anything else.
    fn read(answer: &str) -> Option<Self> {
        let object = answer.get(answer.find('{')?..=answer.rfind('}')?)?;
        let object: serde_json::Value = serde_json::from_str(object).ok()?;
        let text = |name: &str| {
            let text = object.get(name)?.as_str()?.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        Some(Self { action: text("action")?, thought: text("thought") })
    }
}

/// What a tool is called with: its one parameter, or the names and values of several.
fn input(input: &serde_json::Value) -> String {
    let text = |value: &serde_json::Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match input.as_object() {
        Some(params) if params.len() == 1 => params.values().map(text).collect(),
        Some(params) => {
            let params = params.iter().map(|(name, value)| format!("{name}={}", text(value)));
            params.collect::<Vec<_>>().join(", ")
        }
        None => text(input),
    }
}

/// The state of an agent by the word that programs read.
fn agent_state(status: &str) -> Option<AgentState> {
    let named = match ResourceStatus::named(status) {
        Some(ResourceStatus::Available) => Some(AgentState::Idle),
        Some(ResourceStatus::Deployed) => Some(AgentState::Reserved),
        Some(ResourceStatus::Busy) => Some(AgentState::Running),
        _ => AgentState::named(status),
    };
    let simple = || {
        let states = [AgentState::Idle, AgentState::Running, AgentState::Error];
        states.into_iter().find(|state| state.simple() == status)
    };
    named.or_else(simple)
}

/// A sentence with what was said beside it.
fn with(sentence: String, said: Option<&str>) -> String {
    match said.map(str::trim).filter(|said| !said.is_empty()) {
        // A full stop of Chinese has its room already.
        Some(said) if sentence.ends_with('。') => format!("{sentence}{}", clipped(said)),
        Some(said) => format!("{sentence} {}", clipped(said)),
        None => sentence,
    }
}

fn clipped(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SAID) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use crate::Lang;
    use protocol::workflow::{Event, EventType};
    use serde_json::{Value, json};

    fn said(kind: EventType, payload: &Value) -> [String; 2] {
        let event = Event::read(kind, &payload.to_string()).unwrap();
        [Lang::En, Lang::Zh].map(|lang| lang.sentence(&event))
    }

    #[test]
    fn why_something_has_failed_is_told_where_the_program_says_it() {
        assert_eq!(Lang::Zh.failure("proposal_error: no reason given"), "没有给出原因。");
        assert_eq!(Lang::En.failure("max_rounds"), "The agent needed too many steps.");
        assert_eq!(Lang::Zh.failure("LLM_ERROR: no answer"), "LLM_ERROR: no answer");
    }

    #[test]
    fn an_event_is_a_sentence_in_the_language_of_its_reader() {
        for (kind, payload, en, zh) in [
            (
                EventType::SessionCreated,
                json!({ "name": "shop", "projectPath": "/shop" }),
                "Session shop began.",
                "会话 shop 已开始。",
            ),
            (
                EventType::TaskStarted,
                json!({ "taskId": "task-1", "agentId": "executor-1", "description": "搜索" }),
                "executor-1 began task-1: 搜索",
                "executor-1 开始 task-1: 搜索",
            ),
            (
                EventType::ToolCall,
                json!({ "toolId": "t", "toolName": "SHELL_EXEC", "agentId": "executor-1", "input": { "command": "make" } }),
                "executor-1 called SHELL_EXEC: make",
                "executor-1 调用了 SHELL_EXEC: make",
            ),
            (
                EventType::ResourceUpdate,
                json!({ "resourceId": "executor-1", "status": "available" }),
                "executor-1 is idle.",
                "executor-1: 空闲。",
            ),
            (
                EventType::PhaseTransition,
                json!({ "from": "execution", "to": "failed", "trigger": "cancel_requested" }),
                "The workflow was cancelled.",
                "工作流已取消。",
            ),
            (
                EventType::PhaseTransition,
                json!({ "from": "review", "to": "execution", "trigger": "review_rejected", "reason": "no sources" }),
                "Phase: reviewing → executing, rejected: no sources",
                "阶段: 评审 → 执行，未通过: no sources",
            ),
            (
                EventType::UserDecisionRequired,
                json!({ "decisionId": "d", "message": "检测到网络访问，是否继续？", "options": ["Y", "n"] }),
                "Question: Allow network access?",
                "提问: 检测到网络访问，是否继续？",
            ),
            (
                EventType::UserDecisionRequired,
                json!({ "decisionId": "d", "message": "任务 1 失败，如何继续？", "options": ["continue"] }),
                "Question: Task 1 has failed. How should the workflow continue?",
                "提问: 任务 1 失败，如何继续？",
            ),
            (
                EventType::UserDecisionReceived,
                json!({ "decisionId": "d", "decision": "cancelled", "selected": [] }),
                "The question was withdrawn.",
                "提问已撤回。",
            ),
            (
                EventType::PlanUpdated,
                json!({ "planId": "p", "version": 1, "taskCount": 3, "completedCount": 1 }),
                "The plan has 3 tasks, 1 done.",
                "计划有 3 个任务，已完成 1 个。",
            ),
        ] {
            assert_eq!(said(kind, &payload), [en.to_owned(), zh.to_owned()]);
        }
    }

    #[test]
    fn a_count_of_one_is_singular() {
        let plan = json!({ "planId": "p", "version": 1, "taskCount": 1, "completedCount": 0 });
        assert_eq!(said(EventType::PlanUpdated, &plan)[0], "The plan has 1 task, 0 done.");
        let compressed = json!({ "originalSize": 1, "compressedSize": 1, "summary": "s" });
        let compressed = said(EventType::SessionCompressed, &compressed);
        assert_eq!(compressed[0], "The session was compressed from 1 message to 1.");
    }

    #[test]
    fn what_an_agent_answers_is_said_in_words() {
        let wrote = |content: &str| {
            said(EventType::AssistantComplete, &json!({ "messageId": "m", "content": content }))
        };
        let step = r#"```json
            {"thought": "the example wants it", "action": "WEB_SEARCH", "params": {"query": "x"}}
            ```"#;
        let chose = [
            "An agent chose WEB_SEARCH: the example wants it",
            "智能体选择了 WEB_SEARCH: the example wants it",
        ];
        assert_eq!(wrote(step), chose);
        assert_eq!(wrote(r#"{"action": "COMPLETE"}"#)[0], "An agent chose COMPLETE.");
        assert_eq!(wrote("{x} and {y}")[0], "An agent wrote: {x} and {y}");
    }

    #[test]
    fn an_answer_about_a_tool_says_what_it_does() {
        let answered = |context: Value| {
            let told = json!({ "decisionId": "d", "decision": "Y", "selected": ["Y"], "context": context });
            said(EventType::UserDecisionReceived, &told)
        };
        let allowed = answered(json!({ "effect": "allow_call", "tool": "WEB_SEARCH", "note": "once" }));
        assert_eq!(allowed, ["Answer: Allow this call", "回答: 仅允许这次调用"]);
        let always = answered(json!({ "effect": "allow_tool", "tool": "WEB_SEARCH" }));
        assert_eq!(always[0], "Answer: Allow WEB_SEARCH for this workflow");
        // Told by an earlier version.
        assert_eq!(answered(json!({ "note": "once" }))[0], "Answer: Y");
    }

    #[test]
    fn what_was_said_is_not_read_as_a_place_for_something_else() {
        let told = json!({ "messageId": "m", "content": "{agent} {text}" });
        assert_eq!(said(EventType::UserMessage, &told)[0], "The user wrote: {agent} {text}");
    }
}

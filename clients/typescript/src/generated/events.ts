// Made by scripts/generate.mjs from docs/openapi.json.

import type { components } from './api.js';

type Schemas = components["schemas"];

/** Every type of event. */
export const EVENT_TYPES = [
    "session_created",
    "session_resumed",
    "session_paused",
    "session_compressed",
    "task_started",
    "task_progress",
    "task_completed",
    "task_failed",
    "task_blocked",
    "tool_call",
    "tool_result",
    "tool_error",
    "user_message",
    "assistant_chunk",
    "assistant_complete",
    "agent_step_completed",
    "plan_updated",
    "workflow_progress",
    "phase_transition",
    "phase_output_saved",
    "decision_tree_node",
    "resource_update",
    "resource_shortage",
    "waiting_for_user",
    "user_decision_required",
    "user_decision_received",
    "system_error",
    "agent_update",
    "workflow_update",
] as const;

/** What is said of each type of event. */
export interface Payloads {
    session_created: Schemas["SessionCreated"];
    session_resumed: Schemas["SessionResumed"];
    session_paused: Schemas["SessionPaused"];
    session_compressed: Schemas["SessionCompressed"];
    task_started: Schemas["TaskStarted"];
    task_progress: Schemas["TaskProgress"];
    task_completed: Schemas["TaskCompleted"];
    task_failed: Schemas["TaskFailed"];
    task_blocked: Schemas["TaskBlocked"];
    tool_call: Schemas["ToolCall"];
    tool_result: Schemas["ToolResult"];
    tool_error: Schemas["ToolError"];
    user_message: Schemas["UserMessage"];
    assistant_chunk: Schemas["AssistantChunk"];
    assistant_complete: Schemas["AssistantComplete"];
    agent_step_completed: Schemas["AgentStepCompleted"];
    plan_updated: Schemas["PlanUpdated"];
    workflow_progress: Schemas["WorkflowProgress"];
    phase_transition: Schemas["PhaseTransition"];
    phase_output_saved: Schemas["PhaseOutputSaved"];
    decision_tree_node: Schemas["DecisionTreeNode"];
    resource_update: Schemas["ResourceUpdate"];
    resource_shortage: Schemas["ResourceShortage"];
    waiting_for_user: Schemas["WaitingForUser"];
    user_decision_required: Schemas["UserDecisionRequired"];
    user_decision_received: Schemas["UserDecisionReceived"];
    system_error: Schemas["SystemError"];
    agent_update: Schemas["AgentUpdate"];
    workflow_update: Schemas["WorkflowUpdate"];
}

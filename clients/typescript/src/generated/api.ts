// Made by scripts/generate.mjs from docs/openapi.json.

export interface paths {
    "/api/v1/message": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send a message to a module. A message to `finger-orchestrator` starts a workflow. If the client waits for the answer and the workflow fails, the answer is `AGENT_FAILED` with status 400. */
        post: operations["postMessage"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mailbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List messages, newest first. */
        get: operations["getMailbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mailbox/{message}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A message. */
        get: operations["getMailboxMessage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mailbox/callback/{callback}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get a message by the name that its sender gave it. */
        get: operations["getMailboxCallbackCallback"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/mailbox/clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete messages: those that have ended, or those that the body selects. Messages in progress stay. */
        post: operations["postMailboxClear"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/modules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the modules that accept messages. */
        get: operations["getModules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the routes between modules: always empty. */
        get: operations["getRoutes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List workflows, latest change first: all, or those that match the query. */
        get: operations["getWorkflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{workflow}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A workflow. */
        get: operations["getWorkflowsWorkflow"];
        put?: never;
        post?: never;
        /** Remove a workflow that has ended, with its tasks, steps, decisions and checkpoints. A workflow that has not ended or has an open decision stays. */
        delete: operations["deleteWorkflowsWorkflow"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{workflow}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the full state of a workflow. */
        get: operations["getWorkflowsWorkflowState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{workflow}/tasks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tasks of a workflow, in their order. */
        get: operations["getWorkflowsWorkflowTasks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{workflow}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the result of a workflow. */
        get: operations["getWorkflowsWorkflowOutput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the full state of all workflows. */
        get: operations["getWorkflowsState"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflow/{workflow}/transition": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Report a trigger of a workflow, or with `taskId` of a task; `tasks` reports several. Its context is kept only if the request is accepted. */
        post: operations["postWorkflowWorkflowTransition"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflow/input": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Send input to a workflow; if it is waiting for a decision, the input is the answer. */
        post: operations["postWorkflowInput"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflow/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause a workflow. Running steps are finished. */
        post: operations["postWorkflowPause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflow/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a paused workflow, or an interrupted one from its last checkpoint. */
        post: operations["postWorkflowResume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflow/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a workflow. */
        post: operations["postWorkflowCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workflows/{workflow}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancel a workflow. */
        post: operations["postWorkflowsWorkflowCancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/questions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Serve the open questions in a project's folder, and later questions there. */
        post: operations["postQuestions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/decision": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List decisions, in the order in which they were asked. */
        get: operations["getDecision"];
        put?: never;
        /** Ask the user. */
        post: operations["postDecision"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/decision/{decision}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A decision. */
        get: operations["getDecisionDecision"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/decision/{decision}/respond": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Answer a decision. The first valid answer counts. */
        post: operations["postDecisionDecisionRespond"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all sessions. */
        get: operations["getSessions"];
        put?: never;
        /** Create a session. */
        post: operations["postSessions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/current": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the session that was entered last. */
        get: operations["getSessionsCurrent"];
        put?: never;
        /** Enter a session. */
        post: operations["postSessionsCurrent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/resumable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the sessions that can be resumed. */
        get: operations["getSessionsResumable"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A session. */
        get: operations["getSessionsSession"];
        put?: never;
        post?: never;
        /** Remove a session without a running workflow. */
        delete: operations["deleteSessionsSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the messages of a session. */
        get: operations["getSessionsSessionMessages"];
        put?: never;
        /** Add a message to a session. */
        post: operations["postSessionsSessionMessages"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pause a session. */
        post: operations["postSessionsSessionPause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a session from a checkpoint; a session that was only paused continues as it was. The default is the last checkpoint of an interrupted workflow. An earlier checkpoint restores the tasks of that time: those completed by then stay completed, all others start again. */
        post: operations["postSessionsSessionResume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session}/compress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Delete all but the latest messages of a session. */
        post: operations["postSessionsSessionCompress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session}/context": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the context of a session. */
        get: operations["getSessionsSessionContext"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/sessions/{session}/checkpoint/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the last checkpoint of a session. */
        get: operations["getSessionsSessionCheckpointLatest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/{session}/checkpoint/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The same at an earlier path. */
        get: operations["getSessionSessionCheckpointLatest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resume a session, at an earlier path. */
        post: operations["postSessionResume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Create a checkpoint of a session from data of the caller. */
        post: operations["postSessionCheckpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/session/checkpoint/{checkpoint}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A checkpoint. */
        get: operations["getSessionCheckpointCheckpoint"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all agents. */
        get: operations["getAgents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agents/{agent}/capabilities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the capabilities of an agent. */
        get: operations["getAgentsAgentCapabilities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/{agent}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the current work of an agent. */
        get: operations["getAgentAgentProgress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/understand": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Analyze a request: a workflow of this phase only. `result` has `normalizedIntent`, `taskRelation`, `suggestedRoute` and `confidence`, as far as the agent gave them. */
        post: operations["postAgentUnderstand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/route": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Choose the next step: this phase only. `result` has `route`, `confidence`, `payload` and `requiresConfirmation`: whether a workflow would ask the user first. */
        post: operations["postAgentRoute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/plan": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Plan a task: this phase only. `result` has `tasks`. */
        post: operations["postAgentPlan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/execute": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Let one agent do a task: this phase only. `result` has `output`, and `path` and `files` if there are any. */
        post: operations["postAgentExecute"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/review": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Review a proposal or result: this phase only. `result` has `approved`, `score`, `feedback`, `requiredFixes`, `riskLevel` and `tasks`, as far as the agent gave them. */
        post: operations["postAgentReview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/agent/orchestrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Start a workflow. */
        post: operations["postAgentOrchestrate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List idle agents. */
        get: operations["getResources"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources/deploy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Assign an agent to a workflow. */
        post: operations["postResourcesDeploy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/resources/release": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Release an agent. */
        post: operations["postResourcesRelease"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the tools of agents, with their policies. */
        get: operations["getTools"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/tools/{tool}/policy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Set the policy of a tool, from its next call on, until it is set again or the configured policy changes. The case of the name is ignored. */
        put: operations["putToolsToolPolicy"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all types of events. */
        get: operations["getEventsTypes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all groups of events and their types. */
        get: operations["getEventsGroups"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List events in order: the latest, or with `since` the first after that number. Types and groups must both match. */
        get: operations["getEventsHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Stream events from now on, or after `since` or `Last-Event-ID`, as server-sent events: `id` is the number, `event` the type, `data` the payload. An event is sent if its type or its group matches. */
        get: operations["getEventsStream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/ws": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Open a WebSocket: an upgrade is required. See below. */
        get: operations["getWs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the daemon is serving, and how much it has to do. The answer needs neither disk nor journal, so it is available even while all other requests wait. */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get the same numbers in the text format 0.0.4 of Prometheus, if `daemon.metrics` is `true`. */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Check that the server responds. */
        get: operations["getApiTest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Get this API as OpenAPI 3.1. */
        get: operations["getOpenapiJson"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description Capabilities of an agent. */
        AgentCapabilities: {
            /** @description Id of the agent. */
            agentId: string;
            /** @description Names of the capabilities. */
            capabilities: string[];
            /** @description The capabilities with their levels. */
            details: components["schemas"]["Capability"][];
        };
        /** @description An agent that has changed. */
        AgentChange: {
            /** @description Id of the agent. */
            id: string;
            /** @description `idle`, `running` or `error`. */
            status: string;
        };
        /** @description Workflows that wait for an agent. */
        AgentQueueLoad: {
            /** @description All of them. */
            total: components["schemas"]["Backlog"];
            /** @description Those that wait for an agent of a type, if there are any. A workflow may wait for several types. */
            types: {
                [key: string]: components["schemas"]["Backlog"];
            };
        };
        /** @description State of an agent. */
        AgentSnapshot: {
            /** @description Id of the agent. */
            id: string;
            /**
             * @description State of the agent.
             * @enum {string}
             */
            fsmState: "idle" | "reserved" | "running" | "error" | "released";
            /** @description Simplified status: `idle`, `running` or `error`. */
            simplifiedStatus: string;
        };
        /** @description A step of an agent. */
        AgentStep: {
            /** @description Reasoning of the agent. */
            thought: string;
            /** @description Action of the agent. */
            action: string;
            /** @description Observation after the action; absent if there is none. */
            observation?: string | null;
            /**
             * Format: uint64
             * @description Number of the step, from 1; absent if unknown.
             */
            round?: number | null;
            /** @description Parameters of the action; absent if there are none. */
            params?: unknown;
            /** @description Whether the action succeeded; absent if unknown. */
            success?: boolean | null;
        };
        /** @description An agent has completed a step. */
        AgentStepCompleted: {
            /** @description Id of the agent; absent if unknown. */
            agentId?: string | null;
            /**
             * Format: uint64
             * @description Number of the step, from 1.
             */
            round: number;
            /** @description Reasoning of the agent. */
            thought: string;
            /** @description Action of the agent. */
            action: string;
            /** @description Observation after the action; absent if there is none. */
            observation?: string | null;
            /** @description Whether the action succeeded. */
            success: boolean;
        };
        /** @description The state of an agent has changed. */
        AgentUpdate: {
            /** @description Id of the agent. */
            agentId: string;
            /** @description `idle`, `running`, `paused` or `error`. */
            status: string;
            /**
             * Format: uint8
             * @description Load in percent, from 0 to 100; absent if unknown.
             */
            load?: number | null;
            /** @description Id of the current task; absent if there is none. */
            currentTaskId?: string | null;
            /** @description The completed step; absent if there is none. */
            step?: components["schemas"]["AgentStep"] | null;
        };
        /** @description An agent in the pool. */
        AgentView: {
            /** @description Id of the agent. */
            id: string;
            /** @description Type of the agent. */
            type: string;
            /** @description Name of the agent. */
            name: string;
            /** @description Availability: `available`, `deployed`, `busy`, `blocked`, `error` or `released`. */
            status: string;
            /**
             * @description State of the agent.
             * @enum {string}
             */
            fsmState: "idle" | "reserved" | "running" | "error" | "released";
            /** @description Names of the agent's capabilities. */
            capabilities: string[];
            /** @description Id of the session that the agent is assigned to; absent if there is none. */
            sessionId?: string | null;
            /** @description Id of the workflow that the agent is assigned to; absent if there is none. */
            workflowId?: string | null;
            /** @description Id of the agent's current task; absent if there is none. */
            taskId?: string | null;
            /** @description Time of the current deployment (ISO 8601, UTC); absent if there is none. */
            deployedAt?: string | null;
            /**
             * Format: uint64
             * @description Total number of deployments.
             */
            totalDeployments: number;
            /**
             * Format: uint64
             * @description Total number of failures.
             */
            errorCount: number;
            /** @description Reason of the last failure; absent if there was none. */
            lastErrorReason?: string | null;
            /** @description Time of the last failure (ISO 8601, UTC); absent if there was none. */
            lastErrorAt?: string | null;
        };
        /** @description Answer to a decision, given as input to its workflow. */
        AskResolution: {
            /** @description Whether the input was accepted as the answer. */
            ok: boolean;
            /** @description Id of the decision. */
            requestId: string;
            /** @description The answer as text. */
            answer: string;
            /** @description Label of the first selected option; absent if none was selected. */
            selectedOption?: string | null;
            /** @description Time of the answer (ISO 8601, UTC). */
            respondedAt: string;
        };
        /** @description Assignment of a task by one agent to another. */
        Assignment: {
            /** @description Id of the workflow. */
            epicId: string;
            /** @description Id of the task. */
            taskId: string;
            /** @description Id of the agent that assigns the task. */
            assignerAgentId: string;
            /** @description Id of the agent that the task is assigned to; absent if there is none. */
            assigneeAgentId?: string | null;
            /**
             * @description Phase of the assignment.
             * @enum {string}
             */
            phase: "assigned" | "queued" | "started" | "reviewing" | "retry" | "passed" | "failed" | "closed";
            /**
             * Format: uint64
             * @description Number of attempts so far.
             */
            attempt: number;
        };
        /** @description Part of a message that an agent is writing. */
        AssistantChunk: {
            /** @description Id of the message. */
            messageId: string;
            /** @description Text since the previous chunk. */
            content: string;
        };
        /** @description An agent has completed a message. */
        AssistantComplete: {
            /** @description Id of the message. */
            messageId: string;
            /** @description Complete text of the message. */
            content: string;
            /** @description Reason why the agent stopped; absent if unknown. */
            stopReason?: string | null;
        };
        /** @description Things that wait. */
        Backlog: {
            /**
             * Format: uint64
             * @description Number of them.
             */
            count: number;
            /**
             * Format: double
             * @description How long the first of them has waited, in seconds; absent if there is none.
             */
            oldestSeconds?: number | null;
        };
        /** @description A capability of an agent. */
        Capability: {
            /** @description Name of the capability. */
            type: string;
            /**
             * Format: uint64
             * @description Level of the capability, from 1 to 10.
             */
            level: number;
        };
        /** @description A phase that a workflow had entered before a checkpoint. */
        CheckpointPhase: {
            /** @description The phase. */
            phase: string;
            /** @description Time of entry (ISO 8601, UTC). */
            timestamp: string;
            /** @description Trigger of the transition, or `resume_session`. */
            action: string;
            /** @description Id of the checkpoint that the workflow was resumed from; absent if there is none. */
            checkpointId?: string | null;
        };
        /** @description Creates a checkpoint of a session from the state known to the caller. */
        CheckpointRequest: {
            /** @description Id of the session. */
            sessionId: string;
            /** @description Task of the session. */
            originalTask: string;
            /** @description Progress of each task. */
            taskProgress: components["schemas"]["TaskProgressRequest"][];
            /** @description States of the agents, by agent id. */
            agentStates?: {
                [key: string]: unknown;
            } | null;
            /** @description Additional context. */
            context?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description Removes messages. */
        ClearRequest: {
            /** @description Removes only messages to this module. */
            target?: string | null;
            /** @description Removes only messages with this status: `pending`, `completed` or `failed`; defaults to the latter two. */
            status?: string | null;
        };
        /** @description Flushes that took at most so long. */
        CommitBucket: {
            /**
             * Format: double
             * @description How long, in seconds.
             */
            atMostSeconds: number;
            /**
             * Format: uint64
             * @description Number of flushes, those of smaller buckets included.
             */
            count: number;
        };
        /** @description Changes that were flushed to the disk. Changes that come at the same time share a flush. */
        CommitLoad: {
            /**
             * Format: uint64
             * @description Number of flushes.
             */
            count: number;
            /**
             * Format: double
             * @description How long all of them took together, in seconds.
             */
            totalSeconds: number;
            /** @description The flushes as a histogram. */
            buckets: components["schemas"]["CommitBucket"][];
            /**
             * Format: double
             * @description How long half of the last 1,024 flushes took at most, in seconds; absent if there was none.
             */
            medianSeconds?: number | null;
            /**
             * Format: double
             * @description The same of 99 in 100 of them.
             */
            percentile99Seconds?: number | null;
        };
        /** @description A possible answer to a request for consent. */
        ConsentAnswer: {
            /** @description The answer: `Y`, `n` or `always`. */
            answer: string;
            /**
             * @description Effect of the answer: `allow_call` (only this call), `allow_tool` (every call of this tool until the workflow ends) or
             *     `deny`.
             */
            effect: string;
        };
        /** @description A tool call that needs the user's consent. */
        ConsentView: {
            /**
             * @description Name of the tool.
             * @enum {string}
             */
            tool: "WEB_SEARCH" | "FETCH_URL" | "READ_FILE" | "WRITE_FILE" | "SHELL_EXEC";
            /** @description Complete parameters of the call. */
            params: {
                [key: string]: unknown;
            };
            /** @description Possible answers, in the order in which the options are numbered. */
            answers: components["schemas"]["ConsentAnswer"][];
        };
        /** @description Selects the current session. */
        CurrentSessionRequest: {
            /** @description Id of the session. */
            sessionId: string;
        };
        /** @description How much the daemon has to do. All of it is kept in memory: reading it costs the same whatever the journal holds. */
        DaemonLoad: {
            /** @description Workflows that have not ended. */
            workflows: components["schemas"]["WorkflowLoad"];
            /** @description Decisions that are open. */
            decisions: components["schemas"]["Backlog"];
            /** @description Workflows that wait for an agent: `total`, and by the type of agent. */
            agentQueue: components["schemas"]["AgentQueueLoad"];
            /**
             * @description Records that are to be published in the history of their project. An entry that was there when the daemon started
             *     counts from its next attempt.
             */
            outbox: components["schemas"]["Backlog"];
            /** @description Requests that wait for a decision or for the end of a workflow. */
            requests: components["schemas"]["Backlog"];
            /** @description Changes of the journal that were flushed to the disk since the daemon started. */
            commits: components["schemas"]["CommitLoad"];
            /**
             * Format: uint64
             * @description Threads that change the journal, or wait for their turn to do so.
             */
            writers: number;
            /** @description Views of the journal. */
            readers: components["schemas"]["ReaderLoad"];
            /** @description Clients that listen to events. */
            subscribers: components["schemas"]["SubscriberLoad"];
            /** @description Size of the journal. */
            journal: components["schemas"]["JournalSize"];
        };
        /** @description A decision was answered. */
        DecisionAnswered: {
            /** @description Always true. */
            success: boolean;
            /** @description Id of the decision. */
            decisionId: string;
            /** @description The answer as given. */
            response: string;
            /** @description Labels of the selected options; empty for a free-text answer. */
            selected: string[];
            /** @description Id of the workflow that waited for the decision; absent if none did. */
            workflowId?: string | null;
        };
        /** @description A decision was created. */
        DecisionCreated: {
            /** @description Id of the decision. */
            decisionId: string;
            /** @description Always `pending`. */
            status: string;
            /** @description Deadline for the answer (ISO 8601, UTC); absent if there is none. */
            expiresAt?: string | null;
        };
        /** @description Requests a decision from a user. */
        DecisionRequest: {
            /** @description The question. */
            message: string;
            /** @description Options to choose from; without options, the answer is free text. */
            options?: string[] | null;
            /** @description Id of the workflow that waits for the decision. */
            workflowId?: string | null;
            /** @description Id of the session. */
            sessionId?: string | null;
            /** @description Id of the task that waits for the decision. */
            taskId?: string | null;
            /** @description Id of the agent that waits for the decision. */
            agentId?: string | null;
            /** @description Answer that applies if none is given. */
            default?: string | null;
            /** @description Whether several options can be selected; defaults to true, except for a yes/no question. */
            multiSelect?: boolean | null;
            /**
             * Format: uint64
             * @description Time limit for the answer, in milliseconds; no limit if absent.
             */
            timeoutMs?: number | null;
            /** @description Background of the question, as Markdown. */
            context?: string | null;
        };
        /** @description A decision that an agent made during a phase, with its reasoning. */
        DecisionTreeNode: {
            /** @description The phase. */
            phase: string;
            /**
             * Format: uint64
             * @description Number of the round.
             */
            round: number;
            /** @description Reasoning of the agent. */
            thought: string;
            /** @description Action of the agent. */
            action: string;
            /** @description Parameters of the action. */
            params: unknown;
            /** @description Observation after the action; absent if there is none. */
            observation?: string | null;
            /** @description Paths of the files that the action produced; absent if there are none. */
            outputFiles?: string[] | null;
        };
        /** @description A decision that is requested from a user. */
        DecisionView: {
            /** @description Id of the decision. */
            decisionId: string;
            /** @description Id of the workflow that waits for the decision; absent if none does. */
            workflowId?: string | null;
            /** @description Id of the session; absent if there is none. */
            sessionId?: string | null;
            /** @description Id of the decision as a set of questions, for `aide decide show`. */
            setId?: string | null;
            /** @description Id of the task that waits for the decision; absent if none does. */
            taskId?: string | null;
            /** @description Id of the agent that waits for the decision; absent if none does. */
            agentId?: string | null;
            /** @description The question. */
            message: string;
            /** @description Options; absent if the answer is free text. A tool call can also be answered with `always`: see `consent`. */
            options?: string[] | null;
            /** @description True if the user can also answer in their own words; absent otherwise. */
            allowOther?: boolean | null;
            /** @description Background of the question, as Markdown; absent if there is none. */
            context?: string | null;
            /** @description The tool call that needs consent; absent if the decision is about anything else. */
            consent?: components["schemas"]["ConsentView"] | null;
            /** @description Answer that applies if none is given; absent if there is no default. */
            default?: string | null;
            /** @description Whether several options can be selected. */
            multiSelect: boolean;
            /** @description Creation time (ISO 8601, UTC). */
            createdAt: string;
            /** @description Deadline for the answer (ISO 8601, UTC); absent if there is none. */
            expiresAt?: string | null;
            /** @description `pending`, `answered`, `expired`, `cancelled` or `returned`. */
            status: string;
            /** @description The answer as given; absent if there is none. */
            response?: string | null;
            /** @description Labels of the selected options; empty if none is selected. */
            selected: string[];
            /** @description Note that the user added to the answer, or the reason why the decision was returned; absent if there is none. */
            note?: string | null;
            /** @description Time at which the decision ended (ISO 8601, UTC); absent while it is pending. */
            respondedAt?: string | null;
            /** @description Channel of the answer: `page`, `form`, `api`, `terminal` or `clock`; absent while the decision is pending. */
            respondedBy?: string | null;
        };
        /** @description List of decisions. */
        Decisions: {
            /** @description The decisions. */
            decisions: components["schemas"]["DecisionView"][];
        };
        /** @description Assigns an agent to a workflow. */
        DeployRequest: {
            /** @description Id of the agent. */
            resourceId: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Id of the workflow. */
            workflowId: string;
        };
        /** @description An event. Members other than those listed here are also in `payload`. */
        Event: {
            /** @enum {unknown} */
            type: "session_created" | "session_resumed" | "session_paused" | "session_compressed" | "task_started" | "task_progress" | "task_completed" | "task_failed" | "task_blocked" | "tool_call" | "tool_result" | "tool_error" | "user_message" | "assistant_chunk" | "assistant_complete" | "agent_step_completed" | "plan_updated" | "workflow_progress" | "phase_transition" | "phase_output_saved" | "decision_tree_node" | "resource_update" | "resource_shortage" | "waiting_for_user" | "user_decision_required" | "user_decision_received" | "system_error" | "agent_update" | "workflow_update";
            sessionId?: string | null;
            /** Format: date-time */
            timestamp: string;
            payload: Record<string, unknown>;
            /** @description Its sequence number; consecutive. */
            seq: number;
            eventId: string;
            workflowId?: string;
            taskId?: string;
            agentId?: string;
        } & ({
            /** @constant */
            type?: "session_created";
            payload?: components["schemas"]["SessionCreated"];
        } | {
            /** @constant */
            type?: "session_resumed";
            payload?: components["schemas"]["SessionResumed"];
        } | {
            /** @constant */
            type?: "session_paused";
            payload?: components["schemas"]["SessionPaused"];
        } | {
            /** @constant */
            type?: "session_compressed";
            payload?: components["schemas"]["SessionCompressed"];
        } | {
            /** @constant */
            type?: "task_started";
            payload?: components["schemas"]["TaskStarted"];
        } | {
            /** @constant */
            type?: "task_progress";
            payload?: components["schemas"]["TaskProgress"];
        } | {
            /** @constant */
            type?: "task_completed";
            payload?: components["schemas"]["TaskCompleted"];
        } | {
            /** @constant */
            type?: "task_failed";
            payload?: components["schemas"]["TaskFailed"];
        } | {
            /** @constant */
            type?: "task_blocked";
            payload?: components["schemas"]["TaskBlocked"];
        } | {
            /** @constant */
            type?: "tool_call";
            payload?: components["schemas"]["ToolCall"];
        } | {
            /** @constant */
            type?: "tool_result";
            payload?: components["schemas"]["ToolResult"];
        } | {
            /** @constant */
            type?: "tool_error";
            payload?: components["schemas"]["ToolError"];
        } | {
            /** @constant */
            type?: "user_message";
            payload?: components["schemas"]["UserMessage"];
        } | {
            /** @constant */
            type?: "assistant_chunk";
            payload?: components["schemas"]["AssistantChunk"];
        } | {
            /** @constant */
            type?: "assistant_complete";
            payload?: components["schemas"]["AssistantComplete"];
        } | {
            /** @constant */
            type?: "agent_step_completed";
            payload?: components["schemas"]["AgentStepCompleted"];
        } | {
            /** @constant */
            type?: "plan_updated";
            payload?: components["schemas"]["PlanUpdated"];
        } | {
            /** @constant */
            type?: "workflow_progress";
            payload?: components["schemas"]["WorkflowProgress"];
        } | {
            /** @constant */
            type?: "phase_transition";
            payload?: components["schemas"]["PhaseTransition"];
        } | {
            /** @constant */
            type?: "phase_output_saved";
            payload?: components["schemas"]["PhaseOutputSaved"];
        } | {
            /** @constant */
            type?: "decision_tree_node";
            payload?: components["schemas"]["DecisionTreeNode"];
        } | {
            /** @constant */
            type?: "resource_update";
            payload?: components["schemas"]["ResourceUpdate"];
        } | {
            /** @constant */
            type?: "resource_shortage";
            payload?: components["schemas"]["ResourceShortage"];
        } | {
            /** @constant */
            type?: "waiting_for_user";
            payload?: components["schemas"]["WaitingForUser"];
        } | {
            /** @constant */
            type?: "user_decision_required";
            payload?: components["schemas"]["UserDecisionRequired"];
        } | {
            /** @constant */
            type?: "user_decision_received";
            payload?: components["schemas"]["UserDecisionReceived"];
        } | {
            /** @constant */
            type?: "system_error";
            payload?: components["schemas"]["SystemError"];
        } | {
            /** @constant */
            type?: "agent_update";
            payload?: components["schemas"]["AgentUpdate"];
        } | {
            /** @constant */
            type?: "workflow_update";
            payload?: components["schemas"]["WorkflowUpdate"];
        });
        /** @description Executes a task with one agent, without a plan. */
        ExecuteRequest: {
            /** @description Description of the task. */
            task: string;
            /** @description Id of the agent that executes the task; defaults to any free agent that qualifies. */
            agent?: string | null;
            /** @description Whether to wait, for at most five minutes, if that agent is busy; defaults to true. */
            queueOnBusy?: boolean | null;
            /** @description Id of the requesting agent, if the sender is an agent; an agent cannot wait for itself, even indirectly. */
            sender?: string | null;
            /** @description Id of the session; a new session is created if absent. */
            sessionId?: string | null;
            /** @description Absolute path of the project folder of the new session. */
            projectPath?: string | null;
            /** @description Whether to wait for the result; defaults to false. */
            blocking?: boolean | null;
        };
        /** @description Sends input to a workflow. */
        InputRequest: {
            /** @description Id of the workflow. */
            workflowId: string;
            /** @description The input; anything other than text is stored as JSON. */
            input: unknown;
        };
        /** @description Size of the journal, as of the last flush. */
        JournalSize: {
            /**
             * Format: uint64
             * @description Size of the file, in bytes.
             */
            fileBytes: number;
            /**
             * Format: uint64
             * @description Size of its write-ahead log, in bytes.
             */
            walBytes: number;
        };
        /** @description Latest checkpoint of a session. */
        LatestCheckpoint: {
            /** @description The checkpoint. */
            checkpoint: components["schemas"]["SessionCheckpoint"];
            /** @description Context for resuming the session. */
            resumeContext: components["schemas"]["ResumeContext"];
        };
        /** @description A message to a module. */
        MailboxMessage: {
            /** @description Id of the message. */
            id: string;
            /** @description Module that the message is addressed to. */
            target: string;
            /** @description Content of the message. */
            content: unknown;
            /** @description `pending`, `processing`, `completed` or `failed`. */
            status: string;
            /** @description Result of the message; absent if there is none. */
            result?: unknown;
            /** @description Error of the message; absent if there is none. */
            error?: string | null;
            /** @description Time at which the message was received (ISO 8601, UTC). */
            createdAt: string;
            /** @description Time of the last change (ISO 8601, UTC). */
            updatedAt: string;
            /** @description Sender of the message; absent if unknown. */
            sender?: string | null;
            /** @description Id that the sender assigned to the message; absent if there is none. */
            callbackId?: string | null;
            /** @description Id of the workflow that the message started; absent if there is none. */
            workflowId?: string | null;
        };
        /** @description A message was accepted. */
        MessageAccepted: {
            /** @description Always true. */
            success: boolean;
            /** @description Id of the message. */
            messageId: string;
            /**
             * @description `queued`; `completed` if the sender waited for the result; the final status if a message that has ended was sent
             *     again.
             */
            status: string;
            /** @description Whether the message still has to be processed. */
            queued: boolean;
            /** @description Id of the workflow that the message started or was addressed to; absent if there is none. */
            workflowId?: string | null;
            /** @description Id of the session; absent if there is none. */
            sessionId?: string | null;
            /** @description Result of the message; present only if the sender waited for it, or sent again a message that has ended. */
            result?: unknown;
            /**
             * @description True if the daemon has no provider that could start the workflow, which then stays in its phase until a client drives
             *     it; absent otherwise.
             */
            unattended?: boolean | null;
        };
        /** @description Sends a message to a module. */
        MessageRequest: {
            /** @description Module that the message is addressed to; `finger-orchestrator` starts a workflow. */
            target: string;
            /** @description The message: a text, or an object with `content` and optionally `sessionId`, `projectPath`, `workflowId` and `images`. */
            message: unknown;
            /** @description Whether to wait for the result. */
            blocking?: boolean | null;
            /** @description Sender of the message. */
            sender?: string | null;
            /** @description Id assigned by the sender, by which the message can be looked up. */
            callbackId?: string | null;
        };
        /** @description A message of a session. */
        MessageView: {
            /** @description Id of the message. */
            id: string;
            /** @description Role of the author. */
            role: string;
            /** @description Text of the message. */
            content: string;
            /** @description Time of the message (ISO 8601, UTC). */
            timestamp: string;
            /** @description Id of the workflow that the message was addressed to; absent if there is none. */
            workflowId?: string | null;
        };
        /** @description A requirement that no agent meets. */
        MissingResource: {
            /** @description A type of agent, or a capability. */
            type: string;
            /** @description Capabilities that the agent would need; absent if there are none. */
            capabilities?: string[] | null;
            /**
             * Format: uint64
             * @description Minimum level, from 1 to 10, that the agent would need in at least one of these capabilities; absent if there is none.
             */
            minLevel?: number | null;
        };
        /** @description Resumes a session that the body names (earlier form of the request). */
        NamedResumeRequest: {
            /** @description Id of the session. */
            sessionId: string;
            /** @description Id of the checkpoint to resume from; defaults to the latest. */
            checkpointId?: string | null;
        };
        /** @description Starts a workflow. */
        OrchestrateRequest: {
            /** @description Task of the workflow. */
            task: string;
            /** @description Images that belong to the task: paths of at most 8 project files, each PNG, JPEG, GIF or WebP, and at most 5 MiB. */
            images?: string[] | null;
            /** @description Id of the session; a new session is created if absent. */
            sessionId?: string | null;
            /** @description Absolute path of the project folder of the new session. */
            projectPath?: string | null;
            /** @description Whether to wait for the end of the workflow; defaults to false. */
            watch?: boolean | null;
        };
        /** @description Reasoning of the orchestrator about a workflow. */
        OrchestratorState: {
            /**
             * Format: uint64
             * @description Number of the round.
             */
            round: number;
            /** @description The reasoning, as text. */
            thought: string;
        };
        /** @description Pauses a workflow. */
        PauseRequest: {
            /** @description Id of the workflow. */
            workflowId: string;
            /** @description Whether to abort work in progress. */
            hard?: boolean | null;
        };
        /** @description A phase that a workflow has entered. */
        PhaseEntry: {
            /**
             * @description The phase.
             * @enum {string}
             */
            state: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /** @description Time of entry (ISO 8601, UTC). */
            timestamp: string;
            /** @description Trigger of the transition; absent if there was none. */
            trigger?: string | null;
        };
        /** @description The result of a phase was saved to files. */
        PhaseOutputSaved: {
            /** @description The phase. */
            phase: string;
            /** @description Path of the main file. */
            outputPath: string;
            /** @description Paths of all files. */
            files: string[];
        };
        /** @description A workflow has entered a phase. */
        PhaseTransition: {
            /**
             * @description Previous phase.
             * @enum {string}
             */
            from: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /**
             * @description New phase.
             * @enum {string}
             */
            to: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /**
             * @description Trigger of the transition; absent if there was none.
             * @enum {string|null}
             */
            trigger?: "user_input_received" | "intent_analyzed" | "routing_decided" | "plan_created" | "task_dispatched" | "task_started" | "task_progress" | "task_completed" | "task_failed" | "review_passed" | "review_rejected" | "major_change_detected" | "resource_missing" | "user_decision_received" | "pause_requested" | "resume_requested" | "cancel_requested" | "error_occurred" | null;
            /** @description Beginning of the reviewer's feedback, on one line, if the review rejected the result; absent otherwise. */
            reason?: string | null;
            /**
             * Format: uint64
             * @description Number of the round, i.e. how often the workflow was planned; absent before the first plan.
             */
            round?: number | null;
            /** @description Id of the checkpoint that the workflow was resumed from; absent if there is none. */
            checkpointId?: string | null;
        };
        /** @description Plans a task. */
        PlanRequest: {
            /** @description Description of the task. */
            task: string;
            /** @description Id of the session; a new session is created if absent. */
            sessionId?: string | null;
            /** @description Absolute path of the project folder of the new session. */
            projectPath?: string | null;
            /** @description Whether to wait for the result; defaults to true. */
            blocking?: boolean | null;
        };
        /** @description A plan was created or replaced. */
        PlanUpdated: {
            /** @description Id of the plan. */
            planId: string;
            /**
             * Format: uint64
             * @description Version of the plan, from 1.
             */
            version: number;
            /**
             * Format: uint64
             * @description Number of tasks.
             */
            taskCount: number;
            /**
             * Format: uint64
             * @description Number of completed tasks.
             */
            completedCount: number;
        };
        /** @description A set of questions of a project is shown to users. */
        QuestionsHosted: {
            /** @description Always true. */
            success: boolean;
            /** @description Id of the set of questions. */
            setId: string;
            /** @description URL of the set of questions. */
            url: string;
        };
        /** @description Shows a pending set of questions from the folder of a project. */
        QuestionsRequest: {
            /** @description Absolute path of the project folder. */
            projectPath: string;
            /** @description Id of the set of questions. */
            setId: string;
            /**
             * Format: int64
             * @description How long the client waits for the answer, in milliseconds; without limit if absent.
             */
            timeoutMs?: number | null;
        };
        /** @description Views of the journal. */
        ReaderLoad: {
            /**
             * Format: uint64
             * @description Number of views that there can be at a time.
             */
            limit: number;
            /**
             * Format: uint64
             * @description Number of views that there are.
             */
            busy: number;
            /**
             * Format: uint64
             * @description Number of threads that wait for one.
             */
            waiting: number;
        };
        /** @description Refusal of a request. The error text is part of the contract and the same in every language. */
        Refusal: {
            /** @description Description of the error. */
            error: string;
            /**
             * @description Machine-readable code of the error.
             * @enum {string}
             */
            code: "INVALID_JSON" | "INVALID_REQUEST" | "MISSING_FIELD" | "INVALID_TRIGGER" | "INVALID_GROUP" | "INVALID_LIMIT" | "INVALID_RESPONSE" | "WORKFLOW_NOT_FOUND" | "SESSION_NOT_FOUND" | "CHECKPOINT_NOT_FOUND" | "AGENT_NOT_FOUND" | "DECISION_NOT_FOUND" | "MODULE_NOT_FOUND" | "MESSAGE_NOT_FOUND" | "OUTPUT_NOT_FOUND" | "NOT_FOUND" | "WORKFLOW_ALREADY_PAUSED" | "WORKFLOW_NOT_PAUSED" | "WORKFLOW_TERMINAL" | "WORKFLOW_ACTIVE" | "INVALID_TRANSITION" | "DECISION_ALREADY_RESOLVED" | "DECISION_EXPIRED" | "SESSION_NOT_RESUMABLE" | "SESSION_BUSY" | "RESOURCE_BUSY" | "PROVIDER_MISSING" | "SERVED_ELSEWHERE" | "QUEUE_FULL" | "IDEMPOTENCY_CONFLICT" | "AGENT_FAILED" | "LLM_ERROR" | "INTERNAL_ERROR" | "TIMEOUT" | "UNAUTHORIZED" | "FORBIDDEN" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "MISDIRECTED_REQUEST" | "UNAVAILABLE";
            /**
             * @description Details of the error, such as the member concerned.
             * @default {}
             */
            details: {
                [key: string]: unknown;
            };
        };
        /** @description Releases an agent. */
        ReleaseRequest: {
            /** @description Id of the agent. */
            resourceId: string;
        };
        /** @description No agent can do the required work. */
        ResourceShortage: {
            /** @description Id of the task; absent if there is none. */
            taskId?: string | null;
            /** @description Requirements that no agent meets. */
            missingResources: components["schemas"]["MissingResource"][];
            /** @description Reason for the shortage. */
            reason: string;
            /** @description Suggested remedy. */
            suggestion: string;
        };
        /** @description The use of an agent in the pool has changed. */
        ResourceUpdate: {
            /** @description Id of the agent. */
            resourceId: string;
            /** @description Availability: `available`, `deployed`, `busy`, `blocked`, `error` or `released`. */
            status: string;
            /** @description Id of the session that the agent is assigned to; absent if there is none. */
            sessionId?: string | null;
            /** @description Id of the workflow that the agent is assigned to; absent if there is none. */
            workflowId?: string | null;
        };
        /** @description Answers a decision. */
        RespondRequest: {
            /** @description The text of an option, its number, several numbers (`1,3`, `1-3`), `Y` or `n`; any text if there are no options. */
            response: string;
            /** @description Channel of the answer: `api` (default), or `terminal` for the command line. */
            via?: string | null;
        };
        /** @description A session that can be resumed from a checkpoint. */
        ResumableSession: {
            /** @description Id of the session. */
            id: string;
            /** @description Task of the session. */
            task: string;
            /**
             * Format: uint64
             * @description Progress in percent, from 0 to 100.
             */
            progress: number;
            /** @description Creation time of the checkpoint (ISO 8601, UTC). */
            timestamp: string;
            /** @description Id of the workflow; absent if there is none. */
            workflowId?: string | null;
            /**
             * @description Phase in which the workflow would resume; absent if there is none.
             * @enum {string|null}
             */
            phase?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description Id of the checkpoint. */
            checkpointId: string;
            /**
             * Format: uint64
             * @description Number of remaining tasks.
             */
            pendingTasks: number;
        };
        /** @description List of sessions that can be resumed. */
        ResumableSessions: {
            /** @description The sessions, most recently changed first. */
            sessions: components["schemas"]["ResumableSession"][];
        };
        /** @description Context for resuming a session. */
        ResumeContext: {
            /** @description The checkpoint to resume from. */
            checkpoint: components["schemas"]["SessionCheckpoint"];
            /** @description Summary of the checkpoint, as Markdown. */
            summary: string;
            /** @description Suggested next actions, as text. */
            nextActions: string[];
            /**
             * Format: uint64
             * @description Progress in percent, from 0 to 100.
             */
            estimatedProgress: number;
        };
        /** @description Resumes a session. */
        ResumeRequest: {
            /** @description Id of the checkpoint to resume from; defaults to the latest. */
            checkpointId?: string | null;
        };
        /** @description Reviews a proposal or finished work. */
        ReviewRequest: {
            /** @description The proposal, as text or any other JSON; results in its `tasks` are reviewed like those of a workflow. */
            proposal: unknown;
            /** @description Id of the session; a new session is created if absent. */
            sessionId?: string | null;
            /** @description Absolute path of the project folder of the new session. */
            projectPath?: string | null;
            /** @description Whether to wait for the result; defaults to true. */
            blocking?: boolean | null;
        };
        /** @description Decides on the route of a workflow. */
        RouteRequest: {
            /** @description Result of the intent analysis. */
            intentAnalysis: {
                [key: string]: unknown;
            };
            /** @description Id of the session; a new session is created if absent. */
            sessionId?: string | null;
            /** @description Absolute path of the project folder of the new session. */
            projectPath?: string | null;
            /** @description Whether to wait for the result; defaults to true. */
            blocking?: boolean | null;
        };
        /** @description Checkpoint of a session. */
        SessionCheckpoint: {
            /** @description Id of the checkpoint. */
            checkpointId: string;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Id of the workflow; absent if there is none. */
            workflowId?: string | null;
            /** @description Creation time (ISO 8601, UTC). */
            timestamp: string;
            /** @description Task of the session. */
            originalTask: string;
            /** @description Progress of each task. */
            taskProgress: components["schemas"]["TaskProgressEntry"][];
            /** @description Ids of the completed tasks. */
            completedTaskIds: string[];
            /** @description Ids of the failed tasks. */
            failedTaskIds: string[];
            /** @description Ids of the remaining tasks. */
            pendingTaskIds: string[];
            /** @description States of the agents, by agent id. */
            agentStates: {
                [key: string]: unknown;
            };
            /** @description Phases that the workflow has entered; absent if they are unknown. */
            phaseHistory?: components["schemas"]["CheckpointPhase"][] | null;
            /** @description Additional context. */
            context: {
                [key: string]: unknown;
            };
        };
        /** @description The messages of a session were compressed. */
        SessionCompressed: {
            /**
             * Format: uint64
             * @description Number of messages before.
             */
            originalSize: number;
            /**
             * Format: uint64
             * @description Number of messages after.
             */
            compressedSize: number;
            /** @description Summary that replaces the removed messages. */
            summary: string;
        };
        /** @description A session was created. */
        SessionCreated: {
            /** @description Name of the session. */
            name: string;
            /** @description Path of the project folder; empty if the session has none. */
            projectPath: string;
            /**
             * Format: uint64
             * @description Number of messages; absent if the session is new.
             */
            messageCount?: number | null;
        };
        /** @description Adds a message to a session. */
        SessionMessageRequest: {
            /** @description Text of the message. */
            content: string;
            /** @description Role of the author: `user` (default), `assistant`, `system` or `orchestrator`. */
            role?: string | null;
        };
        /** @description A session was paused. */
        SessionPaused: {
            /** @description Reason for the pause; absent if none is given. */
            reason?: string | null;
        };
        /** @description Creates a session. */
        SessionRequest: {
            /** @description Name of the session; defaults to the name of its folder. */
            name?: string | null;
            /** @description Absolute path of the project folder. */
            projectPath?: string | null;
        };
        /** @description A session was resumed. */
        SessionResumed: {
            /** @description Id of the checkpoint that the session was resumed from; absent if none was used. */
            checkpointId?: string | null;
            /**
             * Format: uint64
             * @description Number of messages.
             */
            messageCount: number;
        };
        /** @description A session was resumed. */
        SessionResumption: {
            /** @description Always true. */
            success: boolean;
            /** @description Id of the session. */
            sessionId: string;
            /** @description Id of the resumed workflow; absent if the session was only paused. */
            workflowId?: string | null;
            /** @description Id of the checkpoint; absent if none was used. */
            checkpointId?: string | null;
            /**
             * @description Phase in which the workflow resumes; absent if no workflow resumes.
             * @enum {string|null}
             */
            resumePhase?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description Context for resuming the session; absent if no checkpoint was used. */
            resumeContext?: components["schemas"]["ResumeContext"] | null;
        };
        /** @description A session. */
        SessionView: {
            /** @description Id of the session. */
            id: string;
            /** @description Name of the session. */
            name: string;
            /** @description Path of the project folder. */
            projectPath: string;
            /** @description `active` or `paused`. */
            status: string;
            /** @description Creation time (ISO 8601, UTC). */
            createdAt: string;
            /** @description Time of the last change (ISO 8601, UTC). */
            updatedAt: string;
            /** @description Time of the last access (ISO 8601, UTC). */
            lastAccessedAt: string;
            /**
             * Format: uint64
             * @description Number of messages.
             */
            messageCount: number;
            /** @description Ids of the workflows that have not ended. */
            activeWorkflows: string[];
        };
        /** @description Snapshots of all workflows. */
        Snapshots: {
            /** @description One snapshot per workflow, most recently changed first. */
            snapshots: components["schemas"]["StateSnapshot"][];
        };
        /** @description Result of a single phase, or acceptance of the request for it. */
        StageAnswer: {
            /** @description Always true. */
            success: boolean;
            /** @description Result of the phase; if the request does not wait for it: `messageId`, `workflowId`, `sessionId` and `status`. */
            result: unknown;
            /** @description Id of the message that started the phase. */
            messageId: string;
            /** @description Id of the workflow that consists of this phase. */
            workflowId?: string | null;
            /** @description Id of the session. */
            sessionId?: string | null;
        };
        /** @description Complete state of a workflow at one point in time. */
        StateSnapshot: {
            /** @description Id of the workflow. */
            workflowId: string;
            /** @description Id of the session. */
            sessionId: string;
            /**
             * @description Current phase.
             * @enum {string}
             */
            fsmState: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /**
             * @description Simplified status.
             * @enum {string}
             */
            simplifiedStatus: "planning" | "executing" | "completed" | "failed" | "paused";
            /**
             * @description Phase before the pause; absent unless the workflow is paused.
             * @enum {string|null}
             */
            previousState?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description Tasks of the workflow. */
            tasks: components["schemas"]["TaskSnapshot"][];
            /** @description Agents assigned to the workflow. */
            agents: components["schemas"]["AgentSnapshot"][];
            /** @description Context of the workflow. */
            context: {
                [key: string]: unknown;
            };
            /** @description Task of the workflow, as the user stated it. */
            userTask: string;
            /**
             * Format: uint64
             * @description Number of times the workflow was planned.
             */
            round: number;
            /**
             * @description Phases that the workflow has entered, at most the last 200, oldest first. Those of an ended workflow are removed
             *     together with its events.
             */
            history: components["schemas"]["PhaseEntry"][];
            /** @description Id of the pending decision; absent if there is none. */
            pendingDecision?: string | null;
            /** @description What the workflow waits for other than a user; absent if nothing. */
            waitingFor?: components["schemas"]["WaitingFor"][] | null;
            /** @description Result of the workflow; absent if there is none yet. */
            output?: unknown;
            /** @description Error of the workflow; absent if there is none. */
            error?: string | null;
            /** @description Time of the last change, at which this state was reached (ISO 8601, UTC). */
            timestamp: string;
        };
        /** @description Clients that listen to events. */
        SubscriberLoad: {
            /**
             * Format: uint64
             * @description Number of WebSockets.
             */
            webSocket: number;
            /**
             * Format: uint64
             * @description Number of streams of server-sent events.
             */
            sse: number;
        };
        /** @description An error has occurred in the daemon itself. */
        SystemError: {
            /** @description Description of the error. */
            error: string;
            /** @description Component in which the error occurred. */
            component: string;
            /** @description Whether the daemon continues. */
            recoverable: boolean;
        };
        /** @description A task is blocked. */
        TaskBlocked: {
            /** @description Id of the task. */
            taskId: string;
            /** @description Reason for the block. */
            reason: string;
            /** @description Estimated time at which the task can continue; absent if unknown. */
            estimatedStartTime?: string | null;
            /**
             * Format: double
             * @description Estimated benefit of continuing the task; absent if unknown.
             */
            benefitScore?: number | null;
        };
        /** @description A task was completed. */
        TaskCompleted: {
            /** @description Id of the task. */
            taskId: string;
            /** @description Id of the agent; absent if unknown. */
            agentId?: string | null;
            /** @description Result of the task; absent if there is none. */
            result?: unknown;
            /**
             * Format: uint64
             * @description Duration in milliseconds; absent if unknown.
             */
            duration?: number | null;
        };
        /** @description A task has failed. */
        TaskFailed: {
            /** @description Id of the task. */
            taskId: string;
            /** @description Id of the agent; absent if unknown. */
            agentId?: string | null;
            /** @description Description of the error. */
            error: string;
            /** @description Whether the task can be retried; absent if unknown. */
            retryable?: boolean | null;
        };
        /** @description A task of a workflow. */
        TaskNode: {
            /** @description Id of the task. */
            id: string;
            /** @description Description of the work. */
            description: string;
            /** @description Type of agent that executes the task: `executor` or `reviewer`. */
            type: string;
            /**
             * @description Simplified status.
             * @enum {string}
             */
            status: "pending" | "blocked" | "ready" | "in_progress" | "completed" | "failed";
            /**
             * @description State of the task.
             * @enum {string}
             */
            fsmState: "created" | "ready" | "dispatching" | "dispatched" | "dispatch_failed" | "running" | "execution_succeeded" | "execution_failed" | "reviewing" | "rework_required" | "blocked" | "done";
            /** @description Ids of the tasks that this task depends on. */
            dependencies: string[];
            /** @description Ids of the tasks that depend on this task. */
            dependents: string[];
            /** @description Capabilities that the assigned agent must have. */
            requiredCapabilities: string[];
            /**
             * Format: uint64
             * @description Minimum level, from 1 to 10, that the assigned agent must have in at least one of these capabilities; absent if there
             *     is none.
             */
            minLevel?: number | null;
            /** @description Id of the assigned agent; absent if none is assigned. */
            assignee?: string | null;
            /**
             * Format: uint64
             * @description Estimated duration in milliseconds; absent if there is no estimate.
             */
            estimatedDuration?: number | null;
            /** @description Deadline of the task (ISO 8601, UTC); absent if there is none. */
            deadline?: string | null;
            /** @description Start time (ISO 8601, UTC); absent before the start. */
            startedAt?: string | null;
            /** @description End time (ISO 8601, UTC); absent before the end. */
            completedAt?: string | null;
            /** @description Result of the task; absent if there is none. */
            result?: unknown;
            /** @description Error of the task; absent if there is none. */
            error?: string | null;
            /** @description Assignment of the task; absent while it waits for other tasks. */
            assignment?: components["schemas"]["Assignment"] | null;
        };
        /** @description A task has progressed. */
        TaskProgress: {
            /** @description Id of the task. */
            taskId: string;
            /**
             * Format: uint8
             * @description Progress in percent, from 0 to 100.
             */
            progress: number;
            /** @description Description of the progress; absent if there is none. */
            message?: string | null;
        };
        /** @description Progress of a task at a checkpoint. */
        TaskProgressEntry: {
            /** @description Id of the task. */
            taskId: string;
            /** @description Description of the work. */
            description: string;
            /** @description `pending`, `in_progress`, `completed`, `failed` or `skipped`. */
            status: string;
            /** @description Id of the assigned agent; absent if none is assigned. */
            assignedAgent?: string | null;
            /** @description Start time (ISO 8601); absent before the start. */
            startedAt?: string | null;
            /** @description End time (ISO 8601); absent before the end. */
            completedAt?: string | null;
            /** @description Result of the task; absent if there is none. */
            result?: unknown;
            /**
             * Format: uint64
             * @description Number of attempts so far.
             */
            iterationCount: number;
            /**
             * Format: uint64
             * @description Maximum number of attempts.
             */
            maxIterations: number;
            /** @description Type of agent that executes the task: `executor` or `reviewer`; absent if unknown. */
            type?: string | null;
            /** @description Ids of the tasks that this task depends on; absent if unknown. */
            dependencies?: string[] | null;
            /** @description Capabilities that the assigned agent must have; absent if unknown. */
            requiredCapabilities?: string[] | null;
            /**
             * Format: uint64
             * @description Minimum level, from 1 to 10, that the assigned agent must have in at least one of these capabilities; absent if there
             *     is none.
             */
            minLevel?: number | null;
        };
        /** @description Progress of a task. */
        TaskProgressRequest: {
            /** @description Id of the task. */
            taskId: string;
            /** @description Description of the work. */
            description?: string | null;
            /** @description `pending`, `in_progress`, `completed`, `failed` or `skipped`. */
            status: string;
            /** @description Id of the assigned agent. */
            assignedAgent?: string | null;
            /** @description Start time (ISO 8601). */
            startedAt?: string | null;
            /** @description End time (ISO 8601). */
            completedAt?: string | null;
            /** @description Result of the task. */
            result?: unknown;
            /**
             * Format: uint64
             * @description Number of attempts so far.
             */
            iterationCount?: number | null;
            /**
             * Format: uint64
             * @description Maximum number of attempts.
             */
            maxIterations?: number | null;
        };
        /** @description State of a task. */
        TaskSnapshot: {
            /** @description Id of the task. */
            id: string;
            /**
             * @description State of the task.
             * @enum {string}
             */
            fsmState: "created" | "ready" | "dispatching" | "dispatched" | "dispatch_failed" | "running" | "execution_succeeded" | "execution_failed" | "reviewing" | "rework_required" | "blocked" | "done";
            /**
             * @description Simplified status of the task.
             * @enum {string}
             */
            simplifiedStatus: "pending" | "blocked" | "ready" | "in_progress" | "completed" | "failed";
            /** @description Id of the assigned agent; absent if none is assigned. */
            assignee?: string | null;
        };
        /** @description An agent has started a task. */
        TaskStarted: {
            /** @description Id of the task. */
            taskId: string;
            /** @description Id of the agent; absent if unknown. */
            agentId?: string | null;
            /** @description Description of the work. */
            description: string;
        };
        /** @description A task that has changed. */
        TaskUpdate: {
            /** @description Id of the task. */
            id: string;
            /**
             * @description Simplified status of the task.
             * @enum {string}
             */
            status: "pending" | "blocked" | "ready" | "in_progress" | "completed" | "failed";
            /** @description Id of the assigned agent; absent if none is assigned. */
            assignee?: string | null;
        };
        /** @description An agent has called a tool. */
        ToolCall: {
            /** @description Id of the call. */
            toolId: string;
            /** @description Name of the tool. */
            toolName: string;
            /** @description Id of the agent. */
            agentId: string;
            /** @description Input of the tool. */
            input: unknown;
        };
        /** @description A tool call has failed. */
        ToolError: {
            /** @description Id of the call. */
            toolId: string;
            /** @description Name of the tool. */
            toolName: string;
            /** @description Id of the agent. */
            agentId: string;
            /** @description Description of the error. */
            error: string;
            /**
             * Format: uint64
             * @description Duration in milliseconds.
             */
            duration: number;
        };
        /** @description The policy of a tool was set. */
        ToolPolicyAnswer: {
            /** @description Always true. */
            success: boolean;
            /**
             * @description Name of the tool.
             * @enum {string}
             */
            name: "WEB_SEARCH" | "FETCH_URL" | "READ_FILE" | "WRITE_FILE" | "SHELL_EXEC";
            /**
             * @description Policy in effect.
             * @enum {string}
             */
            policy: "allow" | "ask" | "deny";
        };
        /** @description Sets the policy of a tool. */
        ToolPolicyRequest: {
            /**
             * @description The new policy.
             * @enum {string}
             */
            policy: "allow" | "ask" | "deny";
        };
        /** @description A tool call has succeeded. */
        ToolResult: {
            /** @description Id of the call. */
            toolId: string;
            /** @description Name of the tool. */
            toolName: string;
            /** @description Id of the agent. */
            agentId: string;
            /** @description Output of the tool. */
            output: unknown;
            /**
             * Format: uint64
             * @description Duration in milliseconds.
             */
            duration: number;
        };
        /** @description A tool that agents can call. */
        ToolView: {
            /**
             * @description Name of the tool.
             * @enum {string}
             */
            name: "WEB_SEARCH" | "FETCH_URL" | "READ_FILE" | "WRITE_FILE" | "SHELL_EXEC";
            /**
             * @description Policy in effect.
             * @enum {string}
             */
            policy: "allow" | "ask" | "deny";
            /**
             * @description Configured policy, which differs from `policy` if a user has overridden it.
             * @enum {string}
             */
            configured: "allow" | "ask" | "deny";
            /** @description Required parameters of a call. */
            parameters: string[];
            /** @description Whether everything that the tool needs besides a project is available: web search requires configuration. */
            available: boolean;
        };
        /** @description A trigger was applied to a workflow. */
        TransitionAnswer: {
            /** @description Always true. */
            success: boolean;
            /**
             * @description Phase of the workflow after the trigger.
             * @enum {string}
             */
            currentState: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /** @description Context of the workflow. */
            context: {
                [key: string]: unknown;
            };
        };
        /** @description Applies a trigger to a workflow. */
        TransitionRequest: {
            /**
             * @description The trigger.
             * @enum {string}
             */
            trigger: "user_input_received" | "intent_analyzed" | "routing_decided" | "plan_created" | "task_dispatched" | "task_started" | "task_progress" | "task_completed" | "task_failed" | "review_passed" | "review_rejected" | "major_change_detected" | "resource_missing" | "user_decision_received" | "pause_requested" | "resume_requested" | "cancel_requested" | "error_occurred";
            /**
             * @description Additions to the context: `intent`, `route`, `plan`, `tasks`, `review`, `output`, `decision`, `lastError` and any
             *     other members. They are stored unless the trigger is refused.
             */
            context?: {
                [key: string]: unknown;
            } | null;
            /** @description Id of the session; not required, because the workflow determines it. */
            sessionId?: string | null;
        };
        /** @description Analyzes the intent of a user's input. */
        UnderstandRequest: {
            /** @description The input. */
            input: string;
            /** @description Images that belong to the input: paths of at most 8 project files, each PNG, JPEG, GIF or WebP, and at most 5 MiB. */
            images?: string[] | null;
            /** @description Id of the session; a new session is created if absent. */
            sessionId?: string | null;
            /** @description Absolute path of the project folder of the new session. */
            projectPath?: string | null;
            /** @description Whether to wait for the result; defaults to true. */
            blocking?: boolean | null;
        };
        /** @description A decision was answered, or has ended without an answer. */
        UserDecisionReceived: {
            /** @description Id of the decision. */
            decisionId: string;
            /** @description The answer as given; `timeout`, `cancelled` or `returned` if there is none. */
            decision: string;
            /** @description Labels of the selected options; empty if none is selected. */
            selected: string[];
            /** @description Provided resources; absent if there are none. */
            resources?: unknown[] | null;
            /** @description Additional context; absent if there is none. */
            context?: unknown;
        };
        /** @description A decision is requested from a user. */
        UserDecisionRequired: {
            /** @description Id of the decision. */
            decisionId: string;
            /** @description Id of the workflow that waits for the decision; absent if none does. */
            workflowId?: string | null;
            /** @description The question. */
            message: string;
            /** @description Options; absent if the answer is free text. */
            options?: string[] | null;
        };
        /** @description A user has sent a message. */
        UserMessage: {
            /** @description Id of the message. */
            messageId: string;
            /** @description Text of the message. */
            content: string;
            /** @description Attachments of the message; absent if there are none. */
            attachments?: unknown[] | null;
        };
        /**
         * @description Something other than a user that a workflow waits for. Events report only `agent`; the state of a workflow reports all
         *     types.
         */
        WaitingFor: {
            /**
             * @description `agent`: agents that other workflows use; `model`: the answer of a provider; `tool`: a running tool; `errand`: an
             *     agent with its own folder; `provider`: a provider for the daemon's agents, which have none, or a client that drives
             *     the workflow; `retry`: the next attempt at the phase, which has failed.
             */
            type: string;
            /** @description Type of the required agents; only for `agent`. */
            agentType?: string | null;
            /** @description Ids of the workflows that use agents of that type; absent if there are none. */
            usedBy?: string[] | null;
            /** @description Id of the working agent; absent if there is none. */
            agentId?: string | null;
            /**
             * @description Phase that the agent works on, or that is retried; absent otherwise.
             * @enum {string|null}
             */
            phase?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description Id of the task that the agent works on; absent if there is none. */
            taskId?: string | null;
            /** @description Name of the requested provider, or of the running tool; absent otherwise. */
            name?: string | null;
            /** @description Name of the requested model; absent if none is configured. */
            model?: string | null;
            /** @description Start time of the call or errand (ISO 8601, UTC); absent for `agent`, `provider` and `retry`. */
            since?: string | null;
            /**
             * Format: uint64
             * @description Number of characters of the answer received so far; absent if there are none.
             */
            characters?: number | null;
            /**
             * Format: uint64
             * @description Number of output tokens so far; absent if the provider does not report it.
             */
            tokens?: number | null;
            /**
             * Format: uint64
             * @description Number of attempts so far; absent for a first request to a provider.
             */
            attempt?: number | null;
            /** @description Error of the last attempt; present only while the next attempt is pending. */
            error?: string | null;
            /** @description Time of the next attempt (ISO 8601, UTC); absent if none is pending. */
            retryAt?: string | null;
        };
        /** @description A workflow waits for a user. */
        WaitingForUser: {
            /** @description Reason: `resource_shortage`, `confirmation_required`, `ambiguous_input` or `error_recovery`. */
            reason: string;
            /** @description Requirements that no agent meets; absent if there are none. */
            missingResources?: components["schemas"]["MissingResource"][] | null;
            /** @description Suggested remedy; absent if there is none. */
            suggestion?: string | null;
            /** @description Options that the user can choose from. */
            options: components["schemas"]["WaitingOption"][];
            /** @description Additional context; absent if there is none. */
            context?: unknown;
        };
        /** @description An option that a user can choose. */
        WaitingOption: {
            /** @description Id of the option. */
            id: string;
            /** @description Label that the user sees. */
            label: string;
            /** @description Longer explanation; absent if there is none. */
            description?: string | null;
        };
        /** @description A workflow was changed. */
        WorkflowAnswer: {
            /** @description Always true. */
            success: boolean;
            /** @description Id of the workflow. */
            workflowId: string;
            /**
             * @description Simplified status of the workflow; absent if the operation does not report it.
             * @enum {string|null}
             */
            status?: "planning" | "executing" | "completed" | "failed" | "paused" | null;
            /**
             * @description Phase of the workflow; absent if the operation does not report it.
             * @enum {string|null}
             */
            state?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description The decision that the input answered; absent if it answered none. */
            askResolution?: components["schemas"]["AskResolution"] | null;
        };
        /** @description Workflows that have not ended. */
        WorkflowLoad: {
            /**
             * Format: uint64
             * @description Number of those that are not paused; those that are interrupted count as well.
             */
            running: number;
            /**
             * Format: uint64
             * @description Number of those that are paused.
             */
            paused: number;
            /** @description Number of workflows in each state that has any. */
            states: {
                [key: string]: number;
            };
        };
        /** @description Result of a workflow. */
        WorkflowOutput: {
            /** @description Id of the workflow. */
            workflowId: string;
            /** @description The result, as text or JSON. */
            output: unknown;
            /** @description Path of the result file, relative to the project folder; absent if there is no file. */
            path?: string | null;
        };
        /** @description A workflow has progressed. */
        WorkflowProgress: {
            /**
             * Format: uint8
             * @description Progress in percent, from 0 to 100.
             */
            overallProgress: number;
            /** @description Ids of the working agents. */
            activeAgents: string[];
            /**
             * Format: uint64
             * @description Number of tasks that have neither completed nor failed.
             */
            pendingTasks: number;
            /**
             * Format: uint64
             * @description Number of completed tasks.
             */
            completedTasks: number;
            /**
             * Format: uint64
             * @description Number of failed tasks.
             */
            failedTasks: number;
            /**
             * Format: uint64
             * @description Number of tasks that wait for an agent; absent if unknown.
             */
            queuedTasks?: number | null;
        };
        /** @description Selects a workflow. */
        WorkflowRequest: {
            /** @description Id of the workflow. */
            workflowId: string;
        };
        /** @description Summary of a workflow, as listed. */
        WorkflowSummary: {
            /** @description Id of the workflow. */
            id: string;
            /** @description Same as `id`. */
            workflowId: string;
            /** @description Id of the session. */
            sessionId: string;
            /**
             * @description Simplified status.
             * @enum {string}
             */
            status: "planning" | "executing" | "completed" | "failed" | "paused";
            /**
             * @description Current phase.
             * @enum {string}
             */
            fsmState: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /**
             * Format: uint64
             * @description Number of tasks.
             */
            taskCount: number;
            /**
             * Format: uint64
             * @description Number of completed tasks.
             */
            completedTasks: number;
            /**
             * Format: uint64
             * @description Number of failed tasks.
             */
            failedTasks: number;
            /** @description Creation time (ISO 8601, UTC). */
            createdAt: string;
            /** @description Time of the last change (ISO 8601, UTC). */
            updatedAt: string;
            /** @description Task of the workflow, as the user stated it. */
            userTask: string;
            /** @description Project folder of the session; absent if it has none. */
            projectPath?: string | null;
            /** @description True if the workflow was cancelled, in which case its phase is `failed`; absent otherwise. */
            cancelled?: boolean | null;
            /** @description Why the workflow failed; absent if it has not failed or was cancelled. */
            error?: string | null;
            /**
             * @description True while the workflow is interrupted: the daemon was stopped, and the workflow does not continue until it is
             *     resumed. Absent otherwise.
             */
            interrupted?: boolean | null;
            /**
             * Format: uint64
             * @description Number of pending decisions; absent if there are none.
             */
            pendingDecisions?: number | null;
            /** @description What the workflow waits for other than a user; absent if nothing. */
            waitingFor?: components["schemas"]["WaitingFor"][] | null;
        };
        /** @description The state of a workflow has changed. */
        WorkflowUpdate: {
            /** @description Id of the workflow. */
            workflowId: string;
            /**
             * @description Simplified status.
             * @enum {string}
             */
            status: "planning" | "executing" | "completed" | "failed" | "paused";
            /** @description The changed tasks. */
            taskUpdates: components["schemas"]["TaskUpdate"][];
            /** @description The changed agents. */
            agentUpdates: components["schemas"]["AgentChange"][];
            /** @description Reasoning of the orchestrator; absent if there is none. */
            orchestratorState?: components["schemas"]["OrchestratorState"] | null;
            /**
             * @description Current phase; absent if it is not reported.
             * @enum {string|null}
             */
            fsmState?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description Input of the user; absent if there is none. */
            userInput?: string | null;
            /** @description Id of the pending decision of the workflow or of one of its tasks; absent if there is none. */
            pendingDecision?: string | null;
            /** @description What the workflow waits for other than a user; absent if nothing. */
            waitingFor?: components["schemas"]["WaitingFor"][] | null;
        };
    };
    responses: never;
    parameters: {
        /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: {
        /** @description With `limit`, where there is more: the `cursor` of the part that follows. */
        NextCursor: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MessageRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageAccepted"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST, INVALID_RESPONSE */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description MODULE_NOT_FOUND, SESSION_NOT_FOUND, WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_TERMINAL, SESSION_BUSY, QUEUE_FULL, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_FAILED */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description TIMEOUT */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getMailbox: {
        parameters: {
            query?: {
                /** @description Only messages to this module. */
                target?: string;
                /** @description Only messages with this status. */
                status?: "pending" | "processing" | "completed" | "failed";
                /** @description Maximum number; default 10. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        messages: components["schemas"]["MailboxMessage"][];
                    };
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getMailboxMessage: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                message: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailboxMessage"];
                };
            };
            /** @description MESSAGE_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getMailboxCallbackCallback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                callback: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MailboxMessage"];
                };
            };
            /** @description MESSAGE_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postMailboxClear: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ClearRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        message: string;
                    };
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getModules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        inputs: unknown;
                        outputs: unknown;
                        modules: unknown;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getRoutes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        routes: unknown;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWorkflows: {
        parameters: {
            query?: {
                /** @description Only workflows in this state: `active` (not ended), `waiting` (a decision is open), `interrupted`, `cancelled`, or a phase; `failed` excludes cancelled workflows. */
                state?: "active" | "waiting" | "interrupted" | "cancelled" | "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
                /** @description Only workflows of the project in this folder, or in a folder with this name. */
                project?: string;
                /** @description Only workflows with this text in their task or name, ignoring case. */
                search?: string;
                /** @description Maximum number; default: all. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowSummary"][];
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWorkflowsWorkflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowSummary"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteWorkflowsWorkflow: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_ACTIVE, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWorkflowsWorkflowState: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateSnapshot"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWorkflowsWorkflowTasks: {
        parameters: {
            query?: {
                /** @description Maximum number; default: all. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TaskNode"][];
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWorkflowsWorkflowOutput: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowOutput"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND, OUTPUT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWorkflowsState: {
        parameters: {
            query?: {
                /** @description Maximum number; default: all. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Snapshots"];
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postWorkflowWorkflowTransition: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TransitionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TransitionAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST, INVALID_TRIGGER */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND, NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description INVALID_TRANSITION, WORKFLOW_ALREADY_PAUSED, WORKFLOW_NOT_PAUSED, WORKFLOW_TERMINAL, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postWorkflowInput: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InputRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_RESPONSE, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_TERMINAL, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postWorkflowPause: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PauseRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_ALREADY_PAUSED, WORKFLOW_TERMINAL, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postWorkflowResume: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_PAUSED, WORKFLOW_TERMINAL, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postWorkflowCancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkflowRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_TERMINAL, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postWorkflowsWorkflowCancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                workflow: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowAnswer"];
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_TERMINAL, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postQuestions: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuestionsRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QuestionsHosted"];
                };
            };
            /** @description INVALID_JSON, INVALID_REQUEST, MISSING_FIELD */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SERVED_ELSEWHERE, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getDecision: {
        parameters: {
            query?: {
                /** @description Only those of this workflow. */
                workflowId?: string;
                /** @description Only those in this state. */
                status?: "pending" | "answered" | "expired" | "cancelled" | "returned";
                /** @description Maximum number; default: all. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Decisions"];
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postDecision: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionCreated"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST, INVALID_RESPONSE */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_NOT_FOUND, SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_TERMINAL, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getDecisionDecision: {
        parameters: {
            query?: {
                /** @description Respond once it has ended, or after this many seconds. */
                wait?: number;
            };
            header?: never;
            path: {
                decision: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionView"];
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description DECISION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postDecisionDecisionRespond: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                decision: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RespondRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecisionAnswered"];
                };
            };
            /** @description MISSING_FIELD, INVALID_RESPONSE, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description DECISION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description DECISION_ALREADY_RESOLVED, DECISION_EXPIRED, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessions: {
        parameters: {
            query?: {
                /** @description Maximum number; default: all. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"][];
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postSessions: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SessionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessionsCurrent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postSessionsCurrent: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CurrentSessionRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        sessionId: string;
                    };
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessionsResumable: {
        parameters: {
            query?: {
                /** @description Maximum number; default: all. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResumableSessions"];
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessionsSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionView"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    deleteSessionsSession: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_BUSY, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessionsSessionMessages: {
        parameters: {
            query?: {
                /** @description Maximum number of latest messages; default 100. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        messages: components["schemas"]["MessageView"][];
                    };
                };
            };
            /** @description INVALID_LIMIT, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postSessionsSessionMessages: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SessionMessageRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MessageView"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postSessionsSessionPause: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                    };
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postSessionsSessionResume: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ResumeRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResumption"];
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_RESUMABLE, SESSION_BUSY, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postSessionsSessionCompress: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        /** Format: uint64 */
                        originalSize: number;
                        /** Format: uint64 */
                        compressedSize: number;
                    };
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessionsSessionContext: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sessionId: string;
                        context: unknown;
                    };
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessionsSessionCheckpointLatest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LatestCheckpoint"];
                };
            };
            /** @description SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessionSessionCheckpointLatest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LatestCheckpoint"];
                };
            };
            /** @description SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postSessionResume: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NamedResumeRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SessionResumption"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND, CHECKPOINT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_RESUMABLE, SESSION_BUSY, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postSessionCheckpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        checkpointId: string;
                    };
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getSessionCheckpointCheckpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                checkpoint: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LatestCheckpoint"];
                };
            };
            /** @description CHECKPOINT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getAgents: {
        parameters: {
            query?: {
                /** @description Maximum number; default: all. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentView"][];
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getAgentsAgentCapabilities: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentCapabilities"];
                };
            };
            /** @description AGENT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getAgentAgentProgress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                agent: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        agent: components["schemas"]["AgentView"];
                    };
                };
            };
            /** @description AGENT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postAgentUnderstand: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UnderstandRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StageAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_BUSY, PROVIDER_MISSING, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_FAILED, LLM_ERROR */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description TIMEOUT */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postAgentRoute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RouteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StageAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_BUSY, PROVIDER_MISSING, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_FAILED, LLM_ERROR */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description TIMEOUT */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postAgentPlan: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PlanRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StageAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_BUSY, PROVIDER_MISSING, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_FAILED, LLM_ERROR */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description TIMEOUT */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postAgentExecute: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ExecuteRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StageAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND, AGENT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_BUSY, PROVIDER_MISSING, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_FAILED, LLM_ERROR */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description TIMEOUT */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postAgentReview: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReviewRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StageAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_BUSY, PROVIDER_MISSING, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_FAILED, LLM_ERROR */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description TIMEOUT */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postAgentOrchestrate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrchestrateRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StageAnswer"];
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description SESSION_BUSY, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_FAILED, LLM_ERROR */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description TIMEOUT */
            504: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getResources: {
        parameters: {
            query?: {
                /** @description Maximum number; default: all. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        available: components["schemas"]["AgentView"][];
                        /** Format: uint64 */
                        count: number;
                    };
                };
            };
            /** @description INVALID_REQUEST, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postResourcesDeploy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeployRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        resource: components["schemas"]["AgentView"];
                    };
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_NOT_FOUND, SESSION_NOT_FOUND, WORKFLOW_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description WORKFLOW_TERMINAL, RESOURCE_BUSY, IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    postResourcesRelease: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReleaseRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        resource: components["schemas"]["AgentView"];
                    };
                };
            };
            /** @description MISSING_FIELD, INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description AGENT_NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getTools: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolView"][];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    putToolsToolPolicy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. For seven days, the same request with the same name is executed only once and returns the first answer; a different request with the same name is refused (409). */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                tool: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ToolPolicyRequest"];
            };
        };
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ToolPolicyAnswer"];
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description IDEMPOTENCY_CONFLICT */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getEventsTypes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        types: string[];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getEventsGroups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        groups: string[];
                        groupTypes: unknown;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getEventsHistory: {
        parameters: {
            query?: {
                /** @description Types, separated by commas; `*` matches any characters. */
                type?: string;
                /** @description Groups, separated by commas. */
                group?: string;
                /** @description Only those of this workflow. */
                workflowId?: string;
                /** @description Only those of this session. */
                sessionId?: string;
                /** @description Only events after this number. */
                since?: number;
                /** @description Maximum number; default 100. */
                limit?: number;
                /** @description The `Next-Cursor` of the part before, to get the part that follows it. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    "Next-Cursor": components["headers"]["NextCursor"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        success: true;
                        events: components["schemas"]["Event"][];
                    };
                };
            };
            /** @description INVALID_REQUEST, INVALID_GROUP, INVALID_LIMIT */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getEventsStream: {
        parameters: {
            query?: {
                /** @description Types, separated by commas; `*` matches any characters. */
                type?: string;
                /** @description Groups, separated by commas. */
                group?: string;
                /** @description Only those of this workflow. */
                workflowId?: string;
                /** @description Only those of this session. */
                sessionId?: string;
                /** @description Only events after this number. */
                since?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description INVALID_REQUEST, INVALID_GROUP */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getWs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            101: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description INVALID_REQUEST */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description UNAVAILABLE */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        status: "healthy";
                        timestamp: string;
                        load: components["schemas"]["DaemonLoad"];
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description NOT_FOUND */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getApiTest: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        message: string;
                    };
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
    getOpenapiJson: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Refused. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Refusal"];
                };
            };
        };
    };
}

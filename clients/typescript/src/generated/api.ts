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
        /** Say something to a module. To `finger-orchestrator` it begins a workflow. Where the answer is waited for, and the workflow fails, that is `AGENT_FAILED` with status 400. */
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
        /** The messages, the newest first. */
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
        /** A message by the name that its sender gave it. */
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
        /** Forget messages: those that have come to their end, unless others are named. Those that somebody is at stay. */
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
        /** Who can be sent something. */
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
        /** How messages are passed on between modules: they are not. */
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
        /** The workflows, what changed last first: all, or those that are looked for. */
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
        /** Remove a workflow that has ended, with its tasks, steps, decisions and checkpoints. One that has not ended, or has an open decision, stays. */
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
        /** Everything about a workflow. */
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
        /** The tasks of a workflow, in their order. */
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
        /** What a workflow has come to. */
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
        /** Everything about all workflows. */
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
        /** Say what has happened to a workflow, and with `taskId` to a task; `tasks` says the same of several. Its context is kept only if it is not refused. */
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
        /** Say something to a workflow; where it waits for a decision, this is the answer. */
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
        /** Pause a workflow. What is running goes on to its end. */
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
        /** Let a paused workflow go on, and one that was interrupted from its last checkpoint. */
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
        /** End a workflow. */
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
        /** End a workflow. */
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
        /** Show the questions that lie open in a project's folder, and whatever else is asked there. */
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
        /** Decisions, as they were asked. */
        get: operations["getDecision"];
        put?: never;
        /** Ask a person. */
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
        /** Answer a decision. The first valid answer stands. */
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
        /** All sessions. */
        get: operations["getSessions"];
        put?: never;
        /** Begin a session. */
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
        /** The session that was entered last. */
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
        /** The sessions that can be gone on with. */
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
        /** Remove a session of which no workflow is running. */
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
        /** What was said in a session. */
        get: operations["getSessionsSessionMessages"];
        put?: never;
        /** Say something in a session. */
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
        /** Let a session go on from a checkpoint; one that was only paused goes on as it was. If none is named, from the last one of a workflow that was left. From an earlier one its tasks are again what they were: what was done by then stays done, everything else is to be begun again. */
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
        /** Forget all but the last messages of a session. */
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
        /** What is known in a session. */
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
        /** The last checkpoint of a session. */
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
        /** The same by its earlier path. */
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
        /** Let a session go on, by its earlier path. */
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
        /** Make a checkpoint of a session by what the caller knows. */
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
        /** All agents. */
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
        /** What an agent is able to do. */
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
        /** What an agent is doing. */
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
        /** Have words understood, alone: a workflow of this one phase. `result` is `normalizedIntent`, `taskRelation`, `suggestedRoute` and `confidence`, as far as the agent has said them. */
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
        /** Have it decided where to go on, alone. `result` is `route`, `confidence`, `payload` and `requiresConfirmation`: whether a workflow would ask a person first. */
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
        /** Have a task planned, alone. `result` is `tasks`. */
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
        /** Have a task done by one agent, alone. `result` is `output`, and `path` and `files` if there are any. */
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
        /** Have something judged, alone. `result` is `approved`, `score`, `feedback`, `requiredFixes`, `riskLevel` and `tasks`, as far as the agent has said them. */
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
        /** Begin a workflow. */
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
        /** The agents that nobody uses. */
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
        /** Give an agent to a workflow. */
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
        /** Take an agent back. */
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
        /** What agents can do beside thinking, and whether they may. */
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
        /** Say whether a tool may be used, from its next call on: until that is said again, or something else is configured. The name may be in capitals or not. */
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
        /** All types of events. */
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
        /** All groups of events, and their types. */
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
        /** What has happened, as it happened: the last events, or with `since` the first after that. Types and groups must both fit. */
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
        /** What happens from now on, or after `since` or `Last-Event-ID`, as server-sent events: `id` is the number, `event` the type, `data` the payload. Types and groups add up. */
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
        /** A WebSocket: an upgrade is needed. See below. */
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
        /** That the daemon serves. The answer needs neither disk nor journal, so there is one even while all other requests wait. */
        get: operations["getHealth"];
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
        /** That something answers. */
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
        /** This, as OpenAPI 3.1. */
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
        /** @description What an agent is able to do. */
        AgentCapabilities: {
            /** @description The agent. */
            agentId: string;
            /** @description The names. */
            capabilities: string[];
            /** @description The same with how well. */
            details: components["schemas"]["Capability"][];
        };
        /** @description An agent that has changed. */
        AgentChange: {
            /** @description The agent. */
            id: string;
            /** @description `idle`, `running` or `error`. */
            status: string;
        };
        /** @description What an agent is doing. */
        AgentSnapshot: {
            /** @description Its name. */
            id: string;
            /**
             * @description What it is doing.
             * @enum {string}
             */
            fsmState: "idle" | "reserved" | "running" | "error" | "released";
            /** @description The same in a word. */
            simplifiedStatus: string;
        };
        /** @description A step of an agent. */
        AgentStep: {
            /** @description What it thought. */
            thought: string;
            /** @description What it did. */
            action: string;
            /** @description What it saw then. */
            observation?: string | null;
            /**
             * Format: uint64
             * @description Which step, from 1.
             */
            round?: number | null;
            /** @description With what it did it. */
            params?: unknown;
            /** @description Whether that worked. */
            success?: boolean | null;
        };
        /** @description An agent has come a step further. */
        AgentStepCompleted: {
            /** @description The agent. */
            agentId?: string | null;
            /**
             * Format: uint64
             * @description Which step, from 1.
             */
            round: number;
            /** @description What it thought. */
            thought: string;
            /** @description What it did. */
            action: string;
            /** @description What it saw then. */
            observation?: string | null;
            /** @description Whether that worked. */
            success: boolean;
        };
        /** @description What an agent is doing has changed. */
        AgentUpdate: {
            /** @description The agent. */
            agentId: string;
            /** @description `idle`, `running`, `paused` or `error`. */
            status: string;
            /**
             * Format: uint8
             * @description How busy it is, of a hundred.
             */
            load?: number | null;
            /** @description The task that it does. */
            currentTaskId?: string | null;
            /** @description The step that it has done. */
            step?: components["schemas"]["AgentStep"] | null;
        };
        /** @description An agent of the pool. */
        AgentView: {
            /** @description Its name. */
            id: string;
            /** @description What kind of agent it is. */
            type: string;
            /** @description What it is called. */
            name: string;
            /** @description Whether it can be used. */
            status: string;
            /**
             * @description What it is doing.
             * @enum {string}
             */
            fsmState: "idle" | "reserved" | "running" | "error" | "released";
            /** @description What it is able to do. */
            capabilities: string[];
            /** @description The session that it works for. */
            sessionId?: string | null;
            /** @description The workflow that it works for. */
            workflowId?: string | null;
            /** @description The task that it does. */
            taskId?: string | null;
            /** @description Since when it is used. */
            deployedAt?: string | null;
            /**
             * Format: uint64
             * @description How often it was used.
             */
            totalDeployments: number;
            /**
             * Format: uint64
             * @description How often it has failed.
             */
            errorCount: number;
            /** @description What went wrong last. */
            lastErrorReason?: string | null;
            /** @description When. */
            lastErrorAt?: string | null;
        };
        /** @description What was said to a workflow was the answer to a decision. */
        AskResolution: {
            /** @description Whether it is the answer. */
            ok: boolean;
            /** @description The decision. */
            requestId: string;
            /** @description The answer. */
            answer: string;
            /** @description The option that was chosen. */
            selectedOption?: string | null;
            /** @description When. */
            respondedAt: string;
        };
        /** @description A task between whoever has given it and whoever is to do it. */
        Assignment: {
            /** @description The workflow. */
            epicId: string;
            /** @description The task. */
            taskId: string;
            /** @description Who has given it. */
            assignerAgentId: string;
            /** @description Who is to do it, where that is said. */
            assigneeAgentId?: string | null;
            /**
             * @description How far that has come.
             * @enum {string}
             */
            phase: "assigned" | "queued" | "started" | "reviewing" | "retry" | "passed" | "failed" | "closed";
            /**
             * Format: uint64
             * @description How often it was begun.
             */
            attempt: number;
        };
        /** @description An agent is saying something. */
        AssistantChunk: {
            /** @description The message. */
            messageId: string;
            /** @description What was said since the last one. */
            content: string;
        };
        /** @description An agent has said something. */
        AssistantComplete: {
            /** @description The message. */
            messageId: string;
            /** @description All of it. */
            content: string;
            /** @description Why it stopped. */
            stopReason?: string | null;
        };
        /** @description Something that an agent is able to do. */
        Capability: {
            /** @description Its name. */
            type: string;
            /**
             * Format: uint64
             * @description How well, from 1 to 10.
             */
            level: number;
        };
        /** @description A phase that a workflow had entered. */
        CheckpointPhase: {
            /** @description The phase. */
            phase: string;
            /** @description When. */
            timestamp: string;
            /** @description Because of what. */
            action: string;
            /** @description The checkpoint that it went on from. */
            checkpointId?: string | null;
        };
        /** @description How far a session has come, as its caller knows. */
        CheckpointRequest: {
            /** @description The session. */
            sessionId: string;
            /** @description What is to be done. */
            originalTask: string;
            /** @description Its tasks. */
            taskProgress: components["schemas"]["TaskProgressRequest"][];
            /** @description What the agents are doing, by name. */
            agentStates?: {
                [key: string]: unknown;
            } | null;
            /** @description What else is known. */
            context?: {
                [key: string]: unknown;
            } | null;
        };
        /** @description Messages are to be forgotten. */
        ClearRequest: {
            /** @description Those to this module alone. */
            target?: string | null;
            /** @description Those that have come so far alone: `pending`, `completed` or `failed`; the last two if nothing is said. */
            status?: string | null;
        };
        /** @description An answer to whether a tool may be used. */
        ConsentAnswer: {
            /** @description What is answered: `Y`, `n` or `always`. */
            answer: string;
            /** @description What it does: `allow_call` (this call alone), `allow_tool` (every call of this tool until the workflow ends) or `deny`. */
            effect: string;
        };
        /** @description A call of a tool that a person is asked to allow. */
        ConsentView: {
            /**
             * @description The tool.
             * @enum {string}
             */
            tool: "WEB_SEARCH" | "FETCH_URL" | "READ_FILE" | "WRITE_FILE" | "SHELL_EXEC";
            /** @description What it is called with, whole. */
            params: {
                [key: string]: unknown;
            };
            /** @description What can be answered, in the order of the numbers. */
            answers: components["schemas"]["ConsentAnswer"][];
        };
        /** @description The session that is meant from now on. */
        CurrentSessionRequest: {
            /** @description The session. */
            sessionId: string;
        };
        /** @description A decision was answered. */
        DecisionAnswered: {
            /** @description Always true. */
            success: boolean;
            /** @description The decision. */
            decisionId: string;
            /** @description The answer as it was given. */
            response: string;
            /** @description The chosen options. */
            selected: string[];
            /** @description The workflow that waited for it. */
            workflowId?: string | null;
        };
        /** @description A decision was asked for. */
        DecisionCreated: {
            /** @description Its name. */
            decisionId: string;
            /** @description `pending`. */
            status: string;
            /** @description Until when it can be answered. */
            expiresAt?: string | null;
        };
        /** @description A person is to be asked. */
        DecisionRequest: {
            /** @description The question. */
            message: string;
            /** @description What can be chosen; without options the answer is any text. */
            options?: string[] | null;
            /** @description The workflow that waits for it. */
            workflowId?: string | null;
            /** @description The session. */
            sessionId?: string | null;
            /** @description The task that waits for it. */
            taskId?: string | null;
            /** @description The agent that waits for it. */
            agentId?: string | null;
            /** @description What stands for no answer. */
            default?: string | null;
            /** @description Whether several options can be chosen; if nothing is said they can, unless they are a yes and a no. */
            multiSelect?: boolean | null;
            /**
             * Format: uint64
             * @description How long it can be answered, in milliseconds; for ever if nothing is said.
             */
            timeoutMs?: number | null;
            /** @description Why it matters, as Markdown. */
            context?: string | null;
        };
        /** @description What was decided on the way, and why. */
        DecisionTreeNode: {
            /** @description The phase. */
            phase: string;
            /**
             * Format: uint64
             * @description In which round.
             */
            round: number;
            /** @description What was thought. */
            thought: string;
            /** @description What was done. */
            action: string;
            /** @description With what. */
            params: unknown;
            /** @description What was seen then. */
            observation?: string | null;
            /** @description Which files came of it. */
            outputFiles?: string[] | null;
        };
        /** @description A decision. */
        DecisionView: {
            /** @description Its name. */
            decisionId: string;
            /** @description The workflow that waits for it. */
            workflowId?: string | null;
            /** @description The session. */
            sessionId?: string | null;
            /** @description Its name as a set of questions, by which `aide decide show` finds it. */
            setId?: string | null;
            /** @description The task that waits for it. */
            taskId?: string | null;
            /** @description The agent that waits for it. */
            agentId?: string | null;
            /** @description The question. */
            message: string;
            /** @description What can be chosen; absent when the answer is free. A call of a tool can also be answered with `always`: see `consent`. */
            options?: string[] | null;
            /** @description True when the answer can also be in the person's own words; absent otherwise. */
            allowOther?: boolean | null;
            /** @description What it is about, as Markdown. */
            context?: string | null;
            /** @description The call of a tool that is to be allowed; absent when it is about anything else. */
            consent?: components["schemas"]["ConsentView"] | null;
            /** @description What stands for no answer. */
            default?: string | null;
            /** @description Whether several options can be chosen. */
            multiSelect: boolean;
            /** @description When it was asked. */
            createdAt: string;
            /** @description Until when it can be answered. */
            expiresAt?: string | null;
            /** @description `pending`, `answered`, `expired`, `cancelled` or `returned`. */
            status: string;
            /** @description The answer as it was given. */
            response?: string | null;
            /** @description The chosen options. */
            selected: string[];
            /** @description What the person has said beside the answer; where it was sent back, why. */
            note?: string | null;
            /** @description When it ended. */
            respondedAt?: string | null;
            /** @description How the answer came in. */
            respondedBy?: string | null;
        };
        /** @description Decisions, as they were asked. */
        Decisions: {
            /** @description The decisions. */
            decisions: components["schemas"]["DecisionView"][];
        };
        /** @description An agent is to be given to a workflow. */
        DeployRequest: {
            /** @description The agent. */
            resourceId: string;
            /** @description The session. */
            sessionId: string;
            /** @description The workflow. */
            workflowId: string;
        };
        /** @description Something that has happened. What else is in it than is listed here stands in `payload` as well. */
        Event: {
            /** @enum {unknown} */
            type: "session_created" | "session_resumed" | "session_paused" | "session_compressed" | "task_started" | "task_progress" | "task_completed" | "task_failed" | "task_blocked" | "tool_call" | "tool_result" | "tool_error" | "user_message" | "assistant_chunk" | "assistant_complete" | "agent_step_completed" | "plan_updated" | "workflow_progress" | "phase_transition" | "phase_output_saved" | "decision_tree_node" | "resource_update" | "resource_shortage" | "waiting_for_user" | "user_decision_required" | "user_decision_received" | "system_error" | "agent_update" | "workflow_update";
            sessionId?: string | null;
            /** Format: date-time */
            timestamp: string;
            payload: Record<string, unknown>;
            /** @description Its number: each is one more than the one before. */
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
        /** @description A task is to be done by one agent, without a plan. */
        ExecuteRequest: {
            /** @description What is to be done. */
            task: string;
            /** @description The agent that does it; whoever is free and able if nothing is said. */
            agent?: string | null;
            /** @description Whether that agent is waited for where it does something else, for five minutes at most; it is if nothing is said. */
            queueOnBusy?: boolean | null;
            /** @description The agent that has it done, if it is one: none can wait for itself, be it by way of others. */
            sender?: string | null;
            /** @description The session; a new one if nothing is said. */
            sessionId?: string | null;
            /** @description The folder of the new session, an absolute path. */
            projectPath?: string | null;
            /** @description Whether the result is waited for; it is not if nothing is said. */
            blocking?: boolean | null;
        };
        /** @description Something is said to a workflow. */
        InputRequest: {
            /** @description The workflow. */
            workflowId: string;
            /** @description What is said; what is no text is kept as JSON. */
            input: unknown;
        };
        /** @description The last checkpoint of a session. */
        LatestCheckpoint: {
            /** @description The checkpoint. */
            checkpoint: components["schemas"]["SessionCheckpoint"];
            /** @description What whoever goes on should know. */
            resumeContext: components["schemas"]["ResumeContext"];
        };
        /** @description A message to a module. */
        MailboxMessage: {
            /** @description Its name. */
            id: string;
            /** @description The module. */
            target: string;
            /** @description The message. */
            content: unknown;
            /** @description `pending`, `processing`, `completed` or `failed`. */
            status: string;
            /** @description What came of it. */
            result?: unknown;
            /** @description What went wrong. */
            error?: string | null;
            /** @description When it came. */
            createdAt: string;
            /** @description When it last changed. */
            updatedAt: string;
            /** @description Who sent it. */
            sender?: string | null;
            /** @description The name that the sender gave it. */
            callbackId?: string | null;
            /** @description The workflow that it has begun. */
            workflowId?: string | null;
        };
        /** @description A message was taken. */
        MessageAccepted: {
            /** @description Always true. */
            success: boolean;
            /** @description The message. */
            messageId: string;
            /** @description `queued`; `completed` for a sender that has waited, and where the message came again, what has become of it. */
            status: string;
            /** @description Whether somebody still has to look at it. */
            queued: boolean;
            /** @description The workflow that it has begun, or was said to. */
            workflowId?: string | null;
            /** @description The session. */
            sessionId?: string | null;
            /** @description What came of it, for a sender that has waited, or has sent it again. */
            result?: unknown;
            /**
             * @description True when the daemon has no provider that could begin the workflow: it stays where it is until a client drives it. Absent
             *     otherwise.
             */
            unattended?: boolean | null;
        };
        /** @description Something is said to a module. */
        MessageRequest: {
            /** @description The module: `finger-orchestrator` begins a workflow. */
            target: string;
            /** @description What is said: a text, or an object with `content`; also `sessionId`, `projectPath`, `workflowId` and `images`. */
            message: unknown;
            /** @description Whether the answer is waited for. */
            blocking?: boolean | null;
            /** @description Who says it. */
            sender?: string | null;
            /** @description A name by which the message is found again. */
            callbackId?: string | null;
        };
        /** @description What was said in a session. */
        MessageView: {
            /** @description Its name. */
            id: string;
            /** @description Who said it. */
            role: string;
            /** @description What. */
            content: string;
            /** @description When. */
            timestamp: string;
            /** @description The workflow that it was said to. */
            workflowId?: string | null;
        };
        /** @description What nobody has. */
        MissingResource: {
            /** @description The kind of agent, or a capability. */
            type: string;
            /** @description What it would have to be able to do. */
            capabilities?: string[] | null;
            /**
             * Format: uint64
             * @description How well it would have to be able to do something of that, from 1 to 10.
             */
            minLevel?: number | null;
        };
        /** @description A session is to go on, as it was said before. */
        NamedResumeRequest: {
            /** @description The session. */
            sessionId: string;
            /** @description The checkpoint to go on from; the last one if nothing is said. */
            checkpointId?: string | null;
        };
        /** @description A workflow is to be begun. */
        OrchestrateRequest: {
            /** @description What is to be done. */
            task: string;
            /** @description Images that come with it: up to 8 paths of files of the project, PNG, JPEG, GIF or WebP, of 5 MiB at most. */
            images?: string[] | null;
            /** @description The session; a new one if nothing is said. */
            sessionId?: string | null;
            /** @description The folder of the new session, an absolute path. */
            projectPath?: string | null;
            /** @description Whether its end is waited for; it is not if nothing is said. */
            watch?: boolean | null;
        };
        /** @description What is being thought of a workflow. */
        OrchestratorState: {
            /**
             * Format: uint64
             * @description In which round.
             */
            round: number;
            /** @description What. */
            thought: string;
        };
        /** @description A workflow is to be paused. */
        PauseRequest: {
            /** @description The workflow. */
            workflowId: string;
            /** @description Whether what is running is broken off. */
            hard?: boolean | null;
        };
        /** @description A phase that a workflow has entered. */
        PhaseEntry: {
            /**
             * @description The phase.
             * @enum {string}
             */
            state: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /** @description When. */
            timestamp: string;
            /** @description Because of what. */
            trigger?: string | null;
        };
        /** @description What a phase has come to is in files. */
        PhaseOutputSaved: {
            /** @description The phase. */
            phase: string;
            /** @description The main file. */
            outputPath: string;
            /** @description All of them. */
            files: string[];
        };
        /** @description A workflow has entered a phase. */
        PhaseTransition: {
            /**
             * @description The phase before.
             * @enum {string}
             */
            from: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /**
             * @description The phase now.
             * @enum {string}
             */
            to: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /**
             * @description What has happened.
             * @enum {string|null}
             */
            trigger?: "user_input_received" | "intent_analyzed" | "routing_decided" | "plan_created" | "task_dispatched" | "task_started" | "task_progress" | "task_completed" | "task_failed" | "review_passed" | "review_rejected" | "major_change_detected" | "resource_missing" | "user_decision_received" | "pause_requested" | "resume_requested" | "cancel_requested" | "error_occurred" | null;
            /** @description Why the review has rejected the result: the beginning of what the reviewer says, on one line. */
            reason?: string | null;
            /**
             * Format: uint64
             * @description In which round: how often it was planned, once it was.
             */
            round?: number | null;
            /** @description The checkpoint that it goes on from. */
            checkpointId?: string | null;
        };
        /** @description A task is to be planned. */
        PlanRequest: {
            /** @description What is to be done. */
            task: string;
            /** @description The session; a new one if nothing is said. */
            sessionId?: string | null;
            /** @description The folder of the new session, an absolute path. */
            projectPath?: string | null;
            /** @description Whether the result is waited for; it is if nothing is said. */
            blocking?: boolean | null;
        };
        /** @description There is a plan, or another one. */
        PlanUpdated: {
            /** @description The plan. */
            planId: string;
            /**
             * Format: uint64
             * @description Which one, from 1.
             */
            version: number;
            /**
             * Format: uint64
             * @description How many tasks it has.
             */
            taskCount: number;
            /**
             * Format: uint64
             * @description How many of them are done.
             */
            completedCount: number;
        };
        /** @description Questions of a project are shown to people. */
        QuestionsHosted: {
            /** @description Always true. */
            success: boolean;
            /** @description The set of questions. */
            setId: string;
            /** @description The link to it. */
            url: string;
        };
        /** @description Questions that lie open in the folder of a project, and are to be shown. */
        QuestionsRequest: {
            /** @description The folder of the project: an absolute path. */
            projectPath: string;
            /** @description The name of the set of questions. */
            setId: string;
            /**
             * Format: int64
             * @description For how long somebody waits for the answer, in milliseconds; for ever, if absent.
             */
            timeoutMs?: number | null;
        };
        /** @description Why something was not done. The words are part of the contract, and the same in every language. */
        Refusal: {
            /** @description In words. */
            error: string;
            /**
             * @description For programs.
             * @enum {string}
             */
            code: "INVALID_JSON" | "INVALID_REQUEST" | "MISSING_FIELD" | "INVALID_TRIGGER" | "INVALID_GROUP" | "INVALID_LIMIT" | "INVALID_RESPONSE" | "WORKFLOW_NOT_FOUND" | "SESSION_NOT_FOUND" | "CHECKPOINT_NOT_FOUND" | "AGENT_NOT_FOUND" | "DECISION_NOT_FOUND" | "MODULE_NOT_FOUND" | "MESSAGE_NOT_FOUND" | "OUTPUT_NOT_FOUND" | "NOT_FOUND" | "WORKFLOW_ALREADY_PAUSED" | "WORKFLOW_NOT_PAUSED" | "WORKFLOW_TERMINAL" | "WORKFLOW_ACTIVE" | "INVALID_TRANSITION" | "DECISION_ALREADY_RESOLVED" | "DECISION_EXPIRED" | "SESSION_NOT_RESUMABLE" | "SESSION_BUSY" | "RESOURCE_BUSY" | "PROVIDER_MISSING" | "SERVED_ELSEWHERE" | "QUEUE_FULL" | "IDEMPOTENCY_CONFLICT" | "AGENT_FAILED" | "LLM_ERROR" | "INTERNAL_ERROR" | "TIMEOUT" | "UNAUTHORIZED" | "FORBIDDEN" | "METHOD_NOT_ALLOWED" | "REQUEST_TIMEOUT" | "PAYLOAD_TOO_LARGE" | "UNSUPPORTED_MEDIA_TYPE" | "MISDIRECTED_REQUEST" | "UNAVAILABLE";
            /**
             * @description What it is about.
             * @default {}
             */
            details: {
                [key: string]: unknown;
            };
        };
        /** @description An agent is to be taken back. */
        ReleaseRequest: {
            /** @description The agent. */
            resourceId: string;
        };
        /** @description Nobody can do what has to be done. */
        ResourceShortage: {
            /** @description The task. */
            taskId?: string | null;
            /** @description What is missing. */
            missingResources: components["schemas"]["MissingResource"][];
            /** @description Why. */
            reason: string;
            /** @description What would help. */
            suggestion: string;
        };
        /** @description An agent of the pool is used otherwise than before. */
        ResourceUpdate: {
            /** @description The agent. */
            resourceId: string;
            /** @description What it is doing. */
            status: string;
            /** @description For which session. */
            sessionId?: string | null;
            /** @description For which workflow. */
            workflowId?: string | null;
        };
        /** @description The answer to a decision. */
        RespondRequest: {
            /** @description The text of an option, its number, several of them (`1,3`, `1-3`), `Y` or `n`; any text where there are no options. */
            response: string;
            /** @description How the answer came in: `terminal` by the command line, by default `api`. */
            via?: string | null;
        };
        /** @description A session that can be gone on with. */
        ResumableSession: {
            /** @description The session. */
            id: string;
            /** @description What is to be done. */
            task: string;
            /**
             * Format: uint64
             * @description How much is done, of a hundred.
             */
            progress: number;
            /** @description When it had come so far. */
            timestamp: string;
            /** @description The workflow. */
            workflowId?: string | null;
            /**
             * @description The phase that it would go on in.
             * @enum {string|null}
             */
            phase?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description The checkpoint. */
            checkpointId: string;
            /**
             * Format: uint64
             * @description How many tasks are left.
             */
            pendingTasks: number;
        };
        /** @description The sessions that can be gone on with. */
        ResumableSessions: {
            /** @description The sessions, what changed last first. */
            sessions: components["schemas"]["ResumableSession"][];
        };
        /** @description What whoever goes on with a session should know. */
        ResumeContext: {
            /** @description How far it had come. */
            checkpoint: components["schemas"]["SessionCheckpoint"];
            /** @description The same in words, as Markdown. */
            summary: string;
            /** @description What is to be done next. */
            nextActions: string[];
            /**
             * Format: uint64
             * @description How much is done, of a hundred.
             */
            estimatedProgress: number;
        };
        /** @description A session is to go on. */
        ResumeRequest: {
            /** @description The checkpoint to go on from; the last one if nothing is said. */
            checkpointId?: string | null;
        };
        /** @description What somebody proposes, or has done, is to be judged. */
        ReviewRequest: {
            /** @description What is proposed: a text or any other JSON. Results of `tasks` in it are judged as those of a workflow. */
            proposal: unknown;
            /** @description The session; a new one if nothing is said. */
            sessionId?: string | null;
            /** @description The folder of the new session, an absolute path. */
            projectPath?: string | null;
            /** @description Whether the result is waited for; it is if nothing is said. */
            blocking?: boolean | null;
        };
        /** @description Where to go on is to be decided. */
        RouteRequest: {
            /** @description What is wanted, as it was understood. */
            intentAnalysis: {
                [key: string]: unknown;
            };
            /** @description The session; a new one if nothing is said. */
            sessionId?: string | null;
            /** @description The folder of the new session, an absolute path. */
            projectPath?: string | null;
            /** @description Whether the result is waited for; it is if nothing is said. */
            blocking?: boolean | null;
        };
        /** @description How far a session had come. */
        SessionCheckpoint: {
            /** @description Its name. */
            checkpointId: string;
            /** @description The session. */
            sessionId: string;
            /** @description The workflow. */
            workflowId?: string | null;
            /** @description When it was made. */
            timestamp: string;
            /** @description What is to be done. */
            originalTask: string;
            /** @description Its tasks. */
            taskProgress: components["schemas"]["TaskProgressEntry"][];
            /** @description The tasks that have a result. */
            completedTaskIds: string[];
            /** @description The tasks that have failed. */
            failedTaskIds: string[];
            /** @description The tasks that are left. */
            pendingTaskIds: string[];
            /** @description What the agents were doing, by name. */
            agentStates: {
                [key: string]: unknown;
            };
            /** @description The phases that the workflow has been in. */
            phaseHistory?: components["schemas"]["CheckpointPhase"][] | null;
            /** @description What else is known. */
            context: {
                [key: string]: unknown;
            };
        };
        /** @description The messages of a session were put together into fewer. */
        SessionCompressed: {
            /**
             * Format: uint64
             * @description How many messages there were.
             */
            originalSize: number;
            /**
             * Format: uint64
             * @description How many there are.
             */
            compressedSize: number;
            /** @description What stands for those that are gone. */
            summary: string;
        };
        /** @description A session has begun. */
        SessionCreated: {
            /** @description What it is called. */
            name: string;
            /** @description Its folder. */
            projectPath: string;
            /**
             * Format: uint64
             * @description How many messages it has.
             */
            messageCount?: number | null;
        };
        /** @description Something is said in a session. */
        SessionMessageRequest: {
            /** @description What. */
            content: string;
            /** @description Who: `user`, `assistant`, `system` or `orchestrator`; `user` if nothing is said. */
            role?: string | null;
        };
        /** @description A session is paused. */
        SessionPaused: {
            /** @description Why. */
            reason?: string | null;
        };
        /** @description A new session. */
        SessionRequest: {
            /** @description What it is called; as its folder, if nothing is said. */
            name?: string | null;
            /** @description Its folder, an absolute path. */
            projectPath?: string | null;
        };
        /** @description A session goes on. */
        SessionResumed: {
            /** @description From which checkpoint. */
            checkpointId?: string | null;
            /**
             * Format: uint64
             * @description How many messages it has.
             */
            messageCount: number;
        };
        /** @description A session goes on. */
        SessionResumption: {
            /** @description Always true. */
            success: boolean;
            /** @description The session. */
            sessionId: string;
            /** @description The workflow that goes on; absent when the session was only paused. */
            workflowId?: string | null;
            /** @description The checkpoint. */
            checkpointId?: string | null;
            /**
             * @description The phase that it goes on in.
             * @enum {string|null}
             */
            resumePhase?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description What whoever goes on should know. */
            resumeContext?: components["schemas"]["ResumeContext"] | null;
        };
        /** @description A session. */
        SessionView: {
            /** @description Its name. */
            id: string;
            /** @description What it is called. */
            name: string;
            /** @description Its folder. */
            projectPath: string;
            /** @description `active` or `paused`. */
            status: string;
            /** @description When it began. */
            createdAt: string;
            /** @description When it last changed. */
            updatedAt: string;
            /** @description When somebody last looked at it. */
            lastAccessedAt: string;
            /**
             * Format: uint64
             * @description How many messages it has.
             */
            messageCount: number;
            /** @description Its workflows that have not ended. */
            activeWorkflows: string[];
        };
        /** @description All snapshots. */
        Snapshots: {
            /** @description One per workflow, what changed last first. */
            snapshots: components["schemas"]["StateSnapshot"][];
        };
        /** @description A phase was done, or is to be done. */
        StageAnswer: {
            /** @description Always true. */
            success: boolean;
            /** @description What came of the phase; where that is not waited for, `messageId`, `workflowId`, `sessionId` and `status`. */
            result: unknown;
            /** @description The message that has begun it. */
            messageId: string;
            /** @description The workflow that it is. */
            workflowId?: string | null;
            /** @description The session. */
            sessionId?: string | null;
        };
        /** @description Everything about a workflow, as of one moment. */
        StateSnapshot: {
            /** @description The workflow. */
            workflowId: string;
            /** @description Its session. */
            sessionId: string;
            /**
             * @description Its phase.
             * @enum {string}
             */
            fsmState: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /**
             * @description The same in one word.
             * @enum {string}
             */
            simplifiedStatus: "planning" | "executing" | "completed" | "failed" | "paused";
            /**
             * @description The phase that was paused, while it is.
             * @enum {string|null}
             */
            previousState?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description Its tasks. */
            tasks: components["schemas"]["TaskSnapshot"][];
            /** @description The agents that work for it. */
            agents: components["schemas"]["AgentSnapshot"][];
            /** @description What is known of it. */
            context: {
                [key: string]: unknown;
            };
            /** @description What is to be done. */
            userTask: string;
            /**
             * Format: uint64
             * @description How often it was planned.
             */
            round: number;
            /** @description The phases that it has been in, the last 200 at most. Those of a workflow that has ended are forgotten with its events. */
            history: components["schemas"]["PhaseEntry"][];
            /** @description The decision that it waits for. */
            pendingDecision?: string | null;
            /** @description What it waits for beside a person; absent when that is nothing. */
            waitingFor?: components["schemas"]["WaitingFor"][] | null;
            /** @description What came of it. */
            output?: unknown;
            /** @description What went wrong. */
            error?: string | null;
            /** @description When this was so. */
            timestamp: string;
        };
        /** @description Something went wrong in the daemon itself. */
        SystemError: {
            /** @description What. */
            error: string;
            /** @description Where. */
            component: string;
            /** @description Whether it goes on. */
            recoverable: boolean;
        };
        /** @description A task cannot go on. */
        TaskBlocked: {
            /** @description The task. */
            taskId: string;
            /** @description Why. */
            reason: string;
            /** @description When it may go on. */
            estimatedStartTime?: string | null;
            /**
             * Format: double
             * @description How much it is worth to go on.
             */
            benefitScore?: number | null;
        };
        /** @description A task is done. */
        TaskCompleted: {
            /** @description The task. */
            taskId: string;
            /** @description The agent. */
            agentId?: string | null;
            /** @description What came of it. */
            result?: unknown;
            /**
             * Format: uint64
             * @description How long it took, in milliseconds.
             */
            duration?: number | null;
        };
        /** @description A task has failed. */
        TaskFailed: {
            /** @description The task. */
            taskId: string;
            /** @description The agent. */
            agentId?: string | null;
            /** @description What went wrong. */
            error: string;
            /** @description Whether it may be tried again. */
            retryable?: boolean | null;
        };
        /** @description A task. */
        TaskNode: {
            /** @description Its name. */
            id: string;
            /** @description What is to be done. */
            description: string;
            /** @description Who is to do it: `executor` or `reviewer`. */
            type: string;
            /**
             * @description How far it has come, in a word.
             * @enum {string}
             */
            status: "pending" | "blocked" | "ready" | "in_progress" | "completed" | "failed";
            /**
             * @description How far it has come.
             * @enum {string}
             */
            fsmState: "created" | "ready" | "dispatching" | "dispatched" | "dispatch_failed" | "running" | "execution_succeeded" | "execution_failed" | "reviewing" | "rework_required" | "blocked" | "done";
            /** @description The tasks that it needs. */
            dependencies: string[];
            /** @description The tasks that need it. */
            dependents: string[];
            /** @description What whoever does it must be able to do. */
            requiredCapabilities: string[];
            /**
             * Format: uint64
             * @description How well whoever does it must be able to do something of that, from 1 to 10.
             */
            minLevel?: number | null;
            /** @description Who does it. */
            assignee?: string | null;
            /**
             * Format: uint64
             * @description How long it is expected to take, in milliseconds.
             */
            estimatedDuration?: number | null;
            /** @description Until when it must be done. */
            deadline?: string | null;
            /** @description When it was begun. */
            startedAt?: string | null;
            /** @description When it ended. */
            completedAt?: string | null;
            /** @description What came of it. */
            result?: unknown;
            /** @description What went wrong. */
            error?: string | null;
            /** @description Who has given it to whom; absent while it waits for other tasks. */
            assignment?: components["schemas"]["Assignment"] | null;
        };
        /** @description A task has come further. */
        TaskProgress: {
            /** @description The task. */
            taskId: string;
            /**
             * Format: uint8
             * @description Of a hundred.
             */
            progress: number;
            /** @description In words. */
            message?: string | null;
        };
        /** @description How far a task had come. */
        TaskProgressEntry: {
            /** @description The task. */
            taskId: string;
            /** @description What is to be done. */
            description: string;
            /** @description `pending`, `in_progress`, `completed`, `failed` or `skipped`. */
            status: string;
            /** @description Who does it. */
            assignedAgent?: string | null;
            /** @description When it was begun. */
            startedAt?: string | null;
            /** @description When it ended. */
            completedAt?: string | null;
            /** @description What came of it. */
            result?: unknown;
            /**
             * Format: uint64
             * @description How often it was begun.
             */
            iterationCount: number;
            /**
             * Format: uint64
             * @description How often it may be.
             */
            maxIterations: number;
            /** @description Who is to do it: `executor` or `reviewer`. */
            type?: string | null;
            /** @description The tasks that it needs. */
            dependencies?: string[] | null;
            /** @description What whoever does it must be able to do. */
            requiredCapabilities?: string[] | null;
            /**
             * Format: uint64
             * @description How well whoever does it must be able to do something of that, from 1 to 10.
             */
            minLevel?: number | null;
        };
        /** @description How far a task has come. */
        TaskProgressRequest: {
            /** @description The task. */
            taskId: string;
            /** @description What is to be done. */
            description?: string | null;
            /** @description `pending`, `in_progress`, `completed`, `failed` or `skipped`. */
            status: string;
            /** @description Who does it. */
            assignedAgent?: string | null;
            /** @description When it was begun. */
            startedAt?: string | null;
            /** @description When it ended. */
            completedAt?: string | null;
            /** @description What came of it. */
            result?: unknown;
            /**
             * Format: uint64
             * @description How often it was begun.
             */
            iterationCount?: number | null;
            /**
             * Format: uint64
             * @description How often it may be.
             */
            maxIterations?: number | null;
        };
        /** @description How far a task has come. */
        TaskSnapshot: {
            /** @description Its name. */
            id: string;
            /**
             * @description How far it has come.
             * @enum {string}
             */
            fsmState: "created" | "ready" | "dispatching" | "dispatched" | "dispatch_failed" | "running" | "execution_succeeded" | "execution_failed" | "reviewing" | "rework_required" | "blocked" | "done";
            /**
             * @description The same in a word.
             * @enum {string}
             */
            simplifiedStatus: "pending" | "blocked" | "ready" | "in_progress" | "completed" | "failed";
            /** @description Who does it. */
            assignee?: string | null;
        };
        /** @description An agent has begun a task. */
        TaskStarted: {
            /** @description The task. */
            taskId: string;
            /** @description The agent. */
            agentId?: string | null;
            /** @description What is to be done. */
            description: string;
        };
        /** @description A task that has changed. */
        TaskUpdate: {
            /** @description The task. */
            id: string;
            /**
             * @description How far it has come, in a word.
             * @enum {string}
             */
            status: "pending" | "blocked" | "ready" | "in_progress" | "completed" | "failed";
            /** @description Who does it. */
            assignee?: string | null;
        };
        /** @description An agent calls a tool. */
        ToolCall: {
            /** @description The call. */
            toolId: string;
            /** @description The tool. */
            toolName: string;
            /** @description The agent. */
            agentId: string;
            /** @description What the tool is given. */
            input: unknown;
        };
        /** @description A tool has failed. */
        ToolError: {
            /** @description The call. */
            toolId: string;
            /** @description The tool. */
            toolName: string;
            /** @description The agent. */
            agentId: string;
            /** @description What went wrong. */
            error: string;
            /**
             * Format: uint64
             * @description How long it took, in milliseconds.
             */
            duration: number;
        };
        /** @description Whether a tool may be used was said. */
        ToolPolicyAnswer: {
            /** @description Always true. */
            success: boolean;
            /**
             * @description The tool.
             * @enum {string}
             */
            name: "WEB_SEARCH" | "FETCH_URL" | "READ_FILE" | "WRITE_FILE" | "SHELL_EXEC";
            /**
             * @description Whether it may be used.
             * @enum {string}
             */
            policy: "allow" | "ask" | "deny";
        };
        /** @description Whether a tool may be used is said. */
        ToolPolicyRequest: {
            /**
             * @description Whether it may.
             * @enum {string}
             */
            policy: "allow" | "ask" | "deny";
        };
        /** @description A tool has answered. */
        ToolResult: {
            /** @description The call. */
            toolId: string;
            /** @description The tool. */
            toolName: string;
            /** @description The agent. */
            agentId: string;
            /** @description What it has answered. */
            output: unknown;
            /**
             * Format: uint64
             * @description How long it took, in milliseconds.
             */
            duration: number;
        };
        /** @description What an agent can do beside thinking. */
        ToolView: {
            /**
             * @description Its name.
             * @enum {string}
             */
            name: "WEB_SEARCH" | "FETCH_URL" | "READ_FILE" | "WRITE_FILE" | "SHELL_EXEC";
            /**
             * @description Whether it may be used.
             * @enum {string}
             */
            policy: "allow" | "ask" | "deny";
            /**
             * @description What is configured; `policy` is something else once a person has said so.
             * @enum {string}
             */
            configured: "allow" | "ask" | "deny";
            /** @description The parameters that a call of it must have. */
            parameters: string[];
            /** @description Whether what it needs beside a project is there: a search has to be configured. */
            available: boolean;
        };
        /** @description Something has happened to a workflow. */
        TransitionAnswer: {
            /** @description Always true. */
            success: boolean;
            /**
             * @description Its phase now.
             * @enum {string}
             */
            currentState: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /** @description What is known of it. */
            context: {
                [key: string]: unknown;
            };
        };
        /** @description Something has happened to a workflow. */
        TransitionRequest: {
            /**
             * @description What.
             * @enum {string}
             */
            trigger: "user_input_received" | "intent_analyzed" | "routing_decided" | "plan_created" | "task_dispatched" | "task_started" | "task_progress" | "task_completed" | "task_failed" | "review_passed" | "review_rejected" | "major_change_detected" | "resource_missing" | "user_decision_received" | "pause_requested" | "resume_requested" | "cancel_requested" | "error_occurred";
            /**
             * @description What is known now: `intent`, `route`, `plan`, `tasks`, `review`, `output`, `decision`, `lastError` and whatever else.
             *     It is kept if the trigger is not refused.
             */
            context?: {
                [key: string]: unknown;
            } | null;
            /** @description The session; it is known already. */
            sessionId?: string | null;
        };
        /** @description Words of a person are to be understood. */
        UnderstandRequest: {
            /** @description The words. */
            input: string;
            /** @description Images that come with them: up to 8 paths of files of the project, PNG, JPEG, GIF or WebP, of 5 MiB at most. */
            images?: string[] | null;
            /** @description The session; a new one if nothing is said. */
            sessionId?: string | null;
            /** @description The folder of the new session, an absolute path. */
            projectPath?: string | null;
            /** @description Whether the result is waited for; it is if nothing is said. */
            blocking?: boolean | null;
        };
        /** @description A person has decided, or nobody will. */
        UserDecisionReceived: {
            /** @description The decision. */
            decisionId: string;
            /** @description The answer as it was given; `timeout`, `cancelled` and `returned` where there is none. */
            decision: string;
            /** @description The options that were chosen. */
            selected: string[];
            /** @description What was provided. */
            resources?: unknown[] | null;
            /** @description What else is known. */
            context?: unknown;
        };
        /** @description A person is asked. */
        UserDecisionRequired: {
            /** @description The decision. */
            decisionId: string;
            /** @description The workflow that waits for it. */
            workflowId?: string | null;
            /** @description The question. */
            message: string;
            /** @description What can be chosen; absent when the answer is free. */
            options?: string[] | null;
        };
        /** @description A person has said something. */
        UserMessage: {
            /** @description The message. */
            messageId: string;
            /** @description What was said. */
            content: string;
            /** @description What came with it. */
            attachments?: unknown[] | null;
        };
        /** @description Something other than a person that a workflow waits for. Events tell of `agent` only, the state of a workflow of all. */
        WaitingFor: {
            /**
             * @description `agent`: agents that other workflows use; `model`: a provider's answer; `tool`: a tool that runs; `errand`: an agent
             *     with a folder of its own; `provider`: a provider for the daemon's agents, which have none, or a client that drives it;
             *     `retry`: the next attempt at its phase, which has failed.
             */
            type: string;
            /** @description The kind of agent. */
            agentType?: string | null;
            /** @description The workflows that use agents of that kind. */
            usedBy?: string[] | null;
            /** @description The agent that works. */
            agentId?: string | null;
            /**
             * @description The phase that it works on.
             * @enum {string|null}
             */
            phase?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description The task that it works on. */
            taskId?: string | null;
            /** @description The provider that was asked, or the tool that runs. */
            name?: string | null;
            /** @description The model that was asked, where one is configured. */
            model?: string | null;
            /** @description Since when. */
            since?: string | null;
            /**
             * Format: uint64
             * @description How many characters of the answer have arrived.
             */
            characters?: number | null;
            /**
             * Format: uint64
             * @description How many tokens of the answer were written, where the provider says so.
             */
            tokens?: number | null;
            /**
             * Format: uint64
             * @description How often the provider was asked, where that was more than once.
             */
            attempt?: number | null;
            /** @description Why the last attempt has brought no answer, while the next one is waited for. */
            error?: string | null;
            /** @description When the next attempt begins. */
            retryAt?: string | null;
        };
        /** @description A workflow waits for a person. */
        WaitingForUser: {
            /** @description Why: `resource_shortage`, `confirmation_required`, `ambiguous_input` or `error_recovery`. */
            reason: string;
            /** @description What is missing. */
            missingResources?: components["schemas"]["MissingResource"][] | null;
            /** @description What would help. */
            suggestion?: string | null;
            /** @description What the person can choose from. */
            options: components["schemas"]["WaitingOption"][];
            /** @description What else is known. */
            context?: unknown;
        };
        /** @description What a person can choose. */
        WaitingOption: {
            /** @description Its name. */
            id: string;
            /** @description What the person reads. */
            label: string;
            /** @description A longer explanation. */
            description?: string | null;
        };
        /** @description Something was done to a workflow. */
        WorkflowAnswer: {
            /** @description Always true. */
            success: boolean;
            /** @description The workflow. */
            workflowId: string;
            /**
             * @description Its phase in one word; absent where it is not said.
             * @enum {string|null}
             */
            status?: "planning" | "executing" | "completed" | "failed" | "paused" | null;
            /**
             * @description Its phase; absent where it is not said.
             * @enum {string|null}
             */
            state?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description The decision that was answered by it. */
            askResolution?: components["schemas"]["AskResolution"] | null;
        };
        /** @description What a workflow has come to. */
        WorkflowOutput: {
            /** @description The workflow. */
            workflowId: string;
            /** @description The result, in words or as JSON. */
            output: unknown;
            /** @description The file that it is in, relative to the project. */
            path?: string | null;
        };
        /** @description A workflow has come further. */
        WorkflowProgress: {
            /**
             * Format: uint8
             * @description Of a hundred.
             */
            overallProgress: number;
            /** @description Who is at work. */
            activeAgents: string[];
            /**
             * Format: uint64
             * @description How many tasks have not begun, or are under way.
             */
            pendingTasks: number;
            /**
             * Format: uint64
             * @description How many are done.
             */
            completedTasks: number;
            /**
             * Format: uint64
             * @description How many have failed.
             */
            failedTasks: number;
            /**
             * Format: uint64
             * @description How many wait for an agent.
             */
            queuedTasks?: number | null;
        };
        /** @description A workflow. */
        WorkflowRequest: {
            /** @description Its name. */
            workflowId: string;
        };
        /** @description A workflow, in a list. */
        WorkflowSummary: {
            /** @description Its name. */
            id: string;
            /** @description The same. */
            workflowId: string;
            /** @description Its session. */
            sessionId: string;
            /**
             * @description Its phase in one word.
             * @enum {string}
             */
            status: "planning" | "executing" | "completed" | "failed" | "paused";
            /**
             * @description Its phase.
             * @enum {string}
             */
            fsmState: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
            /**
             * Format: uint64
             * @description How many tasks it has.
             */
            taskCount: number;
            /**
             * Format: uint64
             * @description How many of them have a result.
             */
            completedTasks: number;
            /**
             * Format: uint64
             * @description How many have failed.
             */
            failedTasks: number;
            /** @description When it began. */
            createdAt: string;
            /** @description When it last changed. */
            updatedAt: string;
            /** @description What is to be done. */
            userTask: string;
            /** @description The folder of its session's project; absent when it has none. */
            projectPath?: string | null;
            /** @description True when it was cancelled; absent otherwise. Its phase is `failed` then. */
            cancelled?: boolean | null;
            /** @description Why it has failed; absent otherwise. */
            error?: string | null;
            /** @description True while it is interrupted: the daemon was away, and nothing goes on until it is resumed. Absent otherwise. */
            interrupted?: boolean | null;
            /**
             * Format: uint64
             * @description How many decisions wait for a person; absent when that is none.
             */
            pendingDecisions?: number | null;
            /** @description What it waits for beside a person; absent when that is nothing. */
            waitingFor?: components["schemas"]["WaitingFor"][] | null;
        };
        /** @description What a workflow is doing has changed. */
        WorkflowUpdate: {
            /** @description The workflow. */
            workflowId: string;
            /**
             * @description Its phase in one word.
             * @enum {string}
             */
            status: "planning" | "executing" | "completed" | "failed" | "paused";
            /** @description The tasks that have changed. */
            taskUpdates: components["schemas"]["TaskUpdate"][];
            /** @description The agents that have changed. */
            agentUpdates: components["schemas"]["AgentChange"][];
            /** @description What is being thought. */
            orchestratorState?: components["schemas"]["OrchestratorState"] | null;
            /**
             * @description Its phase.
             * @enum {string|null}
             */
            fsmState?: "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed" | null;
            /** @description What a person has said to it. */
            userInput?: string | null;
            /** @description The decision that it waits for, or that one of its tasks does. */
            pendingDecision?: string | null;
            /** @description What it waits for beside a person. */
            waitingFor?: components["schemas"]["WaitingFor"][] | null;
        };
    };
    responses: never;
    parameters: {
        /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    postMessage: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description Those to this module alone. */
                target?: string;
                /** @description Those that have come so far alone. */
                status?: "pending" | "processing" | "completed" | "failed";
                /** @description How many at most; 10 if nothing is said. */
                limit?: number;
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description Those in this state alone: `active` (not ended), `waiting` (a decision is open), `interrupted`, `cancelled`, or a phase, which for `failed` leaves out what was cancelled. */
                state?: "active" | "waiting" | "interrupted" | "cancelled" | "idle" | "semantic_understanding" | "routing_decision" | "plan_loop" | "execution" | "review" | "replan_evaluation" | "wait_user_decision" | "paused" | "completed" | "failed";
                /** @description Those of the project in this folder, or in a folder of this name. */
                project?: string;
                /** @description Those with this text in their task or name, in capitals or not. */
                search?: string;
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
                    "application/json": components["schemas"]["WorkflowSummary"][];
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                    "application/json": components["schemas"]["TaskNode"][];
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
                    "application/json": components["schemas"]["Snapshots"];
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description Those of this workflow alone. */
                workflowId?: string;
                /** @description Those in this state alone. */
                status?: "pending" | "answered" | "expired" | "cancelled" | "returned";
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
                    "application/json": components["schemas"]["Decisions"];
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description Answer once it has ended, or after so many seconds. */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                    "application/json": components["schemas"]["SessionView"][];
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                    "application/json": components["schemas"]["ResumableSessions"];
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description How many of the last; 100 if nothing is said. */
                limit?: number;
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        messages: components["schemas"]["MessageView"][];
                    };
                };
            };
            /** @description INVALID_LIMIT */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                    "application/json": components["schemas"]["AgentView"][];
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                        available: components["schemas"]["AgentView"][];
                        /** Format: uint64 */
                        count: number;
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
    postResourcesDeploy: {
        parameters: {
            query?: never;
            header?: {
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description A name of the caller's choice for this request. The same request with the same name is done once, and answered as the first time, for seven days; another one with the same name is refused (409). */
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
                /** @description Types with commas between; `*` is any characters. */
                type?: string;
                /** @description Groups with commas between. */
                group?: string;
                /** @description Those of this workflow alone. */
                workflowId?: string;
                /** @description Those of this session alone. */
                sessionId?: string;
                /** @description After the event of this number. */
                since?: number;
                /** @description How many at most; 100 if nothing is said. */
                limit?: number;
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
                /** @description Types with commas between; `*` is any characters. */
                type?: string;
                /** @description Groups with commas between. */
                group?: string;
                /** @description Those of this workflow alone. */
                workflowId?: string;
                /** @description Those of this session alone. */
                sessionId?: string;
                /** @description After the event of this number. */
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

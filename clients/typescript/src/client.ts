// A daemon, as a program drives it.

import { type Address, locate } from './address.js';
import { DecisionDesk, type DecisionHandler, type DecisionScope } from './decisions.js';
import { FingerApiError, FingerConnectionError, FingerError, FingerTimeoutError } from './errors.js';
import type { EventHandler, EventOf, EventsOf, FingerEvent } from './events.js';
import type { components } from './generated/api.js';
import { Http, newKey, segment } from './http.js';
import { openSocket, type SocketConstructor } from './socket.js';
import { type ConnectionState, EventStream } from './stream.js';
import { isolated, Subscriptions } from './subscriptions.js';

type Schemas = components['schemas'];

/** How a client is made. Everything may be left out. */
export interface FingerClientOptions {
  /** Where the daemon is: `FINGER_HTTP_URL` if nothing is said, else that of this user, else `http://localhost:8080`. */
  httpUrl?: string;
  /** Where its WebSockets are: `FINGER_WS_URL` if nothing is said, else beside the first, `ws://localhost:8081`. */
  wsUrl?: string;
  /** What lets a program in that is not of the daemon's user. Where that is, `daemon.json` says it. */
  secret?: string;
  /** Whether to connect again when a connection is lost; yes, if nothing is said. */
  reconnect?: boolean;
  /** How long to wait between two attempts, in milliseconds: 3000. */
  reconnectInterval?: number;
  /** How often to try before giving up: 10. */
  maxReconnectAttempts?: number;
  /** How often to look whether the daemon is still there, in milliseconds: 30000. */
  heartbeatInterval?: number;
  /** Receives errors that no caller gets: handler errors, missed events, a daemon that is silent or gone. `console.error`. */
  onError?: (error: unknown) => void;
  /** The WebSocket to use, in the place of the platform's. */
  WebSocket?: SocketConstructor;
}

/** How a workflow is begun. */
export interface OrchestrateOptions {
  /** Whether to wait for the end of the workflow. */
  blocking?: boolean;
  /** The session that it belongs to; a new one, if nothing is said. */
  sessionId?: string;
  /** The folder of a new session: a full path; that of this process, if nothing is said. A browser has none. */
  projectPath?: string;
}

/** What was begun. */
export interface Orchestration {
  workflowId: string;
  messageId: string;
  sessionId?: string;
  /** What came of it, for those who have waited. */
  result?: unknown;
}

/** Which events of the past are wanted. */
export interface HistoryOptions {
  /** Types with commas between; `*` is any characters. */
  type?: string;
  /** Groups with commas between. */
  group?: string;
  workflowId?: string;
  sessionId?: string;
  /** Those after the event of this number. */
  since?: number;
  /** How many at most: 100. */
  limit?: number;
}

/** Which part of a list is wanted. */
export interface ListPart {
  /** How many at most: from 1 to 1000. */
  limit: number;
  /** What the part before has named as `next`; without it, the first part. */
  cursor?: string;
}

/** The module that begins workflows. */
const TARGET = 'finger-orchestrator';
/** How long one request waits for a decision, in seconds. */
const LONG_POLL = 20;
/** What has to be known to ask for decisions, and to see workflows to their end. */
const OF_HANDLER = ['user_decision_required', 'user_decision_received', 'phase_transition'] as const;

export class FingerClient {
  readonly #http: Http;
  readonly #stream: EventStream;
  readonly #subscriptions = new Subscriptions();
  readonly #desk: DecisionDesk;
  readonly #watchers = new Set<(state: ConnectionState) => unknown>();
  readonly #report: (error: unknown) => void;
  /** How long to wait until something is tried again, in milliseconds. */
  readonly #interval: number;
  /** Workflows that were begun here and have not ended. */
  readonly #begun = new Set<string>();
  /** Workflows that have ended while one was being begun. */
  readonly #ended = new Set<string>();
  /** How many are being begun. */
  #beginning = 0;
  /** The messages whose answers tell of the end only: which workflow each has begun has to be asked for. */
  readonly #awaited = new Set<string>();
  /** Those who wait until none is being begun. */
  #begunAll: (() => void)[] = [];
  /** All workflows that were begun or resumed here. */
  readonly #own = new Set<string>();
  /** All decisions that were asked for here. */
  readonly #asked = new Set<string>();
  /** What is to be told once the client has left. */
  #leaving: (() => void)[] | undefined;

  constructor(options: FingerClientOptions = {}) {
    const { onError, reconnect = true, reconnectInterval = 3000, maxReconnectAttempts = 10 } = options;
    this.#interval = reconnectInterval;
    // An exception in the error handler must not cause another one.
    this.#report = (error) => isolated(() => (onError ?? console.error)(error), console.error);
    const here = (): Promise<Address> => locate(options);
    this.#http = new Http(here);
    const around = {
      silence: this.#http.silence,
      open: async () => {
        const address = await here();
        return openSocket(address.ws, this.#http.authorization(address), options.WebSocket);
      },
      latest: async (signal: AbortSignal) => (await this.#history({ limit: 1 }, signal)).at(-1)?.seq ?? 0,
      wanted: () => this.#wanted(),
      told: (event: FingerEvent) => this.#told(event),
      changed: (state: ConnectionState) => this.#changed(state),
      report: this.#report,
    };
    const { heartbeatInterval = 30_000 } = options;
    this.#stream = new EventStream(around, { reconnect, reconnectInterval, maxReconnectAttempts, heartbeatInterval });
    this.#desk = new DecisionDesk({
      view: (id) => this.getDecision(id),
      pending: () => this.listDecisions({ status: 'pending' }),
      isOwn: (view) => this.#isOwn(view),
      respond: (id, response, key) => this.#respond(id, response, key),
      newKey,
      connected: (signal) => this.#connected(signal),
      report: this.#report,
    });
  }

  // --- The connection

  /** Connects to the daemon, unless already connected; rejects if no daemon answers. */
  async connect(): Promise<void> {
    this.#left();
    await this.#stream.connect();
  }

  /**
   * Disconnects without reconnecting, so that the process can end. A client that answers decisions (`onDecision`) and has begun
   * workflows (`orchestrate`) stays connected while they run, because they may wait for its answers; `{ now: true }` or a second
   * call disconnects in any case. Resolves once disconnected.
   */
  disconnect(options: { now?: boolean } = {}): Promise<void> {
    const stays = this.#desk.hasHandler && this.#begun.size > 0 && this.getConnectionState() === 'connected';
    if (!stays || options.now || this.#leaving) {
      this.#stream.disconnect();
      this.#left();
      return Promise.resolve();
    }
    this.#leaving = [];
    this.#stream.stopReconnecting();
    return new Promise((resolve) => this.#leaving?.push(resolve));
  }

  /** Whether there is a connection. */
  getConnectionState(): ConnectionState {
    return this.#stream.state;
  }

  /** Lets `watcher` know whenever that changes; returns what ends this. */
  onStateChange(watcher: (state: ConnectionState) => unknown): () => void {
    // Each call is one of its own.
    const own = (state: ConnectionState) => watcher(state);
    this.#watchers.add(own);
    return () => void this.#watchers.delete(own);
  }

  // --- Events

  /**
   * Tells `handler` of events whose type one of the patterns describes (`*` is any characters): in their order, each once, also
   * those that happen while there is no connection. Valid before there is one and after. Returns what ends this.
   */
  subscribe<const P extends string>(patterns: readonly P[] | P, handler: EventHandler<EventsOf<P>>): () => void {
    const list = typeof patterns === 'string' ? [patterns] : patterns;
    const remove = this.#subscriptions.add(list, handler as EventHandler);
    this.#stream.update();
    return () => {
      if (remove()) this.#stream.update();
    };
  }

  /** Tells `handler` of all events. */
  subscribeAll(handler: EventHandler): () => void {
    return this.subscribe(['*'], handler);
  }

  /** What has happened, as it happened: the last events, or with `since` the first after that. */
  getEventHistory(options: HistoryOptions = {}): Promise<FingerEvent[]> {
    return this.#history(options);
  }

  // --- Workflows

  /** Begins a workflow. While connected, earlier subscribers miss none of its events. */
  async orchestrate(task: string, options: OrchestrateOptions = {}): Promise<Orchestration> {
    const { blocking = false, sessionId } = options;
    // A session that is there has its own folder.
    const projectPath = options.projectPath ?? (sessionId ? undefined : currentFolder());
    const message = { content: task, ...(sessionId && { sessionId }), ...(projectPath && { projectPath }) };
    await this.#stream.settled();
    // A handler of its decisions has to know the workflow before this request returns.
    const callbackId = blocking && this.#desk.hasHandler ? newKey() : undefined;
    if (callbackId) this.#awaited.add(callbackId);
    else this.#beginning += 1;
    try {
      const body: Schemas['MessageRequest'] = { target: TARGET, message, blocking, ...(callbackId && { callbackId }) };
      const accepted = await this.#http.post<Schemas['MessageAccepted']>('/api/v1/message', body);
      // For compatibility: if no workflow was begun, this is the id of the message.
      const workflowId = accepted.workflowId ?? accepted.messageId;
      this.#own.add(workflowId);
      if (!blocking && !this.#ended.has(workflowId)) this.#begun.add(workflowId);
      return {
        workflowId,
        messageId: accepted.messageId,
        ...(accepted.sessionId && { sessionId: accepted.sessionId }),
        ...(accepted.result !== undefined && { result: accepted.result }),
      };
    } finally {
      if (callbackId) this.#awaited.delete(callbackId);
      else this.#endBeginning();
    }
  }

  /** Says something to a workflow; where it waits for a decision, this is the answer. */
  sendInput(workflowId: string, input: string): Promise<Schemas['WorkflowAnswer']> {
    return this.#http.post('/api/v1/workflow/input', { workflowId, input });
  }

  /** Pauses a workflow; what is running goes on to its end, unless it is `hard`. */
  pause(workflowId: string, options: { hard?: boolean } = {}): Promise<Schemas['WorkflowAnswer']> {
    return this.#http.post('/api/v1/workflow/pause', { workflowId, ...(options.hard && { hard: true }) });
  }

  /** Lets a paused workflow go on. */
  resume(workflowId: string): Promise<Schemas['WorkflowAnswer']> {
    return this.#http.post('/api/v1/workflow/resume', { workflowId });
  }

  /** Ends a workflow. */
  cancel(workflowId: string): Promise<Schemas['WorkflowAnswer']> {
    return this.#http.post('/api/v1/workflow/cancel', { workflowId });
  }

  /** Everything about a workflow. */
  getStatus(workflowId: string): Promise<Schemas['StateSnapshot']> {
    return this.#http.get(`/api/v1/workflows/${segment(workflowId)}/state`);
  }

  /** Everything about all workflows. */
  async listWorkflows(): Promise<Schemas['StateSnapshot'][]> {
    return (await this.#http.get<Schemas['Snapshots']>('/api/v1/workflows/state')).snapshots;
  }

  /**
   * A part of them: at most `limit`, 1000 at most, those behind `cursor`. `next` is the cursor of the part that follows, where there
   * is one.
   */
  async listWorkflowsPart(part: ListPart): Promise<{ workflows: Schemas['StateSnapshot'][]; next?: string }> {
    const { body, next } = await this.#http.getPart<Schemas['Snapshots']>('/api/v1/workflows/state', { ...part });
    return { workflows: body.snapshots, ...(next !== undefined && { next }) };
  }

  // --- Decisions

  /**
   * Lets `handler` answer decisions, also those that were asked before; each is asked once. These are the decisions of the workflows
   * that this client has begun or resumed, and those that it has asked for itself, unless `scope` says otherwise. There is one
   * handler: a later one takes its place. Returns what ends this.
   */
  onDecision(handler: DecisionHandler, scope: DecisionScope = {}): () => void {
    this.#desk.setHandler(handler, scope);
    this.#stream.update();
    if (this.getConnectionState() === 'connected') void this.#desk.refresh();
    return () => {
      if (this.#desk.removeHandler(handler)) this.#stream.update();
    };
  }

  /** Answers a decision. The first valid answer stands. */
  respondDecision(decisionId: string, response: string): Promise<Schemas['DecisionAnswered']> {
    return this.#respond(decisionId, response, newKey());
  }

  /** Waits until a decision has ended, `timeout` milliseconds at most, and returns how. */
  async waitForDecision(decisionId: string, timeout = 60_000): Promise<Schemas['DecisionView']> {
    const signal = AbortSignal.timeout(timeout);
    try {
      return await this.#endOf(decisionId, signal);
    } catch (error) {
      if (signal.aborted) throw new FingerTimeoutError('Decision timeout', { cause: error });
      throw error;
    }
  }

  /** Asks a person. */
  async createDecision(request: Schemas['DecisionRequest']): Promise<Schemas['DecisionCreated']> {
    this.#beginning += 1;
    try {
      const created = await this.#http.post<Schemas['DecisionCreated']>('/api/v1/decision', request);
      this.#asked.add(created.decisionId);
      return created;
    } finally {
      this.#endBeginning();
    }
  }

  /**
   * Asks a person and waits for the answer, however long that takes: what an agent does that cannot go on by itself. Returns the answer
   * as it was given.
   */
  async waitForUserDecision(
    message: string,
    options?: string[],
    about: Omit<Schemas['DecisionRequest'], 'message' | 'options'> = {},
  ): Promise<string> {
    const { decisionId } = await this.createDecision({ ...about, message, ...(options && { options }) });
    const { status, response } = await this.#endOf(decisionId);
    if (typeof response !== 'string') throw new FingerError(`There is no answer: the decision was ${status}`);
    return response;
  }

  /** A decision. */
  getDecision(decisionId: string): Promise<Schemas['DecisionView']> {
    return this.#http.get(`/api/v1/decision/${segment(decisionId)}`);
  }

  /** Decisions, as they were asked. */
  async listDecisions(filter: { workflowId?: string; status?: string } = {}): Promise<Schemas['DecisionView'][]> {
    return (await this.#http.get<Schemas['Decisions']>('/api/v1/decision', filter)).decisions;
  }

  // --- Agents and sessions

  /** All agents. */
  async listAgents(): Promise<Schemas['AgentView'][]> {
    const answer = await this.#http.get<Schemas['AgentView'][] | { agents: Schemas['AgentView'][] }>('/api/v1/agents');
    return Array.isArray(answer) ? answer : answer.agents;
  }

  /** What an agent is able to do. */
  async getAgentCapabilities(agentId: string): Promise<string[]> {
    const path = `/api/v1/agents/${segment(agentId)}/capabilities`;
    return (await this.#http.get<Schemas['AgentCapabilities']>(path)).capabilities;
  }

  /** The sessions that can be gone on with. */
  async listResumableSessions(): Promise<Schemas['ResumableSession'][]> {
    return (await this.#http.get<Schemas['ResumableSessions']>('/api/v1/sessions/resumable')).sessions;
  }

  /** Lets a session go on, from its last checkpoint where none is named. */
  async resumeSession(sessionId: string, checkpointId?: string): Promise<Schemas['SessionResumption']> {
    const path = `/api/v1/sessions/${segment(sessionId)}/resume`;
    const resumed = await this.#http.post<Schemas['SessionResumption']>(path, checkpointId ? { checkpointId } : {});
    if (resumed.workflowId) {
      this.#own.add(resumed.workflowId);
      // What waits in it was asked before it was this client's.
      if (this.getConnectionState() === 'connected') void this.#desk.refresh(true);
    }
    return resumed;
  }

  // --- What happens by itself

  #wanted(): Set<string> {
    const wanted = this.#subscriptions.patterns();
    if (this.#desk.hasHandler) for (const type of OF_HANDLER) wanted.add(type);
    return wanted;
  }

  #told(event: FingerEvent): void {
    if (event.type === 'user_decision_required') this.#desk.required(event.payload.decisionId);
    if (event.type === 'user_decision_received') this.#desk.ended(event.payload.decisionId);
    this.#subscriptions.tell(event, this.#report);
    if (event.type === 'phase_transition' && hasEnded(event) && event.workflowId) this.#end(event.workflowId);
  }

  /** Whether a decision is of a workflow of this client, or was asked for by it. What is being begun has no name yet. */
  async #isOwn(view: Schemas['DecisionView']): Promise<boolean> {
    const isOwn = (): boolean =>
      this.#asked.has(view.decisionId) || (!!view.workflowId && this.#own.has(view.workflowId));
    for (const callbackId of [...this.#awaited]) {
      if (isOwn()) break;
      const workflowId = await this.#begunBy(callbackId);
      if (workflowId) this.#own.add(workflowId);
    }
    while (!isOwn() && this.#beginning > 0) await new Promise<void>((resolve) => this.#begunAll.push(resolve));
    return isOwn();
  }

  /** The workflow that a message has begun, if it has arrived. */
  async #begunBy(callbackId: string): Promise<string | undefined> {
    const path = `/api/v1/mailbox/callback/${segment(callbackId)}`;
    try {
      return (await this.#http.get<Schemas['MailboxMessage']>(path)).workflowId ?? undefined;
    } catch (error) {
      if (error instanceof FingerApiError && error.status === 404) return undefined;
      throw error;
    }
  }

  #endBeginning(): void {
    this.#beginning -= 1;
    if (this.#beginning > 0) return;
    this.#ended.clear();
    for (const done of this.#begunAll.splice(0)) done();
  }

  #end(workflowId: string): void {
    if (this.#beginning > 0) this.#ended.add(workflowId);
    if (!this.#begun.delete(workflowId) || this.#begun.size > 0 || !this.#leaving) return;
    // What belongs to the end may still be on its way.
    const leaving = this.#leaving;
    const leave = (): void => {
      if (this.#leaving === leaving) void this.disconnect({ now: true });
    };
    this.#stream.settled().then(leave, leave);
  }

  #changed(state: ConnectionState): void {
    if (state === 'connected') void this.#desk.refresh();
    if (state === 'disconnected') this.#desk.withdrawAll();
    for (const watcher of [...this.#watchers]) {
      if (this.#watchers.has(watcher)) isolated(() => watcher(state), this.#report);
    }
    if (state === 'disconnected') this.#left();
  }

  #left(): void {
    const leaving = this.#leaving ?? [];
    this.#leaving = undefined;
    for (const done of leaving) done();
  }

  /** Waits for the next connection; where there is one already, for the time between two attempts. */
  #connected(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const over = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        stop();
      };
      const again = (): void => {
        over();
        resolve();
      };
      const timer = this.getConnectionState() === 'connected' ? setTimeout(again, this.#interval) : undefined;
      const abort = (): void => {
        over();
        reject(signal.reason);
      };
      const stop = this.onStateChange((state) => {
        if (state === 'connecting' || state === 'reconnecting') return;
        if (state === 'connected') return again();
        over();
        reject(new FingerConnectionError('The client has disconnected'));
      });
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
    });
  }

  /** Waits until a decision has ended. */
  async #endOf(decisionId: string, signal?: AbortSignal): Promise<Schemas['DecisionView']> {
    const path = `/api/v1/decision/${segment(decisionId)}`;
    for (;;) {
      const view = await this.#http.get<Schemas['DecisionView']>(path, { wait: LONG_POLL }, signal);
      if (view.status !== 'pending') return view;
    }
  }

  #respond(decisionId: string, response: string, key: string): Promise<Schemas['DecisionAnswered']> {
    return this.#http.post(`/api/v1/decision/${segment(decisionId)}/respond`, { response }, key);
  }

  async #history(options: HistoryOptions, signal?: AbortSignal): Promise<FingerEvent[]> {
    type History = { events: FingerEvent[] };
    return (await this.#http.get<History>('/api/v1/events/history', { ...options }, signal)).events;
  }
}

/** The folder that this process is in, where there is one: not in a browser, and not where it was removed. */
function currentFolder(): string | undefined {
  try {
    // What bundlers put in its place for browsers has a folder, but no version.
    return typeof process !== 'undefined' && process.versions?.node ? process.cwd() : undefined;
  } catch {
    return undefined;
  }
}

function hasEnded(event: EventOf<'phase_transition'>): boolean {
  return event.payload.to === 'completed' || event.payload.to === 'failed';
}

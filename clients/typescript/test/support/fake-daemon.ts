// A daemon that can be told to misbehave: as much of one as the client sees, and a bad network in front of it.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket as TcpSocket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import type { components } from '../../src/index.js';
import { globMatches } from '../../src/glob.js';

type DecisionView = components['schemas']['DecisionView'];

/** A request as it came. */
export interface Seen {
  method: string;
  path: string;
  query: URLSearchParams;
  body: unknown;
  key: string | undefined;
  authorization: string | undefined;
}

interface Envelope {
  type: string;
  seq: number;
  workflowId?: string;
  payload: unknown;
}

interface Listener {
  socket: WebSocket;
  /** What it wants; everything before it has said so. */
  patterns: Set<string> | undefined;
  /** The number of the last event that it was sent, wanted or not. */
  at: number;
  authorization: string | undefined;
}

/** What a request is answered; nothing is done for one that was answered already. */
type Answer = { status: number; body: unknown; headers?: Record<string, string> };

export class FakeDaemon {
  /** Everything that was asked over HTTP, in its order. */
  readonly requests: Seen[] = [];
  /** Everything that was said by WebSockets, in its order. */
  readonly frames: Record<string, unknown>[] = [];
  readonly decisions = new Map<string, DecisionView>();
  /** What certain requests are answered, by method and path. */
  readonly answers = new Map<string, (seen: Seen) => Answer | Promise<Answer>>();
  /** The secret that is asked for, if it is. */
  secret: string | undefined;
  /** How often each thing was really done. */
  readonly done: string[] = [];
  /** How many of the next requests are lost before they are read, and how many after they were done. */
  loseRequests = 0;
  loseAnswers = 0;
  /** Whether the next connections break before a WebSocket has come of them. */
  breaksUpgrades = false;
  /** Whether each event is sent again right after it, and after the one that follows it. */
  repeats = false;
  /** Whether nothing is said any more by WebSockets, though the connection stands. */
  isMute = false;
  /** Whether nothing is answered any more, though connections are taken: as if the process were stopped. */
  isSilent = false;
  /** How often it was asked whether it is there, and what happens then. */
  probes = 0;
  onProbe = (): void => {};
  /** What happens when a WebSocket has come, before it has said anything. */
  onArrival = (): void => {};
  /** How many WebSockets have come. */
  connections = 0;

  readonly #events: Envelope[] = [];
  readonly #listeners = new Set<Listener>();
  readonly #answered = new Map<string, Answer>();
  #held: (() => void)[] | undefined;
  #http!: Server;
  #sockets!: WebSocketServer;
  readonly #tcp = new Set<TcpSocket>();
  #port = 0;

  static async start(): Promise<FakeDaemon> {
    const daemon = new FakeDaemon();
    await daemon.listen();
    return daemon;
  }

  get httpUrl(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get wsUrl(): string {
    return `ws://127.0.0.1:${this.#port}`;
  }

  /** Listens, again on the same port. */
  async listen(): Promise<void> {
    this.#http = createServer((request, response) => void this.#serve(request, response));
    this.#http.on('connection', (socket: TcpSocket) => {
      this.#tcp.add(socket);
      socket.on('close', () => this.#tcp.delete(socket));
    });
    this.#sockets = new WebSocketServer({ noServer: true });
    this.#http.on('upgrade', (request, socket, head) => {
      if (this.isSilent) return;
      if (this.breaksUpgrades) socket.destroy();
      else this.#sockets.handleUpgrade(request, socket, head, (client) => this.#sockets.emit('connection', client, request));
    });
    this.#sockets.on('connection', (socket, request) => this.#welcome(socket, request));
    await new Promise<void>((resolve, reject) => {
      this.#http.once('error', reject);
      this.#http.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (this.#http.address() as AddressInfo).port;
  }

  /** Ends as one that is killed: nothing is said, and the port is free. */
  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#http.close(resolve));
    this.cut();
    this.#sockets.close();
    await closed;
  }

  /** Takes no connections any more, and keeps those that there are. */
  refuse(): void {
    this.#http.close();
  }

  /** Cuts all connections. */
  cut(): void {
    for (const socket of this.#tcp) socket.destroy();
    this.#listeners.clear();
  }

  /** Cuts the WebSockets alone. */
  cutSockets(): void {
    for (const { socket } of this.#listeners) socket.terminate();
    this.#listeners.clear();
  }

  /** Closes all WebSockets because they were too slow. */
  sendAway(): void {
    for (const { socket, at } of this.#listeners) socket.close(1013, JSON.stringify({ seq: at }));
    this.#listeners.clear();
  }

  /** Keeps back what is said by WebSockets until `release`. */
  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const send of held) send();
  }

  /** Forgets everything, as another daemon in the place of this one. */
  forget(): void {
    this.#events.length = 0;
  }

  /** Sends text to all WebSockets. */
  say(words: string): void {
    for (const { socket } of this.#listeners) socket.send(words);
  }

  get listening(): number {
    return this.#listeners.size;
  }

  /** The patterns that the last one who has come wants. */
  get wanted(): string[] | undefined {
    const last = [...this.#listeners].at(-1)?.patterns;
    return last && [...last].sort();
  }

  /** What the last one who has come by a WebSocket has shown. */
  get shown(): string | undefined {
    return [...this.#listeners].at(-1)?.authorization;
  }

  /** Something happens. */
  emit(type: string, payload: object = {}, workflowId?: string): number {
    const seq = (this.#events.at(-1)?.seq ?? 0) + 1;
    this.#events.push({
      type,
      seq,
      payload,
      ...(workflowId && { workflowId }),
      ...{ sessionId: 'session-1', timestamp: '2026-02-23T03:00:00.000Z', eventId: `event-${seq}` },
    });
    for (const listener of this.#listeners) this.#bring(listener);
    return seq;
  }

  /** Creates a pending decision. */
  ask(decisionId: string, message = 'Go on?', options: string[] | null = ['Y', 'n'], workflowId = 'wf-1'): void {
    const created = '2026-02-23T03:00:00.000Z';
    const view = { decisionId, message, multiSelect: false, createdAt: created, status: 'pending', selected: [] };
    this.decisions.set(decisionId, { ...view, workflowId, options });
    this.emit('user_decision_required', { decisionId, workflowId, message, options }, workflowId);
  }

  /** Answers a decision. */
  decide(decisionId: string, response: string): void {
    const view = this.decisions.get(decisionId);
    if (view) this.decisions.set(decisionId, { ...view, status: 'answered', response });
    this.emit('user_decision_received', { decisionId, decision: response, selected: [response] }, 'wf-1');
  }

  #welcome(socket: WebSocket, request: IncomingMessage): void {
    this.connections += 1;
    const { authorization } = request.headers;
    const listener: Listener = { socket, patterns: undefined, at: this.#events.at(-1)?.seq ?? 0, authorization };
    this.#listeners.add(listener);
    socket.on('close', () => this.#listeners.delete(listener));
    socket.on('error', () => {});
    socket.on('message', (data) => this.#hear(listener, JSON.parse(String(data)) as Record<string, unknown>));
    this.#send(listener, { type: 'client_id_assigned', clientId: 'client_1' });
    this.onArrival();
  }

  #hear(listener: Listener, frame: Record<string, unknown>): void {
    this.frames.push(frame);
    const events = (frame['events'] as string[] | undefined) ?? [];
    switch (frame['type']) {
      case 'subscribe':
        if (events.some((pattern) => pattern.length > 128)) {
          this.#send(listener, { type: 'error', error: 'too long', code: 'INVALID_REQUEST' });
          return;
        }
        listener.patterns ??= new Set();
        for (const pattern of events) listener.patterns.add(pattern);
        this.#send(listener, { type: 'subscribe_confirmed', types: events, groups: [] });
        if (typeof frame['since'] === 'number') listener.at = frame['since'];
        this.#bring(listener);
        return;
      case 'unsubscribe':
        if (events.length === 0) listener.patterns = new Set();
        for (const pattern of events) listener.patterns?.delete(pattern);
        this.#send(listener, { type: 'unsubscribe_confirmed' });
        return;
      case 'ping':
        this.#send(listener, { type: 'pong' });
    }
  }

  /** Brings a listener up to what there is. */
  #bring(listener: Listener): void {
    const oldest = this.#events[0]?.seq ?? 1;
    if (listener.at < oldest - 1) this.#send(listener, { type: 'replay_gap', oldestSeq: oldest });
    let before: Envelope | undefined;
    for (const event of this.#events) {
      if (event.seq <= listener.at) continue;
      listener.at = event.seq;
      const { patterns } = listener;
      if (patterns && ![...patterns].some((pattern) => globMatches(pattern, event.type))) continue;
      this.#send(listener, event);
      if (!this.repeats) continue;
      this.#send(listener, event);
      if (before) this.#send(listener, before);
      before = event;
    }
  }

  /** Forgets the first events, as a daemon that does not keep them for ever. */
  prune(count: number): void {
    this.#events.splice(0, count);
  }

  #send({ socket }: Listener, frame: object): void {
    if (this.isMute || this.isSilent) return;
    const send = () => socket.send(JSON.stringify(frame), () => {});
    if (this.#held) this.#held.push(send);
    else send();
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.isSilent) return;
    if (request.url === '/api/v1/modules') {
      this.probes += 1;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"modules":[]}', () => this.onProbe());
      return;
    }
    if (this.loseRequests > 0) {
      this.loseRequests -= 1;
      request.socket.destroy();
      return;
    }
    let text = '';
    for await (const part of request.setEncoding('utf8')) text += part;
    const url = new URL(request.url ?? '/', this.httpUrl);
    const seen: Seen = {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      body: text ? JSON.parse(text) : undefined,
      key: request.headers['idempotency-key'] as string | undefined,
      authorization: request.headers.authorization,
    };
    this.requests.push(seen);
    const before = seen.key === undefined ? undefined : this.#answered.get(seen.key);
    const { status, body, headers } = before ?? (await this.#answer(seen));
    if (seen.key !== undefined) this.#answered.set(seen.key, { status, body });
    if (this.loseAnswers > 0) {
      this.loseAnswers -= 1;
      // Half of it comes.
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"', () => request.socket.destroy());
      return;
    }
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  }

  async #answer(seen: Seen): Promise<Answer> {
    if (this.secret && seen.authorization !== `Bearer ${this.secret}`) {
      return { status: 401, body: { error: 'Unauthorized', code: 'UNAUTHORIZED' } };
    }
    const route = `${seen.method} ${seen.path}`;
    this.done.push(route);
    const special = this.answers.get(route);
    if (special) return special(seen);
    const ok = (body: unknown): Answer => ({ status: 200, body });
    const decision = /^\/api\/v1\/decision\/([^/]+)(\/respond)?$/.exec(seen.path);
    if (decision) return this.#decision(seen, decodeURIComponent(decision[1] ?? ''), decision[2] !== undefined);
    switch (route) {
      case 'GET /api/v1/events/history':
        return ok({ success: true, events: this.#events.slice(-Number(seen.query.get('limit') ?? 100)) });
      case 'GET /api/v1/decision':
        return ok({ decisions: [...this.decisions.values()].filter(({ status }) => status === 'pending') });
      case 'POST /api/v1/message':
        this.emit('phase_transition', { from: 'idle', to: 'semantic_understanding' }, 'wf-1');
        return ok({ success: true, messageId: 'msg-1', status: 'queued', queued: true, workflowId: 'wf-1' });
    }
    return { status: 404, body: { error: 'Not Found', code: 'NOT_FOUND', details: {} } };
  }

  #decision(seen: Seen, id: string, isAnswer: boolean): Answer {
    const view = this.decisions.get(id);
    const refused = (status: number, code: string, error: string): Answer => ({ status, body: { error, code } });
    if (!view) return refused(404, 'DECISION_NOT_FOUND', 'Decision not found');
    if (!isAnswer) return { status: 200, body: view };
    const { response } = seen.body as { response: string };
    if (view.status !== 'pending') return refused(409, 'DECISION_ALREADY_RESOLVED', 'Decision already resolved');
    if (view.options && !view.options.includes(response)) {
      return refused(400, 'INVALID_RESPONSE', `No option: ${response}`);
    }
    this.decide(id, response);
    return { status: 200, body: { success: true, decisionId: id, response, selected: [response] } };
  }
}

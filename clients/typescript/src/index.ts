// What the package offers.

export { FingerClient } from './client.js';
export type { FingerClientOptions, HistoryOptions, ListPart, OrchestrateOptions, Orchestration } from './client.js';
export type { Decision, DecisionHandler, DecisionScope } from './decisions.js';
export {
  FingerApiError,
  FingerConnectionError,
  FingerError,
  FingerGapError,
  FingerTimeoutError,
  FingerUnresponsiveError,
} from './errors.js';
export type { ErrorCode } from './errors.js';
export type { EventHandler, EventOf, EventsOf, EventType, FingerEvent } from './events.js';
export { EVENT_TYPES } from './generated/events.js';
export type { components, operations, paths } from './generated/api.js';
export type { Socket, SocketConstructor } from './socket.js';
export type { ConnectionState } from './stream.js';

// A transport that requests go by which a library has no method for, beside those that it sends itself.
/** Its requests have ids that no library gives. */
const PREFIX = 'raw-';

export class Wire {
  #inner;
  #waiting = new Map();
  #sent = 0;

  constructor(inner) {
    this.#inner = inner;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => {
      if (typeof message.id === 'string' && message.id.startsWith(PREFIX) && !('method' in message)) {
        const { error, result } = message;
        this.#waiting.get(message.id)?.(error ? { kind: 'error', error } : { kind: 'result', result });
        this.#waiting.delete(message.id);
      } else {
        this.onmessage?.(message, extra);
      }
    };
  }

  start() {
    return this.#inner.start();
  }

  send(message, options) {
    return this.#inner.send(message, options);
  }

  close() {
    return this.#inner.close();
  }

  setProtocolVersion(version) {
    this.#inner.setProtocolVersion?.(version);
  }

  get sessionId() {
    return this.#inner.sessionId;
  }

  get hasPerRequestStream() {
    return this.#inner.hasPerRequestStream;
  }

  /** Sends a request, and gives what answers it. */
  dispatch = async (request) => {
    this.#sent += 1;
    const id = `${PREFIX}${this.#sent}`;
    const answered = new Promise((resolve) => this.#waiting.set(id, resolve));
    await this.#inner.send({ jsonrpc: '2.0', id, ...request });
    return answered;
  };
}

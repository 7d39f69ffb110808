// Hands two requests of the browser to the server so that it has begun with both before it can end one. The browser itself
// would send one some milliseconds after the other, and the command may have ended by then: it has its answer.
import { request as send, type ClientRequest, type IncomingMessage } from 'node:http';
import type { BrowserContext, Request } from '@playwright/test';

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** A request whose body the server is waiting for. */
interface Begun {
  body: Buffer;
  sent: ClientRequest;
  answer: Promise<Answer>;
}

/** Sends the head, and waits until the server asks for the body. */
async function begin(request: Request, origin: string): Promise<Begun> {
  const body = request.postDataBuffer() ?? Buffer.alloc(0);
  const headers: Record<string, string> = {
    ...request.headers(), origin, 'sec-fetch-site': 'same-origin', expect: '100-continue', 'content-length': String(body.length),
  };
  delete headers['accept-encoding']; // the answer is handed on as it is
  const sent = send(request.url(), { method: 'POST', headers });
  const answer = new Promise<Answer>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', (response: IncomingMessage) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        // What is about the connection stays on the connection.
        const kept = Object.entries(response.headers).filter(([name]) => !['connection', 'content-length', 'transfer-encoding'].includes(name));
        const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
        resolve({ status: response.statusCode ?? 0, headers, body: Buffer.concat(chunks) });
      });
    });
  });
  const asked = new Promise<void>((resolve) => { sent.on('continue', () => resolve()); });
  sent.flushHeaders();
  await Promise.race([asked, answer]);
  return { body, sent, answer };
}

/** Holds what `matches` until the server has begun with two of them. */
export async function sendTogether(context: BrowserContext, origin: string, matches: (url: URL) => boolean) {
  const requests: Request[] = [];
  let release: (begun: Promise<Begun[]>) => void = () => {};
  const both = new Promise<Begun[]>((resolve) => { release = resolve; });
  await context.route(matches, async (route) => {
    const index = requests.push(route.request()) - 1;
    if (index === 1) {
      release(Promise.all(requests.map((request) => begin(request, origin))).then((begun) => {
        for (const { sent, body } of begun) sent.end(body);
        return begun;
      }));
    }
    await route.fulfill(await ((await both)[index] as Begun).answer);
  });
}

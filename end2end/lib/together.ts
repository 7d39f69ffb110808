// Hands two requests of the browser to the server in the same moment. The browser itself would send one some milliseconds
// after the other, and the command may have ended by then: it has its answer.
import { Agent, request as send, type IncomingMessage } from 'node:http';
import type { BrowserContext, Request } from '@playwright/test';

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

function exchange(agent: Agent, url: string, method: string, headers: Record<string, string>, body: Buffer | null): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = send(url, { agent, method, headers }, (response: IncomingMessage) => {
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
    sent.on('error', reject);
    sent.end(body ?? undefined);
  });
}

/** Holds what `matches` until there are two of them. */
export async function sendTogether(context: BrowserContext, origin: string, matches: (url: URL) => boolean) {
  // Two open connections, so that nothing is left to do but to write.
  const agents = [new Agent({ keepAlive: true, maxSockets: 1 }), new Agent({ keepAlive: true, maxSockets: 1 })];
  for (const agent of agents) await exchange(agent, `${origin}/favicon.svg`, 'GET', {}, null);

  const held: { request: Request; answer: (answer: Promise<Answer>) => void }[] = [];
  await context.route(matches, async (route) => {
    const answered = new Promise<Answer>((resolve, reject) => {
      held.push({ request: route.request(), answer: (answer) => answer.then(resolve, reject) });
    });
    if (held.length === 2) {
      for (const [index, { request, answer }] of held.entries()) {
        const headers: Record<string, string> = { ...request.headers(), origin, 'sec-fetch-site': 'same-origin' };
        delete headers['accept-encoding']; // the answer is handed on as it is
        answer(exchange(agents[index] as Agent, request.url(), 'POST', headers, request.postDataBuffer()));
      }
    }
    await route.fulfill(await answered);
  });
  return () => agents.forEach((agent) => agent.destroy());
}

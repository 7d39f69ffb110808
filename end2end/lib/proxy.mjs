// A reverse proxy that forwards a path of its host, as JupyterHub and code-server do.
import { createServer, request } from 'node:http';

/**
 * Starts it on a free port. `forward` names the port that it forwards to; with `strip` the path is taken away.
 * @param {string} path which begins and ends with a slash
 * @param {boolean} strip
 */
export async function proxy(path, strip) {
  let to = 0;
  const server = createServer((incoming, answer) => {
    const address = incoming.url ?? '';
    if (!address.startsWith(path)) return answer.writeHead(404).end('not below the path');
    const forwarded = request(
      { port: to, host: '127.0.0.1', method: incoming.method, path: strip ? address.slice(path.length - 1) : address, headers: incoming.headers },
      (came) => {
        answer.writeHead(came.statusCode ?? 502, came.headers);
        came.pipe(answer);
      },
    );
    forwarded.on('error', () => answer.destroy());
    answer.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise((/** @type {(value?: unknown) => void} */ resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: `http://localhost:${port}${path}`,
    /** @param {number} port */
    forward: async (port) => { to = port; },
    close: async () => { server.closeAllConnections(); server.close(); },
  };
}

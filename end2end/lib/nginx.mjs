// nginx in front of the program, with the configuration that the documents give.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The documented path and ports. */
const PATH = '/user/ann/proxy/3721/';
const [PORT, TO] = ['listen 8000;', 'http://127.0.0.1:3721;'];

/** The documented configuration, which is part of another one. */
function documented() {
  const document = readFileSync(fileURLToPath(new URL('../../docs/guide/configuration.md', import.meta.url)), 'utf8');
  const block = /```nginx\n(.*?)```/s.exec(document)?.[1] ?? '';
  for (const part of [PATH, PORT, TO]) if (!block.includes(part)) throw new Error(`the documented configuration has no ${part}`);
  return block;
}

/** A port that is free now. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}

/** Whether a program listens there. @param {number} port */
function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => { socket.destroy(); resolve(true); });
    socket.on('error', () => resolve(false));
  });
}

/**
 * Takes a free port. `forward` starts nginx with this target, `close` ends it. With `strip` the path is removed.
 * @param {string} path which begins and ends with a slash
 * @param {boolean} strip
 */
export async function nginx(path, strip) {
  const dir = mkdtempSync(join(tmpdir(), 'aide-nginx-'));
  const port = await freePort();
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child;
  return {
    url: `http://localhost:${port}${path}`,
    /** @param {number} to */
    forward: async (to) => {
      const server = documented()
        .replace(PATH, path)
        .replace(PORT, `listen 127.0.0.1:${port};`)
        .replace(TO, `http://127.0.0.1:${to}${strip ? '/' : ''};`);
      const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`);
      // One process, which is ended with the test. It is this user's, as the browser is.
      const lines = ['daemon off;', 'master_process off;', `pid ${dir}/pid;`, 'error_log stderr;', 'events {}', 'http {', 'access_log off;'];
      writeFileSync(join(dir, 'nginx.conf'), [...lines, ...temporary, server, '}', ''].join('\n'));
      let said = '';
      const running = spawn('nginx', ['-p', dir, '-e', 'stderr', '-c', join(dir, 'nginx.conf')], { stdio: ['ignore', 'ignore', 'pipe'] });
      child = running;
      running.stderr.setEncoding('utf8').on('data', (text) => (said += text));
      const failed = new Promise((_, reject) => {
        running.on('error', (error) => reject(new Error(`nginx cannot be run (scripts/setup test gets it): ${error.message}`)));
        running.on('exit', (code) => reject(new Error(`nginx has ended with ${code}\n${said}`)));
      });
      failed.catch(() => {});
      const begun = async () => {
        while (!(await answers(port))) await new Promise((resolve) => setTimeout(resolve, 10));
      };
      await Promise.race([begun(), failed]);
    },
    close: async () => {
      if (child && child.exitCode === null && child.signalCode === null && child.pid) {
        child.kill('SIGKILL');
        await once(child, 'exit');
      }
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

// `aide mcp --http`, in a project.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AIDE } from './scene.mjs';

/** Starts it on any free port; its address, and what ends it. */
export async function serveHttp(scene, ...args) {
  const options = { cwd: scene.project, env: scene.env, stdio: ['ignore', 'pipe', 'inherit'] };
  const server = spawn(AIDE, ['mcp', '--http', '--port', '0', ...args], options);
  const [line] = await once(server.stdout, 'data');
  const [url] = String(line).match(/http:\S+/);
  return { url, stop: () => server.kill() };
}

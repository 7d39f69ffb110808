// Sets of questions of other askers, as these write them: a file each.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Waiting } from './aide.mjs';
import type { Input } from './inputs.mjs';

export const agent = { asker: 'agent', plan: 'checkout', task: 'payment', agent: 'coder-1', request: 'r1' };
export const workflow = { asker: 'workflow', workflow: 'wf-42', session: 's1', decision: 'd1' };

/** Asks `input` under the name `session`, which is later than all before it. */
export function put({ dir }: Waiting, session: string, origin: object, input: Input, deadline?: string) {
  const open = join(dir, '.aide/decisions/open');
  mkdirSync(open, { recursive: true, mode: 0o700 });
  const _meta = { created_at: '2025-01-15T10:30:00+08:00', session_id: session, origin, key: session, deadline };
  const file = join(open, `${session}.json`);
  // Whole from the moment on in which it has its name.
  writeFileSync(`${file}.tmp`, JSON.stringify({ ...input, _meta }), { mode: 0o600 });
  renameSync(`${file}.tmp`, file);
  return session;
}

/** Waits until a server responds at `url`: where questions have ended, another process continues with the remaining ones. */
export async function served(url: string) {
  for (;;) {
    try {
      if ((await fetch(url)).ok) return;
    } catch {
      // No server yet.
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Waits until a process continues with the open questions of this project, and returns a function that waits for its end: the
 * process that has ended started it, so nothing else here knows of it, and it writes to the project until then.
 */
export async function successor({ dir, url }: Waiting) {
  await served(url);
  const { pid } = JSON.parse(readFileSync(join(dir, '.aide/decisions/server.json'), 'utf8'));
  return async function ended() {
    // A process that has ended and has not been reaped has no program either.
    while (existsSync(`/proc/${pid}/exe`)) await new Promise((resolve) => setTimeout(resolve, 10));
  };
}

// The person that is asked: sees that something is open, and answers on its page or in a terminal.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AIDE, run } from './scene.mjs';

/** Waits until `is` says so, and fails with `otherwise` when it never does. */
export async function until(is, otherwise) {
  for (let looks = 0; !is(); looks += 1) {
    assert.ok(looks < 3000, typeof otherwise === 'function' ? otherwise() : otherwise);
    await sleep(20);
  }
}

export const decisions = (scene) => join(scene.project, '.aide/decisions');

/** The sessions that are open. */
export function open(scene) {
  const folder = join(decisions(scene), 'open');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  return names.filter((name) => name.endsWith('.json') && !name.includes('draft')).map((name) => name.slice(0, -'.json'.length));
}

/** Waits until something is open on a page; the session. */
export async function asked(scene, otherwise = 'nothing was asked') {
  await until(() => existsSync(join(decisions(scene), 'server.json')) && open(scene).length > 0, otherwise);
  return open(scene)[0];
}

/** Answers on the page. */
export async function answer(scene, session, answers) {
  const { port } = JSON.parse(readFileSync(join(decisions(scene), 'server.json'), 'utf8'));
  const answered = await fetch(`http://localhost:${port}/d/${session}/api/submit`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ decisions: answers }),
  });
  assert.equal(answered.status, 200);
}

/** Answers in a terminal that shows one line after the other; `lines` are what is typed. */
export async function answerInTerminal(scene, session, lines) {
  const input = [...lines, 'y', ''].join('\n');
  const { code, stdout, stderr } = await run(AIDE, ['decide', 'answer', session], { cwd: scene.project, env: scene.env, input });
  assert.equal(code, 0, stdout + stderr);
}

/** Ends the page of a project, where it still runs. */
export function endPage(scene) {
  try {
    process.kill(JSON.parse(readFileSync(join(decisions(scene), 'server.json'), 'utf8')).pid);
  } catch {
    // It has ended with its questions.
  }
}

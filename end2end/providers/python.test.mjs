// `aide mcp` by the Python library for clients, in both of the ways that it begins: lib/client.py plays the scenarios.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { endPage } from './lib/person.mjs';
import { AIDE, Scene, run } from './lib/scene.mjs';

/** `scripts/setup` installs it, as requirements.txt says. */
const PYTHON = fileURLToPath(new URL('.venv/bin/python', import.meta.url));
const CLIENT = fileURLToPath(new URL('lib/client.py', import.meta.url));
const SCENARIOS = [
  'ask', 'ask over HTTP', 'hold', 'progress', 'task', 'time-out', 're-attach', 'cancel', 'elicit', 'queue', 'amend',
];

/** Plays a scenario in a project of its own. */
async function played(mode, scenario) {
  const scene = new Scene();
  try {
    await scene.aide('init');
    await scene.aide('config', 'set', 'decide.port', '0');
    const { code, stdout, stderr } = await run(PYTHON, [CLIENT, AIDE, mode, scenario], { cwd: scene.project, env: scene.env });
    assert.equal(code, 0, stdout + stderr);
    assert.equal(stdout, `${scenario} is as it should be\n`);
  } finally {
    endPage(scene);
    scene.remove();
  }
}

for (const [mode, revision] of [['legacy', 'first'], ['auto', 'newest']]) {
  describe(`python mcp 2.3, ${mode}, the ${revision} way to begin`, { concurrency: 4 }, () => {
    for (const scenario of SCENARIOS) test(scenario, () => played(mode, scenario));
  });
}

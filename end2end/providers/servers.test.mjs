// Real servers as endpoints: llama.cpp with a small model, and LiteLLM before a mock. Part of `scripts/soak`, which installs them:
// AIDE_SOAK_PYTHON is a Python that has both, AIDE_SOAK_MODEL where the model is kept.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ANSWER, start } from './lib/mock.mjs';
import { KEY } from './lib/programs.mjs';
import { Scene } from './lib/scene.mjs';

const PYTHON = process.env.AIDE_SOAK_PYTHON;
const MODEL = process.env.AIDE_SOAK_MODEL;

/** How long a server may take to begin, on a busy machine. */
const BEGIN = 180_000;

/** Starts a server, and waits until it is ready, which `look` says: it returns its address once it is. */
async function serve(scene, program, args, env, look) {
  const child = spawn(program, args, { cwd: scene.project, env: { ...scene.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  const hear = (bytes) => (said += bytes);
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  let isRunning = true;
  const ended = new Promise((resolve) => child.once('close', resolve)).then(() => (isRunning = false));
  const stop = async () => {
    // It has nothing to lose.
    child.kill('SIGKILL');
    await ended;
  };
  const deadline = Date.now() + BEGIN;
  while (isRunning && Date.now() < deadline) {
    const address = await look(said);
    if (address !== undefined) return { address, stop };
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  await stop();
  throw new Error(`${program} does not serve: ${said}`);
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

async function asked(scene, address, keys) {
  await scene.prepare(['name = "e"', 'kind = "openai"', `base_url = "${address}/v1"`, 'timeout = 300', ...keys]);
  const { stdout, stderr } = await scene.aide('provider', 'check', 'e', '--json', '--models');
  return { told: JSON.parse(stdout), stderr };
}

test('llama.cpp answers in JSON, and says which model it has', async () => {
  const scene = new Scene();
  const { address, stop } = await serve(scene, PYTHON, [fileURLToPath(new URL('llama.py', import.meta.url)), MODEL], {}, (said) =>
    /^ready (\S+)$/m.exec(said)?.[1],
  );
  try {
    // The model is too small to do what it is asked: llama.cpp lets it write nothing else.
    const schema = '{ type = "object", required = ["result"], properties = { result = { enum = ["ready", "done"] } } }';
    const format = `{ type = "json_schema", json_schema = { name = "answer", schema = ${schema} } }`;
    const keys = [`model = "${MODEL}"`, 'max_tokens = 256', `extra_body = { response_format = ${format} }`];
    const { told, stderr } = await asked(scene, address, keys);
    assert.ok(told.usable, JSON.stringify(told) + stderr);
    assert.match(told.answer.text, /^\{\s*"result":\s*"(ready|done)"\s*\}$/);
    assert.ok(told.answer.input_tokens > 0 && told.answer.output_tokens > 0);
    assert.deepEqual(told.models, [MODEL]);
    const status = told.findings.map((finding) => `${finding.check} ${finding.status}`);
    assert.deepEqual(status, ['url ok', 'key ok', 'answer ok', 'usage ok', 'models ok'], JSON.stringify(told));
  } finally {
    await stop();
    scene.remove();
  }
});

test('LiteLLM answers, refuses a wrong key, and passes on that a model is busy', async () => {
  const mock = await start('answer');
  const scene = new Scene();
  const config = {
    model_list: [{ model_name: 'm', litellm_params: { model: 'openai/m', api_base: `${mock.url}/v1`, api_key: KEY } }],
    general_settings: { master_key: KEY },
    litellm_settings: { num_retries: 0 },
    router_settings: { num_retries: 0 },
  };
  // JSON is YAML as well.
  scene.write('project/litellm.yaml', JSON.stringify(config));
  const port = await freePort();
  const args = ['--config', 'litellm.yaml', '--host', '127.0.0.1', '--port', String(port)];
  const env = { LITELLM_LOCAL_MODEL_COST_MAP: 'True', LITELLM_TELEMETRY: 'False', DISABLE_ADMIN_UI: 'True' };
  const { address, stop } = await serve(scene, join(dirname(PYTHON), 'litellm'), args, env, async () => {
    const alive = await fetch(`http://127.0.0.1:${port}/health/liveliness`).catch(() => undefined);
    return alive?.ok ? `http://127.0.0.1:${port}` : undefined;
  });
  try {
    const keys = ['model = "m"', 'api_key_env = "SOAK_KEY"'];
    scene.env.SOAK_KEY = KEY;
    const good = await asked(scene, address, keys);
    assert.ok(good.told.usable, JSON.stringify(good));
    assert.deepEqual([good.told.answer.text, good.told.models], [ANSWER, ['m']]);
    const answerOf = ({ told }) => told.findings.find((finding) => finding.check === 'answer');

    scene.env.SOAK_KEY = 'sk-this-is-another-key';
    const refused = await asked(scene, address, keys);
    assert.deepEqual([refused.told.usable, answerOf(refused).hint], [false, "check the provider's key"], JSON.stringify(refused));

    scene.env.SOAK_KEY = KEY;
    mock.nextRequestError(429, { message: 'Rate limit reached', type: 'rate_limit_error', code: 'rate_limit_exceeded' });
    const busy = await asked(scene, address, keys);
    assert.deepEqual([busy.told.usable, answerOf(busy).hint], [false, 'try again later'], JSON.stringify(busy));
  } finally {
    await stop();
    await mock.stop();
    scene.remove();
  }
});

// Records what the real programs print, both streams, for the tests of crates/llm: `npm run record`. Names of folders, ports and
// times are made the same each time.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { start } from './lib/mock.mjs';
import { PROGRAMS } from './lib/programs.mjs';
import { Scene, run } from './lib/scene.mjs';

const to = fileURLToPath(new URL('../../crates/llm/tests/recorded/', import.meta.url));
const SCENARIOS = {
  claude: ['answer', 'emoji', 'busy', 'overloaded', 'key', 'cut', 'length'],
  codex: ['answer', 'emoji', 'busy', 'overloaded', 'key', 'cut'],
  gemini: ['answer', 'emoji', 'busy', 'overloaded', 'key', 'cut', 'untrusted'],
  opencode: ['answer', 'emoji', 'busy', 'key', 'length'],
};

function plain(text, scene, port) {
  return text
    .replaceAll(scene.folder, '/tmp/scene')
    .replaceAll(fileURLToPath(new URL('./node_modules', import.meta.url)), '/usr/lib/node_modules')
    .replaceAll(`:${port}`, ':4010')
    .replace(/\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z/g, '2026-11-25T12-00-00-000Z')
    .replace(/"(duration_ms|duration_api_ms|ttft_ms|ttft_stream_ms|time_to_request_ms|first_content_frame_ms|totalLatencyMs)": ?\d+/g, '"$1": 100')
    .replace(/"(timestamp|start|end)":\d{13}/g, '"$1":1795600000000');
}

rmSync(to, { recursive: true, force: true });
for (const [name, scenarios] of Object.entries(SCENARIOS)) {
  const program = PROGRAMS[name];
  mkdirSync(to + name, { recursive: true });
  for (const scenario of scenarios) {
    const mock = await start(scenario, program);
    const scene = new Scene();
    const env = { ...scene.env, ...program.home(scene.home, mock.url) };
    delete env.AIDE_LANG;
    if (scenario !== 'untrusted') env.GEMINI_CLI_TRUST_WORKSPACE = 'true';
    const args = [...program.arguments, ...(program.model ? ['--model', program.model] : [])];
    const { code, stdout, stderr } = await run(name, args, { cwd: scene.project, env, input: 'What is the answer?' });
    for (const [stream, text] of Object.entries({ out: stdout, err: stderr })) {
      writeFileSync(`${to}${name}/${scenario}.${stream}`, plain(text, scene, mock.port));
    }
    writeFileSync(`${to}${name}/${scenario}.code`, `${code}\n`);
    console.log(`${name} ${scenario}: exit code ${code}`);
    await mock.stop();
    scene.remove();
  }
}

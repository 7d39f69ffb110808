// Runs the tests that were built into dist, or those that are named.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const named = process.argv.slice(2);
const all = readdirSync(`${root}dist/test`).filter((name) => name.endsWith('.test.js'));
const files = (named.length > 0 ? named.map((name) => `${name}.test.js`) : all).map((name) => `${root}dist/test/${name}`);
const reporters = ['spec', 'junit'].flatMap((kind) => [
  `--test-reporter=${kind}`,
  `--test-reporter-destination=${kind === 'spec' ? 'stdout' : `${root}dist/junit.xml`}`,
]);
// Where the platform's WebSocket is still an experiment, it is tried all the same, beside that of the package.
const experimental = typeof WebSocket === 'undefined' ? ['--experimental-websocket', '--no-warnings'] : [];
const args = [...experimental, '--test', '--test-timeout=600000', ...reporters, ...files];
const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
process.exitCode = status ?? 1;

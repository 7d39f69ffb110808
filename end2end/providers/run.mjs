// Runs the tests of the real programs, or those of the files that are named: without a network, where the system lets anyone have
// such a world of their own.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const here = fileURLToPath(new URL('.', import.meta.url));
const named = process.argv.slice(2);
/** Those of `servers` are part of the soak alone. */
const parts = ['programs', 'mcp', 'waiting', 'python', 'inspector', 'setup', 'agents', 'hooks'];
const tests = named.length > 0 ? named : parts.map((part) => `${part}.test.mjs`);
mkdirSync(`${here}test-results`, { recursive: true });
const reporters = ['spec', 'junit'].flatMap((kind) => [
  `--test-reporter=${kind}`,
  `--test-reporter-destination=${kind === 'spec' ? 'stdout' : `${here}test-results/junit.xml`}`,
]);
const test = [process.execPath, '--test', '--test-timeout=600000', ...reporters, ...tests.map((file) => here + file)];
const alone = ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
const isPossible = spawnSync('unshare', [...alone, 'true']).status === 0;
if (!isPossible) console.log('no namespace without a network is to be had: the programs could reach it');
const [program, ...args] = isPossible ? ['unshare', ...alone, ...test] : test;
const { status } = spawnSync(program, args, { stdio: 'inherit' });
process.exitCode = status ?? 1;

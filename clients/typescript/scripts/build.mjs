// Compiles everything into dist, of which nothing stays that has no source any more.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const compiler = fileURLToPath(import.meta.resolve('typescript/bin/tsc'));
rmSync(`${root}dist`, { recursive: true, force: true });
// The examples use what the package offers, as any program does.
for (const project of ['tsconfig.json', 'examples/tsconfig.json']) {
  const { status } = spawnSync(process.execPath, [compiler, '--project', root + project], { stdio: 'inherit' });
  if (status !== 0) process.exit(1);
}

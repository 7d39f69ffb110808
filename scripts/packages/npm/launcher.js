#!/usr/bin/env node
// Starts the program of this platform, which npm has installed beside this package.
'use strict';

const { spawn } = require('node:child_process');
const os = require('node:os');

const PACKAGES = {
  'darwin arm64': 'aide-decide-darwin-arm64',
  'darwin x64': 'aide-decide-darwin-x64',
  'linux arm64': 'aide-decide-linux-arm64',
  'linux x64': 'aide-decide-linux-x64',
};

function fail(...lines) {
  for (const line of lines) console.error(line);
  process.exit(1);
}

function program() {
  if (process.platform === 'win32') {
    fail(
      '✗ aide does not run on Windows itself',
      '  hint: run wsl --install in PowerShell as an administrator, then npm install -g aide-decide inside of WSL',
    );
  }
  const name = PACKAGES[`${process.platform} ${process.arch}`];
  if (!name) fail(`✗ there is no aide for ${process.platform} on ${process.arch}`);
  try {
    return require.resolve(`${name}/aide`);
  } catch {
    return fail(
      `✗ the package ${name} is missing`,
      '  hint: install again without --omit=optional or --no-optional: npm install -g aide-decide',
    );
  }
}

const path = program();
const rest = process.argv.slice(2);
if (typeof process.execve === 'function') {
  // Newer versions of Node.js become the program: no process stays in between.
  process.execve(path, ['aide', ...rest], process.env);
}
const child = spawn(path, rest, { stdio: 'inherit', argv0: 'aide' });
child.on('error', (error) => fail(`✗ cannot start ${path}: ${error.message}`));
// Those that a terminal sends reach the program by themselves, and must not end this process before it.
for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTSTP']) process.on(signal, () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => process.exit(signal ? 128 + os.constants.signals[signal] : code));

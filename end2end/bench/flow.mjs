// What a step of a task costs: beside git by hand in a large repository, and with a long history.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { binary, project, remove } from '../lib/aide.mjs';

const FILES = 10_000;
const ENTRIES = 10_000;

/** @param {string} dir */
function repository(dir) {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: dir });
  git('init', '-q');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.com');
  git('config', 'gc.auto', '0');
  return git;
}

/** A repository of many files, with a task in it. */
export function large() {
  const dir = project();
  const git = repository(dir);
  for (let folder = 0; folder < 100; folder += 1) {
    mkdirSync(join(dir, `d${folder}`));
    for (let file = 0; file < FILES / 100; file += 1) writeFileSync(join(dir, `d${folder}/f${file}.txt`), `${folder} ${file}\n`.repeat(20));
  }
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  execFileSync(binary, ['flow', 'start', 'impl', 'begin'], { cwd: dir });
  return dir;
}

/** A repository with a task of many entries. @param {number} [entries] */
export function long(entries = ENTRIES) {
  const dir = project();
  const git = repository(dir);
  const entry = (/** @type {number} */ step) => ({
    timestamp: '2025-01-15T10:30:00+08:00', action: 'next-step', phase: 'impl', step, summary: `流程图设计完成 ${step}`,
    git_commit: '0123456789abcdef0123456789abcdef01234567',
  });
  const history = Array.from({ length: entries }, (_, index) => entry(index + 1));
  const status = { task_id: '2025-01-15T10-30-00', current_phase: 'impl', current_step: entries, started_at: '2025-01-15T10:30:00+08:00', history };
  writeFileSync(join(dir, '.aide/flow-status.json'), JSON.stringify(status, null, 2));
  git('add', '-A');
  git('commit', '-q', '-m', 'begin');
  execFileSync(binary, ['flow', 'next-step', 'one more'], { cwd: dir });
  return dir;
}

// Timed by a shell, as an agent's shell would run it. By hand something has to be changed for a commit, as the state is by
// an action.
const BY_HAND = 'began=$EPOCHREALTIME; echo x >>by-hand.txt; git add -A && git commit -q -m "by hand" || exit; ended=$EPOCHREALTIME; echo $((${ended/[.,]/} - ${began/[.,]/}))';
const ACTION = 'began=$EPOCHREALTIME; "$1" flow next-step "nothing changed" || exit; ended=$EPOCHREALTIME; echo $((${ended/[.,]/} - ${began/[.,]/}))';
const STATUS = 'began=$EPOCHREALTIME; "$1" flow status >/dev/null || exit; ended=$EPOCHREALTIME; echo $((${ended/[.,]/} - ${began/[.,]/}))';

/** @param {string} dir @param {string} script */
function timed(dir, script) {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', binary], { cwd: dir, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${script}: exit code ${status}\n${stderr}`);
  return Number(stdout.trim()) / 1000;
}

/** @param {string} dir */
export const byHand = (dir) => timed(dir, BY_HAND);
/** @param {string} dir */
export const action = (dir) => timed(dir, ACTION);
/** @param {string} dir */
export const status = (dir) => timed(dir, STATUS);
export { remove };

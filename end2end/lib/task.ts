// A task that an agent works on.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { project, run } from './aide.mjs';

/** A project in a repository, with a task in its third phase. */
export function task() {
  const dir = project();
  const git = (...args: string[]) => execFileSync('git', args, { cwd: dir });
  git('init', '-q');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.com');
  // What is there belongs to no task.
  git('add', 'task-now.md');
  git('commit', '-q', '-m', 'Begin');
  flow(dir, 'start', 'task-optimize', '实现用户认证模块');
  flow(dir, 'next-part', 'flow-design', '任务优化完成');
  writeFileSync(join(dir, 'user.rs'), 'struct User;\n');
  flow(dir, 'next-part', 'impl', '流程设计完成');
  return dir;
}

/** `aide flow …`, which must succeed without a warning, and tells of its commit. */
export function flow(dir: string, ...args: string[]) {
  const { code, stderr } = run(dir, 'flow', ...args);
  if (code !== 0 || !/^(→ 已提交 \d+ 个文件: [0-9a-f]+\n)?$/.test(stderr)) throw new Error(`aide flow ${args.join(' ')}: ${code}\n${stderr}`);
}

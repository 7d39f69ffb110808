// Questions for tests and benchmarks.
import { readFileSync } from 'node:fs';

/**
 * @typedef {{ value: string, label: string, description?: string, score?: number, pros?: string[], cons?: string[] }} Option
 * @typedef {{ file: string, start: number, end: number }} Location
 * @typedef {{ id: number, title: string, kind?: string, options?: Option[], names?: string[], min?: number, max?: number, max_bytes?: number, location?: Location, context?: string, recommend?: string, required?: boolean }} Item
 * @typedef {{ task: string, source: string, items: Item[], partial?: boolean }} Input
 */

/** @param {string} name */
const fixture = (name) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url), 'utf8');

/** The example of the data format's documentation, and the file that its first item is about. @type {Input} */
export const auth = JSON.parse(fixture('auth.json'));
export const taskNow = fixture('task-now.md');

/** The smallest input there is. @type {Input} */
export const minimal = {
  task: '测试任务',
  source: 'test.md',
  items: [{ id: 1, title: '测试问题', options: [{ value: 'a', label: '选项A' }, { value: 'b', label: '选项B' }] }],
};

/** An input without a single Chinese character. @type {Input} */
export const english = {
  task: 'Add sign-in',
  source: 'task-now.md',
  items: [
    {
      id: 1,
      title: 'How do sessions work?',
      context: 'The task does not say.',
      options: [
        { value: 'jwt', label: 'JSON Web Token', score: 85, pros: ['stateless'], cons: ['cannot be revoked'] },
        { value: 'session', label: 'Server session', score: 70, pros: ['revocable'], cons: ['needs a store'] },
      ],
      recommend: 'jwt',
    },
    { id: 2, title: 'Which hash?', options: [{ value: 'bcrypt', label: 'bcrypt' }, { value: 'argon2', label: 'Argon2' }] },
  ],
};

/**
 * `count` questions of the size that is usual: two options with scores, two pros, two cons and a context each.
 * @param {number} count
 * @returns {Input}
 */
export function questions(count) {
  const items = Array.from({ length: count }, (_, index) => {
    const id = index + 1;
    return {
      id,
      title: `第 ${id} 个问题：缓存放在哪里`,
      context: `模块 ${id} 的读取远多于写入，任务描述没有说明缓存的位置，需要在实现之前确定。`,
      options: [
        {
          value: 'memory',
          label: '进程内存',
          score: 60 + (id % 30),
          pros: ['没有额外的服务', '读取最快'],
          cons: ['重启后丢失', '多个实例各存一份'],
        },
        {
          value: 'redis',
          label: '独立的 Redis',
          score: 55 + (id % 40),
          pros: ['多个实例共享', '重启不受影响'],
          cons: ['多一个要维护的服务', '每次读取经过网络'],
        },
      ],
      recommend: id % 2 ? 'memory' : 'redis',
    };
  });
  return { task: `确定 ${count} 个模块的缓存`, source: 'task-now.md', items };
}

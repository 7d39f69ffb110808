// A workflow in both languages, in any of its states: for the pictures, and for viewers of its page.
import type { Daemon } from './daemon.ts';

export type Language = 'zh' | 'en';

const WORDS = {
  en: {
    task: 'Write a report about the latest release of deepseek',
    tasks: ['Search for papers', 'Choose the papers', 'Compare the benchmarks', 'Write the report'],
    thought: 'Start with what was published this month',
    observation: '10 results, 5 of them papers',
    network: 'An agent wants to use the network. Go on?',
    why: 'It wants to use `WEB_SEARCH` with:\n\n```json\n{"query": "deepseek latest release"}\n```',
    papers: '5 papers were found. Which ones are to be used?',
    length: 'How long is the report to be?',
    said: 'Only papers of this year',
    result: '# deepseek\n\nThe release halves the cost of inference; on the benchmarks that both report, it is ahead in three of five.',
    error: 'The provider has refused the request three times: quota exceeded',
    part: 'Move the callers of module',
  },
  zh: {
    task: '写一份关于 deepseek 最新发布的报告',
    tasks: ['搜索论文', '选择论文', '比较基准测试', '撰写报告'],
    thought: '先看本月发布的内容',
    observation: '找到 10 条结果，其中 5 篇论文',
    network: '检测到网络访问，是否继续？',
    why: '要使用 `WEB_SEARCH`：\n\n```json\n{"query": "deepseek 最新发布"}\n```',
    papers: '找到 5 篇论文，选择哪些？',
    length: '报告要写多长？',
    said: '只用今年的论文',
    result: '# deepseek\n\n这次发布把推理成本降低了一半；在双方都公布的五项基准测试中，有三项领先。',
    error: '提供者三次拒绝了请求：额度已用完',
    part: '迁移调用方，模块',
  },
};

const RESEARCH = 'executor-research';

async function begun(daemon: Daemon, lang: Language) {
  const words = WORDS[lang];
  const workflow = await daemon.begin(words.task);
  const tasks = words.tasks.map((description, at) => ({
    id: `task-${at + 1}`,
    description,
    dependencies: [[], ['task-1'], ['task-1'], ['task-2', 'task-3']][at],
  }));
  await daemon.plan(workflow, tasks);
  await daemon.step(workflow, 'task_started', { taskId: 'task-1', agentId: RESEARCH });
  const step = { thought: words.thought, action: 'WEB_SEARCH', observation: words.observation };
  await daemon.step(workflow, 'task_progress', { taskId: 'task-1', agentId: RESEARCH, progress: 50, ...step });
  return workflow;
}

async function searched(daemon: Daemon, lang: Language) {
  const workflow = await begun(daemon, lang);
  await daemon.step(workflow, 'task_completed', { taskId: 'task-1', result: { found: 5 } });
  await daemon.step(workflow, 'task_started', { taskId: 'task-3', agentId: 'executor-general' });
  return workflow;
}

/** Brings a new workflow there; its name. */
export const STATES: Record<string, (daemon: Daemon, lang: Language) => Promise<string>> = {
  running: searched,
  asking: async (daemon, lang) => {
    const workflow = await begun(daemon, lang);
    const { network, why } = WORDS[lang];
    await daemon.question(workflow, network, ['Y', 'n'], { taskId: 'task-1', agentId: RESEARCH, context: why });
    return workflow;
  },
  'asking-which': async (daemon, lang) => {
    const workflow = await searched(daemon, lang);
    await daemon.step(workflow, 'task_started', { taskId: 'task-2', agentId: RESEARCH });
    const { papers } = WORDS[lang];
    const options = ['DeepSeek-V4.pdf', 'Sparse attention.pdf', 'Cost of inference.pdf'];
    await daemon.question(workflow, papers, options, { taskId: 'task-2', agentId: RESEARCH });
    return workflow;
  },
  'asking-words': async (daemon, lang) => {
    const workflow = await searched(daemon, lang);
    await daemon.question(workflow, WORDS[lang].network, ['Y', 'n']);
    await daemon.question(workflow, WORDS[lang].length);
    return workflow;
  },
  paused: async (daemon, lang) => {
    const workflow = await searched(daemon, lang);
    await daemon.post('workflow/input', { workflowId: workflow, input: WORDS[lang].said });
    await daemon.post('workflow/pause', { workflowId: workflow });
    return workflow;
  },
  done: async (daemon, lang) => {
    const workflow = await searched(daemon, lang);
    await daemon.step(workflow, 'task_completed', { taskId: 'task-3' });
    for (const [taskId, agentId] of [['task-2', RESEARCH], ['task-4', 'executor-general']]) {
      await daemon.step(workflow, 'task_started', { taskId, agentId });
      await daemon.step(workflow, 'task_completed', { taskId });
    }
    const output = { path: './deepseek/report.md', output: WORDS[lang].result };
    await daemon.step(workflow, 'review_passed', { output });
    return workflow;
  },
  failed: async (daemon, lang) => {
    const workflow = await searched(daemon, lang);
    await daemon.step(workflow, 'task_failed', { taskId: 'task-3', error: WORDS[lang].error, retriesExhausted: true });
    return workflow;
  },
  cancelled: async (daemon, lang) => {
    const workflow = await searched(daemon, lang);
    await daemon.post('workflow/cancel', { workflowId: workflow });
    return workflow;
  },
  fifty: async (daemon, lang) => {
    const workflow = await daemon.begin(WORDS[lang].task);
    await daemon.plan(workflow, Array.from({ length: 50 }, (_, at) => ({
      id: `task-${at + 1}`,
      description: `${WORDS[lang].part} ${at + 1}`,
      dependencies: at > 0 ? [`task-${Math.floor((at - 1) / 3) + 1}`] : [],
    })));
    await daemon.step(workflow, 'task_started', { taskId: 'task-1', agentId: 'executor-coding' });
    await daemon.step(workflow, 'task_completed', { taskId: 'task-1' });
    for (const task of [2, 3, 4]) await daemon.step(workflow, 'task_started', { taskId: `task-${task}`, agentId: ['executor-coding', RESEARCH, 'executor-general'][task - 2] });
    return workflow;
  },
};

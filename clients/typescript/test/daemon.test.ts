// The client and the real daemon.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { EVENT_TYPES, FingerApiError, FingerClient, type FingerEvent } from '../src/index.js';
import { implementations, until } from './support/clients.js';
import { Daemon, drive } from './support/daemon.js';

const examples = fileURLToPath(new URL('../examples/', import.meta.url));

for (const [name, WebSocket] of implementations) {
  test(`with the WebSocket of ${name}, a client without settings finds its daemon, begins a workflow, answers, and is told everything`, async (context) => {
    const daemon = await Daemon.start(context);
    const client = new FingerClient({ WebSocket });
    const told: FingerEvent[] = [];
    const asked: string[] = [];
    client.subscribeAll((event) => told.push(event));
    client.onDecision(({ message }) => {
      asked.push(message);
      return 'Y';
    });
    await client.connect();
    const { workflowId, messageId } = await client.orchestrate('搜索 deepseek 最新发布');
    assert.match(workflowId, /^wf-/);
    assert.match(messageId, /^msg-/);
    const left = client.disconnect();
    assert.equal(await drive(daemon, workflowId), 'Y');
    await left;
    assert.deepEqual(asked, ['检测到网络访问，是否继续？']);
    const history = await client.getEventHistory({ workflowId, limit: 1000 });
    assert.deepEqual(told.filter((event) => event.workflowId === workflowId), history);
    const phases = told.flatMap((event) => (event.type === 'phase_transition' ? [event.payload.to] : []));
    assert.deepEqual(phases, ['semantic_understanding', 'routing_decision', 'plan_loop', 'execution', 'review', 'completed']);
    assert.equal((await client.getStatus(workflowId)).fsmState, 'completed');
    assert.deepEqual(
      (await client.listWorkflows()).map((workflow) => workflow.workflowId),
      [workflowId],
    );
  });
}

test('a daemon that is killed and started again is followed without a gap', async (context) => {
  const daemon = await Daemon.start(context);
  const client = new FingerClient({ reconnectInterval: 1, maxReconnectAttempts: 100_000 });
  context.after(() => client.disconnect({ now: true }));
  const told: FingerEvent[] = [];
  client.subscribe(['phase_*', 'task_*'], (event) => told.push(event));
  const asked: string[] = [];
  client.onDecision(async ({ decisionId }, signal) => {
    asked.push(decisionId);
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  });
  await client.connect();
  const { workflowId } = await client.orchestrate('x');
  await daemon.post('decision', { workflowId, message: 'Go on?', options: ['Y', 'n'] });
  await until(() => asked.length === 1);
  await daemon.restart();
  await daemon.post(`workflow/${workflowId}/transition`, { trigger: 'intent_analyzed' });
  await client.connect();
  await client.cancel(workflowId);
  const isEnd = (event?: FingerEvent) => event?.type === 'phase_transition' && event.payload.to === 'failed';
  await until(() => isEnd(told.at(-1)));
  const history = await client.getEventHistory({ type: 'phase_*,task_*', limit: 1000 });
  assert.deepEqual(told, history);
  assert.equal(asked.length, 1);
});

test('every type of event and every agent of the daemon is known', async (context) => {
  const daemon = await Daemon.start(context);
  const { types } = await daemon.get<{ types: string[] }>('events/types');
  assert.deepEqual([...EVENT_TYPES].sort(), types.sort());
  const client = new FingerClient();
  const agents = await client.listAgents();
  assert.ok(agents.some(({ id }) => id === 'executor-research'));
  assert.ok((await client.getAgentCapabilities('executor-research')).includes('web_search'));
});

test('workflows are steered, and what cannot be done is refused', async (context) => {
  const daemon = await Daemon.start(context);
  const client = new FingerClient();
  const { workflowId, sessionId } = await client.orchestrate('x');
  assert.equal((await client.pause(workflowId)).status, 'paused');
  await assert.rejects(client.pause(workflowId), (error) => {
    assert.ok(error instanceof FingerApiError);
    assert.match(error.message, /^API error: 409 - \{"error":/);
    assert.deepEqual([error.status, error.code], [409, 'WORKFLOW_ALREADY_PAUSED']);
    return true;
  });
  assert.equal((await client.resume(workflowId)).success, true);
  assert.equal((await client.sendInput(workflowId, 'No longer than two pages')).workflowId, workflowId);
  const { decisionId } = await client.createDecision({ workflowId, message: 'Go on?', options: ['Y', 'n'] });
  const waiting = client.waitForDecision(decisionId);
  assert.deepEqual((await client.respondDecision(decisionId, 'Y')).selected, ['Y']);
  assert.equal((await waiting).response, 'Y');
  await assert.rejects(client.respondDecision(decisionId, 'n'), { code: 'DECISION_ALREADY_RESOLVED' });
  const asking = client.waitForUserDecision('Which?', ['engineers', 'managers'], { workflowId });
  let asked = '';
  while (!asked) asked = (await client.listDecisions({ workflowId, status: 'pending' }))[0]?.decisionId ?? '';
  await client.respondDecision(asked, '2');
  assert.equal(await asking, '2');
  // As after a crash: what was left can be gone on with.
  await daemon.restart();
  const resumable = await client.listResumableSessions();
  assert.deepEqual(
    resumable.map(({ id }) => id),
    [sessionId],
  );
  assert.equal((await client.resumeSession(sessionId ?? '')).sessionId, sessionId);
  const never = client.waitForUserDecision('Which?', undefined, { workflowId });
  const unanswered = assert.rejects(never, /There is no answer: the decision was cancelled/);
  while ((await client.listDecisions({ workflowId, status: 'pending' })).length === 0);
  await client.cancel(workflowId);
  await unanswered;
  assert.equal((await client.getStatus(workflowId)).fsmState, 'failed');
});

test('the program of the document runs as it stands there, to the end of the workflow', async (context) => {
  const daemon = await Daemon.start(context);
  const args = ['--import', `${examples}ask.js`, `${examples}document.js`];
  const program = spawn(process.execPath, args, { env: daemon.environment, stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    // Standard input stays open: the program ends by itself.
    if (printed.endsWith('> ')) program.stdin.write('Y\n');
  });
  const ended = new Promise<number | null>((resolve) => program.on('close', resolve));
  type Workflow = { id: string };
  let workflows: Workflow[] = [];
  while (workflows.length === 0) workflows = await daemon.get<Workflow[]>('workflows');
  assert.equal(await drive(daemon, workflows[0]?.id ?? ''), 'Y');
  assert.equal(await ended, 0);
  const plain = printed.replace(/\{[^}]*\}/g, '{…}').replace(/\n\n❓/, '\n❓');
  assert.equal(
    plain,
    [
      '[phase_transition] {…}',
      '[phase_transition] {…}',
      '[phase_transition] {…}',
      '[phase_transition] {…}',
      '[task_started] {…}',
      '❓ 检测到网络访问，是否继续？',
      '  1. Y',
      '  2. n',
      '> [task_completed] {…}',
      '[task_started] {…}',
      '[task_completed] {…}',
      '[phase_transition] {…}',
      '[phase_transition] {…}',
      '',
    ].join('\n'),
  );
});

test('the program of the document runs with the agents of the example, and the report is where it was begun', async (context) => {
  const example = fileURLToPath(new URL('../../../../examples/orchestrate/', import.meta.url));
  const config = [
    '[daemon]',
    'provider = "example"',
    '[daemon.tools]',
    `search_command = ["/bin/sh", ${JSON.stringify(`${example}search.sh`)}]`,
    '[[agent.providers]]',
    'name = "example"',
    'kind = "command"',
    'command = "/bin/sh"',
    `args = [${JSON.stringify(`${example}provider.sh`)}]`,
  ].join('\n');
  const daemon = await Daemon.start(context, config);
  const project = await mkdtemp(join(daemon.folder, 'project-'));
  const args = ['--import', `${examples}ask.js`, `${examples}document.js`];
  const program = spawn(process.execPath, args, {
    cwd: project,
    env: daemon.environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = ['Y\n', '1,3\n'];
  let printed = '';
  program.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    const answer = printed.endsWith('> ') ? answers.shift() : undefined;
    if (answer) program.stdin.write(answer);
    // More questions than in the document: give up.
    else if (printed.endsWith('> ')) program.kill();
  });
  const ended = await new Promise<number | null>((resolve) => program.on('close', resolve));
  assert.equal(ended, 0, printed);
  assert.match(printed, /❓ 检测到网络访问，是否继续？\n[^]*❓ 找到 5 篇论文，选择哪些？\n/);
  assert.match(printed, /to: 'completed'/);
  const report = await readFile(join(project, 'deepseek/report.md'), 'utf8');
  assert.equal(report, '# deepseek\n\nWhat the chosen papers say.\n');
});

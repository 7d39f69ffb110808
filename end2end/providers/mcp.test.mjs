// `aide mcp` by the libraries that most clients are made with, each in the way that it begins by itself.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { CLIENTS, items, played, questions } from './lib/clients.mjs';
import { answer as answerOnPage, open } from './lib/person.mjs';

/** Submits the one set that is open on its page, to which `told` has the link. */
async function answer(scene, told) {
  const [link] = told.match(/http:\/\/localhost:\d+/);
  assert.equal((await fetch(link)).status, 200);
  const sessions = open(scene);
  assert.equal(sessions.length, 1);
  await answerOnPage(scene, sessions[0], [{ id: 1, chosen: 'b', note: 'because' }]);
}

for (const name of Object.keys(CLIENTS)) {
  describe(name, () => {
    test('asks, gets the link to the page, and then the answer', () =>
      played(name, async ({ scene, begin }) => {
        const { client, ask } = await begin();
        const { tools } = await client.listTools();
        assert.equal(tools.length, 8);
        let answered;
        const onprogress = ({ message }) => (answered ??= answer(scene, message));
        const { structuredContent: told } = await ask('decide_submit', questions('held'), { onprogress });
        await answered;
        assert.equal(told.status, 'answered');
        assert.deepEqual(told.answers[0].labels, ['The second']);
        const { structuredContent: listed } = await ask('decide_list', { query: 'held' });
        assert.equal(listed.decisions[0].summary, 'Which held?: The second (note: because)');
        const { contents } = await client.readResource({ uri: 'aide://open' });
        assert.deepEqual(JSON.parse(contents[0].text), { open: [] });
        const { messages } = await client.getPrompt({ name: 'decided' });
        assert.match(messages[0].content.text, /The second/);
      }));

    test('gives up, and comes back to the same questions', () =>
      played(name, async ({ scene, begin }) => {
        const { client, ask } = await begin();
        await assert.rejects(ask('decide_submit', questions('late'), { timeout: 1000, onprogress: () => {} }));
        await client.close();
        const next = await begin('--hold', '1');
        const { structuredContent: pending } = await next.ask('decide_submit', questions('late'));
        assert.equal(pending.status, 'pending');
        await answer(scene, pending.url);
        const { structuredContent: told } = await next.ask('decide_wait', { session_id: pending.session_id });
        assert.deepEqual([told.status, told.session_id], ['answered', pending.session_id]);
      }));

    test('shows the link where it is asked to, and waits on', () =>
      played(name, async ({ scene, beginShowing }) => {
        let shown;
        let answered;
        const show = async ({ params }) => {
          assert.equal(params.mode, 'url');
          shown = params.url;
          // The person takes a moment to say that the page may be opened, and answers there later.
          await sleep(1200);
          answered = sleep(300).then(() => answer(scene, shown));
          return { action: 'accept' };
        };
        const { ask } = await beginShowing(show, '--elicit', 'url');
        const { structuredContent: told } = await ask('decide_submit', questions('shown'), { onprogress: () => {} });
        await answered;
        assert.match(shown, /^http:\/\/localhost:\d+/);
        assert.doesNotMatch(shown, /\/t\//);
        assert.deepEqual([told.status, told.answers[0].chosen], ['answered', ['b']]);
      }));

    test('asks over HTTP', () =>
      played(name, async ({ scene, beginHttp }) => {
        const { client, ask } = await beginHttp();
        assert.equal((await client.listTools()).tools.length, 8);
        let answered;
        const onprogress = ({ message }) => (answered ??= answer(scene, message));
        const { structuredContent: told } = await ask('decide_submit', questions('posted'), { onprogress });
        await answered;
        assert.deepEqual([told.status, told.answers[0].labels], ['answered', ['The second']]);
        const { contents } = await client.readResource({ uri: 'skill://aide/SKILL.md' });
        assert.match(contents[0].text, /^---\nname: aide/);
      }));

    test('queues, corrects and takes back', () =>
      played(name, async ({ begin }) => {
        const { ask } = await begin();
        const first = await ask('decide_submit', { ...questions('first'), wait: false });
        const second = await ask('decide_submit', { ...questions('second'), wait: false });
        const states = [first, second].map(({ structuredContent }) => structuredContent.status);
        assert.deepEqual(states, ['pending', 'queued']);
        const { session_id } = second.structuredContent;
        const amended = await ask('decide_amend', { ...questions('second'), items: items('Better?'), session_id });
        assert.notEqual(amended.structuredContent.session_id, session_id);
        const cancelled = await ask('decide_cancel', { session_id: amended.structuredContent.session_id });
        assert.equal(cancelled.structuredContent.status, 'cancelled');
        const refused = await ask('decide_submit', { task: 'x', items: [] });
        assert.equal(refused.isError, true);
        assert.match(refused.content[0].text, /source/);
      }));
  });
}

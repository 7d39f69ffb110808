// A part of the questions is answered now, and the rest later, where the agent allows that.
import { project, run } from '../../lib/aide.mjs';
import { auth, english } from '../../lib/inputs.mjs';
import { two } from '../../lib/showcase.mjs';
import { choose, expect, item, note, overflow, submit, success, test } from '../../lib/test.ts';

const parts = { ...english, partial: true };

/** A project in which a submission can be taken back for so many seconds. */
function undoable(seconds: number) {
  const dir = project();
  expect(run(dir, 'config', 'set', 'decide.undo', String(seconds)).code).toBe(0);
  return dir;
}

test('a part is submitted, and the rest waits behind one link with what was filled in', async ({ page, mode, start, open }) => {
  const waiting = await start(parts);
  await open(page, `${waiting.url}/?lang=en`);
  await expect(page.locator('.lead')).toContainText('You can submit a part now and answer the rest later');
  await choose(page, 1, 'session');
  await note(page, 2).fill('ask the team');
  // The bar stays one line, with the longer name of its button.
  for (const width of [320, 360, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    const [review, send] = await Promise.all([page.locator('#review-btn'), submit(page)].map((button) => button.boundingBox()));
    expect(Math.abs(review!.y - send!.y), `at ${width}`).toBeLessThan(8);
  }
  if (mode === 'hydrated') {
    await expect(submit(page)).toHaveText('Submit 1/2');
    await expect(submit(page)).not.toHaveAttribute('aria-disabled');
  }
  await submit(page).click();
  await expect(success(page)).toContainText('1 question is left for later.');
  await expect(success(page).locator('.summary')).toContainText('Server session');
  await expect(page.locator('#next-set')).toHaveText('Answer the rest');
  const rest = await page.locator('#next-set').getAttribute('href');
  const { code, stdout } = await waiting.done;
  expect(code).toBe(0);
  expect(stdout).toContain('✓ 决策已完成\n');
  const [record] = Object.values(waiting.records());
  expect(record.output.decisions).toEqual([{ id: 1, chosen: 'session' }]);
  expect(record.output.open.items).toEqual([2]);
  expect(rest).toBe(`/d/${record.output.open.session_id}?lang=en`);
  // The same link leads to the rest, once its server is there.
  await expect(async () => {
    await page.goto(`${waiting.url}${rest}`);
    await expect(item(page, 2)).toBeVisible({ timeout: 500 });
  }).toPass();
  await expect(item(page, 1)).toHaveCount(0);
  await expect(note(page, 2)).toHaveValue('ask the team');
  await page.goto(`${waiting.url}/history/${record._meta.session_id}?lang=en`);
  await expect(page.locator('main')).toContainText('1 question is left for later');
  await page.getByRole('link', { name: record.output.open.session_id }).click();
  await expect(item(page, 2)).toBeVisible();
  // Which ends the server that stayed for it.
  expect(run(waiting.dir, 'decide', 'cancel', record.output.open.session_id).code).toBe(0);
});

test('the review says that a part can be submitted', async ({ page, start, open }) => {
  const waiting = await start(parts);
  await open(page, `${waiting.url}/?lang=en`);
  await choose(page, 2, 'argon2');
  await page.locator('#review-btn').click();
  await expect(submit(page)).toHaveText('Submit 1/2');
  for (const width of [320, 360, 1280]) {
    await page.setViewportSize({ width, height: 700 });
    expect(await overflow(page), `at ${width}`).toBe(0);
  }
  await submit(page).click();
  await expect(success(page)).toContainText('1 question is left for later.');
  expect((await waiting.done).code).toBe(0);
  const [record] = Object.values(waiting.records());
  expect(run(waiting.dir, 'decide', 'cancel', record.output.open.session_id).code).toBe(0);
});

test('a submission can be taken back, changed and submitted again', async ({ page, start, open, guard }) => {
  guard.allowGone(/./);
  const waiting = await start(auth, { dir: undoable(30) });
  await open(page, `${waiting.url}/?lang=en`);
  await choose(page, 1, 'jwt');
  await choose(page, 2, 'bcrypt');
  await submit(page).click();
  await expect(success(page)).toContainText('For 30 seconds you can take it back and change it');
  expect(waiting.running).toBe(true);
  await page.getByRole('button', { name: 'Take it back' }).click();
  await expect(item(page, 1).locator('input:checked')).toHaveValue('0');
  await expect(item(page, 2).locator('input:checked')).toHaveValue('0');
  expect(waiting.records()).toEqual({});
  await expect(page.locator('#restored')).toHaveText('Taken back: nothing is submitted');
  await choose(page, 1, 'session');
  await submit(page).click();
  await expect(success(page)).toContainText('Session');
  expect(waiting.records()).toEqual({});
});

for (const lang of ['zh', 'en'] as const) {
  test(`what can be taken back is said in one piece, beside the button or below it, ${lang}`, async ({ page, start, open, guard }) => {
    guard.allowGone(/./);
    const waiting = await start(two(lang) as never, { dir: undoable(60) });
    await open(page, `${waiting.url}/?lang=${lang}`);
    await choose(page, 1, 'jwt');
    await choose(page, 2, 'bcrypt');
    await submit(page).click();
    for (const width of [320, 360, 1280]) {
      await page.setViewportSize({ width, height: 740 });
      const [button, hint] = await Promise.all(['button', 'span'].map((part) => page.locator(`#take-back ${part}`).boundingBox()));
      const [end, edge] = [button!.y + button!.height, button!.x + button!.width];
      // Below it there is some room between them.
      expect(hint!.x >= edge || hint!.y >= end + 4, `at ${width}`).toBe(true);
      expect(await overflow(page), `at ${width}`).toBe(0);
    }
  });
}

test('after its time the submission counts, and nothing offers to take it back', async ({ page, start, open }) => {
  const waiting = await start(auth, { dir: undoable(1) });
  await open(page, `${waiting.url}/?lang=en`);
  await choose(page, 1, 'jwt');
  await choose(page, 2, 'bcrypt');
  await submit(page).click();
  await expect(success(page)).toContainText('Decisions submitted');
  expect((await waiting.done).code).toBe(0);
  expect(Object.values(waiting.records())[0].output.decisions).toEqual([{ id: 1, chosen: 'jwt' }, { id: 2, chosen: 'bcrypt' }]);
  await expect(page.getByRole('button', { name: 'Take it back' })).toBeHidden();
});

// What a person sees, in every kind of browser.
import { auth, minimal } from '../../lib/inputs.mjs';
import { choose, expect, item, note, option, radio, submit, test, titleOf } from '../../lib/test.ts';

test('4.1 shows task, source and every item, and nothing is answered yet', async ({ page, start, open, mode }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);

  await expect(page.locator('html')).toHaveAttribute('lang', 'zh-CN');
  await expect(page).toHaveTitle(`(2) ${titleOf(waiting, auth)}`);
  await expect(page.locator('h1#task-name')).toHaveText(auth.task);
  await expect(page.locator('#task-source')).toHaveText(auth.source);
  await expect(page.locator('fieldset.item')).toHaveCount(2);
  for (const { id, title, context, options = [], recommend } of auth.items) {
    await expect(item(page, id).locator('legend')).toContainText(`${id}.`);
    await expect(item(page, id).locator('legend')).toContainText(title);
    await expect(item(page, id).locator('.item-context')).toHaveText(context ?? '');
    await expect(item(page, id).locator('label.option')).toHaveCount(options.length);
    await expect(note(page, id)).toBeVisible();
    for (const { value, label, score, pros, cons } of options) {
      const card = option(page, id, value);
      const recommended = recommend === value;
      await expect(card.locator('.option-label')).toHaveText(recommended ? `${label} 推荐` : label);
      await expect(card.locator('.option-score')).toContainText(String(score));
      for (const text of pros ?? []) await expect(card.locator('.option-pro', { hasText: text })).toHaveCount(1);
      for (const text of cons ?? []) await expect(card.locator('.option-con', { hasText: text })).toHaveCount(1);
    }
  }
  await expect(page.locator('input[type=radio]:checked')).toHaveCount(0);
  await expect(page.locator('#progress-text')).toHaveText('已完成 0/2 项');
  // Without script it could not be enabled again; the server says what is missing instead.
  if (mode === 'hydrated') await expect(submit(page)).toBeDisabled();
  else await expect(submit(page)).toBeEnabled();
  await expect(page.locator('#success')).toBeHidden();
  await expect(page.locator('#error')).toBeHidden();
});

test('4.1 shows the source lines that an item is about, with their numbers', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const location = item(page, 1).locator('.item-location');
  await expect(location).toContainText('来源: task-now.md (行 5-7)');
  await expect(location.locator('.line-number')).toHaveText(['5', '6', '7']);
  await expect(location.locator('code')).toHaveText([
    '用户用邮箱和密码登录，登录后可以访问受保护的接口。',
    '登录状态应当保持一段时间，具体时长和方式未定。',
    '系统以后会拆成多个服务，都要认识同一个用户。',
  ]);
  await expect(item(page, 2).locator('.item-location')).toHaveCount(0);
});

test('4.1 leaves out what an item does not have', async ({ page, start, open }) => {
  const waiting = await start(minimal);
  await open(page, waiting.url);
  await expect(item(page, 1).locator('legend')).toContainText('测试问题');
  const absent = ['.mark', '.item-context', '.item-location', '.option-score', '.option-details', '.option-pro', '.option-con'];
  for (const part of absent) await expect(item(page, 1).locator(part)).toHaveCount(0);
  await expect(page.locator('#recommend-btn')).toHaveCount(0);
});

test('4.2 the chosen option looks different, and nothing moves', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  const card = option(page, 1, 'session');
  const look = () => card.evaluate((node) => {
    const { backgroundColor, borderColor, boxShadow, outlineColor } = getComputedStyle(node);
    return [backgroundColor, borderColor, boxShadow, outlineColor].join();
  });
  const [before, box] = [await look(), await card.boundingBox()];
  await choose(page, 1, 'session');
  await expect.poll(look).not.toBe(before);
  const after = await card.boundingBox();
  expect([after?.width, after?.height]).toEqual([box?.width, box?.height]);
  await choose(page, 1, 'jwt');
  await expect(radio(page, 1, 'session')).not.toBeChecked();
});

test('4.3 a recommendation is marked once, at its option, and is no answer', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await expect(option(page, 1, 'jwt')).toHaveAttribute('data-recommended', 'true');
  await expect(item(page, 1).getByText('推荐')).toHaveText('推荐');
  await expect(option(page, 1, 'jwt').locator('.mark')).toHaveText('推荐');
  await expect(page.locator('label.option[data-recommended=true]')).toHaveCount(2);
  await expect(page.locator('label.option[data-recommended=false]')).toHaveCount(2);
  await expect(radio(page, 1, 'jwt')).not.toBeChecked();
});

// What a user hears who does not see the page: every part has a name, and a place among the others.
import { auth } from '../../lib/inputs.mjs';
import { answerAuth, expect, expectSuccess, submit, test } from '../../lib/test.ts';

test('a screen reader is told what the page is about, each question with its options, and what to do', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await expect(page.getByRole('main')).toMatchAriaSnapshot(`
    - heading "实现用户认证模块" [level=1]
    - paragraph: "来源: task-now.md · 请根据任务信息完成待定项选择"
    - navigation "目录":
      - list:
        - listitem:
          - link "1. 认证方式选择"
        - listitem:
          - link "2. 密码加密算法"
    - group "待定项列表":
      - group "1. 认证方式选择":
        - 'group "来源: task-now.md (行 5-7)"'
        - radio "JWT Token 认证 推荐"
        - radio "Session 认证"
        - textbox "备注（可选）:"
      - group "2. 密码加密算法":
        - radio "bcrypt 推荐"
        - radio "Argon2"
        - textbox "备注（可选）:"
    - status: 已完成 0/2 项
    - button "提交决策"
    - button "采纳全部推荐"
    - button "检查"
    - group: 无法回答？退回给提问者
  `);
});

test('a screen reader is told how it ended', async ({ page, start, open }) => {
  const waiting = await start(auth);
  await open(page, waiting.url);
  await answerAuth(page);
  await submit(page).click();
  await expectSuccess(page);
  await expect(page.locator('#success')).toMatchAriaSnapshot(`
    - status:
      - heading "决策已提交" [level=1]
      - paragraph: 您可以关闭此页面。
      - term: 认证方式选择
      - definition: JWT Token 认证
      - term: 密码加密算法
      - definition: bcrypt
  `);
});

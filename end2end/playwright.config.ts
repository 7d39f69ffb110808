import { defineConfig } from '@playwright/test';
import type { Options } from './lib/test.ts';
import { chromium } from './lib/chromium.mjs';

// What is the same without WASM: how a page looks, which no script changes, and the pages of workflows, plans, tasks and the history,
// which load none. The soak tries it all the same.
const alike = process.env['AIDE_PROOF_FACTOR']
  ? []
  : ['every/{engine,excerpt,flow,history,look,names,plans,shape,tidy,workflows}.spec.ts', 'scripted/{axe,flow,plans,workflows}.spec.ts'];

// The same journeys in three browsers: everything works, no JavaScript at all, and JavaScript whose WASM never arrives.
export default defineConfig<Options>({
  testDir: 'tests',
  outputDir: 'test-results',
  fullyParallel: true,
  workers: 2,
  retries: 0,
  maxFailures: 20,
  forbidOnly: !!process.env['CI'],
  timeout: 60_000,
  expect: { timeout: 10_000 },
  reporter: [['list'], ['junit', { outputFile: 'test-results/junit.xml' }]],
  use: {
    locale: 'zh-CN',
    timezoneId: 'Asia/Shanghai',
    viewport: { width: 1280, height: 800 },
    actionTimeout: 15_000,
    screenshot: 'only-on-failure',
    launchOptions: chromium(),
  },
  projects: [
    { name: 'hydrated', testMatch: ['every/*.spec.ts', 'scripted/*.spec.ts', 'hydrated/*.spec.ts'], use: { mode: 'hydrated' } },
    { name: 'no-js', testMatch: ['every/*.spec.ts', 'plain/*.spec.ts'], use: { mode: 'no-js', javaScriptEnabled: false } },
    { name: 'wasm-blocked', testMatch: ['every/*.spec.ts', 'scripted/*.spec.ts', 'plain/*.spec.ts'], testIgnore: alike, use: { mode: 'wasm-blocked' } },
    // Writes pictures instead of checking; scripts/screenshots runs it.
    { name: 'screenshots', testMatch: 'screenshots.spec.ts', use: { mode: 'hydrated' } },
  ],
});

// The real programs: how each is led to the mock instead of its own server, in a home that knows nothing else.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const write = (path, text) => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** The key that the mock accepts, where it wants one. */
export const KEY = 'sk-0123456789abcdef';

/** What leads opencode to a mock. */
export function opencodeConfig(url) {
  const options = { baseURL: `${url}/v1`, apiKey: KEY };
  const mock = { npm: '@ai-sdk/openai-compatible', name: 'Mock', options, models: { m: { name: 'M' } } };
  return { provider: { mock }, model: 'mock/m', small_model: 'mock/m', autoupdate: false, share: 'disabled' };
}

/**
 * By the names of their presets. `home` prepares a home folder, and says which variables the program needs beside the ordinary
 * ones; `args` are arguments beside those of the preset. None tries again by itself, so that it is seen whether `aide` does.
 */
export const PROGRAMS = {
  claude: {
    format: 'claude',
    arguments: ['-p', '--output-format', 'json', '--no-session-persistence'],
    model: undefined,
    home: (_, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: KEY,
      CLAUDE_CODE_MAX_RETRIES: '0',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    }),
    length: 'max_tokens',
    // Files that a session leaves, were it kept.
    sessions: ['.claude/projects'],
  },
  codex: {
    format: 'codex',
    arguments: ['exec', '--json', '--skip-git-repo-check', '--ephemeral', '-'],
    model: undefined,
    home: (home, url) => {
      const lines = [
        'model = "gpt-5"',
        'model_provider = "mock"',
        'check_for_update_on_startup = false',
        '[model_providers.mock]',
        'name = "mock"',
        `base_url = "${url}/v1"`,
        'wire_api = "responses"',
        'env_key = "OPENAI_API_KEY"',
        'request_max_retries = 0',
        'stream_max_retries = 0',
        'supports_websockets = false',
        '[analytics]',
        'enabled = false',
      ];
      write(join(home, '.codex/config.toml'), `${lines.join('\n')}\n`);
      return { OPENAI_API_KEY: KEY };
    },
    sessions: ['.codex/sessions'],
  },
  gemini: {
    format: 'gemini',
    arguments: ['-p', '', '--output-format', 'json'],
    // With a model that is named, no other one is asked which it should be.
    model: 'gemini-2.5-pro',
    home: (home, url) => {
      const settings = { security: { auth: { selectedType: 'gemini-api-key' } }, general: { maxAttempts: 1 } };
      write(join(home, '.gemini/settings.json'), JSON.stringify(settings));
      return { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url };
    },
    sessions: [],
  },
  opencode: {
    format: 'opencode',
    arguments: ['run', '--format', 'json'],
    model: undefined,
    home: (home, url) => {
      write(join(home, '.config/opencode/opencode.json'), JSON.stringify(opencodeConfig(url)));
      return {};
    },
    length: 'length',
    sessions: [],
  },
};

// What stands in for a model: aimock, which speaks as the servers of all of the programs do.
import { LLMock } from '@copilotkit/aimock';

export const ANSWER = 'The answer is 42.';
/** Each character is a chunk of its own, so that some are cut in half. */
export const EMOJI = 'done 🎉 好 👩‍👩‍👧 end';

const TOKENS = {
  prompt_tokens: 120,
  completion_tokens: 7,
  total_tokens: 127,
  input_tokens: 120,
  output_tokens: 7,
  promptTokenCount: 120,
  candidatesTokenCount: 7,
  totalTokenCount: 127,
};
const ERRORS = {
  busy: { status: 429, error: { message: 'Rate limit reached for requests', type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
  overloaded: { status: 529, error: { message: 'Overloaded', type: 'overloaded_error' } },
  key: { status: 401, error: { message: 'invalid x-api-key', type: 'authentication_error', code: 'invalid_api_key' } },
};

/** Starts a mock that does what `scenario` says; `program` is the one that asks it. */
export async function start(scenario, program) {
  const mock = new LLMock({ port: 0, chunkSize: scenario === 'emoji' ? 1 : 20, logLevel: 'silent' });
  const all = /[^]*/;
  if (scenario === 'busy-once') {
    mock.onMessage(all, { content: ANSWER, usage: TOKENS });
    mock.nextRequestError(429, ERRORS.busy.error);
  } else if (scenario in ERRORS) {
    mock.onMessage(all, ERRORS[scenario]);
  } else if (scenario === 'cut') {
    mock.onMessage(all, { content: ANSWER.repeat(20) }, { truncateAfterChunks: 3 });
  } else if (scenario === 'length') {
    mock.onMessage(all, { content: ANSWER, finishReason: program?.length ?? 'length', usage: TOKENS });
  } else {
    mock.onMessage(all, { content: scenario === 'emoji' ? EMOJI : ANSWER, usage: TOKENS });
  }
  await mock.start();
  return mock;
}

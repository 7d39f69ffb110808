// A model's stand-in on loopback, in the dialect of each agent: it calls one tool, and is done once that has returned.
import { once } from 'node:events';
import { createServer } from 'node:http';

const TOKENS = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const event = (data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const data = (data) => `data: ${JSON.stringify(data)}\n\n`;

/**
 * By the names of their agents. Of the body of a request: `messages` of the conversation, the names of the `tools`, and the
 * `results` of calls among the messages. `reply` is the stream that calls a tool with an input, or else says a text.
 */
const DIALECTS = {
  /** Messages of Anthropic. */
  claude: {
    path: /^\/v1\/messages(?!\/count_tokens)/,
    messages: (body) => body.messages,
    tools: ({ tools = [] }) => tools.map((tool) => tool.name),
    results: (messages) => messages.flatMap(({ content }) => content).filter(({ type }) => type === 'tool_result'),
    reply: ({ call, text, body: { model } }) => {
      const block = call ? { type: 'tool_use', id: 'toolu_1', name: call.name, input: {} } : { type: 'text', text: '' };
      const delta = call ? { type: 'input_json_delta', partial_json: JSON.stringify(call.input) } : { type: 'text_delta', text };
      const stop = { stop_reason: null, stop_sequence: null };
      const message = { id: 'm', type: 'message', role: 'assistant', model, content: [], ...stop, usage: TOKENS };
      return [
        { type: 'message_start', message },
        { type: 'content_block_start', index: 0, content_block: block },
        { type: 'content_block_delta', index: 0, delta },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: call ? 'tool_use' : 'end_turn', stop_sequence: null }, usage: TOKENS },
        { type: 'message_stop' },
      ].map(event);
    },
  },
  /** Responses of OpenAI. The tools of a server share a namespace: `NAMESPACE/TOOL`. */
  codex: {
    path: /^\/v1\/responses$/,
    messages: (body) => body.input,
    tools: ({ tools = [] }) => tools.flatMap((tool) => (tool.tools ?? []).map(({ name }) => `${tool.name}/${name}`)),
    results: (messages) => messages.filter(({ type }) => type === 'function_call_output'),
    reply: ({ call, text }) => {
      const [namespace, name] = call?.name.split('/') ?? [];
      const item = call
        ? { type: 'function_call', id: 'fc_1', call_id: 'call_1', namespace, name, arguments: JSON.stringify(call.input) }
        : { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] };
      return [
        { type: 'response.created', response: { id: 'resp_1' } },
        { type: 'response.output_item.added', output_index: 0, item },
        { type: 'response.output_item.done', output_index: 0, item },
        { type: 'response.completed', response: { id: 'resp_1', output: [item], usage: TOKENS } },
      ].map(event);
    },
  },
  /** What Gemini generates. */
  gemini: {
    path: /^\/v1beta\/models\/[^/]+:streamGenerateContent/,
    messages: (body) => body.contents,
    tools: ({ tools = [] }) => tools.flatMap((tool) => tool.functionDeclarations ?? []).map(({ name }) => name),
    results: (messages) => messages.flatMap(({ parts }) => parts).filter((part) => part.functionResponse),
    reply: ({ call, text }) => {
      const part = call ? { functionCall: { id: 'call_1', name: call.name, args: call.input } } : { text };
      const candidates = [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }];
      return [data({ candidates, usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 } })];
    },
  },
  /** Chat completions, as all speak that are compatible with OpenAI. */
  opencode: {
    path: /^\/v1\/chat\/completions$/,
    messages: (body) => body.messages,
    tools: ({ tools = [] }) => tools.map((tool) => tool.function.name),
    results: (messages) => messages.filter(({ role }) => role === 'tool'),
    reply: ({ call, text, body: { model } }) => {
      const calls = call && [
        { index: 0, id: 'call_1', type: 'function', function: { name: call.name, arguments: JSON.stringify(call.input) } },
      ];
      const delta = calls ? { role: 'assistant', content: null, tool_calls: calls } : { role: 'assistant', content: text };
      const chunk = (choice) => {
        const choices = [{ index: 0, finish_reason: null, delta: {}, ...choice }];
        return { id: 'c', object: 'chat.completion.chunk', created: 1, model, choices };
      };
      const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
      const end = { ...chunk({ finish_reason: calls ? 'tool_calls' : 'stop' }), usage };
      return [data(chunk({ delta })), data(end), 'data: [DONE]\n\n'];
    },
  },
};

/** Starts what stands in for the model of an agent: it calls the tool `name` with `input`, unless a result of that is there. */
export async function model(agent, name, input) {
  const { path, messages: messagesOf, tools, results, reply } = DIALECTS[agent];
  const seen = [];
  const requests = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    if (request.method !== 'POST' || !path.test(request.url)) {
      response.writeHead(404).end();
      return;
    }
    const body = JSON.parse(text);
    const messages = messagesOf(body);
    const names = tools(body);
    const found = results(messages);
    seen.push(...messages);
    requests.push({ at: performance.now(), messages, tools: names, results: found });
    const call = found.length === 0 && names.includes(name) ? { name, input } : undefined;
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(reply({ call, text: 'done', body }).join(''));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { seen, requests, url: `http://127.0.0.1:${server.address().port}`, close };
}

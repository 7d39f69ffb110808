// The libraries that most clients of `aide mcp` are made with, each in the way that it begins by itself.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttpTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { endPage } from './person.mjs';
import { AIDE, Scene } from './scene.mjs';
import { serveHttp } from './server.mjs';

export const INFO = { name: 'test', version: '1.0' };

/** What a client declares that shows links to the person. */
const LINKS = { capabilities: { elicitation: { form: {}, url: {} } } };

export const CLIENTS = {
  'sdk 1.32': {
    make: (options) => new OldClient(INFO, options),
    Transport: OldTransport,
    Http: OldHttpTransport,
    call: (client, call, options) => client.callTool(call, undefined, options),
    onLink: (client, show) => client.setRequestHandler(ElicitRequestSchema, show),
  },
  'client 2.4, legacy': {
    make: (options) => new Client(INFO, options),
    Transport: StdioClientTransport,
    Http: StreamableHTTPClientTransport,
    onLink: (client, show) => client.setRequestHandler('elicitation/create', show),
  },
  'client 2.4, modern': {
    make: (options) => new Client(INFO, { ...options, versionNegotiation: { mode: 'auto' } }),
    Transport: StdioClientTransport,
    Http: StreamableHTTPClientTransport,
    onLink: (client, show) => client.setRequestHandler('elicitation/create', show),
  },
};

export const items = (title) => [
  { id: 1, title, options: [{ value: 'a', label: 'The first' }, { value: 'b', label: 'The second' }] },
];
export const questions = (task) => ({ task, source: 'notes.md', items: items(`Which ${task}?`) });

/** Lets a client of this kind do something in a project, and ends what it has left. */
export async function played(name, play) {
  const { make, Transport, Http, call, onLink } = CLIENTS[name];
  const scene = new Scene();
  const ends = [];
  /** By a transport, which `wrap` may stand before; with a client that shows links by `show`. */
  const connect = async (transport, { show, wrap = (inner) => inner } = {}) => {
    const client = make(show && LINKS);
    ends.unshift(() => client.close());
    if (show) onLink(client, show);
    // What it gets without having asked for it.
    const errors = [];
    client.onerror = (error) => errors.push(error);
    const wrapped = wrap(transport);
    await client.connect(wrapped);
    const ask = (tool, given, options) => {
      const request = { name: tool, arguments: given };
      return call ? call(client, request, options) : client.callTool(request, options);
    };
    return { client, ask, errors, transport: wrapped };
  };
  const stdio = (args) => new Transport({ command: AIDE, args: ['mcp', ...args], cwd: scene.project, env: scene.env });
  const begin = (...args) => connect(stdio(args));
  const beginShowing = (show, ...args) => connect(stdio(args), { show });
  const beginWrapped = (wrap, ...args) => connect(stdio(args), { wrap });
  let server;
  const beginHttp = async (options) => {
    server ??= await serveHttp(scene);
    return connect(new Http(new URL(server.url)), options);
  };
  try {
    await scene.aide('init');
    await scene.aide('config', 'set', 'decide.port', '0');
    await play({ scene, begin, beginShowing, beginWrapped, beginHttp });
  } finally {
    for (const end of ends) await end();
    server?.stop();
    endPage(scene);
    scene.remove();
  }
}

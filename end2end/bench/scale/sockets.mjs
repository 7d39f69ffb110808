// What it costs to deliver an event to a client.
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../daemon.mjs';
import { together, withDaemon } from './place.mjs';

const CLIENTS = 500;
const EVENTS = 2_000;

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const [count, events] = [size(CLIENTS), size(EVENTS)];
  return withDaemon(async (place) => {
    const { sessionId } = await place.api('message', { target: 'finger-orchestrator', message: { content: 'crowd' } });
    const send = async () => {
      const before = place.processorTime;
      await together(events, 32, (number) => place.api(`sessions/${sessionId}/messages`, { content: `${number}` }));
      return before;
    };
    const began = await send();
    const alone = place.processorTime - began;
    const clients = [];
    for (let number = 0; number < count; number += 1) clients.push(await listen(place.webSocketPort));
    const seen = clients.map((client) => client.events());
    const before = await send();
    while (clients.some((client, number) => client.events() - (seen[number] ?? 0) < events)) await sleep(50);
    const microseconds = ((place.processorTime - before - alone) * 1000) / (count * events);
    for (const client of clients) client.end();
    return [{ what: `processor time to deliver an event to a WebSocket client, in a burst of ${events.toLocaleString('en')} to ${count}`, wanted: '≤ 3 µs', measured: `${microseconds.toFixed(1)} µs`, met: microseconds <= 3 }];
  });
}

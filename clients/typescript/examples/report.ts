import { createInterface } from 'node:readline/promises';
import { FingerClient } from 'finger';

const client = new FingerClient();
await client.connect();

client.subscribe(['phase_transition'], ({ payload }) => console.log(payload.from, '→', payload.to));
const keyboard = createInterface({ input: process.stdin, output: process.stdout });
client.onDecision(async ({ message, options, context }, signal) => {
  console.log(message, context ?? '', options ?? '');
  // Return what a person says: the text of an option, its number, or several of them ('1,3'). Nothing, as here at the end of
  // input, leaves the decision to others. The signal is aborted when another client or user has decided.
  return keyboard.question('> ', { signal }).catch(() => undefined);
});

const { workflowId } = await client.orchestrate('Write a report about deepseek');
console.log('begun:', workflowId);
await client.disconnect();
keyboard.close();

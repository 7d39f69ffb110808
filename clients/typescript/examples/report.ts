import { FingerClient } from 'finger';

const client = new FingerClient();
await client.connect();

client.subscribe(['phase_transition'], ({ payload }) => console.log(payload.from, '→', payload.to));
client.onDecision(async ({ message, options }, signal) => {
  console.log(message, options ?? '');
  // Return the text of an option, its number, or several of them ('1,3'); nothing leaves the decision to others.
  // The signal is aborted when somebody else has decided.
  return signal.aborted ? undefined : options?.[0];
});

const { workflowId } = await client.orchestrate('Write a report about deepseek');
console.log('begun:', workflowId);
await client.disconnect();

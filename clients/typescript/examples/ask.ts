// What the program of the document leaves open: `getUserInput`. Loaded before it, with `node --import`.
import { createInterface, type Interface } from 'node:readline';

declare global {
  /** Shows `prompt` and returns the next line of standard input; nothing at its end. */
  var getUserInput: (prompt: string) => Promise<string | undefined>;
}

let input: Interface | undefined;
let lines: NodeJS.AsyncIterator<string> | undefined;

globalThis.getUserInput = async (prompt) => {
  input ??= createInterface({ input: process.stdin });
  lines ??= input[Symbol.asyncIterator]();
  process.stdout.write(prompt);
  process.stdin.ref?.();
  const { value, done } = await lines.next();
  // Pending input does not keep the program running.
  process.stdin.unref?.();
  return done ? undefined : value;
};

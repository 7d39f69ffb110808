// What a process takes, as Linux tells it.
import { readFileSync, readdirSync } from 'node:fs';

/** The most memory that a process has had, in MB. @param {number | undefined} pid */
export function peakMemory(pid) {
  const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

/** The processor time of all threads of a process, in milliseconds. @param {number | undefined} pid */
export function processorTime(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8'));
  return threads.reduce((sum, thread) => sum + Number(thread.split(' ')[0]), 0) / 1e6;
}

/** The same with the threads that have ended, in steps of 10 ms: Linux counts in hundredths of a second there. @param {number} pid */
export function processorTimeOfAll(pid) {
  // The name of the program, in parentheses, may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** The memory that a process has now, in MB. @param {number | undefined} pid */
export function memory(pid) {
  const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return (Number(kib) * 1024) / 1e6;
}

// A transition while others read long lists.
import { peakMemory } from '../process.mjs';
import { median, time, together, withDaemon } from './place.mjs';

const WORKFLOWS = 50_000;
const READERS = 4;
const TRANSITIONS = 100;

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const count = size(WORKFLOWS);
  return withDaemon(async (place) => {
    await together(count, 32, (number) => place.begin(`workflow ${number}`));
    const workflow = await place.prepared();
    const transitions = async () => {
      const times = [];
      for (let number = 0; number < size(TRANSITIONS) + 10; number += 1) times.push(await time(() => place.transition(workflow)));
      return median(times);
    };
    const alone = await transitions();
    const before = peakMemory(place.pid);
    let isReading = true;
    const readers = Array.from({ length: READERS }, async () => {
      let lists = 0;
      while (isReading) {
        await place.drain('/api/v1/workflows');
        lists += 1;
      }
      return lists;
    });
    const beside = await transitions();
    isReading = false;
    await Promise.all(readers);
    const after = peakMemory(place.pid);
    return [
      { what: `a transition while ${READERS} clients list ${count.toLocaleString('en')} workflows (${beside.toFixed(1)} ms), against alone (${alone.toFixed(1)} ms)`, wanted: '≤ 2 ×', measured: `${(beside / alone).toFixed(1)} ×`, met: beside / alone <= 2 },
      { what: 'memory at its peak that these lists add', wanted: '', measured: `${(after - before).toFixed(0)} MB` },
    ];
  });
}

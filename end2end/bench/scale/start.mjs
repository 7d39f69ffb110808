// The first start after a kill, when all workflows are in progress: that they are interrupted is not written yet.
import { median, together, Place } from './place.mjs';

const OPEN = 50_000;
const ROUNDS = 3;
const CLIENTS = 32;

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const count = size(OPEN);
  const starts = async (/** @type {number} */ workflows) => {
    const place = new Place();
    try {
      place.start();
      /** @type {string[]} */
      const begun = [];
      await together(workflows, CLIENTS, async (number) => { begun[number] = await place.begin(`workflow ${number}`); });
      const times = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        place.kill();
        times.push(place.start());
        // For the next round they are in progress again: a start that finds all marked already would be another one.
        await together(workflows, CLIENTS, (number) => place.api('workflow/resume', { workflowId: begun[number] }));
      }
      return median(times);
    } finally {
      place.remove();
    }
  };
  const [none, many] = [await starts(0), await starts(count)];
  return [{ what: `first start after a kill, until HTTP answers: ${count.toLocaleString('en')} workflows in progress (${many.toFixed(0)} ms), against none (${none.toFixed(0)} ms)`, wanted: '≤ 10 ×', measured: `${(many / none).toFixed(1)} ×`, met: many / none <= 10 }];
}

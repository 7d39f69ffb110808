// A start after a kill.
import { median, together, Place } from './place.mjs';

const OPEN = 50_000;
const ROUNDS = 3;

/** @type {import('../scale.mjs').Part} */
export async function rows(size) {
  const count = size(OPEN);
  const starts = async (/** @type {number} */ workflows) => {
    const place = new Place();
    try {
      place.start();
      await together(workflows, 32, (number) => place.begin(`workflow ${number}`));
      const times = [];
      for (let round = 0; round < ROUNDS; round += 1) {
        place.kill();
        times.push(place.start());
      }
      return median(times);
    } finally {
      place.remove();
    }
  };
  const [none, many] = [await starts(0), await starts(count)];
  return [{ what: `start after a kill, until HTTP answers: ${count.toLocaleString('en')} open workflows (${many.toFixed(0)} ms), against none (${none.toFixed(0)} ms)`, wanted: '≤ 10 ×', measured: `${(many / none).toFixed(1)} ×`, met: many / none <= 10 }];
}

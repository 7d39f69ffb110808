// Numbers that are the same for the same seed.

/** Returns a function that returns a number below the one that it is given. */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    // xorshift32: anything but zero goes round all of them.
    state ||= 1;
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The first passes fill caches and let functions be compiled. */
const warmUpShare = 0.5;
/** Other work of the process only adds to a round, and what a pass leaves is in each of them: the least one counts. */
const rounds = 3;

/**
 * The memory that stays for each run of `pass`, in bytes of heap and buffers. What takes weeks on a node takes seconds
 * here: a test compares the result with zero, with room for noise below the smallest object that could stay.
 */
export async function bytesPerPass(pass: () => void | Promise<void>, passes: number): Promise<number> {
  const run = async (count: number) => {
    for (let index = 0; index < count; index += 1) await pass();
  };
  await run(Math.ceil(passes * warmUpShare));
  const slopes: number[] = [];
  let before = await heldBytes();
  for (let round = 0; round < rounds; round += 1) {
    await run(passes);
    const after = await heldBytes();
    slopes.push((after - before) / passes);
    before = after;
  }
  return Math.min(...slopes);
}

/** Heap and buffers of this process in bytes, after a collection. */
export async function heldBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  // The function `gc` exists only in contexts created after the flag was set.
  const collect = runInNewContext('gc') as () => void;
  // Weak references are cleared in one turn of the event loop, and what they held is freed in the next.
  for (let pass = 0; pass < 3; pass += 1) {
    collect();
    await turn();
  }
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** When a daemon has done what it does once, in milliseconds after it began to serve. */
const settleMs = 2000;

type CollectGarbage = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/** Code that nobody has called for so many collections is forgotten: that of starting, most of it. */
const collections = 4;
/** Between two of them what waits has its turn, in milliseconds. */
const pauseMs = 100;

/**
 * Gives back, once, what starting has left behind. V8 keeps the heap that reading configurations and certificates
 * needed, 3 to 4 MB, and the code of starting, 1 MB; a daemon at rest never asks for a collection. Each takes about
 * 30 ms, while nothing waits.
 */
export function trimHeapAfterStart(): void {
  const timer = setTimeout(() => {
    setFlagsFromString('--expose-gc');
    // The function is only there in contexts made after the flag.
    const collect = runInNewContext('gc') as CollectGarbage;
    collectAgain(collect, collections);
  }, settleMs);
  timer.unref();
}

function collectAgain(collect: CollectGarbage, times: number): void {
  collect({ type: 'major', flavor: 'last-resort' });
  if (times > 1) setTimeout(() => collectAgain(collect, times - 1), pauseMs).unref();
}

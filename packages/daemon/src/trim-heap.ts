import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { releaseMemory } from './release-memory.ts';

/** When a daemon has done what it does once, in milliseconds after it began to serve. */
const settleMs = 2000;

type CollectGarbage = (options: { type: 'major'; flavor: 'last-resort' }) => void;

/** Code that nobody has called for so many collections is forgotten: that of starting, most of it. */
const collectionsAfterStart = 4;
/** Between two of them what waits has its turn, in milliseconds. */
const pauseMs = 100;

let collectGarbage: CollectGarbage | undefined;

/**
 * Gives back what starting has left behind. V8 keeps the heap that reading configurations and certificates
 * needed, 3 to 4 MB, and the code of starting, 1 MB; a daemon at rest never asks for a collection. Each takes about
 * 30 ms, while nothing waits.
 */
export async function trimHeap(collections = collectionsAfterStart): Promise<void> {
  setFlagsFromString('--expose-gc');
  // The function is only there in contexts made after the flag.
  collectGarbage ??= runInNewContext('gc') as CollectGarbage;
  collectGarbage({ type: 'major', flavor: 'last-resort' });
  for (let collected = 1; collected < collections; collected += 1) {
    await pause(pauseMs, undefined, { ref: false });
    collectGarbage({ type: 'major', flavor: 'last-resort' });
  }
}

/** Once, when a daemon that serves has settled. */
export function trimHeapAfterStart(): void {
  setTimeout(() => void trimHeap().then(releaseMemory), settleMs).unref();
}

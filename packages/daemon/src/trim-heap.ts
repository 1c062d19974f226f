import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { releaseMemory } from './release-memory.ts';

/** When a daemon has done what it does once, in milliseconds after it began to serve. */
const settleMs = 2000;

type CollectGarbage = (options: { type: 'major'; flavor: 'regular' | 'last-resort' }) => void;

/** Code that nobody has called for so many collections is forgotten: that of starting, most of it. */
const collectionsAfterStart = 4;
/** Between two of them what waits has its turn, in milliseconds. */
const pauseMs = 100;
/** V8 gives free pages back to the kernel some seconds after the collection that freed them, in milliseconds. */
const pooledMs = 10_000;

let collector: CollectGarbage | undefined;

function collectGarbage(flavor: 'regular' | 'last-resort'): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc');
    // The function is only there in contexts made after the flag.
    collector = runInNewContext('gc') as CollectGarbage;
  }
  collector({ type: 'major', flavor });
}

/**
 * Gives back what starting has left behind. V8 keeps the heap that reading configurations and certificates
 * needed, 3 to 4 MB, and the code of starting, 1 MB; a daemon at rest never asks for a collection. Each takes 40 to
 * 60 ms, while nothing else runs.
 */
export async function trimHeap(): Promise<void> {
  collectGarbage('last-resort');
  for (let collected = 1; collected < collectionsAfterStart; collected += 1) {
    await pause(pauseMs, undefined, { ref: false });
    collectGarbage('last-resort');
  }
  releaseMemory();
}

/**
 * Gives back what a burst of work has left behind, to the last page some 10 s later. Calls may come meanwhile, so this is
 * two collections of the regular kind, about 30 ms each: the first finds what is not used any more, the second frees its
 * pages.
 */
export async function trimHeapGently(): Promise<void> {
  collectGarbage('regular');
  await pause(pauseMs, undefined, { ref: false });
  collectGarbage('regular');
  await pause(pooledMs, undefined, { ref: false });
  releaseMemory();
}

/** Once, when a daemon that serves has settled. */
export function trimHeapAfterStart(): void {
  setTimeout(() => void trimHeap(), settleMs).unref();
}

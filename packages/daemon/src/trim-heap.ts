import { releaseMemory } from './release-memory.ts';

/** Delay before new objects are collected on one thread, in milliseconds after the daemon began to serve. The start itself does not pay for it. */
const aloneAfterMs = 2000;

type CollectGarbage = (
  options: { type: 'major'; flavor: 'regular' | 'last-resort' } | { type: 'minor' },
) => void;

/**
 * V8 discards compiled code that was not used during this many collections. Most of it is code of the start.
 */
const collectionsAfterStart = 4;
/** Pause between two collections, in milliseconds, so that waiting work can run. */
const pauseMs = 100;
/** V8 returns free pages to the kernel some seconds after the collection that freed them, in milliseconds. */
const pooledMs = 10_000;

/** Does not keep the process alive. */
const pause = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms).unref());

let collector: CollectGarbage | undefined;

/**
 * The flag is not on the command line, because Node.js then starts without the compiled code of its own modules,
 * which takes 15 ms more. No start needs the two modules.
 */
function exposedCollector(): CollectGarbage {
  process.getBuiltinModule('node:v8').setFlagsFromString('--expose-gc');
  // `gc` exists only in contexts that are created after the flag is set.
  return process.getBuiltinModule('node:vm').runInNewContext('gc') as CollectGarbage;
}

/**
 * From soon after the start, one thread collects new objects. Their memory has 2 MB, which one thread collects in half a millisecond.
 * With helper threads the daemon also waits until each of them has run: up to 20 ms on a busy machine, a few hundred times per 100,000 calls.
 */
export function collectNewObjectsAloneAfterStart(): void {
  const set = () => process.getBuiltinModule('node:v8').setFlagsFromString('--no-parallel-scavenge');
  setTimeout(set, aloneAfterMs).unref();
}

function collectGarbage(flavor: 'regular' | 'last-resort'): void {
  collector ??= exposedCollector();
  collector({ type: 'major', flavor });
}

/** Frees the new objects that are not used any more, and what they have outside of the heap of V8: half a millisecond. */
export function collectNewObjects(): void {
  collector ??= exposedCollector();
  collector({ type: 'minor' });
}

/**
 * Frees the memory that only the start needed. V8 keeps the heap for reading configurations and certificates, 3 to 4 MB, and the code of
 * the start, 1 MB, because an idle daemon never triggers a collection. Each collection blocks the daemon for 40 to 60 ms.
 */
export async function trimHeap(): Promise<void> {
  collectGarbage('last-resort');
  for (let collected = 1; collected < collectionsAfterStart; collected += 1) {
    await pause(pauseMs);
    collectGarbage('last-resort');
  }
  releaseMemory();
}

/**
 * Frees the memory that a burst of work needed. The last page is returned some 10 s later. Calls may arrive
 * meanwhile.
 *
 * @returns how long the collections blocked the daemon, in ms
 */
export async function trimHeapGently(): Promise<number> {
  const blockedMs = await collectGently();
  await pause(pooledMs);
  releaseMemory();
  return blockedMs;
}

/**
 * Makes two regular collections of about 30 ms each: the first finds unused objects, the second frees their pages.
 *
 * @returns how long the collections blocked the daemon, in ms
 */
export async function collectGently(): Promise<number> {
  const first = timedCollection();
  await pause(pauseMs);
  return first + timedCollection();
}

function timedCollection(): number {
  const begunSeconds = process.uptime();
  collectGarbage('regular');
  return (process.uptime() - begunSeconds) * 1000;
}

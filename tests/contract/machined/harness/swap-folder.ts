// A thread that swaps a folder of a node with a link to the host, as fast as it can.
import { mkdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

interface Swap {
  readonly path: string;
  readonly target: string;
  /** The first number counts swaps; the thread ends once the second is not 0. */
  readonly shared: Int32Array;
}

export interface FolderSwap extends AsyncDisposable {
  /** Number of swaps so far. */
  count(): number;
}

/** Swaps the folder at `path` with a link to `target` and back, until it is disposed. */
export function swapFolder(path: string, target: string): FolderSwap {
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(import.meta.filename, { workerData: { path, target, shared } satisfies Swap });
  const ended = new Promise<void>((resolve, reject) =>
    worker.once('exit', () => resolve()).once('error', reject),
  );
  return {
    count: () => Atomics.load(shared, 0),
    async [Symbol.asyncDispose]() {
      Atomics.store(shared, 1, 1);
      await ended;
    },
  };
}

/** How long each of the two stays in place: about the time that a call needs between two path components. */
const holdMs = 0.3;

function swapUntilStopped({ path, target, shared }: Swap): void {
  const aside = `${path}-aside`;
  const link = `${path}-link`;
  mkdirSync(path, { recursive: true });
  while (Atomics.load(shared, 1) === 0) {
    symlinkSync(target, link);
    renameSync(path, aside);
    renameSync(link, path);
    Atomics.wait(shared, 1, 0, holdMs);
    renameSync(path, link);
    renameSync(aside, path);
    unlinkSync(link);
    Atomics.wait(shared, 1, 0, holdMs);
    Atomics.add(shared, 0, 1);
  }
}

if (!isMainThread) swapUntilStopped(workerData as Swap);

// A thread that swaps a folder of a node with a link to the host, as fast as it can.
import { mkdirSync, renameSync, symlinkSync, unlinkSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

interface Swap {
  readonly path: string;
  readonly target: string;
  /** One number that counts swaps; the thread ends once the other is not 0. */
  readonly shared: Int32Array;
}

export interface FolderSwap extends AsyncDisposable {
  /** How often the folder and the link have taken each other's place. */
  count(): number;
}

/** Puts a link to `target` in the place of the folder at `path` and the folder back, until it is disposed. */
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

/** How long each of the two stays in its place: about as long as a call takes from one name to the next. */
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

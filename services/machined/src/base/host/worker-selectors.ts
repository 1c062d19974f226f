import { hash } from 'node:crypto';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault } from '@nodewright/fault';
import { type Selection, type SelectorRequest, selectorProblem } from '@nodewright/machine-config/selectors';
import type { SelectorEvaluator } from '../domain/selectors.ts';

/** What the thread sends. */
export type SelectorWorkerMessage =
  | {
      readonly kind: 'started';
      /** Processor time of the thread before the evaluation. */
      readonly usedMs: number;
    }
  | { readonly kind: 'answered'; readonly selection: Selection };

export interface SelectorLimits {
  /**
   * Processor time of one expression over all its candidates. In a virtual machine, time in which the hypervisor runs others counts, too: the
   * first evaluation of a plain expression took 2 s in an emulator on a busy host, and takes 20 ms on hardware.
   */
  readonly processorMs: number;
  /** Time of one evaluation with the start of its thread. A thread of a busy machine may get little processor time. */
  readonly deadlineMs: number;
  /** Memory of the objects of JavaScript in the thread, in MB. What is outside of them is limited by `maxJoinedUnits`. */
  readonly memoryMb: number;
  /** Evaluations that wait for their turn. */
  readonly maxWaiting: number;
}

export const selectorLimits: SelectorLimits = {
  ...{ processorMs: 10_000, deadlineMs: 60_000, memoryMb: 64, maxWaiting: 16 },
};

/** The young generation is small, because a thread would otherwise use tens of MB before its first garbage collection. */
const youngMb = 4;
/** The library follows the nesting of an expression, of up to 250 levels, by recursion. */
const stackMb = 2;
const lookEveryMs = 50;
/**
 * Results that are kept, so that a controller that tries again does not evaluate the same again: more than a configuration has selectors of
 * links and of volumes.
 */
const maxKept = 96;

export interface WorkerSelectorsInit {
  readonly limits?: SelectorLimits;
  /** The script of the thread. */
  readonly file?: string;
}

/**
 * Evaluates each selector in a worker thread of its own, one at a time. The evaluator is loaded by that thread, and is gone with it: a node whose
 * configuration has no selector never loads it. An expression can use up what the thread has, and nothing of the event loop's.
 */
export function createWorkerSelectors({
  limits = selectorLimits,
  file = workerPath(),
}: WorkerSelectorsInit = {}): SelectorEvaluator {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  const kept = new Map<string, Selection>();
  return {
    async select(request, signal) {
      // The objects of an evaluation may take megabytes.
      const key = hash('sha256', JSON.stringify(request));
      const known = kept.get(key);
      if (known !== undefined) return known;
      if (waiting > limits.maxWaiting)
        throw new Fault(
          'resource-exhausted',
          `more than ${limits.maxWaiting} selectors wait for their evaluation`,
        );
      waiting += 1;
      const turn = last.then(() => evaluateApart(request, { limits, file, signal }));
      last = turn.catch(() => {});
      try {
        const { selection, isAnswer } = await turn;
        // Another try may be faster: code that has run before is compiled, and the processor may be less busy.
        if (isAnswer) kept.set(key, selection);
        for (const oldest of kept.keys()) {
          if (kept.size <= maxKept) break;
          kept.delete(oldest);
        }
        return selection;
      } finally {
        waiting -= 1;
      }
    },
  };
}

interface Evaluated {
  readonly selection: Selection;
  /** Whether it comes from the thread. Otherwise a limit has ended the evaluation. */
  readonly isAnswer: boolean;
}

interface Apart {
  readonly limits: SelectorLimits;
  readonly file: string;
  readonly signal: AbortSignal;
}

async function evaluateApart(request: SelectorRequest, { limits, file, signal }: Apart): Promise<Evaluated> {
  if (signal.aborted) throw cancelled();
  const { processorMs, deadlineMs, memoryMb } = limits;
  const { promise, resolve, reject } = Promise.withResolvers<Evaluated>();
  const problem = (text: string) =>
    resolve({ selection: { problem: selectorProblem(request, text) }, isAnswer: false });
  const worker = new Worker(file, {
    workerData: request,
    // It has no use for the environment of the daemon.
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: memoryMb,
      maxYoungGenerationSizeMb: youngMb,
      stackSizeMb: stackMb,
    },
  });
  const onAbort = () => reject(cancelled());
  signal.addEventListener('abort', onAbort);
  const deadline = setTimeout(
    () =>
      reject(
        new Fault(
          'resource-exhausted',
          selectorProblem(request, `has no result after ${deadlineMs / 1000} s`),
        ),
      ),
    deadlineMs,
  );
  let looks: NodeJS.Timeout | undefined;
  let isOver = false;
  worker.on('message', (message: SelectorWorkerMessage) => {
    // It may have been on its way when the deadline ended the evaluation.
    if (isOver) return;
    if (message.kind === 'answered') return resolve({ selection: message.selection, isAnswer: true });
    looks = setInterval(async () => {
      const used = await usedMs(worker);
      if (used - message.usedMs > processorMs)
        problem(
          `takes more than ${processorMs / 1000} s of processor time for ${request.candidates.length} objects`,
        );
    }, lookEveryMs);
  });
  worker.on('error', (error) => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY')
      return problem(`needs more than ${memoryMb} MB of memory`);
    reject(error);
  });
  worker.on('exit', () =>
    reject(new Fault('internal', 'the thread that evaluates a selector ended without a result')),
  );
  try {
    return await promise;
  } finally {
    isOver = true;
    clearInterval(looks);
    clearTimeout(deadline);
    signal.removeEventListener('abort', onAbort);
    // The next one starts when this thread is gone, with its memory.
    await worker.terminate();
  }
}

/** Processor time of a thread, in milliseconds; 0 when it has ended. */
async function usedMs(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1000;
  } catch {
    return 0;
  }
}

const cancelled = () => new Fault('cancelled', 'the evaluation of a selector was cancelled');

/**
 * The script is in the folder of this module, and in a bundle in the folder of the bundle, with the same extension.
 */
function workerPath(): string {
  return join(import.meta.dirname, `selector-worker${extname(import.meta.filename)}`);
}

import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault, type FaultKind } from '@nodewright/fault';
import type { InertTable } from '@nodewright/machine-config';
import {
  type ExaminedConfiguration,
  type ExamineRequest,
  examineConfiguration,
  type NodePlace,
} from '../domain/examine-configuration.ts';
import { isQuickConfiguration } from '../domain/is-quick-configuration.ts';

/** The text of a configuration, and what the caller needs to know about it. */
export interface ExamineText extends Omit<ExamineRequest, 'world' | 'inertTable'> {
  /** Whether a call sent the text. */
  readonly isCall?: boolean;
}

/** Decodes and validates machine configurations without blocking the event loop for long. */
export interface ConfigurationExaminer {
  /**
   * @throws Fault `invalid-argument` when the text cannot be decoded, `resource-exhausted` when decoding
   * takes too much time or memory
   */
  examine(request: ExamineText): Promise<ExaminedConfiguration>;
}

export type WorkerAnswer =
  | { readonly kind: 'examined'; readonly examined: ExaminedConfiguration }
  | { readonly kind: 'failed'; readonly fault: { readonly kind: FaultKind; readonly message: string } };

export interface ConfigurationWorkerInit {
  /** The script of the worker thread. */
  readonly file: string;
  /** The time limit of one examination. A text at every size limit takes a few seconds on a slow machine. */
  readonly deadlineMs: number;
}

/**
 * Enough for a text at any size limit, but not for millions of escapes; a container node has 384 MB in total.
 * The young generation is small because a worker would otherwise use tens of MB before its first garbage
 * collection.
 */
const memory = { oldMb: 128, youngMb: 4 } as const;

/**
 * Examines a small configuration on the main thread, and any other in a worker thread. The worker exits after
 * its result, which frees its memory. Only one worker runs at a time.
 */
export function createConfigurationExaminer(
  { name, configuredAs, ownsClock, refusesUnkeptProtections }: NodePlace,
  worker: ConfigurationWorkerInit = { file: workerPath(), deadlineMs: 60_000 },
): ConfigurationExaminer {
  // A worker gets copies, so it gets no more than it needs.
  const world = { name, configuredAs, ownsClock, refusesUnkeptProtections };
  let last: Promise<unknown> = Promise.resolve();
  return {
    async examine({ isCall = false, ...given }) {
      const { text, difference } = given;
      const request = { ...given, world, ...(isCall && { inertTable: await loadInertTable() }) };
      if (isQuickConfiguration(text) && isQuickConfiguration(difference?.before ?? ''))
        return examineConfiguration(request);
      const turn = last.then(() => examineApart(request, worker));
      last = turn.catch(() => {});
      const { configuration, ...judged } = await turn;
      return { ...judged, configuration: { ...configuration, text } };
    },
  };
}

/** Loaded by the first call that needs it: most nodes run for months without one. */
export async function loadInertTable(): Promise<InertTable> {
  return (await import('@nodewright/machine-config/inert')).inertTable;
}

function examineApart(
  request: ExamineRequest,
  { file, deadlineMs }: ConfigurationWorkerInit,
): Promise<ExaminedConfiguration> {
  const { promise, resolve, reject } = Promise.withResolvers<ExaminedConfiguration>();
  const worker = new Worker(file, {
    workerData: request,
    resourceLimits: { maxOldGenerationSizeMb: memory.oldMb, maxYoungGenerationSizeMb: memory.youngMb },
  });
  const timer = setTimeout(() => {
    reject(
      new Fault(
        'resource-exhausted',
        `reading the machine configuration takes longer than ${deadlineMs / 1000} s`,
      ),
    );
    void worker.terminate();
  }, deadlineMs);
  worker.on('message', (answer: WorkerAnswer) => {
    if (answer.kind === 'examined') resolve(answer.examined);
    else reject(new Fault(answer.fault.kind, answer.fault.message));
  });
  worker.on('error', (error) => {
    reject(
      (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new Fault(
            'resource-exhausted',
            `reading the machine configuration needs more than ${memory.oldMb} MB`,
          )
        : error,
    );
  });
  worker.on('exit', () => {
    clearTimeout(timer);
    reject(new Fault('internal', 'the worker that reads the machine configuration exited without a result'));
  });
  return promise;
}

/**
 * The worker script is in the folder of this module, in a bundle as well as in the source tree, with the same
 * extension.
 */
function workerPath(): string {
  return join(import.meta.dirname, `configuration-worker${extname(import.meta.filename)}`);
}

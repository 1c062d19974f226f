import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Fault, type FaultKind } from '@nodewright/fault';
import type { World } from '../../base/domain/world.ts';
import {
  type ExaminedConfiguration,
  type ExamineRequest,
  examineConfiguration,
} from '../domain/examine-configuration.ts';
import { isQuickConfiguration } from '../domain/is-quick-configuration.ts';

/** Decodes and validates machine configurations without blocking the event loop for long. */
export interface ConfigurationExaminer {
  /**
   * @throws Fault `invalid-argument` when the text cannot be decoded, `resource-exhausted` when decoding
   * takes too much time or memory
   */
  examine(request: Omit<ExamineRequest, 'world'>): Promise<ExaminedConfiguration>;
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
  world: Pick<World, 'configuredAs'>,
  worker: ConfigurationWorkerInit = { file: workerPath(), deadlineMs: 60_000 },
): ConfigurationExaminer {
  let last: Promise<unknown> = Promise.resolve();
  return {
    async examine(request) {
      const { text, difference } = request;
      if (isQuickConfiguration(text) && isQuickConfiguration(difference?.before ?? ''))
        return examineConfiguration({ ...request, world });
      const turn = last.then(() => examineApart({ ...request, world }, worker));
      last = turn.catch(() => {});
      const { configuration, ...judged } = await turn;
      return { ...judged, configuration: { ...configuration, text } };
    },
  };
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

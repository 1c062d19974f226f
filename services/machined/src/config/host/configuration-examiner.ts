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

/** Reads and judges machine configurations without stopping the event loop for long. */
export interface ConfigurationExaminer {
  /** @throws Fault `invalid-argument` when it cannot be read, `resource-exhausted` when that takes too much */
  examine(request: Omit<ExamineRequest, 'world'>): Promise<ExaminedConfiguration>;
}

export type WorkerAnswer =
  | { readonly kind: 'examined'; readonly examined: ExaminedConfiguration }
  | { readonly kind: 'failed'; readonly fault: { readonly kind: FaultKind; readonly message: string } };

export interface ConfigurationWorkerInit {
  /** The program of the worker. */
  readonly file: string;
  /** A text at every limit takes a few seconds on a slow machine. */
  readonly deadlineMs: number;
}

/**
 * Enough for a text at any of the limits, but not for millions of escapes; a node of containers has 384 MB in all. New
 * values have little room of their own: a worker would otherwise take tens of MB before it collects for the first time.
 */
const memory = { oldMb: 128, youngMb: 4 } as const;

/**
 * What is small is examined at once; for everything else a worker is started, which ends with its answer: no memory is
 * kept. One worker at a time, others wait.
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
            `reading the machine configuration takes more than ${memory.oldMb} MB`,
          )
        : error,
    );
  });
  worker.on('exit', () => {
    clearTimeout(timer);
    reject(new Fault('internal', 'the worker that reads the machine configuration ended without an answer'));
  });
  return promise;
}

/** Beside the bundle, or beside this file; the extension is that of either. */
function workerPath(): string {
  return join(import.meta.dirname, `configuration-worker${extname(import.meta.filename)}`);
}

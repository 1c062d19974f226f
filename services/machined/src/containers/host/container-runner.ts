import { Readable } from 'node:stream';
import { pause } from '@nodewright/async';
import type { ContainerSpec, ExitStatus, LogProgress, RuntimeNamespace } from '@nodewright/containers';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import {
  lastLogText,
  lookBackBytes,
  type ProcessWatcher,
  type Runner,
  terminateOnAbort,
} from '@nodewright/services';
import { copyLines, type ServiceLog } from '@nodewright/services/logs';
import {
  containerRunnerText,
  taskErrorText,
  taskSignalText,
  taskStartedText,
} from '../domain/container-text.ts';
import { createWhenFree, removeLeftover } from './create-when-free.ts';

export interface ContainerRunnerInit {
  /** The runtime's name, for the history. */
  readonly runtime: string;
  readonly namespace: RuntimeNamespace;
  /** Called at each start, because the result may change. It must contain no secret. */
  readonly spec: () => Promise<ContainerSpec>;
  /** Id of the container, for the history before the first start. */
  readonly id: string;
  /** Receives standard output and standard error. */
  readonly log: ServiceLog;
  /** How long the task may take to end after SIGTERM. */
  readonly graceTimeoutMs: number;
  readonly watcher?: ProcessWatcher;
}

/** Retry interval for a runtime that is down. Source: Talos v1.14: containerd runner. */
const askAgainMs = 1000;
/** How long to wait for the remaining output after the task has exited. A runtime may keep the log open. */
const outputTimeoutMs = 1000;
/** Between attempts to open the log of a runtime that is down; short, so that the last output comes within the limit above. */
const reopenLogMs = 250;
/** Source: Talos v1.14: image pull. */
const pullTimeoutMs = 20 * 60_000;
/** A container that is not removed in time is removed before the next start. */
const removeTimeoutMs = 5000;

/**
 * Runs a container until its task exits. A leftover container of an earlier machined is removed first. On
 * abort the task gets SIGTERM, then SIGKILL after the grace time. The container is removed at the end. While
 * the runtime is unavailable, calls to it are retried.
 */
export function createContainerRunner(init: ContainerRunnerInit): Runner {
  const { namespace, id, log } = init;
  const { containers } = namespace;
  return {
    text: containerRunnerText(init.runtime, id),
    async run(report, signal) {
      await whileAway(() => removeLeftover(containers, id, signal), signal);
      if (signal.aborted) return;
      const spec = await init.spec();
      await ensureImage(namespace, spec.image, signal);
      if (signal.aborted) return;
      await using _container = {
        [Symbol.asyncDispose]: () =>
          removeLeftover(containers, id, AbortSignal.timeout(removeTimeoutMs)).catch(() => {}),
      };
      const { endOffset } = log.ring;
      await createWhenFree(containers, spec, signal);
      const pid = await containers.start(id, { signal });
      init.watcher?.started(pid);
      report('run', taskStartedText(id, pid));
      const ended = new AbortController();
      const output = Readable.from(followOutput(init, ended.signal), { objectMode: false });
      const copied = copyLines(output, log);
      using _kill = terminateOnAbort(signal, init.graceTimeoutMs, (name) => {
        report('signal', taskSignalText(name, id, pid));
        // The exit status shows whether the task had already exited or the runtime was unavailable.
        containers.kill(id, name).catch(() => {});
      });
      try {
        const { code } = await outcome(init, signal);
        await Promise.race([copied, pause(outputTimeoutMs, ended.signal)]);
        if (signal.aborted) return;
        const error = taskErrorText(id, code, lastLogText(log.bytesSince(endOffset, lookBackBytes)));
        if (error !== undefined) throw new Fault('unknown', error);
      } finally {
        ended.abort();
        output.destroy();
        init.watcher?.ended();
      }
    },
  };
}

/** The output of the task. A runtime that restarts ends its readers and not the task: the log is opened again. */
async function* followOutput(
  { namespace, id }: ContainerRunnerInit,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const progress: LogProgress = {};
  while (!signal.aborted) {
    try {
      return yield* namespace.containers.logs(id, { follow: true, progress, signal });
    } catch (error) {
      // One that hangs for a while counts as down.
      const isAway = isFault(error, 'unavailable') || isFault(error, 'deadline-exceeded');
      if (signal.aborted || !isAway) throw error;
    }
    await pause(reopenLogMs, signal);
  }
}

/**
 * Waits for the end of the task, which continues while its runtime is down. A container that was removed
 * counts as killed.
 */
async function outcome({ namespace, id }: ContainerRunnerInit, signal: AbortSignal): Promise<ExitStatus> {
  const killed = { code: 137, atMs: Date.now() };
  for (;;) {
    try {
      return await namespace.containers.wait(id);
    } catch (error) {
      if (isFault(error, 'not-found')) return killed;
      if (!isFault(error, 'unavailable')) throw error;
    }
    // A node that stops does not wait for an engine that was stopped before it.
    if (signal.aborted) return killed;
    await pause(askAgainMs, signal);
  }
}

/** Pulls the image if it is missing. */
export async function ensureImage(
  namespace: RuntimeNamespace,
  image: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    await namespace.images.get(image, { signal });
  } catch (error) {
    if (!isFault(error, 'not-found')) throw error;
    const ends = AbortSignal.any([signal, AbortSignal.timeout(pullTimeoutMs)]);
    for await (const _step of namespace.images.pull(image, { signal: ends }));
  }
}

/** Retries `work` while the runtime is unavailable, until the signal aborts. */
async function whileAway(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return;
      if (!isFault(error, 'unavailable')) throw error;
    }
    await pause(askAgainMs, signal);
  }
}

function isFault(error: unknown, kind: FaultKind): boolean {
  return faultFrom(error).kind === kind;
}

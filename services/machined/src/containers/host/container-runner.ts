import { Readable } from 'node:stream';
import { pause } from '@nodewright/async';
import type { ContainerSpec, ExitStatus, RuntimeNamespace } from '@nodewright/containers';
import { Fault, type FaultKind, faultFrom } from '@nodewright/fault';
import type { Runner } from '../../base/domain/runner.ts';
import { copyLines } from '../../logs/host/lines-to-log.ts';
import type { ServiceLog } from '../../logs/host/log-store.ts';
import { lastLogText } from '../../services/domain/runner-text.ts';
import type { ProcessWatcher } from '../../services/host/process-runner.ts';
import { terminateOnAbort } from '../../services/host/terminate-on-abort.ts';
import {
  containerRunnerText,
  taskErrorText,
  taskSignalText,
  taskStartedText,
} from '../domain/container-text.ts';

export interface ContainerRunnerInit {
  /** The runtime's name, for the history. */
  readonly runtime: string;
  readonly namespace: RuntimeNamespace;
  /** Asked for at each start: what it says may have changed. It must hold no secret. */
  readonly spec: () => Promise<ContainerSpec>;
  /** Of the container, for the history before the first start. */
  readonly id: string;
  /** Takes standard output and standard error. */
  readonly log: ServiceLog;
  /** How long the task may take to end after SIGTERM. */
  readonly graceTimeoutMs: number;
  readonly watcher?: ProcessWatcher;
}

/** A runtime that is away is asked again so often. Source: Talos v1.14: containerd runner. */
const askAgainMs = 1000;
const lastLogLookBackBytes = 4096;
/** What the task wrote is there when it ends; a runtime that keeps a log open must not hold the end up. */
const outputTimeoutMs = 1000;
/** Source: Talos v1.14: image pull. */
const pullTimeoutMs = 20 * 60_000;
/** What is left is removed before the next start, in any case. */
const removeTimeoutMs = 5000;

/**
 * Runs a container until its task ends; when it is no longer wanted, SIGTERM and after a time SIGKILL end it, and nothing
 * of it stays. One that an earlier machined left is ended first. A runtime that is away is waited for.
 */
export function createContainerRunner(init: ContainerRunnerInit): Runner {
  const { namespace, id, log } = init;
  const { containers } = namespace;
  return {
    text: containerRunnerText(init.runtime, id),
    async run(report, signal) {
      await whileAway(() => remove(init, signal), signal);
      if (signal.aborted) return;
      const spec = await init.spec();
      await ensureImage(namespace, spec.image, signal);
      if (signal.aborted) return;
      await using _container = {
        [Symbol.asyncDispose]: () => remove(init, AbortSignal.timeout(removeTimeoutMs)).catch(() => {}),
      };
      await containers.create(spec, { signal });
      const pid = await containers.start(id, { signal });
      init.watcher?.started(pid);
      report('run', taskStartedText(id, pid));
      const ended = new AbortController();
      const output = Readable.from(containers.logs(id, { follow: true, signal: ended.signal }), {
        objectMode: false,
      });
      const copied = copyLines(output, log);
      using _kill = terminateOnAbort(signal, init.graceTimeoutMs, (name) => {
        report('signal', taskSignalText(name, id, pid));
        // One that has ended by itself, or a runtime that is away, shows in how the task ends.
        containers.kill(id, name).catch(() => {});
      });
      try {
        const { code } = await outcome(init, signal);
        await Promise.race([copied, pause(outputTimeoutMs, ended.signal)]);
        if (signal.aborted) return;
        const error = taskErrorText(id, code, lastLogText(log.lastBytes(lastLogLookBackBytes)));
        if (error !== undefined) throw new Fault('unknown', error);
      } finally {
        ended.abort();
        output.destroy();
        init.watcher?.ended();
      }
    },
  };
}

/** How the task ends; it runs on while its runtime is away. A container that was taken away has ended as if killed. */
async function outcome({ namespace, id }: ContainerRunnerInit, signal: AbortSignal): Promise<ExitStatus> {
  const killed = { code: 137, atMs: Date.now() };
  for (;;) {
    try {
      return await namespace.containers.wait(id);
    } catch (error) {
      if (isFault(error, 'not-found')) return killed;
      if (!isFault(error, 'unavailable')) throw error;
    }
    // A node that stops does not wait for an engine that has stopped before it.
    if (signal.aborted) return killed;
    await pause(askAgainMs, signal);
  }
}

/** Removes the container, whatever it does; nothing when there is none. */
async function remove({ namespace, id }: ContainerRunnerInit, signal: AbortSignal): Promise<void> {
  try {
    await namespace.containers.remove(id, { force: true, signal });
  } catch (error) {
    if (!isFault(error, 'not-found')) throw error;
  }
}

/** Sees to it that the image is there. */
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

/** Does `work`, again and again while the runtime does not answer, until the signal aborts. */
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

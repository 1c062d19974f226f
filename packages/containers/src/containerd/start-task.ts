import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Container } from '@nodewright/contract/gen/containerd/services/containers/v1/containers.ts';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { makeFolder } from '@nodewright/files';
import type { NamespaceServices } from './containerd-services.ts';
import type { ContainerdTasks } from './containerd-tasks.ts';

/** How long containerd may take to clean up after a shim that died; it runs a program for that. */
const cleanupLimitMs = 30_000;
const cleanupPauseMs = 50;

export interface StartTaskInit {
  readonly services: Pick<NamespaceServices, 'snapshots' | 'tasks'>;
  readonly tasks: ContainerdTasks;
  readonly container: Container;
  /** The output is appended to this file. */
  readonly logPath: string;
  readonly runtimeOptions: Any;
  readonly signal: AbortSignal | undefined;
}

/** Starts a task and returns its pid. The caller holds the turn of the container. */
export async function startTask(init: StartTaskInit): Promise<number> {
  const { services, tasks, container, logPath, runtimeOptions, signal } = init;
  const { id, snapshotter, snapshotKey: key } = container;
  const before = await tasks.settleInTurn(container, await tasks.find(id, signal));
  if (before?.status === 'running' || before?.status === 'paused')
    throw new Fault('failed-precondition', `the task of container "${id}" is running already`);
  // Left over from an interrupted start.
  if (before?.status === 'created') await services.tasks.delete({ containerId: id }, { signal });
  if (before?.status === 'stopped') await tasks.forget(id, signal);
  await makeFolder(dirname(logPath), 0o700);
  const { mounts: rootfs } = await services.snapshots.mounts({ snapshotter, key }, { signal });
  const stdout = `file://${encodeURI(logPath)}`;
  const request = { containerId: id, rootfs, stdout, stderr: stdout, options: runtimeOptions };
  await createTask(init, request);
  try {
    return (await services.tasks.start({ containerId: id }, { signal })).pid;
  } catch (error) {
    await services.tasks.delete({ containerId: id }).catch(() => undefined);
    throw error;
  }
}

/**
 * A task whose shim was killed is `not-found` at once, but its name stays taken until containerd has cleaned
 * up. This function waits for that.
 */
async function createTask(
  { services, tasks, container: { id }, signal }: StartTaskInit,
  request: Parameters<NamespaceServices['tasks']['create']>[0],
): Promise<void> {
  const end = performance.now() + cleanupLimitMs;
  for (;;) {
    try {
      await services.tasks.create(request, { signal });
      return;
    } catch (error) {
      const isTaken = faultFrom(error).kind === 'already-exists';
      if (!isTaken || performance.now() > end || (await tasks.find(id, signal)) !== undefined) throw error;
    }
    await sleep(cleanupPauseMs);
  }
}

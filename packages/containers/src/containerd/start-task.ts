import { dirname } from 'node:path';
import type { Container } from '@nodewright/contract/gen/containerd/services/containers/v1/containers.ts';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import { Fault } from '@nodewright/fault';
import { makeFolder } from '@nodewright/fault/make-folder';
import type { NamespaceServices } from './containerd-services.ts';
import type { ContainerdTasks } from './containerd-tasks.ts';

export interface StartTaskInit {
  readonly services: Pick<NamespaceServices, 'snapshots' | 'tasks'>;
  readonly tasks: ContainerdTasks;
  readonly container: Container;
  /** What it writes is added to this file. */
  readonly logPath: string;
  readonly runtimeOptions: Any;
  readonly signal: AbortSignal | undefined;
}

/** Starts a task, for who has the turn of the container, and yields its pid. */
export async function startTask(init: StartTaskInit): Promise<number> {
  const { services, tasks, container, logPath, runtimeOptions, signal } = init;
  const { id, snapshotter, snapshotKey: key } = container;
  const before = await tasks.settleInTurn(container, await tasks.find(id, signal));
  if (before?.status === 'running' || before?.status === 'paused')
    throw new Fault('failed-precondition', `the task of container "${id}" runs already`);
  // A start that was cut off has left it.
  if (before?.status === 'created') await services.tasks.delete({ containerId: id }, { signal });
  if (before?.status === 'stopped') await tasks.forget(id, signal);
  await makeFolder(dirname(logPath), 0o700);
  const { mounts: rootfs } = await services.snapshots.mounts({ snapshotter, key }, { signal });
  const stdout = `file://${encodeURI(logPath)}`;
  const request = { containerId: id, rootfs, stdout, stderr: stdout, options: runtimeOptions };
  await services.tasks.create(request, { signal });
  try {
    return (await services.tasks.start({ containerId: id }, { signal })).pid;
  } catch (error) {
    await services.tasks.delete({ containerId: id }).catch(() => undefined);
    throw error;
  }
}

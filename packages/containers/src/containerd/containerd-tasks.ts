import type { Container } from '@nodewright/contract/gen/containerd/services/containers/v1/containers.ts';
import { type Process, Status } from '@nodewright/contract/gen/containerd/v1/types/task.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ExitStatus, TaskInfo } from '../container-runtime.ts';
import type { NamespaceServices } from './containerd-services.ts';
import { exitExtension, exitExtensionFrom, exitFrom, isOurs } from './task-exit.ts';
import { millisecondsFrom } from './timestamps.ts';

/** The tasks of one namespace, with how they ended after they are gone. */
export interface ContainerdTasks {
  /** What runs, as containerd says. */
  find(id: string, signal?: AbortSignal): Promise<Process | undefined>;
  /** What the contract says of it. A task that has ended is deleted: after that, all that it wrote is in its file. */
  settle(container: Container, process: Process | undefined): Promise<TaskInfo | undefined>;
  /** Waits until the task has ended; `not-found` when there is none. */
  wait(id: string, signal?: AbortSignal): Promise<ExitStatus>;
  /** Forgets how the last one ended. */
  forget(container: Container, signal?: AbortSignal): Promise<void>;
}

export function createContainerdTasks({
  containers,
  tasks,
}: Pick<NamespaceServices, 'containers' | 'tasks'>): ContainerdTasks {
  const settling = new Map<string, Promise<void>>();

  async function keep(id: string, exit: ExitStatus | undefined, signal?: AbortSignal): Promise<void> {
    const container = { id, extensions: { [exitExtension]: exitExtensionFrom(exit) } };
    await containers.update({ container, updateMask: [`extensions.${exitExtension}`] }, { signal });
  }

  /** First kept, then deleted: whatever dies in between, it is known how the task ended. */
  function retire(id: string, exit: ExitStatus): Promise<void> {
    const running = settling.get(id);
    if (running !== undefined) return running;
    const own = (async () => {
      await keep(id, exit);
      await tasks.delete({ containerId: id });
    })()
      .catch((error: unknown) => {
        // Somebody else has deleted it, or removed the container.
        if (!isGone(error)) throw error;
      })
      .finally(() => settling.delete(id));
    settling.set(id, own);
    return own;
  }

  async function find(id: string, signal?: AbortSignal): Promise<Process | undefined> {
    try {
      return (await tasks.get({ containerId: id }, { signal })).process;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  async function settle(container: Container, process: Process | undefined): Promise<TaskInfo | undefined> {
    const kept = exitFrom(container.extensions);
    if (process === undefined) return kept === undefined ? undefined : { status: 'stopped', exit: kept };
    if (process.status === Status.STOPPED) {
      const exit = { code: process.exitStatus, atMs: millisecondsFrom(process.exitedAt) };
      if (isOurs(container.extensions)) await retire(container.id, exit);
      return { status: 'stopped', exit };
    }
    if (process.status === Status.CREATED) return { status: 'created' };
    const isPaused = process.status === Status.PAUSED || process.status === Status.PAUSING;
    return { status: isPaused ? 'paused' : 'running', pid: process.pid };
  }

  return {
    find,
    settle,
    async wait(id, signal) {
      for (;;) {
        const { container } = await containers.get({ id }, { signal });
        const task = await settle(container as Container, await find(id, signal));
        if (task?.status === 'stopped') return task.exit;
        if (task === undefined) throw new Fault('not-found', `container "${id}" has no task`);
        try {
          await tasks.wait({ containerId: id }, { signal });
        } catch (error) {
          // It ended and was deleted before this was asked: the next turn finds how.
          if (!isGone(error)) throw error;
        }
      }
    },
    async forget({ id, extensions }, signal) {
      if (exitFrom(extensions) !== undefined) await keep(id, undefined, signal);
    },
  };
}

/** No such task, or no such container any more. */
const isGone = (error: unknown) => faultFrom(error).kind === 'not-found';

import { type Process, Status } from '@nodewright/containers/containerd-contract';
import type { Container } from '@nodewright/contract/gen/containerd/services/containers/v1/containers.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ExitStatus, TaskInfo } from '../container-runtime.ts';
import type { NamespaceServices } from './containerd-services.ts';
import { exitExtension, exitExtensionFrom, exitFrom, isOurs } from './task-exit.ts';
import { millisecondsFrom } from './timestamps.ts';
import type { Turns } from './turns.ts';

/** The tasks of one namespace, with their exits, which stay known after the tasks are deleted. */
export interface ContainerdTasks {
  /** The running task, as containerd reports it. */
  find(id: string, signal?: AbortSignal): Promise<Process | undefined>;
  /**
   * The task as the contract defines it. A task that has ended is deleted: after that, its file contains all
   * of its output.
   */
  settle(container: Container, process: Process | undefined): Promise<TaskInfo | undefined>;
  /** The same, for a caller that holds the turn of the container. */
  settleInTurn(container: Container, process: Process | undefined): Promise<TaskInfo | undefined>;
  /** Waits until the task has ended; `not-found` without a task. */
  wait(id: string, signal?: AbortSignal): Promise<ExitStatus>;
  /** Forgets the exit of the last task. */
  forget(id: string, signal?: AbortSignal): Promise<void>;
}

export interface ContainerdTasksInit extends Pick<NamespaceServices, 'containers' | 'tasks'> {
  /** Per container, so that no task is started while another one is deleted. */
  readonly inTurn: Turns;
}

export function createContainerdTasks({ containers, tasks, inTurn }: ContainerdTasksInit): ContainerdTasks {
  async function keep(id: string, exit: ExitStatus | undefined, signal?: AbortSignal): Promise<void> {
    const container = { id, extensions: { [exitExtension]: exitExtensionFrom(exit) } };
    await containers.update({ container, updateMask: [`extensions.${exitExtension}`] }, { signal });
  }

  /** Stored first, then deleted: whichever process dies in between, the exit stays known. */
  async function retire(id: string, exit: ExitStatus): Promise<void> {
    try {
      await keep(id, exit);
      await tasks.delete({ containerId: id });
    } catch (error) {
      // Another process has deleted the task, or removed the container.
      if (!isGone(error)) throw error;
    }
  }

  async function find(id: string, signal?: AbortSignal): Promise<Process | undefined> {
    try {
      return (await tasks.get({ containerId: id }, { signal })).process;
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  }

  async function settleInTurn(
    container: Container,
    process: Process | undefined,
  ): Promise<TaskInfo | undefined> {
    const task = taskInfoFrom(container, process);
    if (process !== undefined && task?.status === 'stopped' && isOurs(container.extensions))
      await retire(container.id, task.exit);
    return task;
  }

  async function settle(container: Container, process: Process | undefined): Promise<TaskInfo | undefined> {
    if (process?.status !== Status.STOPPED) return taskInfoFrom(container, process);
    // The state may be outdated when the turn begins, so it is read again.
    return inTurn(container.id, async () => {
      const now = await containers.get({ id: container.id });
      return settleInTurn(now.container as Container, await find(container.id));
    });
  }

  return {
    find,
    settle,
    settleInTurn,
    async wait(id, signal) {
      for (;;) {
        const { container } = await containers.get({ id }, { signal });
        const task = await settle(container as Container, await find(id, signal));
        if (task?.status === 'stopped') return task.exit;
        if (task === undefined) throw new Fault('not-found', `container "${id}" has no task`);
        try {
          await tasks.wait({ containerId: id }, { signal });
        } catch (error) {
          // It ended and was deleted before this call: the next turn finds the exit.
          if (!isGone(error)) throw error;
        }
      }
    },
    forget: (id, signal) => keep(id, undefined, signal),
  };
}

function taskInfoFrom({ extensions }: Container, process: Process | undefined): TaskInfo | undefined {
  const kept = exitFrom(extensions);
  if (process === undefined) return kept === undefined ? undefined : { status: 'stopped', exit: kept };
  const { status, pid, exitStatus, exitedAt } = process;
  if (status === Status.STOPPED)
    return { status: 'stopped', exit: { code: exitStatus, atMs: millisecondsFrom(exitedAt) } };
  if (status === Status.CREATED) return { status: 'created' };
  const isPaused = status === Status.PAUSED || status === Status.PAUSING;
  return { status: isPaused ? 'paused' : 'running', pid };
}

/** The task or the container no longer exists. */
const isGone = (error: unknown) => faultFrom(error).kind === 'not-found';

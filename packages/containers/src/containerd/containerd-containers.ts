import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { anySignal } from '@nodewright/async';
import { type Process, Status } from '@nodewright/containers/containerd-contract';
import type { Container } from '@nodewright/contract/gen/containerd/services/containers/v1/containers.ts';
import type { Any } from '@nodewright/contract/gen/google/protobuf/any.ts';
import { Fault, faultFrom } from '@nodewright/fault';
import { readCgroupUsage } from '../cgroups/read-cgroup-usage.ts';
import type { CallOptions, ContainerInfo, ContainerSpec, ContainerStore } from '../container-runtime.ts';
import { readLog } from './container-logs.ts';
import type { ContainerdContext } from './containerd-context.ts';
import { createContainerdTasks } from './containerd-tasks.ts';
import { createContainer } from './create-container.ts';
import { startTask } from './start-task.ts';
import { millisecondsFrom } from './timestamps.ts';
import { createTurns } from './turns.ts';

export interface ContainerdContainersInit {
  readonly context: ContainerdContext;
  /** Folder for the output of tasks, one file per container. */
  readonly logFolder: string;
  /** Parent of the cgroups of containers. */
  readonly cgroupRoot: string;
  readonly runtimeOptions: Any;
}

/** An id is also the name of a file. */
const idForm = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** The containers of one namespace of containerd, and their tasks. */
export function createContainerdContainers({
  context,
  logFolder,
  cgroupRoot,
  runtimeOptions,
}: ContainerdContainersInit): ContainerStore {
  const { services, namespace } = context;
  const inTurn = createTurns();
  const tasks = createContainerdTasks({ ...services, inTurn });
  const logPath = (id: string) => join(logFolder, `${id}.log`);

  const cgroupOf = ({ id, cgroup }: ContainerSpec) => join('/', cgroupRoot, cgroup ?? join(namespace, id));

  async function find(id: string, signal?: AbortSignal): Promise<Container> {
    requireId(id);
    return (await services.containers.get({ id }, { signal })).container as Container;
  }

  async function infoFrom(container: Container, process: Process | undefined): Promise<ContainerInfo> {
    const { id, image, labels, createdAt } = container;
    const task = await tasks.settle(container, process);
    return {
      id,
      internalId: id,
      image,
      labels,
      createdAtMs: millisecondsFrom(createdAt),
      ...(task === undefined ? {} : { task }),
    };
  }

  async function running(id: string, signal?: AbortSignal): Promise<Process> {
    await find(id, signal);
    const process = await tasks.find(id, signal);
    if (process === undefined || process.status === Status.STOPPED)
      throw new Fault('failed-precondition', `no task of container "${id}" is running`);
    return process;
  }

  async function kill(id: string, signalName: NodeJS.Signals, options: CallOptions): Promise<void> {
    await running(id, options.signal);
    try {
      const signal = constants.signals[signalName];
      await services.tasks.kill({ containerId: id, signal, all: true }, { signal: options.signal });
    } catch (error) {
      // It has ended since the check.
      if (faultFrom(error).kind !== 'not-found') throw error;
      throw new Fault('failed-precondition', `no task of container "${id}" is running`, { cause: error });
    }
  }

  async function get(id: string, { signal }: CallOptions = {}): Promise<ContainerInfo> {
    return infoFrom(await find(id, signal), await tasks.find(id, signal));
  }

  async function endTask(id: string, signal?: AbortSignal): Promise<void> {
    try {
      await kill(id, 'SIGKILL', { signal });
      await services.tasks.wait({ containerId: id }, { signal });
    } catch (error) {
      const { kind } = faultFrom(error);
      if (kind !== 'failed-precondition' && kind !== 'not-found') throw error;
    }
  }

  async function remove(
    id: string,
    { force = false, signal }: CallOptions & { readonly force?: boolean } = {},
  ): Promise<void> {
    const { snapshotter, snapshotKey: key } = await find(id, signal);
    const process = await tasks.find(id, signal);
    const runs = process !== undefined && process.status !== Status.STOPPED;
    if (runs && !force && process.status !== Status.CREATED)
      throw new Fault('failed-precondition', `the task of container "${id}" is running: end it first`);
    if (runs) await endTask(id, signal);
    await services.tasks.delete({ containerId: id }, { signal }).catch(unlessGone);
    await services.containers.delete({ id }, { signal });
    await services.snapshots.remove({ snapshotter, key }, { signal }).catch(unlessGone);
    await rm(logPath(id), { force: true });
  }

  return {
    get,
    async create(spec, options = {}) {
      requireId(spec.id);
      const container = await createContainer(
        { context, spec, cgroupPath: cgroupOf(spec), runtimeOptions },
        options,
      );
      // Log of an earlier container with the same id whose removal did not complete.
      await rm(logPath(spec.id), { force: true });
      return infoFrom(container, undefined);
    },
    async list({ labels = {}, signal } = {}) {
      const [{ containers }, { tasks: processes }] = await Promise.all([
        services.containers.list({}, { signal }),
        services.tasks.list({}, { signal }),
      ]);
      // Some responses have the container in `id` only.
      const byId = new Map(processes.map((process) => [process.containerId || process.id, process]));
      const wanted = containers.filter((container) =>
        Object.entries(labels).every(([name, value]) => container.labels[name] === value),
      );
      const infos = await Promise.all(wanted.map((container) => infoFrom(container, byId.get(container.id))));
      return infos.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    start: (id, { signal } = {}) =>
      inTurn(id, async () => {
        const container = await find(id, signal);
        return startTask({ services, tasks, container, logPath: logPath(id), runtimeOptions, signal });
      }),
    kill: (id, signalName, options = {}) => kill(id, signalName, options),
    async wait(id, { signal } = {}) {
      requireId(id);
      return tasks.wait(id, signal);
    },
    async stats(id, { signal } = {}) {
      const { pid } = await running(id, signal);
      try {
        return await readCgroupUsage(pid);
      } catch (error) {
        throw new Fault('failed-precondition', `no task of container "${id}" is running`, { cause: error });
      }
    },
    async *logs(id, { follow = false, tailLines, progress, signal }) {
      const container = await find(id, signal);
      // A task that has ended has written all of its output.
      const task = await tasks.settle(container, await tasks.find(id, signal));
      const isOver = task === undefined || task.status === 'stopped';
      // A caller that stops reading must not wait for the end.
      const left = new AbortController();
      const ends = anySignal(signal, left.signal);
      const ended = follow && !isOver ? tasks.wait(id, ends).then(() => undefined) : undefined;
      try {
        yield* readLog({ path: logPath(id), tailLines, progress, ended, signal });
      } finally {
        left.abort();
      }
    },
    remove: (id, options) => inTurn(id, () => remove(id, options)),
  };
}

function unlessGone(error: unknown): void {
  if (faultFrom(error).kind !== 'not-found') throw error;
}

function requireId(id: string): void {
  if (!idForm.test(id))
    throw new Fault(
      'invalid-argument',
      `"${id}" is not a valid container id: use letters, digits, ".", "_" and "-"`,
    );
}

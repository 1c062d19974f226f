import type {
  ContainerInfo,
  ContainerRuntime,
  ContainerStore,
  RuntimeNamespace,
} from '@nodewright/containers';
import { readCgroupFolder } from '@nodewright/containers/cgroups';
import { Fault, faultFrom } from '@nodewright/fault';
import type { ProcessWatcher } from '@nodewright/services';

/** The part of a runtime of which calls show containers. */
export type ShownContainers = Pick<ContainerStore, 'list' | 'stats' | 'kill'>;

export interface OwnContainer {
  readonly id: string;
  readonly image: string;
  /** Its cgroup, of version 2, absolute. */
  readonly cgroupFolder: string;
}

interface OwnProcess {
  readonly pid: number;
  readonly cgroupFolder: string;
}

/**
 * The containers of the node that machined runs without containerd. They are shown in the namespace of the node's services, as
 * upstream's are.
 */
export class OwnContainers {
  readonly #running = new Map<string, { readonly info: ContainerInfo; readonly process: OwnProcess }>();

  /** The watcher of the processes of a container, which is shown while its process runs. */
  watcherOf({ id, image, cgroupFolder }: OwnContainer): ProcessWatcher {
    return {
      started: (pid) => {
        const info: ContainerInfo = {
          ...{ id, internalId: id, image, labels: {}, createdAtMs: Date.now() },
          task: { status: 'running', pid },
        };
        this.#running.set(id, { info, process: { pid, cgroupFolder } });
      },
      ended: () => void this.#running.delete(id),
    };
  }

  list(): ContainerInfo[] {
    return [...this.#running.values()].map(({ info }) => info);
  }

  /** Undefined when there is no such container. */
  processOf(id: string): OwnProcess | undefined {
    return this.#running.get(id)?.process;
  }
}

/** The same runtime, whose namespace `system` has the containers that machined runs besides. */
export function withOwnContainers(runtime: ContainerRuntime, own: OwnContainers): ContainerRuntime {
  return {
    name: runtime.name,
    version: (options) => runtime.version(options),
    namespace(name): RuntimeNamespace {
      const namespace = runtime.namespace(name);
      if (name !== 'system') return namespace;
      const { containers } = namespace;
      return { ...namespace, containers: { ...containersOf(containers), ...shownBesides(containers, own) } };
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  };
}

/** Stores are classes, whose methods a spread does not copy. */
function containersOf(store: ContainerStore): ContainerStore {
  return {
    create: (spec, options) => store.create(spec, options),
    get: (id, options) => store.get(id, options),
    list: (options) => store.list(options),
    remove: (id, options) => store.remove(id, options),
    start: (id, options) => store.start(id, options),
    kill: (id, signalName, options) => store.kill(id, signalName, options),
    wait: (id, options) => store.wait(id, options),
    stats: (id, options) => store.stats(id, options),
    logs: (id, options) => store.logs(id, options),
  };
}

function shownBesides(store: ContainerStore, own: OwnContainers): ShownContainers {
  return {
    async list(options) {
      const found = [...own.list(), ...(await listIfUp(store, options))];
      return found.sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    async stats(id, options) {
      const process = own.processOf(id);
      if (process === undefined) return store.stats(id, options);
      try {
        return await readCgroupFolder(process.cgroupFolder);
      } catch (error) {
        throw new Fault('failed-precondition', `container "${id}" does not run`, { cause: error });
      }
    },
    async kill(id, signalName, options) {
      const found = own.processOf(id);
      if (found === undefined) return store.kill(id, signalName, options);
      try {
        process.kill(found.pid, signalName);
      } catch (error) {
        throw new Fault('failed-precondition', `container "${id}" does not run`, { cause: error });
      }
    },
  };
}

/** containerd starts with the first configuration, and the containers of this store run without it. */
async function listIfUp(store: ContainerStore, options: Parameters<ContainerStore['list']>[0]) {
  try {
    return await store.list(options);
  } catch (error) {
    if (faultFrom(error).kind === 'unavailable') return [];
    throw error;
  }
}

import { join } from 'node:path';
import { arch } from 'node:process';
import {
  type EndpointsOf,
  formatPlatform,
  openDistributionClient,
  type Platform,
  platformOfNode,
} from '@nodewright/oci';
import type { Telemetry } from '@nodewright/telemetry';
import type { ContainerRuntime, NamespaceName, RuntimeNamespace } from '../container-runtime.ts';
import { type BoundLogsInit, keepBounded } from './bounded-log.ts';
import { createContainerdContainers } from './containerd-containers.ts';
import type { ContainerdContext } from './containerd-context.ts';
import { createContainerdImages } from './containerd-images.ts';
import { openContainerdServices } from './containerd-services.ts';
import { runcOptions } from './create-container.ts';
import { watchContainerdEvents } from './watch-containerd-events.ts';

export interface ContainerdRuntimeInit {
  /** Socket of containerd's gRPC API. */
  readonly socketPath: string;
  /** Folder for the output of tasks: `<namespace>/<id>.log`. containerd must see it under the same path. */
  readonly logFolder: string;
  readonly telemetry: Telemetry;
  /** Parent of the cgroups of containers; default the root. */
  readonly cgroupRoot?: string;
  /**
   * State folder of runc; default runc's own. Two containerds whose containers have the same names need
   * different ones.
   */
  readonly runcRoot?: string;
  /** The cgroup of the shims, which must exist; default that of containerd. */
  readonly shimCgroup?: string;
  /** Default `overlayfs`. */
  readonly snapshotter?: string;
  /** Which hosts serve a registry; default the registry itself. */
  readonly endpointsOf?: EndpointsOf;
  /**
   * Bounds the output files of tasks: each keeps at most twice this size, plus what is written in half a
   * minute.
   */
  readonly boundLogs?: Omit<BoundLogsInit, 'folder'>;
  /** Default: that of this process. */
  readonly platform?: Platform;
  readonly nowMs?: () => number;
}

/** A container runtime that uses the API of containerd, version 1.6 or newer. Connects at the first call. */
export function openContainerdRuntime(init: ContainerdRuntimeInit): ContainerRuntime {
  const { telemetry, platform = platformOfNode(arch), nowMs = Date.now, snapshotter = 'overlayfs' } = init;
  const connection = openContainerdServices(init.socketPath, telemetry);
  const distribution = openDistributionClient({ telemetry, endpointsOf: init.endpointsOf });
  const bounding = init.boundLogs && keepBounded({ folder: init.logFolder, ...init.boundLogs });
  const namespaces = new Map<NamespaceName, RuntimeNamespace>();

  function openNamespace(name: NamespaceName): RuntimeNamespace {
    const services = connection.namespace(name);
    const context: ContainerdContext = {
      namespace: name,
      connection,
      services,
      distribution,
      platform,
      snapshotter,
      nowMs,
    };
    return {
      name,
      images: createContainerdImages(context),
      containers: createContainerdContainers({
        context,
        logFolder: join(init.logFolder, name),
        cgroupRoot: init.cgroupRoot ?? '/',
        runtimeOptions: runcOptions(init.runcRoot, init.shimCgroup),
      }),
      watchEvents: (signal) => {
        const { pending } = connection;
        return watchContainerdEvents({ events: services.events, namespace: name, pending, signal });
      },
    };
  }

  return {
    name: 'containerd',
    async version({ signal } = {}) {
      const { version } = await connection.version.version({}, { signal });
      return { version, platform: formatPlatform(platform) };
    },
    namespace(name) {
      const known = namespaces.get(name) ?? openNamespace(name);
      namespaces.set(name, known);
      return known;
    },
    async [Symbol.asyncDispose]() {
      bounding?.[Symbol.dispose]();
      distribution[Symbol.dispose]();
      connection[Symbol.dispose]();
    },
  };
}

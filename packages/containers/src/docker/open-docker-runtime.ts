import type { Telemetry } from '@nodewright/telemetry';
import type { ContainerRuntime, Labels, NamespaceName, RuntimeNamespace } from '../container-runtime.ts';
import { createDockerContainers } from './docker-containers.ts';
import { watchDockerEvents } from './docker-events.ts';
import { createDockerImages } from './docker-images.ts';
import { openEngine } from './open-engine.ts';
import type { Scope } from './ownership.ts';

export interface DockerRuntimeInit {
  /** Socket of the engine. Write access to it is equivalent to root on the engine's host. */
  readonly socketPath: string;
  readonly scope: Scope;
  /** Labels that identify the node's own container; leave it out when the node is the host of the engine. */
  readonly node?: Labels;
  /**
   * Names of labels that are copied from that container to all others, so that they are removed with the
   * cluster.
   */
  readonly inherited?: readonly string[];
  /** References that the engine has already and that are never pulled. */
  readonly given?: readonly string[];
  /** How often a broken download may be restarted before a pull fails; default 3. */
  readonly pullRetries?: number;
  readonly telemetry: Telemetry;
}

/** A Docker engine as the container runtime of one node. */
export function openDockerRuntime(init: DockerRuntimeInit): ContainerRuntime {
  const { scope, telemetry, given = [], inherited = [], pullRetries = 3 } = init;
  const engine = openEngine({ socketPath: init.socketPath, telemetry });
  const open = (namespace: NamespaceName): RuntimeNamespace => {
    const images = createDockerImages({ engine, scope, namespace, given, pullRetries });
    return {
      name: namespace,
      images,
      containers: createDockerContainers({ engine, scope, namespace, images, node: init.node, inherited }),
      watchEvents: (signal) => watchDockerEvents({ engine, scope, namespace, images }, signal),
    };
  };
  return {
    name: 'docker',
    version: (options) =>
      engine.call('version', 'cannot ask for the version', options, async (docker) => {
        const { Version, Os, Arch } = await docker.version();
        return { version: Version, platform: `${Os}/${Arch}` };
      }),
    namespace: open,
    // No connection stays open, so there is nothing to close.
    [Symbol.asyncDispose]: async () => {},
  };
}

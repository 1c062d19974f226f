import type { Telemetry } from '@nodewright/telemetry';
import type { ContainerRuntime, Labels, NamespaceName, RuntimeNamespace } from '../container-runtime.ts';
import { createDockerContainers } from './docker-containers.ts';
import { watchDockerEvents } from './docker-events.ts';
import { createDockerImages } from './docker-images.ts';
import { openEngine } from './open-engine.ts';
import type { Scope } from './ownership.ts';

export interface DockerRuntimeInit {
  /** Of the engine. Whoever may write to it is root on the engine's host. */
  readonly socketPath: string;
  readonly scope: Scope;
  /** Labels by which the node's own container is found; leave it out when the node is the engine's host. */
  readonly node?: Labels;
  /** Names of labels of that container that everything beside it carries too, for whoever removes the cluster. */
  readonly inherited?: readonly string[];
  /** References that are in the engine already and need no registry. */
  readonly given?: readonly string[];
  /** How often a download that broke may begin again before a pull fails; default 3. */
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
    // No connection is kept: there is nothing to let go of.
    [Symbol.asyncDispose]: async () => {},
  };
}

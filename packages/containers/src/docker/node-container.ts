// A node of the compose stack is a container itself. The containers that it starts share its network and its
// files. The mounts of the node's own container show where the engine finds those files.
import { Fault } from '@nodewright/fault';
import type { CallOptions, Labels } from '../container-runtime.ts';
import type { Engine } from './open-engine.ts';

export interface NodeContainer {
  /** The engine's id. */
  readonly id: string;
  readonly labels: Labels;
  readonly mounts: readonly NodeMount[];
}

/** A mount of the node's container: the engine finds the files of `target` at `source`. */
export interface NodeMount {
  readonly source: string;
  readonly target: string;
}

/**
 * Finds the running container with all of the labels. `failed-precondition` when there is none, or several.
 */
export async function findNodeContainer(
  engine: Engine,
  labels: Labels,
  options?: CallOptions,
): Promise<NodeContainer> {
  const what = "cannot find the node's own container";
  const label = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const found = await engine.call('containers.list', what, options, (docker, abortSignal) =>
    docker.listContainers({ filters: { label }, abortSignal }),
  );
  const [own, ...more] = found;
  if (own === undefined || more.length > 0)
    throw new Fault(
      'failed-precondition',
      `${what}: ${found.length} containers run with ${label.join(', ')}`,
    );
  // A mount without a source is in memory and cannot be shared with another container.
  const mounts = own.Mounts.filter(({ Source }) => Source !== '').map(({ Source, Destination }) => ({
    source: Source,
    target: Destination,
  }));
  return { id: own.Id, labels: own.Labels, mounts };
}

/** Where the engine finds `path` of the node; undefined when it exists in the node's container only. */
export function enginePathOf(path: string, mounts: readonly NodeMount[]): string | undefined {
  const holds = ({ target }: NodeMount) =>
    path === target || path.startsWith(`${target.replace(/\/$/, '')}/`);
  const deepest = [...mounts].filter(holds).sort((a, b) => b.target.length - a.target.length)[0];
  if (deepest === undefined) return undefined;
  return deepest.source + path.slice(deepest.target.replace(/\/$/, '').length);
}

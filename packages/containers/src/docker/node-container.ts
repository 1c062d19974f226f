// A node of the compose stack is a container itself. What it starts beside it shares its network, and its files as the node
// sees them: those are found by the mounts of the node's own container.
import { Fault } from '@nodewright/fault';
import type { CallOptions, Labels } from '../container-runtime.ts';
import type { Engine } from './open-engine.ts';

export interface NodeContainer {
  /** The engine's id. */
  readonly id: string;
  readonly labels: Labels;
  readonly mounts: readonly NodeMount[];
}

/** A mount of the node's container: what lies at `target` there lies at `source` for the engine. */
export interface NodeMount {
  readonly source: string;
  readonly target: string;
}

/** Finds the running container that carries all of the labels. `failed-precondition` when there is none, or several. */
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
    throw new Fault('failed-precondition', `${what}: ${found.length} run with ${label.join(', ')}`);
  // Of a mount without a source, in memory, nothing can be shown to another container.
  const mounts = own.Mounts.filter(({ Source }) => Source !== '').map(({ Source, Destination }) => ({
    source: Source,
    target: Destination,
  }));
  return { id: own.Id, labels: own.Labels, mounts };
}

/** Where the engine finds what the node sees at `path`; undefined when it is in the node's container only. */
export function enginePathOf(path: string, mounts: readonly NodeMount[]): string | undefined {
  const holds = ({ target }: NodeMount) =>
    path === target || path.startsWith(`${target.replace(/\/$/, '')}/`);
  const deepest = [...mounts].filter(holds).sort((a, b) => b.target.length - a.target.length)[0];
  if (deepest === undefined) return undefined;
  return deepest.source + path.slice(deepest.target.replace(/\/$/, '').length);
}

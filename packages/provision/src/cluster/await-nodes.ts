import { parseTalosconfig } from '@nodewright/client/talosconfig';
import { ports } from '@nodewright/contract';
import type { ClusterState } from '../domain/cluster-state.ts';
import { planWait } from '../domain/plan-wait.ts';
import type { NodeLauncher } from './cluster-kind.ts';
import { awaitAnswers, type Creation } from './creation.ts';

export interface NodesWait {
  readonly creation: Creation;
  readonly launcher: NodeLauncher;
  readonly state: ClusterState;
  readonly talosconfig: string;
  readonly isAwaited: (name: string) => boolean;
}

/** Waits until every awaited node answers. Resolves to the commits from which their programs were built. */
export async function awaitNodes(wait: NodesWait): Promise<readonly string[]> {
  const { creation, launcher, state, talosconfig, isAwaited } = wait;
  const { wiped, awaited } = planWait({
    ...{ nodes: state.nodes, endpoints: endpointsOf(talosconfig), isAwaited },
    isWiped: (name) => launcher.isWiped(name),
  });
  if (wiped.length > 0) {
    const names = wiped.map(({ name, address }) => `${name} (${address})`).join(', ');
    creation.progress.note(
      `not waiting for nodes that were reset and need a machine configuration: ${names}`,
    );
  }
  if (awaited.length === 0) return [];
  return awaitAnswers(creation, talosconfig, {
    nodes: awaited.map(({ node, endpoint, isDirect }) => ({
      ...{ name: node.name, address: node.address, endpoint, isDirect },
      listener: launcher.reaches(node, endpoint) ? { host: node.address, port: ports.apid } : undefined,
      log: launcher.logOf(node.name),
    })),
    watch: (signal) => launcher.watchForHopeless(state, signal),
  });
}

/**
 * Returns the endpoints in the current context of a talosconfig: those of the control planes, in their order.
 */
export function endpointsOf(talosconfig: string): readonly string[] {
  const config = parseTalosconfig(talosconfig);
  return config.contexts.get(config.context)?.endpoints ?? [];
}

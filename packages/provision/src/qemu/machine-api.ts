import type { ClusterState } from '../domain/cluster-state.ts';

/** `host:port` of the machine's API on this host. */
export function apiOf({ machine }: Pick<ClusterState, 'machine'>): string {
  return `127.0.0.1:${machine?.apiPort ?? 0}`;
}

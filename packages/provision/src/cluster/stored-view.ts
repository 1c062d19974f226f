import { type ClusterState, networkFacts } from '../domain/cluster-state.ts';
import type { ClusterView } from '../domain/provisioner.ts';
import type { ClusterFolder } from './cluster-folder.ts';

/**
 * Returns what the cluster's folder says about it, for any kind of cluster. `stateWhenWhole` is the reported
 * state unless the creation was interrupted.
 */
export function storedView(
  folder: ClusterFolder,
  state: ClusterState,
  supervisorPid: number | undefined,
  stateWhenWhole: ClusterView['state'],
): Omit<ClusterView, 'nodes'> {
  const { provisioner, name, phase, network, kubernetesEndpoint = '', talosconfig } = state;
  return {
    provisioner,
    name,
    folder: folder.path,
    state: phase === 'creating' ? 'incomplete' : stateWhenWhole,
    ...(supervisorPid !== undefined && { supervisor: { pid: supervisorPid, log: folder.supervisorLog } }),
    network: { cidr: network?.cidr ?? '', gateway: network?.gateway ?? '', ...networkFacts(state) },
    kubernetesEndpoint,
    ...(talosconfig !== undefined && { talosconfig }),
  };
}

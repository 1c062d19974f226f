import { type ClusterState, networkFacts } from '../domain/cluster-state.ts';
import type { ClusterView } from '../provisioner.ts';
import type { ClusterFolder } from './cluster-folder.ts';

/** What a cluster's folder tells of it, whatever its nodes are; `stateWhenWhole` if its creation came to its end. */
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

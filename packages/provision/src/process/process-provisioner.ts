import type { ClusterKind } from '../cluster/cluster-kind.ts';
import { createClusterProvisioner } from '../cluster/cluster-provisioner.ts';
import { checkShape } from '../domain/cluster-shape.ts';
import type { Provisioner } from '../domain/provisioner.ts';
import { maxNodes, parseSubnet } from '../domain/subnet.ts';
import { checkKubernetes } from './check-kubernetes.ts';
import { openProcessHost } from './process-host.ts';
import { openProcessLauncher } from './process-launcher.ts';
import type { ProcessParts } from './process-parts.ts';

/**
 * Creates the provisioner of clusters whose nodes are processes of this machine, each with its own loopback
 * address. `parts` is called only by actions that start nodes; the others do not need the nodes' programs.
 */
export function createProcessProvisioner(parts: () => ProcessParts): Provisioner {
  return createClusterProvisioner(processes, parts);
}

const processes: ClusterKind<ProcessParts> = {
  provisioner: 'process',
  async checkRequest({ shape, cidr, kubernetes = false }, { programs }) {
    checkShape(shape, { kind: 'process', most: maxNodes });
    if (kubernetes) await checkKubernetes(shape, programs);
    if (cidr !== undefined) parseSubnet(cidr);
  },
  openHost: (folder) => openProcessHost(folder),
  openLauncher: openProcessLauncher,
};

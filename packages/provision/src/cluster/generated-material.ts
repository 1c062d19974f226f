import { Fault, faultFrom } from '@nodewright/fault';
import {
  adminCertificateHours,
  adminRoles,
  type ConfigPatch,
  encodeSecrets,
  encodeTalosconfig,
  generateConfig,
  generateSecrets,
  parsePatch,
} from '@nodewright/machine-config';
import { issueCertificate } from '@nodewright/pki';
import { clusterPorts } from '../domain/cluster-ports.ts';
import type { PlannedNode } from '../domain/cluster-shape.ts';
import { gatewayAddress, type Subnet } from '../domain/subnet.ts';
import type { ConfigPatches, PatchText } from '../provisioner.ts';
import type { ClusterMaterial, NodeConfigRequest } from './cluster-material.ts';

/** Throws a Fault `invalid-argument` that names the first patch that cannot be read. */
export function checkPatches({ all, controlPlanes, workers }: ConfigPatches): void {
  readPatches([...all, ...controlPlanes, ...workers]);
}

/** Fresh secrets of a cluster whose nodes are processes, and their configurations. */
export async function generateClusterMaterial(now: () => Date): Promise<ClusterMaterial> {
  const secrets = await generateSecrets({ now: now() });
  const { os } = secrets.certs;
  return {
    secrets: encodeSecrets(secrets),
    nodeConfig({ clusterName, node, endpoint, subnet, patches }: NodeConfigRequest) {
      const ofType = node.type === 'controlplane' ? patches.controlPlanes : patches.workers;
      return generateConfig({
        secrets,
        clusterName,
        endpoint,
        type: node.type,
        // There is no disk to install to, and nobody outside this machine who could know the nodes.
        options: { installDisk: '', clusterDiscovery: false },
        // The user's come last: they may change anything.
        patches: [...nodePatches(node, subnet), ...readPatches([...patches.all, ...ofType])],
      });
    },
    async talosconfig(clusterName, endpoints) {
      const { certificate, key } = await issueCertificate({
        issuer: os,
        subject: { organizations: [...adminRoles] },
        keyUsage: ['digitalSignature'],
        extendedKeyUsage: ['clientAuth'],
        notBefore: now(),
        lifetimeHours: adminCertificateHours,
      });
      return encodeTalosconfig({ clusterName, endpoints, ca: os.certificate, certificate, key });
    },
  };
}

/** What makes the node this one: its name, and the cluster's own time server. */
function nodePatches(node: PlannedNode, subnet: Subnet): ConfigPatch[] {
  const documents = [
    { apiVersion: 'v1alpha1', kind: 'HostnameConfig', auto: 'off', hostname: node.name },
    {
      apiVersion: 'v1alpha1',
      kind: 'TimeSyncConfig',
      ntp: { servers: [`${gatewayAddress(subnet)}:${clusterPorts.time}`] },
    },
  ];
  return documents.map((document) => parsePatch(JSON.stringify(document)));
}

function readPatches(patches: readonly PatchText[]): ConfigPatch[] {
  return patches.map(({ source, text }) => {
    try {
      return parsePatch(text);
    } catch (error) {
      const fault = faultFrom(error);
      throw new Fault(fault.kind, `config patch ${source}: ${fault.message}`, { cause: error });
    }
  });
}

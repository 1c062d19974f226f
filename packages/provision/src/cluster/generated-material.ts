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
import type { ConfigPatches, PatchText } from '../provisioner.ts';
import type { ClusterMaterial, NodeConfigRequest } from './cluster-material.ts';

/** Throws a Fault `invalid-argument` that names the first patch that cannot be read. */
export function checkPatches({ all, controlPlanes, workers }: ConfigPatches): void {
  readPatches([...all, ...controlPlanes, ...workers]);
}

/** Fresh secrets of a cluster, and the configurations of its nodes. */
export async function generateClusterMaterial(now: () => Date): Promise<ClusterMaterial> {
  const secrets = await generateSecrets({ now: now() });
  const { os } = secrets.certs;
  return {
    secrets: encodeSecrets(secrets),
    nodeConfig(request: NodeConfigRequest) {
      const { clusterName, node, endpoint, patches } = request;
      const ofType = node.type === 'controlplane' ? patches.controlPlanes : patches.workers;
      return generateConfig({
        secrets,
        clusterName,
        endpoint,
        type: node.type,
        // There is no disk to install to, nobody outside this machine who could know the nodes, and no Kubernetes yet.
        options: { installDisk: '', clusterDiscovery: false, withoutKubernetes: true },
        // The user's come last: they may change anything.
        patches: [...nodePatches(request), ...readPatches([...patches.all, ...ofType])],
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

/** What makes the node this one: its name, the cluster's own time server, and how it is reached. */
function nodePatches({ node, timeServer, certSans }: NodeConfigRequest): ConfigPatch[] {
  const documents = [
    { apiVersion: 'v1alpha1', kind: 'HostnameConfig', auto: 'off', hostname: node.name },
    {
      apiVersion: 'v1alpha1',
      kind: 'TimeSyncConfig',
      ntp: { servers: [timeServer] },
    },
    ...(certSans.length === 0 ? [] : [{ machine: { certSANs: certSans } }]),
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

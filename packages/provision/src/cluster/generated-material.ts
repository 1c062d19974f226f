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
import type { ConfigPatches, PatchText } from '../domain/provisioner.ts';
import type { ClusterMaterial, NodeConfigRequest } from './cluster-material.ts';

/** Throws a Fault `invalid-argument` that names the first invalid patch. */
export function checkPatches({ all, controlPlanes, workers }: ConfigPatches): void {
  readPatches([...all, ...controlPlanes, ...workers]);
}

/** Generates new secrets for a cluster, from which the configurations of its nodes are generated. */
export async function generateClusterMaterial(now: () => Date): Promise<ClusterMaterial> {
  const secrets = await generateSecrets({ now: now() });
  const { os } = secrets.certs;
  return {
    secrets: encodeSecrets(secrets),
    nodeConfig(request: NodeConfigRequest) {
      const { clusterName, node, endpoint, patches, kubernetesVersion, kubernetesPort, runsUserPods } =
        request;
      const ofType = node.type === 'controlplane' ? patches.controlPlanes : patches.workers;
      return generateConfig({
        secrets,
        clusterName,
        endpoint,
        type: node.type,
        // These nodes have no install disk, and need no discovery service on a single machine.
        options: {
          ...{ installDisk: '', clusterDiscovery: false },
          ...(kubernetesVersion === undefined ? { withoutKubernetes: true } : { kubernetesVersion }),
          ...(kubernetesPort !== undefined && { localAPIServerPort: kubernetesPort }),
          ...(runsUserPods && kubernetesVersion !== undefined && { allowSchedulingOnControlPlanes: true }),
        },
        // The user's patches come last, so that they can override everything.
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

/** Patches with the node's own values: its name, the cluster's time server, and its further addresses. */
function nodePatches({ node, timeServer, certSans }: NodeConfigRequest): ConfigPatch[] {
  const documents = [
    { apiVersion: 'v1alpha1', kind: 'HostnameConfig', auto: 'off', hostname: node.name },
    {
      apiVersion: 'v1alpha1',
      kind: 'TimeSyncConfig',
      ...(timeServer === undefined ? { enabled: false } : { ntp: { servers: [timeServer] } }),
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

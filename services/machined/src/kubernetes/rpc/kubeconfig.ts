import { X509Certificate } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { ConfigReader, kubernetesIdentity } from '@nodewright/machine-config';
import { annotateRequest } from '@nodewright/rpc';
import { pointerTo, type State } from '@nodewright/state';
import { machineConfigs } from '@nodewright/state/kinds';
import { activeConfigId, decodedOnce } from '../../base/controllers/configuration-of.ts';
import {
  maxTarHeaderBytes,
  tarBlockBytes,
  tarPadding,
  writeTarHeader,
} from '../../files/domain/tar-header.ts';
import { issueLocally } from '../../secrets/controllers/issue-locally.ts';
import { planAdminKubeconfig } from '../domain/admin-kubeconfig.ts';
import { kubeconfigText } from '../domain/kubeconfig.ts';
import { adminCertificate } from '../domain/kubernetes-certificates.ts';

/**
 * Implements Kubeconfig: issues a kubeconfig for an administrator, as an archive in one message. The log of the request says
 * which certificate was issued. Source: Talos v1.14: Kubeconfig.
 */
export function createKubeconfig(
  state: State,
  now: () => number,
): Pick<MachineServiceImplementation, 'kubeconfig'> {
  return {
    async *kubeconfig(_request, context) {
      const active = pointerTo(machineConfigs, activeConfigId);
      const resource = (await state.list(active)).find(({ metadata }) => metadata.id === activeConfigId);
      const configuration = resource && decodedOnce(resource);
      const identity = configuration && kubernetesIdentity(new ConfigReader(configuration.documents));
      const plan = planAdminKubeconfig(configuration?.effective, identity);
      const certificate = adminCertificate(plan.lifetimeMs);
      const nowMs = now();
      const { crt, key } = await issueLocally(plan.issuer, certificate, nowMs);
      annotateRequest(context, {
        issued: {
          commonName: certificate.commonName,
          organizations: certificate.organizations,
          lifetimeHours: certificate.lifetimeHours,
          fingerprint: new X509Certificate(crt).fingerprint256,
        },
      });
      const text = kubeconfigText({ ...plan.kubeconfig, certificate: crt, key });
      yield { bytes: gzipSync(archiveOf('kubeconfig', Buffer.from(text), nowMs)) };
    },
  };
}

const privateMode = 0o600;

/** A tar archive with one file. */
function archiveOf(name: string, content: Buffer, nowMs: number): Buffer {
  const header = Buffer.alloc(maxTarHeaderBytes);
  const headerBytes = writeTarHeader(
    {
      ...{ kind: 'file', name, mode: privateMode, uid: 0, gid: 0 },
      size: content.length,
      modifiedSeconds: Math.floor(nowMs / 1000),
    },
    header,
  );
  const end = Buffer.alloc(tarPadding(content.length) + 2 * tarBlockBytes);
  return Buffer.concat([header.subarray(0, headerBytes), content, end]);
}

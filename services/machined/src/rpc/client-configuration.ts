import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { Fault } from '@nodewright/fault';
import { encodeTalosconfig, type NodeConfig } from '@nodewright/machine-config';
import { issueCertificate } from '@nodewright/pki';
import { planClientConfiguration } from '../domain/client-configuration.ts';

/** GenerateClientConfiguration: another client's way into the cluster, issued by the CA in this node's configuration. */
export function createClientConfiguration(
  { ca, clusterName }: Pick<NodeConfig, 'ca' | 'clusterName'>,
  now: () => number,
): Pick<MachineServiceImplementation, 'generateClientConfiguration'> {
  return {
    async generateClientConfiguration({ roles, crtTtl }) {
      const nowMs = now();
      const plan = planClientConfiguration({ roles, ttl: crtTtl }, clusterName, nowMs);
      const { organizations, lifetimeHours, contextName } = plan;
      if (ca.key === undefined) {
        throw new Fault('failed-precondition', 'this node holds no key of the CA, so it cannot issue');
      }
      const { certificate, key } = await issueCertificate({
        issuer: { certificate: ca.certificate, key: ca.key },
        subject: { organizations },
        keyUsage: ['digitalSignature'],
        extendedKeyUsage: ['clientAuth'],
        notBefore: new Date(nowMs),
        lifetimeHours,
      });
      const talosconfig = encodeTalosconfig({
        clusterName: contextName,
        ca: ca.certificate,
        certificate,
        key,
      });
      return {
        messages: [
          {
            ca: Buffer.from(ca.certificate),
            crt: Buffer.from(certificate),
            key: Buffer.from(key),
            talosconfig: Buffer.from(talosconfig),
          },
        ],
      };
    },
  };
}

import { X509Certificate } from 'node:crypto';
import type { MachineServiceImplementation } from '@nodewright/contract/gen/machine/machine.ts';
import { encodeTalosconfig } from '@nodewright/machine-config';
import { issueCertificate, validityFrom } from '@nodewright/pki';
import { annotateRequest } from '@nodewright/rpc';
import { issuingKeyPair } from '../../base/resources/issuing-key-pair.ts';
import type { NodeView } from '../../base/resources/node-view.ts';
import { planClientConfiguration } from '../domain/client-configuration.ts';

/** How much of a request's roles the log repeats: their number, and the characters of each. */
const [maxLoggedRoles, maxLoggedLength] = [32, 200] as const;

/**
 * Implements GenerateClientConfiguration: issues a configuration for another client from the CA of this node. The log of the request
 * says which certificate was issued.
 */
export function createClientConfiguration(
  view: Pick<NodeView, 'configuration'>,
  now: () => number,
): Pick<MachineServiceImplementation, 'generateClientConfiguration'> {
  return {
    async generateClientConfiguration({ roles, crtTtl }, context) {
      const nowMs = now();
      const clusterName = view.configuration()?.cluster.name ?? '';
      const plan = planClientConfiguration({ roles, ttl: crtTtl }, clusterName, nowMs);
      const { organizations, lifetimeHours, contextName } = plan;
      const issuer = issuingKeyPair(view);
      const { certificate, key } = await issueCertificate({
        issuer,
        subject: { organizations },
        keyUsage: ['digitalSignature'],
        extendedKeyUsage: ['clientAuth'],
        ...validityFrom(nowMs, lifetimeHours),
      });
      annotateRequest(context, {
        issued: {
          roles: organizations.slice(0, maxLoggedRoles).map((role) => role.slice(0, maxLoggedLength)),
          roleCount: organizations.length,
          lifetimeHours,
          fingerprint: new X509Certificate(certificate).fingerprint256,
        },
      });
      const talosconfig = encodeTalosconfig({
        clusterName: contextName,
        ca: issuer.certificate,
        certificate,
        key,
      });
      return {
        messages: [
          {
            ca: Buffer.from(issuer.certificate),
            crt: Buffer.from(certificate),
            key: Buffer.from(key),
            talosconfig: Buffer.from(talosconfig),
          },
        ],
      };
    },
  };
}

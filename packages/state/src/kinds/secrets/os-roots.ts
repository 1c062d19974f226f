// Apart from the roots of Kubernetes: trustd carries what it imports, and theirs bring a parser of YAML along.
import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { certificate, certificateAndKey, field, ip, list, optional, text } from '../../spec/field-types.ts';

/** The CA of a node without configuration. */
export const maintenanceRootSecrets = defineKind({
  type: 'MaintenanceRootSecrets.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'maintenance',
  isSensitive: true,
  spec: {
    ca: field(1, optional(certificateAndKey)),
  },
});
export type MaintenanceRootSecretSpec = SpecOf<typeof maintenanceRootSecrets>;

/** The CA of the machines' own API, and the token of trustd. */
export const osRootSecrets = defineKind({
  type: 'OSRootSecrets.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'os',
  isSensitive: true,
  spec: {
    /** Workers have none. */
    issuingCA: field(1, optional(certificateAndKey)),
    acceptedCAs: field(5, list(certificate)),
    certSANIPs: field(2, list(ip)),
    certSANDNSNames: field(3, list(text)),
    token: field(4, text),
  },
});
export type OsRootSecretSpec = SpecOf<typeof osRootSecrets>;

// These kinds are not in the file with the root secrets of Kubernetes, because those import a YAML parser.
// trustd would otherwise bundle that parser.
import { defineKind, type SpecOf } from '../../meta/define-kind.ts';
import { certificate, certificateAndKey, field, ip, list, optional, text } from '../../spec/field-types.ts';

/** The CA of a node in maintenance. */
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

/** The CA of the OS API, and the token for trustd. */
export const osRootSecrets = defineKind({
  type: 'OSRootSecrets.secrets.talos.dev',
  defaultNamespace: 'secrets',
  singleton: 'os',
  isSensitive: true,
  spec: {
    /** Workers have no issuing CA. */
    issuingCA: field(1, optional(certificateAndKey)),
    acceptedCAs: field(5, list(certificate)),
    certSANIPs: field(2, list(ip)),
    certSANDNSNames: field(3, list(text)),
    token: field(4, text),
  },
});
export type OsRootSecretSpec = SpecOf<typeof osRootSecrets>;

import { roles } from '@nodewright/contract';
import type { CertSanSpec } from '@nodewright/state/kinds';

/** A certificate that the node issues. */
export interface CertificateSpec {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly keyUsage: readonly ('digitalSignature' | 'keyEncipherment')[];
  readonly extendedKeyUsage: readonly ('serverAuth' | 'clientAuth')[];
  readonly lifetimeHours: number;
}

const certificateLifetimeHours = 24;

/** What apid shows to its clients. Source, of all here: Talos v1.14: certificates issued on the node. */
export function apidServerCertificate({ fqdn, dnsNames, ips }: CertSanSpec): CertificateSpec {
  return {
    commonName: fqdn,
    organizations: [],
    dnsNames,
    ipAddresses: ips,
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    lifetimeHours: certificateLifetimeHours,
  };
}

/** What apid of a control plane shows to the other nodes: it may speak for its callers. */
export function apidClientCertificate(sans: CertSanSpec): CertificateSpec {
  return {
    ...apidServerCertificate(sans),
    organizations: [roles.impersonator],
    dnsNames: [],
    ipAddresses: [],
    extendedKeyUsage: ['clientAuth'],
  };
}

/** What apid shows while there is no configuration. Nobody can check it, but by its fingerprint. */
export function maintenanceServerCertificate(sans: CertSanSpec): CertificateSpec {
  return { ...apidServerCertificate(sans), commonName: 'maintenance-service.talos.dev' };
}

export function trustdServerCertificate(sans: CertSanSpec): CertificateSpec {
  return { ...apidServerCertificate(sans), keyUsage: ['digitalSignature', 'keyEncipherment'] };
}

import { roles } from '@nodewright/contract';
import type { CertSanSpec } from '@nodewright/state/kinds';

/** The contents of a certificate that the node issues. */
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

/**
 * The certificate that apid presents to clients. The source applies to all certificates below.
 * Source: Talos v1.14: secrets.APIController, certificates issued on the node.
 */
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

/**
 * The client certificate of apid on a control plane, for calls to other nodes: it may impersonate its
 * callers.
 */
export function apidClientCertificate(sans: CertSanSpec): CertificateSpec {
  return {
    ...apidServerCertificate(sans),
    organizations: [roles.impersonator],
    dnsNames: [],
    ipAddresses: [],
    extendedKeyUsage: ['clientAuth'],
  };
}

/** The certificate of apid without a configuration. Clients can verify only its fingerprint. */
export function maintenanceServerCertificate(sans: CertSanSpec): CertificateSpec {
  return { ...apidServerCertificate(sans), commonName: 'maintenance-service.talos.dev' };
}

export function trustdServerCertificate(sans: CertSanSpec): CertificateSpec {
  return { ...apidServerCertificate(sans), keyUsage: ['digitalSignature', 'keyEncipherment'] };
}

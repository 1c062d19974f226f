// The certificates of Kubernetes as data. Source: Talos v1.14: Kubernetes PKI, certificates and kubeconfigs.
import type { CertSanSpec } from '@nodewright/state/kinds';
import type { CertificateSpec } from '../../secrets/domain/certificate-specs.ts';

/** A year. The node renews its own certificates after half of it. */
const lifetimeHours = 8760;
export const certificateLifetimeMs = lifetimeHours * 3_600_000;
/** The group whose members may do everything in Kubernetes. */
const administrators = 'system:masters';

export const apiServerCertificate = ({ dnsNames, ips }: CertSanSpec): CertificateSpec => ({
  ...client('kube-apiserver', 'kube-master'),
  dnsNames,
  ipAddresses: ips,
  extendedKeyUsage: ['serverAuth'],
});

/** For calls of the API server to kubelets. */
export const kubeletClientCertificate = client('apiserver-kubelet-client', administrators);

/** For calls of the API server to extension API servers, from the aggregator CA. */
export const frontProxyCertificate = client('front-proxy-client');

export const controllerManagerCertificate = client(
  'system:kube-controller-manager',
  'system:kube-controller-manager',
);
export const schedulerCertificate = client('system:kube-scheduler', 'system:kube-scheduler');

/** For calls of the node itself. */
export const nodeAdminCertificate = client('talos:admin', administrators);

/**
 * For an administrator.
 *
 * @param lifetimeMs 0 means a year
 */
export function adminCertificate(lifetimeMs: number): CertificateSpec {
  return {
    ...client('admin', administrators),
    lifetimeHours: (lifetimeMs || certificateLifetimeMs) / 3_600_000,
  };
}

function client(commonName: string, ...organizations: string[]): CertificateSpec {
  return {
    commonName,
    organizations,
    dnsNames: [],
    ipAddresses: [],
    keyUsage: ['digitalSignature', 'keyEncipherment'],
    extendedKeyUsage: ['clientAuth'],
    lifetimeHours,
  };
}

import type { HostnameStatusSpec, NodeAddressSpec } from '@nodewright/state/kinds';
import { fullyQualifiedName, plainAddresses } from '../../secrets/domain/cert-sans.ts';
import type { CertificateSpec } from '../../secrets/domain/certificate-specs.ts';

/** Ten years: etcd goes on when nobody renews. Source, of all here: Talos v1.14: etcd PKI. */
const lifetimeHours = 87_600;

const common = {
  organizations: [],
  keyUsage: ['digitalSignature', 'keyEncipherment'],
  lifetimeHours,
} as const;

/** The certificates of etcd on one node, and those of its clients there. */
export type EtcdCertificates = Readonly<
  Record<'etcd' | 'etcdPeer' | 'etcdAdmin' | 'etcdAPIServer', CertificateSpec>
>;

/**
 * @param addresses all that the node ever had, without those that Kubernetes made
 * @param peerSources further addresses that its connections to other members come from, which they check
 */
export function etcdCertificates(
  hostname: HostnameStatusSpec,
  addresses: NodeAddressSpec,
  peerSources: readonly string[] = [],
): EtcdCertificates {
  const names = unique([hostname.hostname, fullyQualifiedName(hostname)]);
  const own = unique(plainAddresses(addresses));
  const member = {
    ...common,
    commonName: hostname.hostname,
    extendedKeyUsage: ['serverAuth', 'clientAuth'],
  } as const;
  return {
    etcd: {
      ...member,
      dnsNames: unique([...names, 'localhost']),
      ipAddresses: unique([...own, '127.0.0.1', '::1']),
    },
    etcdPeer: { ...member, dnsNames: names, ipAddresses: unique([...own, ...peerSources]) },
    etcdAdmin: client('talos'),
    etcdAPIServer: client('kube-apiserver'),
  };
}

function client(commonName: string): CertificateSpec {
  return { ...common, commonName, dnsNames: [], ipAddresses: [], extendedKeyUsage: ['clientAuth'] };
}

const unique = (texts: readonly string[]) => [...new Set(texts)].filter((text) => text !== '').sort();

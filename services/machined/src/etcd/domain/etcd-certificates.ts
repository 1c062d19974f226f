import type { HostnameStatusSpec, NodeAddressSpec } from '@nodewright/state/kinds';
import { fullyQualifiedName, plainAddresses } from '../../secrets/domain/cert-sans.ts';
import type { CertificateSpec } from '../../secrets/domain/certificate-specs.ts';

/**
 * Ten years, so that etcd keeps running without renewal. This applies to all certificates below.
 * Source: Talos v1.14: etcd PKI.
 */
const lifetimeHours = 87_600;

const common = {
  organizations: [],
  keyUsage: ['digitalSignature', 'keyEncipherment'],
  lifetimeHours,
} as const;

/** The certificates of one node's etcd, and those of its clients on the node. */
export type EtcdCertificates = Readonly<
  Record<'etcd' | 'etcdPeer' | 'etcdAdmin' | 'etcdAPIServer', CertificateSpec>
>;

/**
 * The specs of all etcd certificates on a node.
 *
 * @param addresses all addresses that the node has had, without those of Kubernetes
 * @param peerSources further source addresses of connections to other members, which those members verify
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

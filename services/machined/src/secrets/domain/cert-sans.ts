import { sortByBytes } from '@nodewright/state';
import type {
  CertSanSpec,
  HostnameStatusSpec,
  NodeAddressSpec,
  OsRootSecretSpec,
} from '@nodewright/state/kinds';

/** The fully qualified name of the node; the plain name without a domain. */
export function fullyQualifiedName({ hostname, domainname }: HostnameStatusSpec): string {
  return domainname === '' ? hostname : `${hostname}.${domainname}`;
}

/**
 * The names and addresses by which clients connect to the node's API. `addresses` includes all that the node
 * ever had. Source: Talos v1.14: CertSANs, api.
 */
export function apiCertSans(
  root: Pick<OsRootSecretSpec, 'certSANIPs' | 'certSANDNSNames'>,
  hostname: HostnameStatusSpec,
  addresses: NodeAddressSpec,
): CertSanSpec {
  const fqdn = fullyQualifiedName(hostname);
  return {
    ips: sortedSet([...root.certSANIPs, ...plainAddresses(addresses), '127.0.0.1']),
    dnsNames: sortedSet([...root.certSANDNSNames, hostname.hostname, fqdn]),
    fqdn,
  };
}

/**
 * The names and addresses of a node without a configuration, whose hostname may be unknown.
 * Source: Talos v1.14: CertSANs, maintenance.
 */
export function maintenanceCertSans(
  hostname: HostnameStatusSpec | undefined,
  addresses: NodeAddressSpec,
): CertSanSpec {
  const fqdn = hostname === undefined ? '' : fullyQualifiedName(hostname);
  return {
    ips: sortedSet([...plainAddresses(addresses), '127.0.0.1', '::1']),
    dnsNames: sortedSet([hostname?.hostname ?? '', fqdn]),
    fqdn,
  };
}

/** The addresses without their prefix lengths. */
export function plainAddresses({ addresses }: NodeAddressSpec): string[] {
  return addresses.map((address) => address.split('/')[0] ?? '');
}

function sortedSet(values: readonly string[]): string[] {
  return sortByBytes(new Set(values.filter((value) => value !== '')));
}

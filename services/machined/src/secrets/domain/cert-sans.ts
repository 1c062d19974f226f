import { sortByBytes } from '@nodewright/state';
import type {
  CertSanSpec,
  HostnameStatusSpec,
  NodeAddressSpec,
  OsRootSecretSpec,
} from '@nodewright/state/kinds';

/** How the node is called in full: its name, and its domain where there is one. */
export function fullyQualifiedName({ hostname, domainname }: HostnameStatusSpec): string {
  return domainname === '' ? hostname : `${hostname}.${domainname}`;
}

/**
 * The names and addresses under which the node's API is dialled. `addresses` are all that the node ever had.
 * Source: Talos v1.14: CertSANs, api.
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

/** The same of a node without a configuration, whose name may not be known yet. Source: Talos v1.14: CertSANs, maintenance. */
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

/** Without their prefix lengths. */
export function plainAddresses({ addresses }: NodeAddressSpec): string[] {
  return addresses.map((address) => address.split('/')[0] ?? '');
}

function sortedSet(values: readonly string[]): string[] {
  return sortByBytes(new Set(values.filter((value) => value !== '')));
}

import { sortByBytes } from '@nodewright/state';
import type {
  CertSanSpec,
  HostnameStatusSpec,
  KubernetesRootSecretSpec,
  NodeAddressSpec,
} from '@nodewright/state/kinds';
import { isIpAddress } from '../../base/domain/is-ip-address.ts';
import { fullyQualifiedName, plainAddresses } from '../../secrets/domain/cert-sans.ts';

/**
 * The names and addresses by which clients connect to the API server. `addresses` includes all that the node ever had.
 * Source: Talos v1.14: Kubernetes PKI, serving certificate.
 */
export function kubernetesCertSans(
  root: Pick<KubernetesRootSecretSpec, 'certSANs' | 'apiServerIPs' | 'dnsDomain'>,
  hostname: HostnameStatusSpec,
  addresses: NodeAddressSpec,
): CertSanSpec {
  const fqdn = fullyQualifiedName(hostname);
  const service = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'];
  return {
    ips: sortedSet([
      ...root.apiServerIPs,
      ...root.certSANs.filter(isIpAddress),
      ...plainAddresses(addresses),
      ...['127.0.0.1', '::1'],
    ]),
    dnsNames: sortedSet([
      ...root.certSANs.filter((name) => !isIpAddress(name)),
      ...[...service, `kubernetes.default.svc.${root.dnsDomain}`],
      ...['localhost', hostname.hostname, fqdn],
    ]),
    fqdn,
  };
}

const sortedSet = (values: readonly string[]) => sortByBytes(new Set(values.filter((value) => value !== '')));

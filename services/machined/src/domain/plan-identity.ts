import { roles } from '@nodewright/contract';
import type { NodeConfig } from '@nodewright/machine-config';
import { isIpAddress } from './is-ip-address.ts';
import { isControlPlane, type NodeFacts } from './node-facts.ts';

/** A certificate that the node needs. */
export interface CertificateSpec {
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly keyUsage: readonly ('digitalSignature' | 'keyEncipherment')[];
  readonly extendedKeyUsage: readonly ('serverAuth' | 'clientAuth')[];
  readonly lifetimeHours: number;
}

/**
 * How the node gets its certificates: a control plane issues them from the CA in its configuration, a worker asks a
 * control plane for its only one.
 */
export type IdentityPlan =
  | {
      readonly kind: 'issue';
      readonly issuer: { readonly certificate: string; readonly key: string };
      readonly acceptedCAs: readonly string[];
      readonly apidServer: CertificateSpec;
      readonly apidClient: CertificateSpec;
      readonly trustdServer: CertificateSpec;
    }
  | {
      readonly kind: 'request';
      readonly acceptedCAs: readonly string[];
      readonly apidServer: CertificateSpec;
    };

const certificateLifetimeHours = 24;

/** Source: Talos v1.14: certificates issued on the node, CertSANs, OSRootSecrets. */
export function planIdentity(config: NodeConfig, node: NodeFacts): IdentityPlan {
  const names = subjectAlternativeNames(config, node);
  const server: CertificateSpec = {
    commonName: node.hostname,
    organizations: [],
    ...names,
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    lifetimeHours: certificateLifetimeHours,
  };
  const acceptedCAs = unique([...config.acceptedCAs, config.ca.certificate]);
  const { certificate, key } = config.ca;
  if (!isControlPlane(node) || key === undefined) return { kind: 'request', acceptedCAs, apidServer: server };
  return {
    kind: 'issue',
    issuer: { certificate, key },
    acceptedCAs,
    apidServer: server,
    apidClient: {
      ...server,
      organizations: [roles.impersonator],
      dnsNames: [],
      ipAddresses: [],
      extendedKeyUsage: ['clientAuth'],
    },
    trustdServer: { ...server, keyUsage: ['digitalSignature', 'keyEncipherment'] },
  };
}

/** The names and addresses under which the node's daemons are dialled, sorted and without duplicates. */
function subjectAlternativeNames(
  { certSANs }: NodeConfig,
  { hostname, addresses }: NodeFacts,
): { dnsNames: string[]; ipAddresses: string[] } {
  const given = certSANs.map((name) => name.replace(/\.$/, ''));
  return {
    dnsNames: unique([...given.filter((name) => !isIpAddress(name)), hostname]).sort(),
    ipAddresses: unique([...given.filter((name) => isIpAddress(name)), ...addresses, '127.0.0.1']).sort(),
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values.filter((value) => value !== ''))];
}

import { etcdPorts } from '@nodewright/contract';
import type {
  AffiliateSpec,
  EndpointSpec,
  EtcdRootSecretSpec,
  EtcdSecretSpec,
  MachineTypeName,
  OsRootSecretSpec,
} from '@nodewright/state/kinds';
import { canonicalAddress } from './canonical-address.ts';
import { type TrustdEndpoint, trustdEndpoints } from './trustd-endpoints.ts';

/** How a node connects to the records of its cluster. The keys and the token are secrets. */
export type LinkPlan =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'etcd';
      /** `host:port`, the node's own addresses first. */
      readonly endpoints: readonly string[];
      /** PEM. */
      readonly tls: { readonly ca: string; readonly cert: string; readonly key: string };
    }
  | {
      readonly kind: 'trustd';
      readonly endpoints: readonly TrustdEndpoint[];
      readonly token: string;
      /** PEM. */
      readonly acceptedCAs: readonly string[];
    };

export interface LinkFacts {
  readonly machineType: MachineTypeName | undefined;
  /** The affiliate that this node publishes. */
  readonly own: AffiliateSpec | undefined;
  /** The addresses of control planes, by the id of the `Endpoints` resource that lists them. */
  readonly endpoints: readonly { readonly id: string; readonly spec: EndpointSpec }[];
  readonly etcdRoot: EtcdRootSecretSpec | undefined;
  readonly etcdSecrets: EtcdSecretSpec | undefined;
  readonly osRoot: OsRootSecretSpec | undefined;
}

/**
 * The `Endpoints` resources that list nodes. The endpoint of the configuration may be a load balancer, which
 * does not forward etcd.
 */
const nodeEndpointIds: readonly string[] = ['discovery', 'seed'];

/**
 * Plans a connection to etcd for control planes, which have a certificate for it, and to trustd for workers,
 * which have the token of the cluster.
 */
export function planLink(facts: LinkFacts): LinkPlan {
  const { machineType, own } = facts;
  if (own === undefined || machineType === undefined || machineType === 'unknown') return { kind: 'none' };
  return machineType === 'worker' ? planTrustdLink(facts) : planEtcdLink(facts, own);
}

function planEtcdLink({ endpoints, etcdRoot, etcdSecrets }: LinkFacts, own: AffiliateSpec): LinkPlan {
  const { etcdAdmin } = etcdSecrets ?? {};
  const { etcdCA } = etcdRoot ?? {};
  if (etcdAdmin === undefined || etcdCA === undefined) return { kind: 'none' };
  const nodes = endpoints.filter(({ id }) => nodeEndpointIds.includes(id));
  const addresses = [...own.addresses, ...nodes.flatMap(({ spec }) => spec.addresses).sort()];
  const canonical = addresses
    .map((address) => canonicalAddress(address))
    .filter((each) => each !== undefined);
  return {
    kind: 'etcd',
    endpoints: [...new Set(canonical)].map(
      (address) => `${address.includes(':') ? `[${address}]` : address}:${etcdPorts.client}`,
    ),
    tls: { ca: etcdCA.crt, cert: etcdAdmin.crt, key: etcdAdmin.key },
  };
}

function planTrustdLink({ endpoints, osRoot }: LinkFacts): LinkPlan {
  const targets = trustdEndpoints(endpoints.map(({ spec }) => spec));
  if (osRoot === undefined || targets.length === 0) return { kind: 'none' };
  return {
    kind: 'trustd',
    endpoints: targets,
    token: osRoot.token,
    acceptedCAs: osRoot.acceptedCAs.map(({ crt }) => crt),
  };
}

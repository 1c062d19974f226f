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

/** How a node takes part in the membership of its cluster. The keys and the token are secrets. */
export type LinkPlan =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'etcd';
      /** host:port, the node's own first. */
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
  /** This node as it tells others of itself. */
  readonly own: AffiliateSpec | undefined;
  /** Where control planes are, by the ids of the resources that say so. */
  readonly endpoints: readonly { readonly id: string; readonly spec: EndpointSpec }[];
  readonly etcdRoot: EtcdRootSecretSpec | undefined;
  readonly etcdSecrets: EtcdSecretSpec | undefined;
  readonly osRoot: OsRootSecretSpec | undefined;
}

/** These name nodes; what a configuration names may be a load balancer, which knows nothing of etcd. */
const nodeEndpointIds: readonly string[] = ['discovery', 'seed'];

/** Control planes have a certificate for etcd, workers have the token of the cluster. */
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

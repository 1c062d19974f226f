// How the layers of the network configuration are merged. Source: Talos v1.14: COSI resources, network id and
// merge rules.
import {
  type HostnameSpecSpec,
  hostnameSpecs,
  type LinkSpecSpec,
  type NameServerSpec,
  type ResolverSpecSpec,
  resolverSpecs,
  type TimeServerSpecSpec,
  timeServerSpecs,
} from '@nodewright/state/kinds';

export const layers = ['default', 'cmdline', 'platform', 'operator', 'configuration'] as const;
export type Layer = (typeof layers)[number];

interface Layered {
  readonly layer: Layer;
}

/** A merged resource. */
export interface Merged<S> {
  readonly id: string;
  readonly spec: S;
}

/** Merges all specs of a kind, which come in the order of their ids. */
export type Merge<S> = (specs: readonly S[]) => Merged<S>[];

const rank = ({ layer }: Layered) => layers.indexOf(layer);

/** The lowest layer first; within a layer in their order. */
export function byLayer<S extends Layered>(specs: readonly S[]): S[] {
  return [...specs].sort((a, b) => rank(a) - rank(b));
}

/** The highest layer first; within a layer in their order. */
export function byLayerDown<S extends Layered>(specs: readonly S[]): S[] {
  return [...specs].sort((a, b) => rank(b) - rank(a));
}

/** Of the specs with one id, the whole one of the highest layer; of equals the last. */
export function mergeHighest<S extends Layered>(idOf: (spec: S) => string): Merge<S> {
  return (specs) => {
    const highest = new Map<string, S>();
    for (const spec of byLayer(specs)) highest.set(idOf(spec), spec);
    return [...highest].map(([id, spec]) => ({ id, spec }));
  };
}

/** The highest layer; of equals the first. */
export const mergeHostnames: Merge<HostnameSpecSpec> = (specs) => {
  let best: HostnameSpecSpec | undefined;
  for (const spec of specs) if (best === undefined || rank(spec) > rank(best)) best = spec;
  return best === undefined ? [] : [{ id: hostnameSpecs.singleton, spec: best }];
};

/** A higher layer replaces lower ones; within a layer servers are concatenated. */
export const mergeTimeServers: Merge<TimeServerSpecSpec> = (specs) => {
  let merged: TimeServerSpecSpec | undefined;
  for (const spec of byLayer(specs)) {
    if (merged === undefined || rank(spec) > rank(merged)) merged = spec;
    else {
      merged = {
        ...merged,
        timeServers: [...merged.timeServers, ...spec.timeServers],
        useNTS: merged.useNTS && spec.useNTS,
      };
    }
  }
  return merged === undefined ? [] : [{ id: timeServerSpecs.singleton, spec: merged }];
};

/**
 * The configuration replaces all servers when it names any; other layers replace those of the same address
 * family. Search domains are concatenated, unless a layer overrides those below it.
 */
export const mergeResolvers: Merge<ResolverSpecSpec> = (specs) => {
  let merged: ResolverSpecSpec | undefined;
  for (const spec of byLayer(specs)) merged = merged === undefined ? spec : withResolvers(merged, spec);
  return merged === undefined ? [] : [{ id: resolverSpecs.singleton, spec: merged }];
};

function withResolvers(lower: ResolverSpecSpec, spec: ResolverSpecSpec): ResolverSpecSpec {
  const nameServers = mergedServers(lower, spec);
  const overrides = spec.searchDomainsOverridden && rank(spec) > rank(lower);
  return {
    nameServers,
    dnsServers: nameServers.map(({ addr }) => addr),
    layer: spec.layer,
    searchDomains: [...new Set([...(overrides ? [] : lower.searchDomains), ...spec.searchDomains])],
    searchDomainsOverridden: lower.searchDomainsOverridden || spec.searchDomainsOverridden,
  };
}

function mergedServers(lower: ResolverSpecSpec, spec: ResolverSpecSpec): readonly NameServerSpec[] {
  if (spec.layer === lower.layer) return [...lower.nameServers, ...spec.nameServers];
  if (spec.nameServers.length === 0) return lower.nameServers;
  if (spec.layer === 'configuration') return spec.nameServers;
  const isInet6 = ({ addr }: NameServerSpec) => addr.includes(':');
  const families = new Set(spec.nameServers.map(isInet6));
  return [...spec.nameServers, ...lower.nameServers.filter((server) => !families.has(isInet6(server)))];
}

/**
 * Field by field: set fields of a higher layer win, empty ones come from the layers below. What makes a link belongs together, and comes
 * from the highest layer that makes it. Peers of WireGuard devices are joined by their public keys. On purpose unlike upstream, `up` and
 * `multicast` of the configuration win when they are false, and a peer of a higher layer replaces the one below it.
 */
export const mergeLinks: Merge<LinkSpecSpec> = (specs) => {
  const merged = new Map<string, LinkSpecSpec>();
  for (const spec of byLayer(specs)) {
    const lower = merged.get(spec.name);
    merged.set(spec.name, lower === undefined ? spec : withLink(lower, spec));
  }
  return [...merged].map(([id, spec]) => ({ id, spec }));
};

/** Layers whose links say whether they are up; those of operators only want something from the link. */
const saysUp = new Set<Layer>(['platform', 'configuration']);

function withLink(lower: LinkSpecSpec, higher: LinkSpecSpec): LinkSpecSpec {
  const merged = withFields(lower, higher) as LinkSpecSpec;
  const { logical, type, kind, parentName, vlan, bondMaster, bridgeMaster, vrfMaster, veth } =
    higher.kind === '' ? lower : higher;
  return {
    ...merged,
    ...{ logical, type, kind, parentName, vlan, bondMaster, bridgeMaster, vrfMaster, veth },
    up: saysUp.has(higher.layer) && higher.layer !== lower.layer ? higher.up : merged.up,
    multicast: higher.multicast ?? lower.multicast,
    wireguard: { ...merged.wireguard, peers: mergedPeers(lower, higher) },
  };
}

function mergedPeers(lower: LinkSpecSpec, higher: LinkSpecSpec): LinkSpecSpec['wireguard']['peers'] {
  const replaced = new Set(higher.wireguard.peers.map(({ publicKey }) => publicKey));
  const kept = lower.wireguard.peers.filter(({ publicKey }) => !replaced.has(publicKey));
  return [...kept, ...higher.wireguard.peers];
}

function withFields(lower: object, higher: object): object {
  const fields: Record<string, unknown> = { ...lower };
  for (const [key, value] of Object.entries(higher)) {
    if (isZero(value)) continue;
    const below = fields[key];
    const isMessage = (of: unknown) => typeof of === 'object' && of !== null && !Array.isArray(of);
    fields[key] = isMessage(value) && isMessage(below) ? withFields(below as object, value as object) : value;
  }
  return fields;
}

function isZero(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (typeof value === 'object' && value !== null) return Object.values(value).every(isZero);
  return value === undefined || value === '' || value === 0 || value === false;
}

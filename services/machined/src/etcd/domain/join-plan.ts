/** A member in the list of the cluster. Its name is empty until it has started for the first time. */
export interface KnownMember {
  readonly id: bigint;
  readonly name: string;
  readonly peerUrls: readonly string[];
  readonly clientUrls: readonly string[];
  readonly isLearner: boolean;
}

/** This node as a member. */
export interface OwnMember {
  readonly name: string;
  readonly peerUrls: readonly string[];
}

export type JoinStep =
  /**
   * Removes a member that this node was before it lost its data, unless a living one answers at these endpoints (`host:port`): then
   * another node has this node's name. Empty for a member with this node's own addresses.
   */
  | { readonly kind: 'remove'; readonly id: bigint; readonly unlessAt: readonly string[] }
  /** Continues with a member that an interrupted join has already added. */
  | { readonly kind: 'reuse'; readonly id: bigint }
  | { readonly kind: 'add-learner'; readonly peerUrls: readonly string[] };

/** Plans how a node without data becomes a member. Source: Talos v1.14: etcd, join. */
export function planJoin(members: readonly KnownMember[], self: OwnMember): JoinStep[] {
  // An earlier member may have had another name, but the URLs identify it as this node.
  const earlier = members.filter((member) => member.name !== '' && isOwnMember(member, self));
  const removals = earlier.map((member): JoinStep => {
    const unlessAt = isAtOwnUrls(member, self) ? [] : member.clientUrls.flatMap(endpointOf);
    return { kind: 'remove', id: member.id, unlessAt };
  });
  const waiting = memberInWaiting(members, self);
  if (waiting !== undefined) return [...removals, { kind: 'reuse', id: waiting.id }];
  return [...removals, { kind: 'add-learner', peerUrls: self.peerUrls }];
}

/** Whether a member has this node's name or peer URLs. Only a node that does not know its member id may ask this. */
export function isOwnMember(member: KnownMember, self: OwnMember): boolean {
  return member.name === self.name || isAtOwnUrls(member, self);
}

/** Whether a member has this node's peer URLs. */
export function isAtOwnUrls({ peerUrls }: KnownMember, self: OwnMember): boolean {
  return sameSet(peerUrls, self.peerUrls);
}

/** The member that was added for this node and has never started. */
export function memberInWaiting(
  members: readonly KnownMember[],
  { peerUrls }: OwnMember,
): KnownMember | undefined {
  return members.find(({ name, peerUrls: urls }) => name === '' && sameSet(urls, peerUrls));
}

/**
 * The `--initial-cluster` value for joining: `name=url` for every member. The unnamed member with this node's
 * URLs gets this node's name. etcd matches other members by URL, so their names here do not matter.
 */
export function initialClusterOf(members: readonly KnownMember[], self: OwnMember): string {
  return members
    .flatMap((member) => member.peerUrls.map((url) => `${calledIn(member, self)}=${url}`))
    .join(',');
}

function calledIn({ id, name, peerUrls }: KnownMember, self: OwnMember): string {
  if (name !== '') return name;
  return sameSet(peerUrls, self.peerUrls) ? self.name : id.toString(16);
}

/** The `--initial-cluster` value of a cluster with this member only. */
export function soleCluster({ name, peerUrls }: OwnMember): string {
  return peerUrls.map((url) => `${name}=${url}`).join(',');
}

export type PromotionStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'promote'; readonly id: bigint }
  /** The members do not list this node yet. */
  | { readonly kind: 'wait' };

/**
 * The next step until this node has a vote.
 *
 * @param id that of this node's member
 *
 * Source: Talos v1.14: etcd, promotion.
 */
export function planPromotion(members: readonly KnownMember[], id: bigint): PromotionStep {
  const own = members.find((member) => member.id === id);
  if (own === undefined) return { kind: 'wait' };
  return own.isLearner ? { kind: 'promote', id: own.id } : { kind: 'done' };
}

/**
 * The endpoints (`host:port`) that can promote this learner, best first: voting members, then other known
 * control planes. The node's own endpoints are excluded.
 */
export function promotionEndpoints(
  members: readonly KnownMember[],
  discovered: readonly string[],
  own: readonly string[],
): string[] {
  const voters = members
    .filter(({ isLearner, name }) => !isLearner && name !== '')
    .flatMap(({ clientUrls }) => clientUrls.flatMap(endpointOf));
  return [...new Set([...voters, ...discovered])].filter((endpoint) => !own.includes(endpoint));
}

/** Converts `https://10.0.0.1:2379` to `10.0.0.1:2379`. */
function endpointOf(url: string): string[] {
  const { host = '' } = URL.parse(url) ?? {};
  return host === '' ? [] : [host];
}

/** Whether the peer URLs of a member differ from those that this node advertises. */
export function needsPeerUpdate(
  { peerUrls }: Pick<KnownMember, 'peerUrls'>,
  wanted: readonly string[],
): boolean {
  return wanted.length > 0 && !sameSet(peerUrls, wanted);
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && new Set(a).size === new Set(b).size && a.every((text) => b.includes(text));
}

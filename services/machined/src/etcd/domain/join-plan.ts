/** A member as the others know it. Without a name it has been added and has never started. */
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
  /** What this node was in an earlier life, whose data is gone. */
  | { readonly kind: 'remove'; readonly id: bigint }
  /** It was added before, and something came between: it is taken as it is. */
  | { readonly kind: 'reuse'; readonly id: bigint }
  | { readonly kind: 'add-learner'; readonly peerUrls: readonly string[] };

/** How a node without data becomes a member. Source: Talos v1.14: etcd, join. */
export function planJoin(members: readonly KnownMember[], self: OwnMember): JoinStep[] {
  // It may have had another name; the URLs are its own, whoever used them.
  const earlier = members.filter(
    ({ name, peerUrls }) => name !== '' && (name === self.name || sameSet(peerUrls, self.peerUrls)),
  );
  const removals = earlier.map(({ id }): JoinStep => ({ kind: 'remove', id }));
  const waiting = memberInWaiting(members, self);
  if (waiting !== undefined) return [...removals, { kind: 'reuse', id: waiting.id }];
  return [...removals, { kind: 'add-learner', peerUrls: self.peerUrls }];
}

/** The member without a name that was added for this node and has never started. */
export function memberInWaiting(
  members: readonly KnownMember[],
  { peerUrls }: OwnMember,
): KnownMember | undefined {
  return members.find(({ name, peerUrls: urls }) => name === '' && sameSet(urls, peerUrls));
}

/**
 * What etcd is told of the cluster that it enters: `name=url` for every member. The one without a name that has this
 * node's URLs is this node; etcd knows any other by its URLs alone, whatever it is called here.
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

/** The same for a cluster that has no other member. */
export function soleCluster({ name, peerUrls }: OwnMember): string {
  return peerUrls.map((url) => `${name}=${url}`).join(',');
}

export type PromotionStep =
  | { readonly kind: 'done' }
  | { readonly kind: 'promote'; readonly id: bigint }
  /** Nobody knows it yet. */
  | { readonly kind: 'wait' };

/** What is left to do until this node has a vote. Source: Talos v1.14: etcd, promotion. */
export function planPromotion(members: readonly KnownMember[], self: OwnMember): PromotionStep {
  const own = members.find(({ name, peerUrls }) => name === self.name || sameSet(peerUrls, self.peerUrls));
  if (own === undefined) return { kind: 'wait' };
  return own.isLearner ? { kind: 'promote', id: own.id } : { kind: 'done' };
}

/**
 * Whom a learner asks to promote it, `host:port`, best first: the members that have a vote, then control planes that are
 * known otherwise. It does not ask itself.
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

/** Of `https://10.0.0.1:2379`: `10.0.0.1:2379`. */
function endpointOf(url: string): string[] {
  const { host = '' } = URL.parse(url) ?? {};
  return host === '' ? [] : [host];
}

/** Whether a member's peer URLs are to be changed to what this node advertises now. */
export function needsPeerUpdate(
  { peerUrls }: Pick<KnownMember, 'peerUrls'>,
  wanted: readonly string[],
): boolean {
  return wanted.length > 0 && !sameSet(peerUrls, wanted);
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length > 0 && new Set(a).size === new Set(b).size && a.every((text) => b.includes(text));
}

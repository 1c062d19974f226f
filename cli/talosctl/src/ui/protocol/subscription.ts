/** One piece of data that the page wants. Both sides derive the same key from it. */
export type PageSubscription =
  /** Samples and facts of a node, and what is mounted on it. */
  | { readonly kind: 'node'; readonly node: string }
  | { readonly kind: 'sockets'; readonly node: string }
  | { readonly kind: 'log'; readonly node: string; readonly log: string }
  | { readonly kind: 'events'; readonly node: string }
  | { readonly kind: 'kinds'; readonly node: string }
  | { readonly kind: 'resources'; readonly node: string; readonly type: string }
  | { readonly kind: 'graph'; readonly node: string }
  /** Failures of controllers. */
  | { readonly kind: 'failures'; readonly node: string }
  | { readonly kind: 'configuration'; readonly node: string }
  /** What Kubernetes knows of a node, and the static pods of the node. */
  | { readonly kind: 'kubernetes'; readonly node: string }
  /** The containers of a node. */
  | { readonly kind: 'containers'; readonly node: string };

export function keyOf(subscription: PageSubscription): string {
  const { kind, node } = subscription;
  if (kind === 'log') return `log ${node} ${subscription.log}`;
  if (kind === 'resources') return `resources ${node} ${subscription.type}`;
  return `${kind} ${node}`;
}

const plainKinds = [
  ...(['node', 'sockets', 'events', 'kinds', 'graph', 'failures', 'configuration'] as const),
  ...(['kubernetes', 'containers'] as const),
] as const;
const longestName = 253;

/**
 * Reads what a page sent.
 *
 * @returns the subscriptions without repetitions, or why they are refused
 */
export function readSubscriptions(
  value: unknown,
  nodes: ReadonlySet<string>,
  most: number,
): readonly PageSubscription[] | string {
  if (!Array.isArray(value)) return 'the body is not a list of subscriptions';
  if (value.length > most) return `more than ${most} subscriptions`;
  const found = new Map<string, PageSubscription>();
  for (const item of value) {
    const subscription = readSubscription(item, nodes);
    if (typeof subscription === 'string') return subscription;
    found.set(keyOf(subscription), subscription);
  }
  return [...found.values()];
}

function readSubscription(item: unknown, nodes: ReadonlySet<string>): PageSubscription | string {
  if (typeof item !== 'object' || item === null) return 'a subscription is not an object';
  const { kind, node, log, type } = item as Readonly<Record<string, unknown>>;
  if (typeof node !== 'string' || !nodes.has(node)) return 'a subscription names none of the nodes';
  if (kind === 'log' && isName(log)) return { kind, node, log };
  if (kind === 'resources' && isName(type)) return { kind, node, type };
  const plain = plainKinds.find((known) => known === kind);
  return plain === undefined ? 'a subscription is of no known kind' : { kind: plain, node };
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= longestName;

import type { World } from './world.ts';

/** What this node was given when it was created. Its configuration may set another host name. */
export interface NodeFacts {
  readonly world: World;
  /** Empty when none was given. */
  readonly hostname: string;
  /** IP addresses, the preferred one first. */
  readonly addresses: readonly string[];
}

/**
 * `host:port` of a listener: on all addresses if the node owns them, else only on the preferred address of
 * the node.
 */
export function listenAddressOf(
  { world, addresses }: Pick<NodeFacts, 'world' | 'addresses'>,
  port: number,
): string {
  if (world.ownsAddresses) return `:${port}`;
  const [address = ''] = addresses;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

import type { World } from './world.ts';

/** What this node was given when it was created. Its configuration may call it otherwise. */
export interface NodeFacts {
  readonly world: World;
  /** Empty: none was given. */
  readonly hostname: string;
  /** IP addresses, the preferred one first. */
  readonly addresses: readonly string[];
}

/** `host:port` of a listener: on the preferred address where others belong to other nodes, else on every one. */
export function listenAddressOf(
  { world, addresses }: Pick<NodeFacts, 'world' | 'addresses'>,
  port: number,
): string {
  if (world.ownsAddresses) return `:${port}`;
  const [address = ''] = addresses;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

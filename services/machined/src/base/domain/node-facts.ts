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
  return world.ownsAddresses ? `:${port}` : ownAddress(addresses, port);
}

/** `host:port` of a listener for programs of the node only. Nodes that share a loopback device have each their own address. */
export function localAddressOf(
  { world, addresses }: Pick<NodeFacts, 'world' | 'addresses'>,
  port: number,
): string {
  return world.ownsAddresses ? `127.0.0.1:${port}` : ownAddress(addresses, port);
}

function ownAddress(addresses: readonly string[], port: number): string {
  const [address = ''] = addresses;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

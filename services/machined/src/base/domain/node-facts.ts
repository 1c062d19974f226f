/** What surrounds the daemons: child processes of a host, a container, or a machine of their own. */
export type NodeMode = 'process' | 'container' | 'metal';

/** Who runs apid and trustd: machined itself, or whoever runs machined, beside it. */
export type ServiceSource = 'child' | 'external';

/** What this node was given when it was created. Its configuration may call it otherwise. */
export interface NodeFacts {
  readonly mode: NodeMode;
  /** Default: machined runs them. */
  readonly source?: ServiceSource;
  /** Empty: none was given. */
  readonly hostname: string;
  /** IP addresses, the preferred one first. */
  readonly addresses: readonly string[];
}

/** What the Version call says of the platform. */
export interface Platform {
  readonly name: string;
  readonly mode: 'metal' | 'container';
}

/**
 * A node of processes, and one of several containers, is a machine as far as its users can tell: it can be rebooted. One
 * that is a single container belongs to whoever runs that.
 */
export function platformOf(mode: NodeMode, source: ServiceSource = 'child'): Platform {
  const name = mode === 'container' && source === 'child' ? 'container' : 'metal';
  return { name, mode: name };
}

/** `host:port` of a listener. In process mode the host's other addresses belong to other nodes; else all are ours. */
export function listenAddressOf(
  { mode, addresses }: Pick<NodeFacts, 'mode' | 'addresses'>,
  port: number,
): string {
  if (mode !== 'process') return `:${port}`;
  const [address = ''] = addresses;
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;
}

/** What surrounds the daemons: child processes of a host, a container, or a machine of their own. */
export type NodeMode = 'process' | 'container' | 'metal';

/** Who runs apid and trustd: machined itself, or whoever runs machined, beside it. */
export type ServiceSource = 'child' | 'external';

/** What this node was given when it was created. Its configuration may call it otherwise. */
export interface NodeFacts {
  readonly mode: NodeMode;
  /** Empty: none was given. */
  readonly hostname: string;
  /** IP addresses, the preferred one first. */
  readonly addresses: readonly string[];
}

/** What the Version call says of the platform. A node of processes is a machine as far as its users can tell. */
export function platformOf(mode: NodeMode): { name: string; mode: 'metal' | 'container' } {
  const name = mode === 'container' ? 'container' : 'metal';
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

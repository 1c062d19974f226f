import type { Fault, FaultKind } from '@nodewright/fault';

interface Advice {
  readonly kinds: readonly FaultKind[];
  readonly pattern: RegExp;
  readonly text: string;
}

/** Where a user sees what works, and what does not yet. */
const implementedTable = 'the table in README.md says what is implemented';

/** What to do about common failures, by their text. The first match counts. */
const table: readonly Advice[] = [
  {
    kinds: ['unavailable', 'deadline-exceeded'],
    pattern: /no member of this cluster|does not resolve|produced zero addresses/,
    text: '"talosctl get members" lists the nodes of the cluster',
  },
  {
    kinds: ['unavailable', 'deadline-exceeded'],
    pattern: /^endpoint \S+: (?:connection refused|no such host|.*timed out)/,
    text: '"talosctl config info" shows the endpoints in use, "talosctl cluster show" a cluster on this machine',
  },
  {
    kinds: ['permission-denied'],
    pattern: /^not authorized/,
    text: '"talosctl config info" shows the roles of the certificate and when it ends',
  },
  {
    kinds: ['unauthenticated'],
    pattern: /(?:)/,
    text: '"talosctl config info" shows the certificate in use, and when it ends',
  },
  {
    kinds: ['already-exists'],
    pattern: /^etcd data directory is not empty/,
    text: 'the cluster is bootstrapped already: "talosctl etcd members" lists its members',
  },
  {
    kinds: ['not-found'],
    pattern: /\bmember not found\b/,
    text: '"talosctl etcd members" lists the members with their ids',
  },
  {
    kinds: ['unimplemented'],
    pattern: /^method \S+ is not implemented\b/,
    text: implementedTable,
  },
  {
    kinds: ['not-found', 'unknown'],
    pattern: /^log ".*" was not registered$|^service ".*" is not registered/,
    text: '"talosctl service" lists the services',
  },
];

/** Whether no endpoint could be reached, as those of a cluster that is stopped. */
export function isUnreachable({ kind, message }: Fault): boolean {
  const [, unreachable] = table as [Advice, Advice];
  return unreachable.kinds.includes(kind) && unreachable.pattern.test(message);
}

/** Whether the roles of the caller were the reason. Source: Talos v1.14: authorization of methods. */
export const isForbidden = ({ kind, message }: Fault): boolean =>
  kind === 'permission-denied' && message.startsWith('not authorized');

/** Whether a failure says that the cluster has no node of that name. */
export function isUnknownNode({ kind, message }: Fault): boolean {
  const [unknownNode] = table as [Advice];
  return unknownNode.kinds.includes(kind) && unknownNode.pattern.test(message);
}

/** What to do about a failure, in one line; undefined when there is no advice. */
export function adviceFor({ kind, message }: Fault): string | undefined {
  return table.find(({ kinds, pattern }) => kinds.includes(kind) && pattern.test(message))?.text;
}

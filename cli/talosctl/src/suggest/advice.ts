import type { Fault, FaultKind } from '@nodewright/fault';

interface Advice {
  readonly kinds: readonly FaultKind[];
  readonly pattern: RegExp;
  readonly text: string;
}

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
    kinds: ['permission-denied', 'unauthenticated'],
    pattern: /(?:)/,
    text: '"talosctl config info" shows the roles of the certificate and when it ends',
  },
  {
    kinds: ['not-found', 'unknown'],
    pattern: /^log ".*" was not registered$|^service ".*" is not registered/,
    text: '"talosctl service" lists the services',
  },
];

/** Whether a failure says that the cluster has no node of that name. */
export function isUnknownNode({ kind, message }: Fault): boolean {
  const [unknownNode] = table as [Advice];
  return unknownNode.kinds.includes(kind) && unknownNode.pattern.test(message);
}

/** What to do about a failure, in one line; undefined when there is no advice. */
export function adviceFor({ kind, message }: Fault): string | undefined {
  return table.find(({ kinds, pattern }) => kinds.includes(kind) && pattern.test(message))?.text;
}

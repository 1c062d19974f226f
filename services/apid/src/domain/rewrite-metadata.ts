import { metadataKeys } from '@nodewright/contract';

/** A hop of a call: over the unix socket to this node's machined, or over TCP to the apid of another node. */
export type Hop = { readonly kind: 'machined' } | { readonly kind: 'node'; readonly name: string };

export interface RewriteInit {
  /** The header block as the client sent it: name, value, name, value, …; pseudo fields included. */
  readonly incoming: readonly string[];
  readonly hop: Hop;
  /** `:path` of the call. */
  readonly fullMethod: string;
  /** `:authority` that the client used; empty when it sent none. */
  readonly authority: string;
  /** Roles of the caller, sorted. */
  readonly roles: readonly string[];
  /** Who makes the call, for the limits of another apid; undefined when nobody knows. */
  readonly caller: string | undefined;
  /** `grpc-timeout` for this hop; undefined without a deadline. */
  readonly timeout: string | undefined;
  /** Takes the place of the client's; undefined leaves that as it is. */
  readonly traceparent: string | undefined;
  readonly userAgent: string;
  readonly port: number;
  /** Whether the answer may be compressed: not when apid edits it. */
  readonly compressedAnswers: boolean;
}

/** Never passed on: of one connection, of the message that goes out anew, or reserved for answers. */
const droppedFields: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'content-length',
  'host',
  'te',
  'trailer',
  'user-agent',
  'grpc-timeout',
  'grpc-status',
  'grpc-message',
  'grpc-message-type',
  // Set below, and never taken from the client: an empty set of roles must not leave its own in place.
  metadataKeys.role,
  metadataKeys.caller,
]);

/**
 * The header block of the next hop: all metadata of the client, less what belongs to one connection; the roles that
 * apid found; for another apid `proxyfrom` instead of `node` and `nodes`, so that a call takes one network hop at most.
 * Source: Talos v1.14: metadata and roles on each hop.
 */
export function rewriteMetadata(init: RewriteInit): string[] {
  const { incoming, hop } = init;
  const toNode = hop.kind === 'node';
  const headers = [
    ':method',
    'POST',
    ':scheme',
    toNode ? 'https' : 'http',
    ':authority',
    toNode ? hostAndPort(hop.name, init.port) : 'localhost',
    ':path',
    init.fullMethod,
    'te',
    'trailers',
    'user-agent',
    init.userAgent,
  ];
  if (init.timeout !== undefined) headers.push('grpc-timeout', init.timeout);
  if (init.traceparent !== undefined) headers.push('traceparent', init.traceparent);
  for (let index = 0; index < incoming.length; index += 2) {
    const name = incoming[index] ?? '';
    if (name.startsWith(':') || droppedFields.has(name)) continue;
    if (name === 'traceparent' && init.traceparent !== undefined) continue;
    if (name === 'grpc-accept-encoding' && !init.compressedAnswers) continue;
    if (toNode && isRoutingKey(name)) continue;
    headers.push(name, incoming[index + 1] ?? '');
  }
  for (const role of init.roles) headers.push(metadataKeys.role, role);
  if (toNode) headers.push(metadataKeys.proxyFrom, init.authority === '' ? 'unknown' : init.authority);
  if (toNode && init.caller !== undefined) headers.push(metadataKeys.caller, init.caller);
  return headers;
}

function isRoutingKey(name: string): boolean {
  return name === metadataKeys.node || name === metadataKeys.nodes || name === metadataKeys.proxyFrom;
}

/** Brackets for IPv6. */
function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

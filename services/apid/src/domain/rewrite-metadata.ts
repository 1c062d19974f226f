import { metadataKeys, readsResources } from '@nodewright/contract';

/** The next hop of a call: this node's machined over a unix socket, or the apid of another node over TCP. */
export type Hop = { readonly kind: 'machined' } | { readonly kind: 'node'; readonly name: string };

export interface RewriteInit {
  /** The header block of the client: name, value, name, value, …; pseudo-header fields included. */
  readonly incoming: readonly string[];
  readonly hop: Hop;
  /** `:path` of the call. */
  readonly fullMethod: string;
  /** `:authority` of the client's request; empty when it sent none. */
  readonly authority: string;
  /** Roles of the caller, sorted. */
  readonly roles: readonly string[];
  /** The caller's identity, for the limits of another apid and the request log of machined; `undefined` when it is not known. */
  readonly caller: string | undefined;
  /** The address of a caller without a certificate, which only machined of this node gets; undefined for others. */
  readonly address: string | undefined;
  /** `grpc-timeout` for this hop; undefined without a deadline. */
  readonly timeout: string | undefined;
  /** Replaces the client's `traceparent`; `undefined` keeps the client's. */
  readonly traceparent: string | undefined;
  readonly userAgent: string;
  readonly port: number;
  /** Whether the response may be compressed. `false` when apid edits it. */
  readonly compressedAnswers: boolean;
}

/**
 * Fields that are not forwarded: they belong to one connection, are set by apid, or are reserved for
 * responses.
 */
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
  // Set by apid below. The client's values must never pass, not even when the set of roles is empty.
  metadataKeys.role,
  metadataKeys.caller,
  metadataKeys.address,
]);

/**
 * Builds the header block for the next hop. It has the client's metadata without the fields of one
 * connection, and the roles that apid determined. For another apid, `proxyfrom` replaces `node` and `nodes`,
 * so that a call takes at most one hop over the network. Source: Talos v1.14: metadata and roles on each hop.
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
  // Only machined knows which resources are secrets, and logs who has read them.
  const needsCaller = toNode || readsResources(init.fullMethod);
  if (needsCaller && init.caller !== undefined) headers.push(metadataKeys.caller, init.caller);
  if (!toNode && init.address !== undefined) headers.push(metadataKeys.address, init.address);
  return headers;
}

function isRoutingKey(name: string): boolean {
  return name === metadataKeys.node || name === metadataKeys.nodes || name === metadataKeys.proxyFrom;
}

/** IPv6 addresses are put in brackets. */
function hostAndPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

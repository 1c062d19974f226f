import { isOneToManyMethod, isStreamingMethod } from '@nodewright/contract';
import type { FaultKind } from '@nodewright/fault';

/** The parts of a call that determine its route. */
export interface RoutedCall {
  /** `/machine.MachineService/Memory`. */
  readonly fullMethod: string;
  /** Values of the metadata keys `node` and `nodes`; empty when absent. */
  readonly node: readonly string[];
  readonly nodes: readonly string[];
  /** Whether the metadata contains `proxyfrom`, with any value and from any client. */
  readonly proxied: boolean;
}

/** The facts about this node that determine a route. */
export interface RoutingNode {
  readonly nodeRoutingDisabled: boolean;
  /** Whether this node has a client certificate: control planes do, workers do not. */
  readonly canForward: boolean;
  /** The node's own names and addresses, compared case-sensitively. */
  readonly localTargets: ReadonlySet<string>;
  /** Maximum number of targets per call. */
  readonly maxTargets: number;
}

export type Route =
  | { readonly kind: 'local' }
  | { readonly kind: 'one'; readonly target: string }
  | { readonly kind: 'many'; readonly targets: readonly string[]; readonly streaming: boolean }
  | { readonly kind: 'refused'; readonly fault: FaultKind; readonly message: string };

const local: Route = { kind: 'local' };
const noForwarding = refused('permission-denied', 'no request forwarding');

/** Decides where a call goes; the first matching rule wins. Source: Talos v1.14: routing decision of apid. */
export function routeRequest(call: RoutedCall, self: RoutingNode): Route {
  if (self.nodeRoutingDisabled || call.proxied) return local;
  if (call.node.length > 1) return refused('invalid-argument', 'node metadata must be single-valued');

  // A node that cannot forward still serves calls to its own names and addresses.
  const isOwn = (targets: readonly string[]) =>
    !self.canForward && targets.length === 1 && self.localTargets.has(targets[0] ?? '');
  const targets = [...new Set(call.nodes)];
  const nodes = isOwn(call.nodes) ? [] : targets;
  const node = isOwn(call.node) ? undefined : call.node[0];

  if (nodes.length > 0) {
    if (!isOneToManyMethod(call.fullMethod)) {
      return refused(
        'invalid-argument',
        `one-2-many proxying is not supported for method ${call.fullMethod}`,
      );
    }
    if (!self.canForward) return noForwarding;
    if (nodes.length > self.maxTargets) {
      return refused('invalid-argument', `nodes has ${nodes.length} targets, more than ${self.maxTargets}`);
    }
    const invalid = nodes.find((target) => !isTarget(target));
    if (invalid !== undefined) return invalidTarget(invalid);
    return { kind: 'many', targets: nodes, streaming: isStreamingMethod(call.fullMethod) };
  }
  if (node === undefined) return local;
  if (!self.canForward) return noForwarding;
  return isTarget(node) ? { kind: 'one', target: node } : invalidTarget(node);
}

/** Longest host name. Source: RFC 1035, section 2.3.4. */
const maxNameLength = 253;

/** IPv4 addresses match this too. */
const hostName = /^[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_.])?$/i;
const ipv6Address = /^(?=(?:[^:]*:){2})[0-9a-f:.]+(?:%[a-z0-9_.-]+)?$/i;

/**
 * Whether a text can name a node: an IP address or a host name. It must not contain a port, because apid adds
 * its own.
 */
function isTarget(text: string): boolean {
  if (text.length > maxNameLength) return false;
  return hostName.test(text) || ipv6Address.test(text);
}

function invalidTarget(text: string): Route {
  return refused('internal', `invalid target ${JSON.stringify(text)}`);
}

function refused(fault: FaultKind, message: string): Route {
  return { kind: 'refused', fault, message };
}

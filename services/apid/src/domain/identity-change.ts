import type { GatewayIdentity, GatewayKeyPair } from './gateway-identity.ts';

/** Whether `next` needs a new listener because its address or its mode differs. */
export function needsNewListener(before: GatewayIdentity, next: GatewayIdentity): boolean {
  return (
    before.listen.host !== next.listen.host ||
    before.listen.port !== next.listen.port ||
    before.nodeRoutingDisabled !== next.nodeRoutingDisabled ||
    before.readonlyRoleMode !== next.readonlyRoleMode ||
    before.skipVerifyingClientCert !== next.skipVerifyingClientCert
  );
}

/**
 * Decides for each node whether calls to it need a new connection with `next`: all do when the client certificate or the accepted CAs
 * differ, otherwise those whose connection may be to an address that the node no longer has.
 */
export function needsNewConnection(
  before: GatewayIdentity,
  next: GatewayIdentity,
): (node: string) => boolean {
  const isForAll =
    !samePair(before.client, next.client) || before.acceptedCas.join('\n') !== next.acceptedCas.join('\n');
  return (node) => isForAll || hasMoved(before, next, node.toLowerCase());
}

function samePair(one: GatewayKeyPair | undefined, other: GatewayKeyPair | undefined): boolean {
  return one?.certificate === other?.certificate && one?.key === other?.key;
}

function hasMoved(before: GatewayIdentity, next: GatewayIdentity, name: string): boolean {
  const [old, now] = [before.members.get(name) ?? [], next.members.get(name) ?? []];
  // A name without an address is resolved by the system, or shared by several members.
  if (old.length === 0 || now.length === 0)
    return old.length !== now.length || before.sharedNames.has(name) !== next.sharedNames.has(name);
  return !old.every((address) => now.includes(address));
}

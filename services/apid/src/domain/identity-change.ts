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
 * Whether `next` needs new connections to other nodes because the client certificate, the accepted CAs or the
 * members differ.
 */
export function needsNewConnections(before: GatewayIdentity, next: GatewayIdentity): boolean {
  return (
    !samePair(before.client, next.client) ||
    before.acceptedCas.join('\n') !== next.acceptedCas.join('\n') ||
    membersText(before) !== membersText(next)
  );
}

function samePair(one: GatewayKeyPair | undefined, other: GatewayKeyPair | undefined): boolean {
  return one?.certificate === other?.certificate && one?.key === other?.key;
}

function membersText({ members }: GatewayIdentity): string {
  return JSON.stringify([...members].sort());
}

import type { GatewayIdentity, GatewayKeyPair } from './gateway-identity.ts';

/** Whether the listener must be opened anew for `next`: its address, or what is asked of clients, is another. */
export function needsNewListener(before: GatewayIdentity, next: GatewayIdentity): boolean {
  return (
    before.listen.host !== next.listen.host ||
    before.listen.port !== next.listen.port ||
    before.nodeRoutingDisabled !== next.nodeRoutingDisabled ||
    before.readonlyRoleMode !== next.readonlyRoleMode ||
    before.skipVerifyingClientCert !== next.skipVerifyingClientCert
  );
}

/** Whether connections to other nodes must be made anew for `next`: other credentials, other trust, other addresses. */
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

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import { dialNode } from './dial-node.ts';

test('dialNode() does not resolve a name that several members share, and lists them', async () => {
  const holders = '"localhost.a" at 10.5.0.4, "localhost.b" at 10.5.0.5';
  const identity: GatewayIdentity = {
    listen: { host: undefined, port: 0 },
    nodeRoutingDisabled: false,
    readonlyRoleMode: false,
    skipVerifyingClientCert: false,
    server: { certificate: '', key: '' },
    client: { certificate: '', key: '' },
    acceptedCas: [],
    hostname: 'node01',
    localTargets: new Set(),
    members: new Map(),
    sharedNames: new Map([['localhost', holders]]),
  };
  // The system's resolver knows this name; nothing listens on port 1.
  await assert.rejects(dialNode(identity, 'LocalHost', 1, AbortSignal.timeout(60_000)), {
    message: `several members have this name: ${holders}; use a full name or an address`,
  });
});

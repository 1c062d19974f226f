import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackendPool, frameEngine, gatewayLimits, monotonicMs, poolTimeouts } from '@nodewright/h2';
import type { GatewayIdentity } from '../domain/gateway-identity.ts';
import { dialNode } from './dial-node.ts';
import { NameLookUps } from './name-look-ups.ts';

const identity: GatewayIdentity = {
  listen: { host: undefined, port: 0 },
  nodeRoutingDisabled: false,
  readonlyRoleMode: false,
  skipVerifyingClientCert: false,
  waitsFor: undefined,
  server: { certificate: '', key: '' },
  client: { certificate: '', key: '' },
  acceptedCas: [],
  hostname: 'node01',
  localTargets: new Set(),
  members: new Map(),
  sharedNames: new Map(),
};

test('dialNode() does not resolve a name that several members share, and lists them', async () => {
  const holders = '"localhost.a" at 10.5.0.4, "localhost.b" at 10.5.0.5';
  const shared = { ...identity, sharedNames: new Map([['localhost', holders]]) };
  // The system's resolver knows this name; nothing listens on port 1.
  await assert.rejects(dialNode(shared, 'LocalHost', 1, AbortSignal.timeout(60_000)), {
    message: `several members have this name: ${holders}; use a full name or an address`,
  });
});

test('the time to connect includes the look-up of the name', async () => {
  const connectTimeoutMs = 40;
  using pool = new BackendPool({
    ...{ ...poolTimeouts, connectTimeoutMs, engine: frameEngine, limits: gatewayLimits },
    ...{ now: monotonicMs, random: () => 0.5 },
  });
  // A resolver whose servers do not answer.
  const isLookedUp = Promise.withResolvers<string>();
  const names = new NameLookUps((name) => {
    isLookedUp.resolve(name);
    return new Promise<never>(() => {});
  });
  const acquired = pool.acquire({
    ...{ key: 'somewhere', backoff: true },
    dial: (signal) => dialNode(identity, 'somewhere', 1, signal, names),
  });
  assert.equal(await isLookedUp.promise, 'somewhere');
  await assert.rejects(async () => acquired, { message: 'connect timed out after 0.04s' });
});

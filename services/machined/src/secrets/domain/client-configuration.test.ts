import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planClientConfiguration } from './client-configuration.ts';

const now = Date.UTC(2026, 0, 1);
const plan = (roles: readonly string[], seconds = 3600n, nanos = 0) =>
  planClientConfiguration({ roles, ttl: { seconds, nanos } }, 'demo', now);

test('a client configuration names its context after its only role, otherwise after the cluster', () => {
  const cases = [['os:reader'], ['os:reader', 'os:reader'], ['made-up'], ['os:reader', 'os:admin'], []];
  assert.deepEqual(
    cases.map((roles) => plan(roles)).map(({ organizations, contextName }) => [organizations, contextName]),
    [
      [['os:reader'], 'reader@demo'],
      [['os:reader'], 'reader@demo'],
      [['made-up'], 'made-up@demo'],
      [['os:admin', 'os:reader'], 'demo'],
      [[], 'demo'],
    ],
  );
});

test('a client configuration has the requested lifetime, if that is valid', () => {
  assert.deepEqual([plan([]).lifetimeHours, plan([], 90n, 500_000_000).lifetimeHours], [1, 90.5 / 3600]);
  const positive = { kind: 'invalid-argument', message: 'crt_ttl should be positive' };
  assert.throws(() => plan([], 0n), positive);
  assert.throws(() => plan([], -5n), positive);
  assert.throws(() => planClientConfiguration({ roles: [], ttl: undefined }, 'demo', now), positive);
  assert.throws(() => plan([], 10n ** 15n), { kind: 'invalid-argument', message: /^crt_ttl is too long/ });
});

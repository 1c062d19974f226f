import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { HealthCheckResponse_ServingStatus as ServingStatus } from '@nodewright/contract/gen/grpc/health/v1/health.ts';
import type { CallContext } from 'nice-grpc';
import { HealthService } from './health-service.ts';

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = ServingStatus;

/** Watches a service as the server does: it asks for a status when the last one was sent. */
function openWatch(health: HealthService, service: string) {
  const stop = new AbortController();
  const watch = health.watch({ service }, { signal: stop.signal } as CallContext);
  const next = async () => (await watch.next()).value?.status;
  return { stop, next, listeners: () => getEventListeners(stop.signal, 'abort').length };
}

test('HealthService reports a change that comes while the last status is sent', async () => {
  const health = new HealthService([]);
  const { stop, next } = openWatch(health, '');
  assert.equal(await next(), SERVING);
  health.setServing(false);
  assert.equal(await Promise.race([next(), setImmediate('nothing')]), NOT_SERVING);
  const waiting = next();
  health.setServing(true);
  assert.equal(await waiting, SERVING);
  const last = next();
  stop.abort();
  assert.equal(await last, undefined);
});

test('HealthService keeps nothing of the changes that a watch has reported', async () => {
  const health = new HealthService([]);
  const { stop, next, listeners } = openWatch(health, '');
  await next();
  const before = listeners();
  for (let change = 0; change < 100; change += 1) {
    health.setServing(change % 2 === 1);
    await next();
  }
  assert.equal(listeners(), before);
  stop.abort();
  await next();
  assert.equal(listeners(), 0);
});

test('HealthService keeps the watch of an unknown service open, without a change', async () => {
  const health = new HealthService(['time.TimeService']);
  const { stop, next } = openWatch(health, 'none');
  assert.equal(await next(), SERVICE_UNKNOWN);
  const ended = next();
  health.setServing(false);
  assert.equal(await Promise.race([ended, Promise.resolve('open')]), 'open');
  stop.abort();
  assert.equal(await ended, undefined);
});

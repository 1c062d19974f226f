// Which requests about roll-outs reach the cluster.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StartRequest } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { Fault } from '@nodewright/fault';
import type { CallContext } from 'nice-grpc';
import type { RequestedRollouts } from '../host/requested-rollouts.ts';
import { createRolloutService, type RolloutServiceInit } from './rollout-service.ts';

const context = { signal: new AbortController().signal } as CallContext;
const image = 'registry.test/installer:v2';

function open(change: Partial<RolloutServiceInit> = {}) {
  const asked: unknown[] = [];
  const rollouts = {
    start: async (wanted: unknown) => {
      asked.push(wanted);
      throw new Fault('failed-precondition', 'asked');
    },
    preview: async () => assert.fail('no dry run was asked for'),
    status: async () => assert.fail('nobody asks etcd'),
    request: async () => assert.fail('nobody asks etcd'),
    watch: () => assert.fail('nobody asks etcd'),
  } as unknown as RequestedRollouts;
  const service = createRolloutService({
    ...{ assertServed: async () => {}, refusal: () => undefined, rollouts },
    ...change,
  });
  return { service, asked };
}

const start = (change: Partial<StartRequest>) => StartRequest.fromPartial({ image, ...change });

test('Start begins what the request says, and an image that no plan can name begins nothing', async () => {
  const { service, asked } = open();
  await assert.rejects(
    service.start(start({ maxUnavailable: 2, withoutExtensions: true }), context),
    /asked/,
  );
  const wanted = { image, maxUnavailable: 2, pauseAfter: 0, allowsDowngrade: false, dropsExtensions: true };
  assert.deepEqual(asked, [wanted]);
  for (const hostile of [
    '',
    `${image}, without extensions`,
    `${image}\n`,
    `${image}\u001b[2J`,
    'x'.repeat(2001),
  ])
    for (const dryRun of [false, true])
      await assert.rejects(service.start(start({ image: hostile, dryRun }), context), {
        kind: 'invalid-argument',
      });
  assert.equal(asked.length, 1);
});

test('a node that no call upgrades begins no roll-out', async () => {
  const { service, asked } = open({ refusal: () => 'this node is a test' });
  await assert.rejects(service.start(start({}), context), {
    ...{ kind: 'failed-precondition', message: 'this node is a test' },
  });
  assert.deepEqual(asked, []);
});

test('a node that is no control plane answers every request with where to ask', async () => {
  const refused = { kind: 'failed-precondition', message: 'ask node01' };
  const { service, asked } = open({
    assertServed: async () => Promise.reject(new Fault('failed-precondition', 'ask node01')),
  });
  await assert.rejects(service.start(start({}), context), refused);
  await assert.rejects(service.status({}, context), refused);
  await assert.rejects(service.resume({ id: '' }, context), refused);
  await assert.rejects(service.abort({ id: '' }, context), refused);
  await assert.rejects(async () => {
    for await (const _ of service.watch({}, context)) assert.fail('it is served');
  }, refused);
  assert.deepEqual(asked, []);
});

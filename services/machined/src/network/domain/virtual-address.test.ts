import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type OwnershipFacts,
  obstacleToOwnership,
  planTenure,
  virtualAddressSpec,
} from './virtual-address.ts';

const running = { running: true, healthy: true, unknown: false };
const fine: OwnershipFacts = { link: { operationalState: 'up' }, etcd: running, kubelet: 'none' };

test('a node competes with a link that is up, a healthy etcd and its kubelet, if it has one', () => {
  const cases: [Partial<OwnershipFacts>, string | undefined][] = [
    [{}, undefined],
    [{ kubelet: { ...running, healthy: false } }, undefined],
    [{ link: { operationalState: 'unknown' } }, undefined],
    [{ link: undefined }, 'the link does not exist'],
    [{ link: { operationalState: 'down' } }, 'the link is not up'],
    [{ etcd: undefined }, 'etcd of this node is not healthy'],
    [{ etcd: { ...running, healthy: false } }, 'etcd of this node is not healthy'],
    [{ kubelet: undefined }, 'the kubelet of this node does not run'],
  ];
  for (const [change, obstacle] of cases) assert.equal(obstacleToOwnership({ ...fine, ...change }), obstacle);
});

test('the kernel never gets an address beyond the margin before the end of the lease', () => {
  const leases = fc.integer({ min: -20_000, max: 12 * 1000 });
  const property = fc.property(leases, fc.nat(12 * 1000), (leaseLeftMs, lentMs) => {
    const step = planTenure({ leaseLeftMs, lentMs });
    if (step.kind === 'lend') {
      assert.ok(step.lifetimeSeconds >= 1 && Number.isInteger(step.lifetimeSeconds));
      assert.ok(step.lifetimeSeconds * 1000 <= leaseLeftMs - 3000);
    } else if (step.kind === 'end') assert.ok(leaseLeftMs < 3000 + 1000);
    else assert.ok(lentMs > 0, 'waits without an address');
  });
  fc.assert(property, process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) });
});

test('the kernel is asked again after each renewal, and not in between', () => {
  assert.deepEqual(planTenure({ leaseLeftMs: 15_000, lentMs: 0 }), { kind: 'lend', lifetimeSeconds: 12 });
  assert.deepEqual(planTenure({ leaseLeftMs: 14_500, lentMs: 11_500 }), { kind: 'wait' });
  assert.deepEqual(planTenure({ leaseLeftMs: 10_000, lentMs: 7000 }), { kind: 'wait' });
  assert.deepEqual(planTenure({ leaseLeftMs: 15_000, lentMs: 7000 }), { kind: 'lend', lifetimeSeconds: 12 });
  assert.deepEqual(planTenure({ leaseLeftMs: 3999, lentMs: 900 }), { kind: 'end' });
});

test('the resource of an owned address names its link and its layer', () => {
  assert.deepEqual(virtualAddressSpec({ ip: '10.0.0.99', linkName: 'eth0' }), {
    ...{ address: '10.0.0.99/32', linkName: 'eth0', family: 'inet4', scope: 'global', flags: [] },
    ...{ announceWithARP: true, priority: 0, layer: 'operator' },
  });
  const { address, announceWithARP } = virtualAddressSpec({ ip: 'fd00::99', linkName: 'eth0' });
  assert.deepEqual([address, announceWithARP], ['fd00::99/128', false]);
});

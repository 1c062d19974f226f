import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pointerTo } from '@nodewright/state';
import { addressSpecs, linkStatuses, operatorSpecs, services } from '@nodewright/state/kinds';
import { noTelemetry } from '@nodewright/telemetry';
import { openControllerRig } from '../../base/testing/controller-rig.ts';
import { plainOperator } from '../domain/operator-documents.ts';
import type { Tenure } from '../host/virtual-address.ts';
import { VirtualAddressOperator, type VirtualAddressOperatorInit } from '../host/virtual-address-operator.ts';
import { VirtualAddresses } from '../host/virtual-addresses.ts';
import { linkStatusesOf } from './link-statuses.ts';
import { NetworkProblems } from './network-problems.ts';
import { createOperatorSpecController } from './operator-spec.ts';
import { FakeNetwork, fakeLink } from './testing/fake-network.ts';

const healthy = { running: true, healthy: true, unknown: false };

const init = (of: VirtualAddressOperatorInit) => ({
  operators: [new VirtualAddressOperator(of)],
  problems: new NetworkProblems(),
  network: async () => new FakeNetwork(),
});

/** A node that wins every election, and what it has done, in order. */
function openNode({ hasKubelet = false } = {}) {
  const done: string[] = [];
  const quiet = () => {};
  const virtual = new VirtualAddresses({
    campaign: async (ip) => {
      done.push(`won ${ip}`);
      return {
        signal: new AbortController().signal,
        leftMs: () => 15_000,
        resign: async () => void done.push(`resigned ${ip}`),
        abandon: async () => void done.push(`abandoned ${ip}`),
      } satisfies Tenure;
    },
    yieldLeadership: async () => undefined,
    openAddress: async ({ ip, linkName }) => ({
      lend: (seconds) => void done.push(`${linkName} has ${ip} for ${seconds} s`),
      remove: () => void done.push(`${linkName} loses ${ip}`),
      announce: () => void done.push(`announced ${ip}`),
    }),
    timers: { now: () => 0, monotonicMs: () => 0, after: () => ({ [Symbol.dispose]: quiet }) },
    ...{ monotonicMs: () => 0, telemetry: noTelemetry },
    log: { info: quiet, warn: quiet, error: quiet, debug: quiet } as never,
  });
  const rig = openControllerRig([createOperatorSpecController(init({ virtual, hasKubelet }))]);
  const settled = async () => {
    for (let round = 0; round < 5; round += 1) await rig.settled();
  };
  return {
    ...{ rig, done, virtual, settled },
    async operate(ip: string, change: { gratuitousARP?: boolean } = {}) {
      const operator = plainOperator('vip', 'eth0', 'configuration');
      const spec = { ...operator, vip: { ...operator.vip, ip, gratuitousARP: true, ...change } };
      await rig.put(operatorSpecs, `vip/eth0/${ip}`, spec);
      await settled();
    },
    async bringUp() {
      const state = { hasLink: true, speedMbit: undefined, duplex: undefined, port: undefined };
      const [link = assert.fail()] = linkStatusesOf([
        { link: fakeLink(2, 'eth0'), state, hardware: undefined },
      ]);
      await rig.put(linkStatuses, link.id, link.spec);
      await rig.put(services, 'etcd', healthy);
      await settled();
    },
    ids: async () =>
      (await rig.state.list({ namespace: 'network-config', type: addressSpecs.type })).map(
        ({ metadata }) => metadata.id,
      ),
    logged: () => rig.runtime.logged.flatMap(({ level, msg }) => (level === 'warn' ? [msg] : [])),
    info: () => rig.runtime.logged.flatMap(({ level, msg }) => (level === 'info' ? [msg] : [])),
  };
}

test('a node takes the address once etcd is healthy, publishes it, and gives it up with etcd', async () => {
  const { rig, done, virtual, operate, bringUp, ids, settled, info } = openNode();
  await using _rig = rig;
  await using _virtual = virtual;
  await operate('10.0.0.99');
  assert.deepEqual([done, await ids()], [[], []]);
  await bringUp();
  assert.deepEqual(done, [
    ...['eth0 loses 10.0.0.99', 'won 10.0.0.99', 'eth0 has 10.0.0.99 for 12 s', 'announced 10.0.0.99'],
  ]);
  assert.deepEqual(await ids(), ['vip/eth0/eth0/10.0.0.99/32']);
  done.length = 0;
  await rig.put(services, 'etcd', { ...healthy, healthy: false });
  await settled();
  assert.deepEqual(done, ['eth0 loses 10.0.0.99', 'resigned 10.0.0.99']);
  assert.deepEqual(await ids(), []);
  await rig.put(services, 'etcd', healthy);
  await settled();
  assert.deepEqual(await ids(), ['vip/eth0/eth0/10.0.0.99/32']);
  const what = 'for the virtual address 10.0.0.99 on eth0';
  assert.deepEqual(info(), [
    `this node does not compete (the link does not exist) ${what}`,
    `this node does not compete (etcd of this node is not healthy) ${what}`,
    `this node competes ${what}`,
    `this node does not compete (etcd of this node is not healthy) ${what}`,
    `this node competes ${what}`,
  ]);
});

test('an address that leaves the configuration is given up, and one of a node that ends is not taken again', async () => {
  const { rig, done, virtual, operate, bringUp, ids, settled } = openNode();
  await using _rig = rig;
  await bringUp();
  await operate('10.0.0.99');
  await operate('fd00::99');
  assert.equal((await ids()).length, 2);
  await rig.state.destroy(pointerTo(operatorSpecs, 'vip/eth0/10.0.0.99'));
  await settled();
  assert.deepEqual(await ids(), ['vip/eth0/eth0/fd00::99/128']);
  await virtual[Symbol.asyncDispose]();
  await settled();
  assert.deepEqual(done.slice(-2), ['eth0 loses fd00::99', 'resigned fd00::99']);
  assert.deepEqual(await ids(), []);
});

test('a node with a kubelet waits for it', async () => {
  const { rig, done, virtual, operate, bringUp, settled } = openNode({ hasKubelet: true });
  await using _rig = rig;
  await using _virtual = virtual;
  await bringUp();
  await operate('10.0.0.99');
  assert.equal(done.length, 0);
  await rig.put(services, 'kubelet', { ...healthy, healthy: false });
  await settled();
  assert.ok(done.includes('won 10.0.0.99'));
});

test('what is not taken is said in one line: addresses that a cloud moves, and all of them on a shared host', async () => {
  const cloud = openNode();
  await using _rig = cloud.rig;
  await cloud.bringUp();
  await cloud.operate('10.0.0.99', { gratuitousARP: false });
  await cloud.bringUp();
  assert.deepEqual(
    [cloud.done, cloud.logged()],
    [
      [],
      [
        'this node does not take the virtual address 10.0.0.99: moving it by the API of a cloud is not implemented',
      ],
    ],
  );
  const virtual = 'it is a set of processes';
  const guest = openControllerRig([createOperatorSpecController(init({ virtual, hasKubelet: false }))]);
  await using _guest = guest;
  const operator = plainOperator('vip', 'eth0', 'configuration');
  for (const routeMetric of [1, 2]) {
    const dhcp4 = { ...operator.dhcp4, routeMetric };
    const vip = { ...operator.vip, ip: '10.0.0.99', gratuitousARP: true };
    await guest.put(operatorSpecs, 'vip/eth0/10.0.0.99', { ...operator, dhcp4, vip });
  }
  assert.deepEqual(
    guest.runtime.logged.filter(({ level }) => level === 'warn').map(({ msg }) => msg),
    ['this node does not take the virtual address 10.0.0.99: it is a set of processes'],
  );
});

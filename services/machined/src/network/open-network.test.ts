// The whole topic with the real kernel, in a network namespace of the test: what each kind of node changes there.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { enterOwnNamespace, ip, noOwnNamespace } from '@nodewright/linux/testing';
import { pointerTo } from '@nodewright/state';
import { nodeAddresses } from '@nodewright/state/kinds';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { eventually } from '@nodewright/testkit';
import { type WorldName, worlds } from '../base/domain/world.ts';
import { readIfThere } from '../base/host/read-if-there.ts';
import { createWorkerSelectors } from '../base/host/worker-selectors.ts';
import { EventStore } from '../life/host/event-store.ts';
import { noLinkHardware } from './controllers/testing/fake-network.ts';
import { type OpenNetworkInit, openNetwork } from './open-network.ts';

const skip = noOwnNamespace;
const commandLine = 'quiet ip=10.9.8.7::10.9.8.1:24:node01:wire0:off ip=10.1.1.1:::24::wire1';

async function openNode(name: WorldName, rest: Partial<OpenNetworkInit> = {}) {
  enterOwnNamespace();
  ip('link set lo down');
  ip('link add wire0 type veth peer name wire1');
  ip('link set wire1 up');
  const before = state();
  await using scope = new AsyncDisposableStack();
  const topic = await openNetwork(
    {
      node: { world: worlds[name], hostname: '', addresses: name === 'machine' ? [] : ['127.0.0.1'] },
      ...{ events: new EventStore(Date.now), linkHardware: noLinkHardware, commandLine, hasKubelet: false },
      ...{ cannotChangeNetwork: undefined, setParameter: writeFileSync, root: '/nonexistent' },
      selectors: createWorkerSelectors(),
      openEtcd: () => Promise.reject(new Fault('unavailable', 'no etcd')),
      ...{ yieldLeadership: async () => undefined, hostname: () => 'node01' },
      ...{ stopSignal: new AbortController().signal, telemetry: noTelemetry, ...rest },
      log: createLogger({
        name: 'test',
        telemetry: noTelemetry,
        destination: { write: () => true } as never,
      }),
    },
    scope,
  );
  // The kernel's host name is not in the namespace of the network.
  const controllers = (topic.controllers ?? []).filter(
    (each) => each.name !== 'network.HostnameSpecController',
  );
  const node = scope.use(openTestRuntime({ controllers }));
  await node.settled();
  const kept = scope.move();
  return { before, node, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const parameters = [
  'ipv6/conf/wire0/accept_ra',
  'ipv6/conf/default/accept_ra',
  'ipv4/conf/all/promote_secondaries',
];
const state = () => [
  ...['addr show', 'route show table all', '-6 route show table all', 'rule show'].map((words) =>
    ip(words).replaceAll(/\b\d+sec\b/g, ''),
  ),
  ...parameters.map((path) => readIfThere(`/proc/sys/net/${path}`)?.toString()),
];

test('a machine gets its network from its command line, and prefers its first address', {
  skip,
}, async () => {
  await using machine = await openNode('machine');
  await eventually(() => /10\.9\.8\.1 dev wire0/.test(ip('route show')), { what: 'the default route' });
  assert.match(ip('-4 addr show dev wire0'), /state UP[\s\S]*inet 10\.9\.8\.7\/24/);
  const values = () => parameters.map((path) => readIfThere(`/proc/sys/net/${path}`)?.toString().trim());
  await eventually(() => values().join() === '2,0,1', {
    what: "routers' advertisements on the link of the command line alone",
    explain: () => values().join(),
  });
  const first = () => machine.node.state.get(pointerTo(nodeAddresses, 'default')).then(({ spec }) => spec);
  await eventually(async () => (await first()).addresses.join() === '10.9.8.7/24', {
    what: 'the first address as the default',
    explain: () => ip('addr show dev wire0'),
  });
});

test('a node that must not change its network changes nothing, whatever its kind', { skip }, async () => {
  const cannotChangeNetwork = 'machined is not the first process of this node';
  for (const [name, rest] of [
    ['process', { setParameter: undefined }],
    ['process', {}],
    ['stack', {}],
    ['container', {}],
    ['container', { cannotChangeNetwork, setParameter: undefined }],
    ['machine', { cannotChangeNetwork }],
    ['machine', { cannotChangeNetwork, setParameter: undefined }],
    ['machine', { setParameter: undefined }],
  ] as const) {
    await using opened = await openNode(name, rest);
    await opened.node.settled();
    assert.deepEqual(state(), opened.before, name);
  }
});

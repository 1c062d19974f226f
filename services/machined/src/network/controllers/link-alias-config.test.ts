// The aliases of a machine: its controllers with the real evaluator of selectors, and a network in memory that takes their steps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { pointerTo, putResource, type ResourceKind } from '@nodewright/state';
import * as kinds from '@nodewright/state/kinds';
import type { SelectorEvaluator } from '../../base/domain/selectors.ts';
import { worlds } from '../../base/domain/world.ts';
import { createWorkerSelectors, selectorLimits } from '../../base/host/worker-selectors.ts';
import { maxAliasDocuments } from '../domain/link-aliases.ts';
import { describeStep } from '../domain/network-step.ts';
import { EndpointNames } from '../host/endpoint-names.ts';
import { networkControllers } from './network-controllers.ts';
import { NetworkProblems } from './network-problems.ts';
import { FakeNetwork, fakeLink, noAdvertisements, noLinkHardware } from './testing/fake-network.ts';

const addressOf = (index: number) => `02:00:00:00:00:0${index}`;
const wire = (index: number, name: string) => fakeLink(index, name, { permanentAddress: addressOf(index) });

/** @param mtuOf what the configuration gives the link of an alias */
async function openMachine(
  selectors: SelectorEvaluator,
  isReady = true,
  mtuOf: (alias: string) => number = () => 1500,
) {
  const network = new FakeNetwork();
  network.setLinks(fakeLink(1, 'lo', { hardwareType: 772 }), wire(2, 'eth0'), wire(3, 'eth1'));
  const steps: string[] = [];
  const problems = new NetworkProblems();
  const node = openTestRuntime({
    controllers: networkControllers({
      ...{ world: worlds.machine, addresses: [], hostname: '', instanceType: '' },
      ...{ network: async () => network, linkHardware: noLinkHardware, publish: () => {} },
      ...{ readResolvConf: async () => '', operators: [], problems },
      planned: {
        ...{ obstacles: new Map(), selectors, advertisements: noAdvertisements },
        endpointNames: new EndpointNames(systemTimers),
        port: {
          apply(step) {
            if (step.kind !== 'change-link' || step.change.alias === undefined) return;
            const { alias } = step.change;
            steps.push(describeStep(step));
            const links = network
              .links()
              .map((link) => (link.index === step.linkIndex ? { ...link, alias, mtu: mtuOf(alias) } : link));
            network.setLinks(...links);
          },
        },
      },
    }),
  });
  const ready = () => putResource(node.state, { ...pointerTo(kinds.devicesStatuses), spec: { ready: true } });
  if (isReady) await ready();
  return {
    ...{ node, network, steps, problems, ready },
    async apply(...documents: readonly string[]) {
      const spec = ['version: v1alpha1\nmachine: { type: worker }\n', ...documents].join(
        '---\napiVersion: v1alpha1\n',
      );
      await putResource(node.state, { ...pointerTo(kinds.machineConfigs, 'v1alpha1'), spec });
      await this.later();
    },
    /** After the pause between two evaluations. */
    async later() {
      for (let second = 0; second < 3; second += 1) {
        await node.settled();
        await node.advance(1000);
      }
      await node.settled();
    },
    async specs<S>(kind: ResourceKind<S>) {
      const list = await node.state.list<S>({ namespace: kind.namespace, type: kind.type });
      return new Map(list.map(({ metadata, spec }) => [metadata.id, spec]));
    },
    lines: () => problems.all().map(({ line }) => line),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  };
}

const alias = (name: string, match: string) =>
  `kind: LinkAliasConfig\nname: ${name}\nselector: { match: ${JSON.stringify(match)} }\n`;
const second = `mac(link.permanent_addr) == "${addressOf(3)}"`;
const patient = () => createWorkerSelectors({ limits: { ...selectorLimits, deadlineMs: 600_000 } });

test('an alias is set on the link that its selector matches, each document may use it, and it goes with its document', async () => {
  await using machine = await openMachine(patient());
  const documents = [
    'kind: LinkConfig\nname: uplink\nmtu: 1400\naddresses: [{ address: 10.9.8.7/24 }]\n',
    'kind: VLANConfig\nname: vlan7\nvlanID: 7\nparent: uplink\n',
    'kind: BridgeConfig\nname: br0\nlinks: [uplink]\n',
    'kind: DHCPv4Config\nname: uplink\n',
    'kind: Layer2VIPConfig\nname: 10.9.8.9\nlink: uplink\n',
    'kind: RoutingRuleConfig\nname: "7000"\niifName: uplink\n',
  ];
  await machine.apply(alias('uplink', second), ...documents);
  assert.deepEqual(await machine.specs(kinds.linkAliasSpecs), new Map([['eth1', { alias: 'uplink' }]]));
  assert.deepEqual(machine.steps, ['change-link eth1 alias uplink']);
  assert.equal((await machine.specs(kinds.linkStatuses)).get('eth1')?.alias, 'uplink');
  const links = await machine.specs(kinds.linkSpecs);
  const link = links.get('eth1');
  assert.deepEqual(
    [link?.mtu, link?.bridgeSlave.masterName, links.get('vlan7')?.parentName, links.has('uplink')],
    [1400, 'br0', 'eth1', false],
  );
  const operators = await machine.specs(kinds.operatorSpecs);
  assert.deepEqual([...operators.keys()].toSorted(), ['dhcp4/eth1', 'vip/eth1/10.9.8.9']);

  await machine.apply(...documents);
  assert.deepEqual(machine.steps.slice(1), ['change-link eth1 alias ""']);
  assert.ok((await machine.specs(kinds.linkSpecs)).has('uplink'));
});

for (const [what, rest] of [
  ['has its settings', 'mtu: 1400'],
  ['is ignored', 'ignore: true'],
] as const)
  test(`a link that the old list names by its alias ${what}, and gets no DHCP by default`, async () => {
    await using machine = await openMachine(patient());
    const legacy = `version: v1alpha1\nmachine:\n  type: worker\n  network:\n    interfaces: [{ interface: uplink, ${rest} }]\n---\napiVersion: v1alpha1\n`;
    await putResource(machine.node.state, {
      ...pointerTo(kinds.machineConfigs, 'v1alpha1'),
      spec: legacy + alias('uplink', second),
    });
    await machine.later();
    const links = await machine.specs(kinds.linkSpecs);
    assert.equal(links.get('eth1')?.mtu, rest === 'mtu: 1400' ? 1400 : undefined);
    assert.deepEqual([...(await machine.specs(kinds.operatorSpecs)).keys()], ['dhcp4/eth0']);
  });

test('a selector that matches two links gives no alias, and a problem says so', async () => {
  await using machine = await openMachine(patient());
  await machine.apply(alias('uplink', 'link.driver == ""'));
  assert.deepEqual(machine.steps, []);
  const line = 'alias uplink: its selector matches eth0, eth1, and the alias is for one link';
  assert.ok(machine.lines().includes(line), machine.lines().join('\n'));
  machine.network.setLinks(...machine.network.links().filter(({ name }) => name !== 'eth0'));
  await machine.later();
  assert.deepEqual(machine.steps, ['change-link eth1 alias uplink']);
  assert.equal(machine.lines().includes(line), false);
});

test('no alias is given before all devices are known, and one that somebody changes is restored', async () => {
  await using machine = await openMachine(patient(), false);
  await machine.apply(alias('net%d', 'true'));
  assert.deepEqual(machine.steps, []);
  await machine.ready();
  await machine.later();
  assert.deepEqual(machine.steps, ['change-link eth0 alias net0', 'change-link eth1 alias net1']);
  machine.network.setLinks(...machine.network.links().map((link) => ({ ...link, alias: '' })));
  await machine.later();
  assert.deepEqual(machine.steps.slice(2), ['change-link eth0 alias net0', 'change-link eth1 alias net1']);
});

test('a link keeps its alias while its selector cannot be evaluated, and only as long as the selector is the same', async () => {
  let failure: Fault | undefined;
  const real = patient();
  let asked = 0;
  const selectors: SelectorEvaluator = {
    async select(request, signal) {
      asked += 1;
      if (failure !== undefined) throw failure;
      return real.select(request, signal);
    },
  };
  await using machine = await openMachine(selectors);
  await machine.apply(alias('uplink', second));
  failure = new Fault('resource-exhausted', 'the selector has no result after 60 s');
  machine.network.setLinks(...machine.network.links(), wire(4, 'eth2'));
  await machine.later();
  assert.deepEqual(machine.steps, ['change-link eth1 alias uplink']);
  assert.ok(machine.lines().includes(`alias uplink: ${failure.message}`));
  const before = asked;
  await machine.later();
  assert.equal(asked, before, 'it waits before it tries again');
  await machine.node.advance(60_000);
  await machine.later();
  assert.ok(asked > before);

  await machine.apply(alias('uplink', `${second} && true`));
  await machine.node.advance(60_000);
  await machine.later();
  assert.deepEqual(machine.steps.slice(1), ['change-link eth1 alias ""']);
});

test('an alias whose selector depends on what the alias configures does not come and go for ever', async () => {
  const mtus = { self: 9000 } as Record<string, number>;
  await using machine = await openMachine(patient(), true, (name) => mtus[name] ?? 1500);
  await machine.apply(alias('self', `${second} && link.mtu == 1500u`));
  for (let second = 0; second < 60; second += 1) await machine.later();
  const changes = machine.steps.length;
  assert.ok(changes >= 4 && changes <= 12, `${changes} changes in three minutes`);
  assert.equal(machine.steps.at(-1), 'change-link eth1 alias self');
  const line = machine.lines().find((each) => each.startsWith('alias self: '));
  assert.match(line ?? '', /again and again, as if it asked for what the alias configures; eth1 keeps/);
  // Other documents are evaluated meanwhile.
  await machine.apply(
    alias('self', `${second} && link.mtu == 1500u`),
    alias('other', `mac(link.permanent_addr) == "${addressOf(2)}"`),
  );
  assert.equal(machine.steps.at(-1), 'change-link eth0 alias other');
  // Later it is looked at again, less and less often.
  for (let minute = 0; minute < 24 * 60; minute += 1) await machine.node.advance(60_000);
  assert.ok(machine.steps.length <= changes + 1 + 4 * 30, `${machine.steps.length} changes in a day`);
  mtus.self = 1500;
  for (let minute = 0; minute < 70; minute += 1) {
    await machine.node.advance(60_000);
    await machine.node.settled();
  }
  await machine.later();
  assert.equal(
    machine.lines().some((each) => each.startsWith('alias self: ')),
    false,
  );
  assert.equal((await machine.specs(kinds.linkStatuses)).get('eth1')?.alias, 'self');
});

test('links that change all the time, and more documents than the limit, cost a bounded number of evaluations', async () => {
  let asked = 0;
  const selectors: SelectorEvaluator = {
    async select() {
      asked += 1;
      return { selected: [] };
    },
  };
  await using machine = await openMachine(selectors);
  const names = Array.from({ length: 500 }, (_, index) => `a${index}`);
  await machine.apply(...names.map((name) => alias(name, 'true')));
  assert.equal(asked % maxAliasDocuments, 0);
  const limit = `of 500 LinkAliasConfig documents only ${maxAliasDocuments} are applied`;
  assert.ok(machine.lines().includes(limit), machine.lines().join('\n'));
  asked = 0;
  for (let change = 0; change < 300; change += 1) {
    machine.network.setLinks(...machine.network.links().map((link) => ({ ...link, mtu: 1000 + change })));
    await machine.node.advance(10);
  }
  assert.ok(asked > 0 && asked <= 5 * maxAliasDocuments, `${asked} evaluations in 3 s`);
});

test('selectors that take long are not evaluated again at once, nor more of them than the budget allows', async () => {
  let asked = 0;
  let pass = () => {};
  const selectors: SelectorEvaluator = {
    async select({ expression }) {
      asked += 1;
      pass();
      return { problem: `the selector ${expression} takes more than 2 s` };
    },
  };
  await using machine = await openMachine(selectors);
  const { timers } = machine.node;
  /** Five seconds. */
  pass = () => {
    const untilMs = timers.now() + 5000;
    while (timers.step(untilMs));
  };
  await putResource(machine.node.state, {
    ...pointerTo(kinds.machineConfigs, 'v1alpha1'),
    spec: [
      'version: v1alpha1\nmachine: { type: worker }\n',
      ...Array.from({ length: 40 }, (_, i) => alias(`a${i}`, 'true')),
    ].join('---\napiVersion: v1alpha1\n'),
  });
  await machine.node.settled();
  assert.equal(asked, 4);
  assert.ok(machine.lines().some((line) => /the selectors before it took 20 s/.test(line)));
  // They rest four times as long as they took.
  for (let second = 0; second < 79; second += 1) await machine.node.advance(1000);
  assert.equal(asked, 4);
  await machine.node.advance(2000);
  assert.equal(asked, 8);
});

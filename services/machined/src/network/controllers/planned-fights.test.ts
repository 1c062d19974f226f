// When the steps of plans are taken, on a network and with a time that the test controls.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import type { KernelLink } from '@nodewright/linux/network';
import { pointerTo, putResource } from '@nodewright/state';
import { machineConfigs } from '@nodewright/state/kinds';
import { worlds } from '../../base/domain/world.ts';
import { createWorkerSelectors } from '../../base/host/worker-selectors.ts';
import { CommandLineOperator } from '../domain/command-line-operator.ts';
import { describeStep, type NetworkStep } from '../domain/network-step.ts';
import { EndpointNames } from '../host/endpoint-names.ts';
import { SimulatedLinks } from '../testing/simulated-links.ts';
import { networkControllers } from './network-controllers.ts';
import { NetworkProblems } from './network-problems.ts';
import {
  FakeNetwork,
  fakeAddress,
  fakeLink,
  noAdvertisements,
  noLinkHardware,
} from './testing/fake-network.ts';

const lo = fakeLink(1, 'lo', { hardwareType: 772 });
const loAddress = fakeAddress(1, '127.0.0.1/8', { scope: 254 });

interface MachineInit {
  readonly links: readonly KernelLink[];
  readonly obstacles?: ReadonlyMap<string, string>;
  readonly apply?: (step: NetworkStep, network: FakeNetwork) => void;
  readonly problems?: NetworkProblems;
}

/** A machine whose steps are collected. By itself no step changes its network. */
async function openMachine(commandLine: string, init: MachineInit) {
  const { links, obstacles = new Map(), apply, problems = new NetworkProblems() } = init;
  const network = new FakeNetwork();
  network.setLinks(lo, ...links);
  network.setAddresses(loAddress);
  const steps: string[] = [];
  const operator = new CommandLineOperator(commandLine);
  const node = openTestRuntime({
    controllers: networkControllers({
      ...{ world: worlds.machine, addresses: operator.addresses(), hostname: '', instanceType: '' },
      ...{ network: async () => network, linkHardware: noLinkHardware, publish: () => {} },
      ...{ readResolvConf: async () => '', operators: [operator], problems },
      planned: {
        port: {
          apply(step) {
            steps.push(describeStep(step));
            apply?.(step, network);
          },
        },
        obstacles,
        endpointNames: new EndpointNames(systemTimers),
        advertisements: noAdvertisements,
        selectors: createWorkerSelectors(),
      },
    }),
  });
  await node.settled();
  return { node, network, steps };
}

const isDown = { flags: 0x11002 } as const;

test('a link whose module is still being loaded is made soon, and the links of others stay down meanwhile', async () => {
  let isLoaded = false;
  const problems = new NetworkProblems();
  const { node, steps } = await openMachine('bond=bond0:eth0 ip=10.0.0.2:::24::bond0', {
    links: [fakeLink(2, 'eth0'), fakeLink(3, 'eth9', isDown)],
    problems,
    apply(step, fake) {
      if (step.kind !== 'create-link') return;
      if (!isLoaded) throw new Fault('unavailable', 'netlink: the kernel answers with ENOTSUP');
      fake.setLinks(...fake.links(), fakeLink(4, 'bond0', { kind: 'bond', ...isDown }));
    },
  });
  await using _node = node;
  await node.advance(1000);
  assert.equal(problems.ofAddresses(), undefined);
  assert.deepEqual(
    problems
      .all()
      .map(({ line }) => line)
      .filter((line) => line.includes('module')),
    ['link bond0: the module of the kernel for links of the kind bond is being loaded'],
  );
  isLoaded = true;
  await node.advance(500);
  assert.ok(steps.includes('set-link-up bond0'), String(steps));
  assert.equal(
    steps.some((step) => step.includes('eth9')),
    false,
    String(steps),
  );
});

test('a kind of link that the kernel never has is a problem after a while, and is tried less often', async () => {
  const problems = new NetworkProblems();
  const { node, steps } = await openMachine('bond=bond0:eth0 ip=10.0.0.2:::24::bond0', {
    links: [fakeLink(2, 'eth0')],
    problems,
    apply(step) {
      if (step.kind === 'create-link')
        throw new Fault('unavailable', 'netlink: the kernel answers with ENOTSUP');
    },
  });
  await using _node = node;
  await node.advance(15_000);
  assert.match(
    problems.ofAddresses() ?? '',
    /create-link bond0 of the kind bond: the kernel has no such links, or not with these options: .*ENOTSUP/,
  );
  const before = count(steps, 'create-link');
  assert.ok(before <= 50, `${before} attempts in 15 s`);
  await node.advance(60_000);
  assert.ok(count(steps, 'create-link') - before <= 13);
});

const count = (steps: readonly string[], word: string) =>
  steps.filter((step) => step.startsWith(word)).length;

test('the first device is followed when it gets another name, and keeps its address', async () => {
  const { node, network, steps } = await openMachine('ip=10.0.0.2::10.0.0.1:24', {
    links: [fakeLink(2, 'eth0')],
    apply(step, fake) {
      if (step.kind === 'add-address') fake.setAddresses(loAddress, fakeAddress(2, '10.0.0.2/24'));
      if (step.kind === 'add-route') fake.setRoutes(step.route);
    },
  });
  await using _node = node;
  assert.ok(steps.includes('add-address 10.0.0.2/24 on eth0'), String(steps));
  assert.equal(count(steps, 'add-route'), 1);
  network.setLinks(lo, fakeLink(2, 'net0'));
  await node.settled();
  network.setLinks(lo, fakeLink(2, 'net0'), fakeLink(3, 'eth0'));
  await node.settled();
  await node.advance(3000);
  assert.equal(count(steps, 'remove'), 0, String(steps));
  network.setAddresses(loAddress);
  await node.settled();
  await node.advance(3000);
  assert.equal(steps.at(-1), 'add-address 10.0.0.2/24 on net0');
});

test('the first device is the one with the lowest index, not with the first name', async () => {
  const links = [fakeLink(7, 'eth10'), fakeLink(4, 'eth2'), fakeLink(2, 'veth0', { kind: 'veth' })];
  const { node, steps } = await openMachine('ip=10.0.0.2:::24', { links });
  await using _node = node;
  const added = steps.filter((step) => step.startsWith('add-address'));
  assert.ok(
    added.every((step) => step.endsWith(' on eth2') || step.includes('127.0.0.1')),
    String(added),
  );
  assert.ok(added.includes('add-address 10.0.0.2/24 on eth2'));
});

test('an address that somebody removes every 50 ms is added about once a second', async () => {
  const { node, network, steps } = await openMachine('ip=10.0.0.2:::24', {
    links: [fakeLink(2, 'eth0')],
    apply(step, fake) {
      if (step.kind === 'add-address') fake.setAddresses(loAddress, fakeAddress(2, '10.0.0.2/24'));
    },
  });
  await using _node = node;
  for (let ms = 0; ms < 3000; ms += 50) {
    network.setAddresses(loAddress);
    await node.advance(50);
  }
  const added = count(steps, 'add-address 10.0.0.2');
  assert.ok(added >= 3 && added <= 4, `${added} in 3 s`);
});

test('a step that failed is taken again soon after an event of the kernel, and at most ten times a second', async () => {
  let isWilling = false;
  const { node, network, steps } = await openMachine('ip=10.0.0.2:::24', {
    links: [fakeLink(2, 'eth0')],
    apply(step, fake) {
      if (step.kind !== 'add-address') return;
      if (!isWilling) throw new Error('EAGAIN');
      fake.setAddresses(loAddress, fakeAddress(2, '10.0.0.2/24'));
    },
  });
  await using _node = node;
  const added = () => count(steps, 'add-address 10.0.0.2');
  assert.equal(added(), 1);
  for (let ms = 0; ms < 1000; ms += 20) {
    network.setAddresses(loAddress);
    await node.advance(20);
  }
  assert.ok(added() >= 8 && added() <= 11, `${added()} in a second`);
  isWilling = true;
  network.setAddresses(loAddress);
  const before = added();
  await node.advance(150);
  assert.equal(added(), before + 1);
});

test('the other links come up when the one of ip= has its address and cannot come up', async () => {
  const down = { flags: 0, operationalState: 2 };
  const { node, network, steps } = await openMachine('ip=10.0.0.2:::24::eth0', {
    links: [fakeLink(2, 'eth0', down), fakeLink(3, 'eth1', down)],
    obstacles: new Map([['eth0', 'its parameters cannot be set']]),
  });
  await using _node = node;
  network.setAddresses(loAddress, fakeAddress(2, '10.0.0.2/24'));
  await node.settled();
  steps.length = 0;
  await node.advance(6000);
  assert.ok(steps.includes('set-link-up eth1'), String(steps));
});

test('a host name that is wrong does not bring up links that ip= does not name', async () => {
  const down = { flags: 0, operationalState: 2 };
  const { node, steps } = await openMachine('ip=10.0.0.2:::24:a_b:eth0', {
    links: [fakeLink(2, 'eth0', down), fakeLink(3, 'eth1', down)],
  });
  await using _node = node;
  assert.ok(steps.includes('set-link-up eth0'));
  assert.ok(!steps.includes('set-link-up eth1'), String(steps));
});

const document = (kind: string, ...lines: string[]) =>
  ['apiVersion: v1alpha1', `kind: ${kind}`, ...lines, '---', ''].join('\n');

test('ip= with another name of a device takes it out of no bond', async () => {
  const member = { altNames: ['enp1s0'], masterIndex: 9, slaveKind: 'bond' };
  const { node, steps } = await openMachine('ip=10.0.0.2:::24::enp1s0', {
    links: [fakeLink(2, 'eth0', member), fakeLink(9, 'bond0', { kind: 'bond' })],
  });
  await using _node = node;
  const spec = document('BondConfig', 'name: bond0', 'links: [eth0]', 'bondMode: active-backup');
  await putResource(node.state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec });
  await node.settled();
  steps.length = 0;
  await node.advance(6000);
  assert.equal(count(steps, 'change-link eth0'), 0, String(steps));
});

test('without ip= all devices come up until the configuration names a link', async () => {
  const down = { flags: 0, operationalState: 2 };
  const { node, steps } = await openMachine('', {
    links: [fakeLink(2, 'eth0', down), fakeLink(3, 'eth1', down)],
  });
  await using _node = node;
  await node.advance(2000);
  assert.ok(steps.includes('set-link-up eth1'), String(steps));
  const spec = document('LinkConfig', 'name: eth0');
  await putResource(node.state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec });
  await node.settled();
  steps.length = 0;
  await node.advance(6000);
  assert.ok(steps.includes('set-link-up eth0'), String(steps));
  assert.ok(!steps.includes('set-link-up eth1'), String(steps));
});

test('vlan= and bond= on the command line make their links, and no link comes up that nothing names', async () => {
  const kernel = new SimulatedLinks();
  for (const name of ['eth0', 'eth1', 'eth2', 'eth3']) kernel.addHardware(name);
  const { node, network, steps } = await openMachine(
    'bond=bond0:eth1,eth2:mode=active-backup vlan=vlan5:bond0 vlan=eth0.7:eth0 ip=10.0.0.2:::24::vlan5',
    {
      links: kernel.links().slice(1),
      apply(step, fake) {
        if (step.kind === 'add-address') {
          const { linkIndex, address, prefixLength } = step.address;
          fake.setAddresses(loAddress, fakeAddress(linkIndex, `${address}/${prefixLength}`));
          return;
        }
        kernel.apply(step);
        fake.setLinks(...kernel.links());
      },
    },
  );
  await using _node = node;
  for (let ms = 0; ms < 5000; ms += 500) await node.advance(500);
  const links = kernel.links();
  const at = (name: string) => links.find((link) => link.name === name) ?? assert.fail(name);
  assert.deepEqual(links.map(({ name, kind, flags }) => `${name} ${kind} ${flags & 1}`).toSorted(), [
    ...[
      'bond0 bond 1',
      'bond0.5 vlan 1',
      'eth0  1',
      'eth0.7 vlan 1',
      'eth1  1',
      'eth2  1',
      'eth3  0',
      'lo  1',
    ],
  ]);
  assert.deepEqual([at('eth1').masterIndex, at('eth2').masterIndex], [at('bond0').index, at('bond0').index]);
  assert.deepEqual([at('bond0.5').linkIndex, at('bond0').details.bond?.mode], [at('bond0').index, 1]);
  assert.equal(steps.at(-1)?.startsWith('add-address'), true, String(steps));
  assert.deepEqual(
    network
      .addresses()
      .map(({ linkIndex }) => linkIndex)
      .toSorted(),
    [1, at('bond0.5').index],
  );
});

test('a plan of a large network, which takes long, is made less often while its specifications change', async () => {
  const { node, network } = await openMachine('ip=10.0.0.2:::24', { links: [fakeLink(2, 'eth0')] });
  await using _node = node;
  await node.advance(3000);
  const passesOf = async (planMs: number) => {
    let passes = 0;
    const { addresses } = network;
    Object.assign(network, {
      rules() {
        passes += 1;
        node.timers.block(planMs);
        return [];
      },
    });
    for (let index = 0; index < 100; index += 1) {
      const text = `apiVersion: v1alpha1\nkind: RoutingRuleConfig\nname: "${index + 1}"\nsrc: 10.9.${index}.0/24\ntable: "66"\n`;
      await putResource(node.state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec: text });
      await node.advance(10);
    }
    await node.advance(5000);
    Object.assign(network, { addresses });
    return passes;
  };
  const [fast, slow] = [await passesOf(0), await passesOf(40)];
  assert.ok(fast >= 100 && slow >= 3 && slow < fast / 2, `${fast} and ${slow} plans`);
});

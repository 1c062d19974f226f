import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { openTestRuntime } from '@nodewright/controllers/testing';
import type { LinkFeature } from '@nodewright/linux/network';
import { pointerTo, putResource } from '@nodewright/state';
import { ethernetStatuses, machineConfigs } from '@nodewright/state/kinds';
import { worlds } from '../../base/domain/world.ts';
import { createWorkerSelectors } from '../../base/host/worker-selectors.ts';
import { describeStep } from '../domain/network-step.ts';
import { EndpointNames } from '../host/endpoint-names.ts';
import { networkControllers } from './network-controllers.ts';
import { NetworkProblems } from './network-problems.ts';
import { FakeNetwork, fakeLink, noAdvertisements, noLinkHardware } from './testing/fake-network.ts';

const off: LinkFeature = { isOn: false, isWanted: false, isFixed: false };

/** A machine with eth0 and the link of a container, whose drivers are asked through `reads`. */
async function openMachine() {
  const driver = { isSilent: false, reads: 0 };
  class Devices extends FakeNetwork {
    override readonly featuresOf = () => {
      driver.reads += 1;
      return driver.isSilent ? undefined : new Map([['rx-gro', off]]);
    };
  }
  const network = new Devices();
  network.setLinks(fakeLink(2, 'eth0'), fakeLink(3, 'pod0', { kind: 'veth' }));
  const steps: string[] = [];
  const problems = new NetworkProblems();
  const node = openTestRuntime({
    controllers: networkControllers({
      ...{ world: worlds.machine, addresses: [], hostname: '', instanceType: '' },
      ...{ network: async () => network, linkHardware: noLinkHardware, publish: () => {} },
      ...{ readResolvConf: async () => '', operators: [], problems },
      planned: {
        ...{ obstacles: new Map(), advertisements: noAdvertisements },
        endpointNames: new EndpointNames(systemTimers),
        ...{ selectors: createWorkerSelectors() },
        port: {
          apply(step) {
            if (step.kind === 'change-features') steps.push(describeStep(step));
          },
        },
      },
    }),
  });
  await node.settled();
  return { node, network, driver, steps, problems };
}

const spec =
  'version: v1alpha1\nmachine: { type: worker }\n---\napiVersion: v1alpha1\nkind: EthernetConfig\nname: eth0\nfeatures: { rx-gro: true }\n';

test('a driver that does not answer is asked again, without an event of the kernel', async () => {
  const { node, driver, steps, problems } = await openMachine();
  await using _node = node;
  driver.isSilent = true;
  await putResource(node.state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec });
  await node.settled();
  assert.deepEqual(steps, []);
  assert.ok(problems.all().some(({ line }) => line === 'link eth0: its features cannot be read'));
  driver.isSilent = false;
  await node.advance(60_000);
  assert.equal(steps[0], 'change-features eth0 rx-gro on');
});

test('the drivers of Ethernet devices alone have a status, and are asked once a second while links of containers come and go', async () => {
  const { node, network, driver } = await openMachine();
  await using _node = node;
  const list = await node.state.list({ namespace: 'network', type: ethernetStatuses.type });
  assert.deepEqual(
    list.map(({ metadata }) => metadata.id),
    ['eth0'],
  );
  driver.reads = 0;
  for (let change = 0; change < 300; change += 1) {
    network.setLinks(fakeLink(2, 'eth0'), fakeLink(10 + change, `pod${change}`, { kind: 'veth' }));
    await node.advance(10);
  }
  assert.ok(driver.reads >= 2 && driver.reads <= 4, `${driver.reads} reads in 3 s`);
});

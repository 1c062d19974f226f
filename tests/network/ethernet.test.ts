// Features of links by their documents, on the kernel of a network namespace of the test. What the program ethtool shows is the judge.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { enterOwnNamespace, ip, noOwnNamespace } from '@nodewright/linux/testing';
import { pointerTo, putResource } from '@nodewright/state';
import { ethernetSpecs, machineConfigs } from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { worlds } from '../../services/machined/src/base/domain/world.ts';
import { createWorkerSelectors } from '../../services/machined/src/base/host/worker-selectors.ts';
import { networkControllers } from '../../services/machined/src/network/controllers/network-controllers.ts';
import { NetworkProblems } from '../../services/machined/src/network/controllers/network-problems.ts';
import {
  noAdvertisements,
  noLinkHardware,
} from '../../services/machined/src/network/controllers/testing/fake-network.ts';
import { ethernetStatusOf } from '../../services/machined/src/network/domain/ethernet-status.ts';
import { EndpointNames } from '../../services/machined/src/network/host/endpoint-names.ts';
import { openKernelNetwork } from '../../services/machined/src/network/host/kernel-network.ts';
import { openNetworkPort } from '../../services/machined/src/network/host/network-port.ts';

const hasEthtool = () => spawnSync('ethtool', ['--version']).status === 0;
const skip = noOwnNamespace || (hasEthtool() ? false : 'the judge of this test is ethtool (Debian: ethtool)');

/** The features of a link by the names of ethtool, which has names of its own for some. */
function shownFeatures(link: string): Map<string, string> {
  const lines = execFileSync('ethtool', ['-k', link], { encoding: 'utf8' }).split('\n').slice(1);
  return new Map(lines.map((line) => line.trim().split(': ') as [string, string]));
}

async function openMachine() {
  enterOwnNamespace();
  ip('link add wire0 type veth peer name wire1');
  ip('link set wire0 alias uplink');
  const problems = new NetworkProblems();
  const kernel = await openKernelNetwork();
  const port = await openNetworkPort(worlds.machine.networkSteps);
  const node = openTestRuntime({
    controllers: networkControllers({
      ...{ world: worlds.machine, addresses: [], hostname: '', instanceType: '' },
      ...{ network: async () => kernel, linkHardware: noLinkHardware, publish: () => {} },
      ...{ readResolvConf: async () => '', operators: [], problems },
      planned: {
        ...{ port, obstacles: new Map(), selectors: createWorkerSelectors() },
        ...{ endpointNames: new EndpointNames(systemTimers), advertisements: noAdvertisements },
      },
    }),
  });
  const apply = async (...documents: readonly string[]) => {
    const spec = ['version: v1alpha1\nmachine: { type: worker }\n', ...documents].join(
      '---\napiVersion: v1alpha1\n',
    );
    await putResource(node.state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec });
    for (let second = 0; second < 3; second += 1) await node.advance(1000);
    await node.settled();
  };
  const lines = () => problems.all().map(({ line }) => line);
  const wire = () => kernel.links().find(({ name }) => name === 'wire0') ?? assert.fail();
  return { node, kernel, wire, apply, lines };
}

const names = [
  'tx-scatter-gather',
  'tx-tcp-segmentation',
  'generic-segmentation-offload',
  'generic-receive-offload',
];
const shown = () => names.map((name) => shownFeatures('wire0').get(name));

test('features are as the document has them, are restored, and become what they were without it', {
  skip,
}, async () => {
  const { node, apply, lines } = await openMachine();
  await using _node = node;
  assert.deepEqual(shown(), ['on', 'on', 'on', 'off']);
  const document =
    'kind: EthernetConfig\nname: wire0\nfeatures: { tx-scatter-gather: false, rx-gro: true, rx-lro: true, tso: false }\nchannels: { rx: 2 }\n';
  await apply(document);
  const configured = ['off', 'off [requested on]', 'off [requested on]', 'on'];
  assert.deepEqual(shown(), configured);
  assert.deepEqual(
    lines().filter((line) => /feature/.test(line)),
    ['link wire0: it has no feature tso', 'link wire0: it cannot change the feature rx-lro'],
  );
  const list = await node.state.list({ namespace: 'network', type: ethernetSpecs.type });
  assert.deepEqual(
    list.map(({ metadata }) => metadata.id),
    ['wire0'],
  );

  execFileSync('ethtool', ['-K', 'wire0', 'sg', 'on', 'gro', 'off']);
  await eventually(
    async () => {
      await node.advance(1000);
      return shown().join() === configured.join();
    },
    { what: 'features that are restored', explain: () => shown().join() },
  );

  // By its alias, with another feature: those of before are taken back.
  await apply('kind: EthernetConfig\nname: uplink\nfeatures: { tx-generic-segmentation: false }\n');
  assert.deepEqual(shown(), ['on', 'on', 'off', 'off']);
  await apply();
  assert.deepEqual(shown(), ['on', 'on', 'on', 'off']);
});

test('the status of a device has what ethtool shows', { skip }, async () => {
  const { node, kernel, wire } = await openMachine();
  await using _node = node;
  execFileSync('ethtool', ['-K', 'wire0', 'sg', 'off']);
  const [link, judged] = [wire(), shownFeatures('wire0')];
  const { features, channels } = ethernetStatusOf({
    ...{ state: kernel.stateOf(link), settings: kernel.ethernetOf(link), features: kernel.featuresOf(link) },
  });
  const compared = features.filter(({ name }) => judged.has(name));
  assert.ok(compared.length > 45, `${compared.length} features`);
  for (const { name, status } of compared) assert.equal(status, judged.get(name), name);
  const text = execFileSync('ethtool', ['-l', 'wire0'], { encoding: 'utf8' });
  const numbers = [...text.matchAll(/^RX:\s+(\d+)$/gm)].map(([, number]) => Number(number));
  assert.deepEqual([channels?.['rx-max'], channels?.rx], numbers);
});

// A WireGuard tunnel from its document to the kernel and to its status: the controllers with the kernel in memory.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { openTestRuntime } from '@nodewright/controllers/testing';
import { Fault } from '@nodewright/fault';
import { pointerTo, putResource } from '@nodewright/state';
import {
  diagnostics,
  kernelModuleSpecs,
  linkRefreshes,
  linkSpecs,
  linkStatuses,
  machineConfigs,
} from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import { worlds } from '../../base/domain/world.ts';
import { createWorkerSelectors } from '../../base/host/worker-selectors.ts';
import { CommandLineOperator } from '../domain/command-line-operator.ts';
import { describeStep, type NetworkStep } from '../domain/network-step.ts';
import { EndpointNames, type LookUp } from '../host/endpoint-names.ts';
import { SimulatedLinks } from '../testing/simulated-links.ts';
import { ownKey, peerKey, secretOf, wireguardKey } from '../testing/wireguard-keys.ts';
import { networkControllers } from './network-controllers.ts';
import { NetworkProblems } from './network-problems.ts';
import { FakeNetwork, noAdvertisements, noLinkHardware } from './testing/fake-network.ts';

const document = (fields: string) => `apiVersion: v1alpha1
kind: WireguardConfig
name: wg0
privateKey: ${ownKey.privateKey}
${fields}
`;

async function openMachine(lookUp: LookUp, refuse = (_step: NetworkStep) => {}) {
  const kernel = new SimulatedLinks();
  const network = new FakeNetwork();
  const steps: string[] = [];
  network.setLinks(...kernel.links());
  const operator = new CommandLineOperator('');
  const node = openTestRuntime({
    controllers: networkControllers({
      ...{ world: worlds.machine, addresses: [], hostname: '', instanceType: '' },
      ...{ network: async () => network, linkHardware: noLinkHardware, publish: () => {} },
      ...{ readResolvConf: async () => '', operators: [operator], problems: new NetworkProblems() },
      planned: {
        port: {
          apply(step) {
            steps.push(describeStep(step));
            if (step.kind.includes('address') || step.kind.includes('route')) return;
            refuse(step);
            kernel.apply(step);
            // The kernel reports no event of a WireGuard device.
            if (step.kind === 'configure-wireguard') network.setLinksQuietly(...kernel.links());
            else network.setLinks(...kernel.links());
          },
        },
        obstacles: new Map(),
        endpointNames: new EndpointNames(systemTimers, lookUp),
        advertisements: noAdvertisements,
        selectors: createWorkerSelectors(),
      },
    }),
  });
  const configure = async (text: string) => {
    await putResource(node.state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec: text });
    await node.advance(2000);
  };
  const statusOf = async (name: string) =>
    (await node.state.get(pointerTo(linkStatuses, name))).spec.wireguard;
  return { node, kernel, steps, configure, statusOf };
}

test('a tunnel is made, gets its keys and comes up, and its status shows what the kernel took without an event', async () => {
  const { node, steps, configure, statusOf } = await openMachine(async () => assert.fail());
  await using _node = node;
  const peers = `peers: [{ publicKey: ${peerKey(1)}, presharedKey: ${wireguardKey(9)}, endpoint: "192.0.2.1:51820", persistentKeepaliveInterval: 25s, allowedIPs: [10.9.0.0/24] }]`;
  await configure(document(`listenPort: 51820\nfirewallMark: 7\n${peers}`));
  assert.deepEqual(
    steps.filter((step) => step.includes('wg0')),
    [
      'create-link wg0 of the kind wireguard',
      'configure-wireguard wg0 its private key, port 51820, firewall mark 7, 1 peer',
      'set-link-up wg0',
    ],
  );
  assert.deepEqual(await statusOf('wg0'), {
    ...{ privateKey: '', publicKey: ownKey.publicKey, listenPort: 51_820, firewallMark: 7 },
    peers: [
      {
        ...{ publicKey: peerKey(1), presharedKey: '', endpoint: '192.0.2.1:51820' },
        ...{ persistentKeepaliveInterval: 25_000, allowedIPs: ['10.9.0.0/24'] },
      },
    ],
  });
  const modules = await node.state.list(kernelModuleSpecs);
  assert.deepEqual(
    modules.map(({ metadata }) => metadata.id),
    ['link-wireguard'],
  );
  const before = (await node.state.get(pointerTo(linkRefreshes))).spec.generation;
  await configure(document('listenPort: 51821'));
  assert.deepEqual(await statusOf('wg0'), {
    ...{ privateKey: '', publicKey: ownKey.publicKey, listenPort: 51_821, firewallMark: 0, peers: [] },
  });
  assert.ok((await node.state.get(pointerTo(linkRefreshes))).spec.generation > before);
});

test('a private and a preshared key are in specifications for administrators only, and in no log', async () => {
  const secret = wireguardKey(9);
  const { node, kernel, steps, configure } = await openMachine(async () => assert.fail());
  await using _node = node;
  const peers = `peers: [{ publicKey: ${peerKey(1)}, presharedKey: ${secret} }]`;
  await configure(document(peers));
  // Somebody else gives the device another key, and it is put back.
  const linkIndex = kernel.links().find(({ name }) => name === 'wg0')?.index ?? assert.fail();
  const wireguard = { privateKey: secretOf(wireguardKey(3)) };
  kernel.apply({ kind: 'configure-wireguard', linkName: 'wg0', linkIndex, wireguard });
  await configure(document(`${peers}\nmtu: 1400`));
  const shown = [JSON.stringify(node.logged), ...steps];
  shown.push(JSON.stringify(await node.state.list(linkStatuses)));
  shown.push(JSON.stringify(await node.state.list(diagnostics)));
  for (const key of [ownKey.privateKey, secret]) assert.ok(!shown.join('\n').includes(key));
  assert.ok(linkSpecs.isSensitive);
  const specs = await node.state.list(linkSpecs);
  assert.equal(
    specs.find(({ metadata }) => metadata.id === 'wg0')?.spec.wireguard.privateKey,
    ownKey.privateKey,
  );
});

test('a device that the kernel refuses to configure is tried again every five seconds, and no key is in the reason', async () => {
  const { node, steps, configure } = await openMachine(
    async () => assert.fail(),
    ({ kind }) => {
      if (kind === 'configure-wireguard')
        throw new Fault('unavailable', 'netlink: the kernel answers with EADDRINUSE');
    },
  );
  await using _node = node;
  await configure(document('listenPort: 51820'));
  const before = steps.length;
  await node.advance(60_000);
  const tries = steps.slice(before).filter((step) => step.startsWith('configure-wireguard'));
  assert.ok(tries.length >= 11 && tries.length <= 13, `${tries.length} tries`);
  const shown = JSON.stringify(await node.state.list(diagnostics));
  const reason =
    'configure-wireguard wg0 its private key, port 51820: netlink: the kernel answers with EADDRINUSE';
  assert.ok(shown.includes(reason), shown);
  assert.ok(!shown.includes(ownKey.privateKey));
});

test('the name of an endpoint is looked up beside the passes, and the tunnel follows', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { node, configure, statusOf } = await openMachine(() => promise);
  await using _node = node;
  await configure(document(`peers: [{ publicKey: ${peerKey(1)}, endpoint: "vpn.lab:51820" }]`));
  assert.equal((await statusOf('wg0')).peers[0]?.endpoint, '');
  resolve('192.0.2.7');
  await eventually(
    async () => {
      await node.advance(100);
      return (await statusOf('wg0')).peers[0]?.endpoint === '192.0.2.7:51820';
    },
    { what: 'the endpoint of the peer' },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemTimers } from '@nodewright/async';
import { openTestRuntime } from '@nodewright/controllers/testing';
import type { KernelLink } from '@nodewright/linux/network';
import { pointerTo, putResource } from '@nodewright/state';
import {
  machineConfigs,
  metaKeys,
  type SpecExplanationSpec,
  specExplanations,
} from '@nodewright/state/kinds';
import { type WorldName, worlds } from '../../base/domain/world.ts';
import { createWorkerSelectors } from '../../base/host/worker-selectors.ts';
import { CommandLineOperator } from '../domain/command-line-operator.ts';
import { explainSpecs } from '../domain/explain-specs.ts';
import type { NetworkStep } from '../domain/network-step.ts';
import { routeWords } from '../domain/plan-routes.ts';
import { plainRoute } from '../domain/route-documents.ts';
import { EndpointNames } from '../host/endpoint-names.ts';
import { networkControllers } from './network-controllers.ts';
import { NetworkProblems } from './network-problems.ts';
import {
  FakeNetwork,
  fakeAddress,
  fakeLink,
  fakeRoute,
  noAdvertisements,
  noLinkHardware,
} from './testing/fake-network.ts';

interface Init {
  readonly commandLine?: string;
  readonly world?: WorldName;
  readonly meta?: string;
  readonly refuse?: (step: NetworkStep) => boolean;
  /** Further links of the kernel. */
  readonly more?: readonly KernelLink[];
}

/** What a node with eth0 and eth1, of which eth0 has an address, explains. */
async function explained(text: string, init: Init = {}) {
  const { commandLine = '', world = 'machine', meta, refuse = () => false, more = [] } = init;
  const network = new FakeNetwork();
  network.setLinks(
    fakeLink(1, 'lo', { hardwareType: 772 }),
    fakeLink(2, 'eth0', { altNames: ['enp2s0'] }),
    fakeLink(3, 'eth1'),
    ...more,
  );
  network.setAddresses(fakeAddress(2, '10.0.0.2/24'));
  network.setRoutes(fakeRoute(2, '', '10.0.0.1'));
  const operator = new CommandLineOperator(commandLine);
  await using node = openTestRuntime({
    controllers: networkControllers({
      ...{ world: worlds[world], addresses: [], hostname: '', instanceType: '' },
      ...{ network: async () => network, linkHardware: noLinkHardware, publish: () => {} },
      ...{ readResolvConf: async () => '', operators: [operator], problems: new NetworkProblems() },
      ...(world === 'machine' && {
        planned: {
          port: {
            apply(step: NetworkStep) {
              if (refuse(step)) throw new Error('netlink: the kernel answers with EOPNOTSUPP');
            },
          },
          obstacles: new Map(),
          endpointNames: new EndpointNames(systemTimers),
          advertisements: noAdvertisements,
          selectors: createWorkerSelectors(),
        },
      }),
    }),
  });
  if (meta !== undefined)
    await putResource(node.state, { ...pointerTo(metaKeys, '0x0a'), spec: { value: meta } });
  await putResource(node.state, { ...pointerTo(machineConfigs, 'v1alpha1'), spec: text });
  await node.settled();
  await node.advance(2000);
  const of = async (id: string) => (await node.state.get(pointerTo(specExplanations, id))).spec;
  const rows = ({ specs }: SpecExplanationSpec) =>
    new Map(
      specs.map(({ id, layer, sources, statusId, reason }) => [
        id,
        [layer, sources.map(({ source }) => source).join(', '), statusId, reason],
      ]),
    );
  const [links, addresses, routes] = [await of('links'), await of('addresses'), await of('routes')];
  return {
    ...{ links: rows(links), addresses: rows(addresses), routes: rows(routes) },
    ...{ unmanaged: links.unmanaged, problems: addresses.problems, omitted: routes.omitted },
  };
}
const document = (kind: string, ...lines: string[]) =>
  ['---', 'apiVersion: v1alpha1', `kind: ${kind}`, ...lines, ''].join('\n');

test('each specification names its documents, what the kernel has, and what it waits for', async () => {
  const { links, addresses, routes, unmanaged } = await explained(
    document(
      'LinkConfig',
      ...['name: enp2s0', 'addresses: [{ address: 10.0.0.2/24 }]', 'routes: [{ gateway: 10.0.0.1 }]'],
    ) +
      document('LinkConfig', 'name: eth7', 'addresses: [{ address: 10.7.0.2/24 }]') +
      document('BondConfig', 'name: bond0', 'links: [eth1]', 'bondMode: active-backup') +
      document(
        'VLANConfig',
        'name: bond0.5',
        'parent: bond0',
        'vlanID: 5',
        'addresses: [{ address: 10.5.0.2/24 }]',
      ) +
      document(
        'VLANConfig',
        'name: eth9.5',
        'parent: eth9',
        'vlanID: 5',
        'routes: [{ destination: 10.9.0.0/16 }]',
      ) +
      document('BlackholeRouteConfig', 'name: 10.66.0.0/16'),
    { refuse: (step) => step.kind === 'create-link' },
  );
  assert.equal(unmanaged, '');
  const of = 'configuration';
  assert.deepEqual([...links.keys()].sort(), ['bond0', 'bond0.5', 'eth0', 'eth1', 'eth7', 'eth9.5', 'lo']);
  assert.deepEqual(links.get('eth0'), [of, 'LinkConfig enp2s0', 'eth0', '']);
  assert.deepEqual(links.get('eth1'), [of, 'BondConfig bond0', 'eth1', '']);
  assert.deepEqual(links.get('eth7'), [of, 'LinkConfig eth7', '', 'there is no such network device']);
  assert.deepEqual(links.get('eth9.5'), [
    ...[of, 'VLANConfig eth9.5', '', 'there is no network device eth9 to carry it'],
  ]);
  assert.deepEqual(links.get('bond0.5'), [of, 'VLANConfig bond0.5', '', 'it is not made yet']);
  assert.match(
    links.get('bond0')?.join() ?? '',
    /^configuration,BondConfig bond0,,create-link bond0 of the kind bond: .*EOPNOTSUPP/,
  );
  assert.deepEqual(links.get('lo'), ['default', 'default', 'lo', '']);
  assert.deepEqual(addresses.get('enp2s0/10.0.0.2/24'), [of, 'LinkConfig enp2s0', 'eth0/10.0.0.2/24', '']);
  assert.deepEqual(addresses.get('eth7/10.7.0.2/24'), [
    ...[of, 'LinkConfig eth7', '', 'there is no network device eth7'],
  ]);
  assert.deepEqual(addresses.get('bond0.5/10.5.0.2/24'), [
    ...[of, 'VLANConfig bond0.5', '', 'the link bond0.5 is not made yet'],
  ]);
  assert.deepEqual(routes.get('inet4/10.0.0.1//1024'), [of, 'LinkConfig enp2s0', 'inet4/10.0.0.1//1024', '']);
  assert.deepEqual(routes.get('inet4//10.66.0.0/16/1024'), [
    of,
    'BlackholeRouteConfig 10.66.0.0/16',
    '',
    'the kernel does not have it yet',
  ]);
  assert.deepEqual(routes.get('inet4//10.9.0.0/16/1024'), [
    ...[of, 'VLANConfig eth9.5', '', 'there is no network device eth9.5'],
  ]);
});

test('the highest layer comes first, and the others are named with theirs', async () => {
  const { links, addresses, problems } = await explained(
    'version: v1alpha1\nmachine: { type: worker, network: { interfaces: [{ interface: eth0, mtu: 1400, vlans: [{ vlanId: 7 }] }] } }\n',
    {
      commandLine: 'ip=10.0.0.2:::24::eth0 ip=10.0.0.3:::24::eth8 vlan=eth0.5:eth0',
      meta: 'links: [{ name: eth0, up: true }]\naddresses: [{ address: 10.1.0.2/24, linkName: eth1 }]',
    },
  );
  assert.deepEqual(links.get('eth0'), [
    'configuration',
    "machine.network.interfaces eth0, META 0x0a, kernel's command line",
    ...['eth0', ''],
  ]);
  assert.deepEqual(links.get('eth0.7')?.slice(0, 2), ['configuration', 'machine.network.interfaces eth0']);
  assert.deepEqual(links.get('eth0.5')?.slice(0, 2), ['cmdline', "kernel's command line"]);
  assert.deepEqual(addresses.get('eth1/10.1.0.2/24')?.slice(0, 2), ['platform', 'META 0x0a']);
  assert.deepEqual(addresses.get('eth8/10.0.0.3/24'), [
    ...['cmdline', "kernel's command line", '', 'there is no network device eth8'],
  ]);
  assert.deepEqual(problems, ['no network device eth8 for ip=; devices of the hardware: eth0, eth1']);
});

test('a node that changes no network says so, and no secret is in an explanation', async () => {
  const key = Buffer.alloc(32, 7).toString('base64');
  const text = document('WireguardConfig', 'name: wg0', `privateKey: ${key}`);
  const { links, unmanaged } = await explained(text, { world: 'container' });
  assert.equal(unmanaged, 'this node is a container: it changes no links, addresses or routes');
  assert.deepEqual(links.get('wg0'), ['configuration', 'WireguardConfig wg0', '', '']);
  assert.doesNotMatch(JSON.stringify([...(await explained(text)).links]), new RegExp(key.slice(0, 12)));
});

test('why the kernel refuses the settings of a tunnel stands with its link', async () => {
  const { links, problems } = await explained(
    document('WireguardConfig', 'name: wg0', `privateKey: ${Buffer.alloc(32, 7).toString('base64')}`) +
      document('LinkConfig', 'name: eth0'),
    {
      refuse: ({ kind }) => kind === 'configure-wireguard',
      more: [
        fakeLink(9, 'wg0', {
          kind: 'wireguard',
          wireguard: { publicKey: '', listenPort: 0, firewallMark: 0, peers: [] },
        }),
      ],
    },
  );
  assert.match(links.get('wg0')?.[3] ?? '', /^configure-wireguard wg0 its private key: .*EOPNOTSUPP/);
  assert.doesNotMatch(problems.join(), /wg0/);
});

test('only a thousand specifications of a kind are explained, however many there are', () => {
  const routes = Array.from({ length: 10_000 }, (_, at) => ({
    id: `configuration/${at}`,
    spec: { ...plainRoute, family: 'inet4' as const, dst: `10.${at >> 8}.${at & 255}.0/24` },
  }));
  const lines = routes.map(({ spec }) => `${routeWords(spec)}: there is no network device eth9`);
  const { routes: shown, addresses } = explainSpecs(
    { links: [], addresses: [], routes },
    { addresses: [], routes: new Set() },
    {
      ...{ unmanaged: '', platformSource: 'platform', links: [], lines },
      documents: { ofLink: () => [], ofSettings: () => [], ofRoute: () => [] },
    },
  );
  assert.deepEqual([shown.specs.length, shown.omitted], [1000, 9000]);
  assert.equal(shown.specs.at(-1)?.reason, 'there is no network device eth9');
  assert.equal(addresses.problems.length, 16);
});

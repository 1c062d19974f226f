// The order of steps, and what waits. That plans lead where they should is in host/planned-network.property.test.ts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigReader } from '@nodewright/machine-config';
import type { RouteSpecSpec } from '@nodewright/state/kinds';
import { fakeAddress, fakeLink, fakeRoute } from '../controllers/testing/fake-network.ts';
import { linkAddress } from './address-documents.ts';
import { linkSpecsOf, plainLink } from './link-documents.ts';
import { noLinkMemory } from './link-plan/link-memory.ts';
import { mergeLinks } from './merge-layers.ts';
import { describeStep, type NetworkPlan } from './network-step.ts';
import { maxAddresses, planAddresses } from './plan-addresses.ts';
import { maxLinks, planLinks } from './plan-links.ts';
import { maxRoutes, planRoutes } from './plan-routes.ts';
import { plainRoute } from './route-documents.ts';

const links = [
  fakeLink(1, 'lo', { hardwareType: 772, flags: 0 }),
  fakeLink(2, 'eth0', { flags: 0, altNames: ['enp1s0'] }),
  fakeLink(3, 'eth1', { flags: 0 }),
  fakeLink(4, 'cni0', { flags: 0, kind: 'veth' }),
];
const wordsOf = ({ steps }: Pick<NetworkPlan, 'steps'>) => steps.map(describeStep);
const isUpSpec = (name: string) => ({ ...plainLink(name, 'cmdline'), up: true });
const isUp = (index: number) => links.map((link) => (link.index === index ? { ...link, flags: 1 } : link));

test('planLinks() sets up what is named, by any of its names, and all hardware when there is no address', () => {
  const wanted = ['lo', 'enp1s0', 'eth9'].map(isUpSpec);
  const facts = { wanted, memory: noLinkMemory, bringsUpAll: false, obstacles: new Map(), links };
  assert.deepEqual(wordsOf(planLinks(facts)), ['set-link-up eth0', 'set-link-up lo']);
  assert.deepEqual(wordsOf(planLinks({ ...facts, links: isUp(2) })), ['set-link-up lo']);
  const all = planLinks({ ...facts, wanted: [isUpSpec('lo')], bringsUpAll: true });
  assert.deepEqual(wordsOf(all), ['set-link-up lo', 'set-link-up eth0', 'set-link-up eth1']);
});

test('planLinks() leaves a link down whose advertisements of routers cannot be refused, and says so', () => {
  const obstacles = new Map([['eth0', 'its advertisements of routers cannot be refused: EACCES']]);
  const wanted = [isUpSpec('eth0')];
  const plan = planLinks({ wanted, memory: noLinkMemory, bringsUpAll: true, obstacles, links });
  assert.deepEqual(wordsOf(plan), ['set-link-up eth1']);
  assert.deepEqual(plan.waiting, [
    'link eth0 stays down, its advertisements of routers cannot be refused: EACCES',
  ]);
});

test('planLinks() leaves a VLAN down while the link that carries it is down, and says so', () => {
  const documents = (isCarrierUp: boolean) => [
    {
      kind: 'LinkConfig',
      value: { apiVersion: 'v1alpha1', kind: 'LinkConfig', name: 'eth0', up: isCarrierUp },
    },
    {
      kind: 'VLANConfig',
      value: { apiVersion: 'v1alpha1', kind: 'VLANConfig', name: 'vlan7', parent: 'eth0', vlanID: 7 },
    },
  ];
  const vlan = fakeLink(5, 'vlan7', {
    ...{ kind: 'vlan', flags: 0, linkIndex: 2, details: { vlan: { id: 7, protocol: 0x8100 } } },
  });
  const planFor = (isCarrierUp: boolean) => {
    const wanted = mergeLinks(linkSpecsOf(new ConfigReader(documents(isCarrierUp)))).map(({ spec }) => spec);
    const facts = { memory: noLinkMemory, bringsUpAll: false, obstacles: new Map<string, string>() };
    return planLinks({ ...facts, wanted, links: [...links, vlan] });
  };
  const down = planFor(false);
  assert.deepEqual(wordsOf(down), []);
  assert.deepEqual(down.waiting, ['link vlan7 stays down, because eth0, which carries it, is down']);
  const up = planFor(true);
  assert.deepEqual([wordsOf(up), up.waiting], [['set-link-up eth0', 'set-link-up vlan7'], []]);
});

test('planAddresses() adds before it removes, and waits for a link', () => {
  const wanted = ['10.0.0.2/24', '10.0.0.3/24'].map((text) => linkAddress('eth0', text, 'cmdline'));
  const missing = linkAddress('eth9', '10.0.0.4/24', 'cmdline');
  const first = planAddresses({ wanted: [...wanted, missing], owned: new Set(), links, addresses: [] });
  assert.deepEqual(wordsOf(first), ['add-address 10.0.0.2/24 on eth0', 'add-address 10.0.0.3/24 on eth0']);
  assert.deepEqual(first.waiting, ['address 10.0.0.4/24: there is no network device eth9']);
  const addresses = [fakeAddress(2, '10.0.0.2/24'), fakeAddress(2, '10.0.0.9/24')];
  const [, kept] = wanted;
  const second = planAddresses({ wanted: kept ? [kept] : [], owned: first.owned, links, addresses });
  assert.deepEqual(wordsOf(second), [
    'add-address 10.0.0.3/24 on eth0',
    'remove-address 10.0.0.2/24 on eth0',
  ]);
});

test('planAddresses() keeps an address whose link has another name now, and one that an operator has lent', () => {
  const spec = linkAddress('eth0', '10.0.0.2/24', 'cmdline');
  const addresses = [fakeAddress(2, '10.0.0.2/24')];
  const { owned } = planAddresses({ wanted: [spec], owned: new Set(), links, addresses });
  const renamed = [fakeLink(2, 'net0')];
  const kept = planAddresses({ wanted: [spec], owned, links: renamed, addresses });
  assert.deepEqual([wordsOf(kept), kept.owned], [[], owned]);
  assert.deepEqual(kept.waiting, ['address 10.0.0.2/24: there is no network device eth0']);
  // It still belongs to the specifications, and goes with the last of them.
  const gone = planAddresses({ wanted: [], owned: kept.owned, links: renamed, addresses });
  assert.deepEqual(wordsOf(gone), ['remove-address 10.0.0.2/24 on net0']);
  const lent = planAddresses({ wanted: [{ ...spec, flags: [] }], owned, links, addresses });
  assert.deepEqual([wordsOf(lent), lent.owned, lent.waiting], [[], owned, []]);
});

test('planRoutes() keeps a route whose link has another name now, and lets no other one take its metric', () => {
  const route = { ...plainRoute, family: 'inet4', dst: '' } as const;
  const first = { ...route, gateway: '10.0.0.1', outLinkName: 'eth0' };
  const routes = [fakeRoute(2, '', '10.0.0.1')];
  const { owned } = planRoutes({ wanted: [first], owned: new Set(), links: isUp(2), routes });
  const renamed = [fakeLink(2, 'net0'), fakeLink(3, 'eth1')];
  const second = { ...route, gateway: '10.1.0.1', outLinkName: 'eth1' };
  const kept = planRoutes({ wanted: [first, second], owned, links: renamed, routes });
  assert.deepEqual([wordsOf(kept), kept.owned], [[], owned]);
  assert.deepEqual(kept.waiting, [
    'route default via 10.0.0.1 metric 1024: there is no network device eth0',
    'route default via 10.1.0.1 metric 1024: another specification has this metric',
  ]);
  const gone = planRoutes({ wanted: [second], owned: kept.owned, links: renamed, routes });
  assert.deepEqual(wordsOf(gone), [
    'remove-route default via 10.0.0.1 metric 1024',
    'add-route default via 10.1.0.1 metric 1024',
  ]);
});

test('planAddresses() changes what the kernel can change in place, and makes the rest anew', () => {
  const [owned, addresses] = [new Set<string>(), [fakeAddress(2, '10.0.0.2/24')]];
  const plan = (change: object) =>
    wordsOf(
      planAddresses({
        ...{ owned, addresses, links },
        wanted: [{ ...linkAddress('eth0', '10.0.0.2/24', 'cmdline'), ...change }],
      }),
    );
  assert.deepEqual(plan({}), []);
  assert.deepEqual(plan({ priority: 7 }), ['replace-address 10.0.0.2/24 on eth0']);
  const anew = ['remove-address 10.0.0.2/24 on eth0', 'add-address 10.0.0.2/24 on eth0'];
  assert.deepEqual(plan({ scope: 'link' }), anew);
  assert.deepEqual(plan({ flags: ['permanent', 'noprefixroute'] }), anew);
});

test('planRoutes() removes before it adds, and adds the route to a gateway before the one through it', () => {
  const route = { ...plainRoute, family: 'inet4', outLinkName: 'eth0' } as const;
  const wanted = [
    { ...route, dst: '', gateway: '192.0.2.1' },
    { ...route, dst: '192.0.2.1/32', scope: 'link' as const },
  ];
  const facts = { wanted, owned: new Set(['2/254//1024/10.0.0.1']), links: isUp(2) };
  const plan = planRoutes({ ...facts, routes: [fakeRoute(2, '', '10.0.0.1')] });
  assert.deepEqual(wordsOf(plan), [
    'remove-route default via 10.0.0.1 metric 1024',
    'add-route 192.0.2.1/32 metric 1024',
    'add-route default via 192.0.2.1 metric 1024',
  ]);
});

test('planRoutes() waits for a link that is down and for a metric that another route has', () => {
  const route = { ...plainRoute, family: 'inet4', dst: '' } as const;
  const wanted = [
    { ...route, gateway: '10.0.0.1', outLinkName: 'eth0' },
    { ...route, gateway: '10.0.0.2', outLinkName: 'eth0' },
    { ...route, gateway: '10.1.0.1', outLinkName: 'eth1', priority: 7 },
    { ...route, gateway: '10.2.0.1', outLinkName: 'eth9', priority: 8 },
  ];
  const routes = [fakeRoute(2, '', '10.0.0.9')];
  assert.deepEqual(planRoutes({ wanted, owned: new Set(), links: isUp(2), routes }), {
    steps: [],
    waiting: [
      'route default via 10.0.0.2 metric 1024: another specification has this metric',
      'route default via 10.1.0.1 metric 7: the link eth1 is down',
      'route default via 10.2.0.1 metric 8: there is no network device eth9',
      'route default via 10.0.0.1 metric 1024: another route to this destination has this metric',
    ],
    owned: new Set(['2/254//1024/10.0.0.1']),
  });
});

test('planners apply a bounded number of specifications, and say how many there are', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => index);
  const ip = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  const addresses = many(maxAddresses + 1).map((index) => linkAddress('eth0', `${ip(index)}/32`, 'cmdline'));
  const ofAddresses = planAddresses({ wanted: addresses, owned: new Set(), links, addresses: [] });
  assert.equal(ofAddresses.steps.length, maxAddresses);
  assert.deepEqual(ofAddresses.waiting, ['of 1001 addresses only 1000 are applied']);
  const routes = many(maxRoutes + 1).map(
    (index): RouteSpecSpec => ({ ...plainRoute, family: 'inet4', dst: `${ip(index)}/32`, type: 'blackhole' }),
  );
  const ofRoutes = planRoutes({ wanted: routes, owned: new Set(), links, routes: [] });
  assert.equal(ofRoutes.steps.length, maxRoutes);
  assert.deepEqual(ofRoutes.waiting, ['of 10001 routes only 10000 are applied']);
  const bridges = many(maxLinks + 1).map((index) => ({
    ...plainLink(`br${index}`, 'configuration'),
    ...{ logical: true, kind: 'bridge', up: true },
  }));
  const facts = { memory: noLinkMemory, bringsUpAll: false, obstacles: new Map(), links };
  const ofLinks = planLinks({ ...facts, wanted: bridges });
  assert.equal(ofLinks.steps.length, maxLinks);
  assert.deepEqual(ofLinks.waiting, ['of 1001 links only 1000 are applied']);
});

test('planLinks() says of each link why it waits, and goes on with the others', () => {
  const wanted = [
    { ...plainLink('eth0', 'configuration'), logical: true, kind: 'bridge' },
    { ...plainLink('vx0', 'configuration'), logical: true, kind: 'vxlan' },
    { ...plainLink('v7', 'configuration'), logical: true, kind: 'vlan', parentName: 'v8' },
    { ...plainLink('v8', 'configuration'), logical: true, kind: 'vlan', parentName: 'eth9' },
    { ...plainLink('eth1', 'configuration'), up: true, bridgeSlave: { masterName: 'br9' } },
    { ...plainLink('eth9', 'configuration'), up: true },
    { ...plainLink('lo', 'configuration'), up: false },
    { ...plainLink(`br\n${'x'.repeat(70_000)}`, 'configuration'), logical: true, kind: 'bridge' },
    { ...plainLink('..', 'configuration'), logical: true, kind: 'bridge' },
    { ...plainLink('x0', 'configuration'), logical: true, kind: 'constructor' },
  ];
  const facts = { memory: noLinkMemory, bringsUpAll: false, obstacles: new Map() };
  const plan = planLinks({ ...facts, wanted, links: isUp(1) });
  assert.deepEqual(wordsOf(plan), ['set-link-up eth1']);
  assert.deepEqual(plan.waiting.toSorted(), [
    'link "..": a link cannot have this name',
    `link "br\\n${'x'.repeat(37)}...": a link cannot have this name`,
    'link eth0: a device of the hardware has this name',
    'link eth1: there is no network device br9 for it to join',
    'link eth9: there is no such network device',
    'link lo: the loopback device stays up',
    'link v8: there is no network device eth9 to carry it',
    'link vx0: links of the kind vxlan are not supported',
    'link x0: links of the kind constructor are not supported',
  ]);
});

test('planLinks() takes the members out of a bond for a new mode, and puts them back, and not for a new primary', () => {
  const document = {
    kind: 'BondConfig',
    value: {
      name: 'bond0',
      links: ['eth0', 'eth1'],
      bondMode: 'active-backup',
      miimon: 100,
      primary: 'eth1',
    },
  };
  const specsOf = (rest: object) =>
    mergeLinks(linkSpecsOf(new ConfigReader([{ ...document, value: { ...document.value, ...rest } }]))).map(
      ({ spec }) => spec,
    );
  const made = planLinks({
    ...{ memory: noLinkMemory, bringsUpAll: false, obstacles: new Map(), links, wanted: specsOf({}) },
  });
  assert.deepEqual(wordsOf(made).slice(-1), ['create-link bond0 of the kind bond']);
  const first = made.steps.at(-1);
  const { details } = first?.kind === 'create-link' ? first.creation : assert.fail();
  const up = { flags: 1, masterIndex: 9 };
  const working = [
    ...[fakeLink(2, 'eth0', up), fakeLink(3, 'eth1', up)],
    fakeLink(9, 'bond0', { flags: 1, kind: 'bond', details }),
  ];
  const stepsFor = (rest: object) =>
    wordsOf(
      planLinks({
        ...{ memory: made.owned, bringsUpAll: false, obstacles: new Map(), links: working },
        wanted: specsOf(rest),
      }),
    );
  assert.deepEqual(stepsFor({}), []);
  assert.deepEqual(stepsFor({ primary: 'eth0' }), ['change-link bond0 options of the bond']);
  assert.deepEqual(stepsFor({ miimon: 50 }), [
    'set-link-down bond0',
    'change-link eth0 out of its master',
    'change-link eth1 out of its master',
    'change-link bond0 options of the bond',
    'set-link-up bond0',
    ...['set-link-down eth0', 'change-link eth0 into its master', 'set-link-up eth0'],
    ...['set-link-down eth1', 'change-link eth1 into its master', 'set-link-up eth1'],
  ]);
});

test('planLinks() stops setting a bond down whose options the kernel does not take, until one of both changes', () => {
  const wanted = (lacpRate: 'fast' | 'slow') => {
    const bond = plainLink('bond0', 'configuration');
    const bondMaster = { ...bond.bondMaster, mode: '802.3ad', miimon: 100, updelay: 250, lacpRate } as const;
    return [{ ...bond, logical: true, kind: 'bond', up: true, bondMaster }];
  };
  const facts = { bringsUpAll: false, obstacles: new Map() };
  const [made] = planLinks({ ...facts, memory: noLinkMemory, links, wanted: wanted('slow') }).steps;
  const { details } = made?.kind === 'create-link' ? made.creation : assert.fail();
  assert.equal(details.bond?.upDelay, 200);
  const kernel = [...links, fakeLink(9, 'bond0', { flags: 1, kind: 'bond', details })];
  let memory = noLinkMemory;
  const plan = (rate: 'fast' | 'slow') => {
    const next = planLinks({ ...facts, memory, links: kernel, wanted: wanted(rate) });
    memory = next.owned;
    return next;
  };
  const downs = Array.from({ length: 40 }, () => wordsOf(plan('fast')).length).filter((count) => count > 0);
  assert.equal(downs.length, 15);
  assert.deepEqual(plan('fast').waiting, ['link bond0: the kernel keeps other options than it was given']);
  assert.deepEqual([wordsOf(plan('slow')), plan('slow').waiting], [[], []]);
});

test('planLinks() stops setting a link down that its bond does not take, and never the loopback device', () => {
  const bond = { ...plainLink('bond0', 'configuration'), logical: true, kind: 'bond', up: true };
  const member = (name: string) => ({
    ...{ ...plainLink(name, 'configuration'), up: true },
    bondSlave: { masterName: 'bond0', slaveIndex: 0 },
  });
  const facts = { wanted: [bond, member('eth0'), member('lo')], bringsUpAll: false, obstacles: new Map() };
  const made = planLinks({ ...facts, memory: noLinkMemory, links: isUp(1) }).steps.at(-1);
  const { details } = made?.kind === 'create-link' ? made.creation : assert.fail();
  const kernel = (eth0: object) => [
    ...[fakeLink(1, 'lo', { hardwareType: 772, flags: 1 }), fakeLink(2, 'eth0', { flags: 1, ...eth0 })],
    fakeLink(9, 'bond0', { flags: 1, kind: 'bond', details }),
  ];
  let memory = noLinkMemory;
  const downs = (times: number, eth0: object = {}) =>
    Array.from({ length: times }, () => {
      const plan = planLinks({ ...facts, memory, links: kernel(eth0) });
      memory = plan.owned;
      assert.ok(!wordsOf(plan).some((step) => step.endsWith(' lo')));
      assert.ok(plan.waiting.includes('link lo: the loopback device joins no other link'));
      return wordsOf(plan).includes('set-link-down eth0');
    }).filter((isDown) => isDown).length;
  assert.equal(downs(40), 15);
  const { steps, waiting } = planLinks({ ...facts, memory, links: kernel({}) });
  assert.deepEqual(steps, []);
  assert.ok(waiting.includes('link eth0: the kernel does not let it join bond0'), String(waiting));
  assert.equal(downs(40, { mtu: 9000 }), 15, 'another size may be what it takes');
  assert.equal(downs(1, { masterIndex: 9 }), 0);
  assert.equal(downs(1), 1, 'it was a member');
});

test('planLinks() sets a link up as it is named before it makes a VLAN on it, which takes its MTU', () => {
  const vlan = { id: 7, protocol: 0x8100 };
  const wanted = [
    { ...plainLink('eth0', 'configuration'), up: true, mtu: 9000 },
    { ...plainLink('eth0.7', 'configuration'), logical: true, kind: 'vlan', parentName: 'eth0', up: true },
  ].map((spec) => ({ ...spec, vlan: { vlanID: vlan.id, vlanProtocol: '802.1q' as const } }));
  const facts = { memory: noLinkMemory, bringsUpAll: false, obstacles: new Map(), wanted };
  assert.deepEqual(wordsOf(planLinks({ ...facts, links: isUp(2) })), [
    'change-link eth0 mtu 9000',
    'create-link eth0.7 of the kind vlan',
  ]);
});

test('planLinks() keeps a VLAN on a parent that has another name now, and says so', () => {
  const spec = { ...plainLink('eth0.7', 'configuration'), logical: true, kind: 'vlan', parentName: 'eth0' };
  const wanted = [{ ...spec, vlan: { vlanID: 7, vlanProtocol: '802.1q' as const } }];
  const facts = { memory: noLinkMemory, bringsUpAll: false, obstacles: new Map(), wanted };
  const details = { vlan: { id: 7, protocol: 0x8100 } };
  const vlan = fakeLink(9, 'eth0.7', { kind: 'vlan', flags: 0, linkIndex: 2, details });
  const plan = planLinks({ ...facts, links: [fakeLink(2, 'net0'), vlan] });
  assert.deepEqual(
    [plan.steps, plan.waiting],
    [[], ['link eth0.7: there is no network device eth0 to carry it; it stays on net0']],
  );
  assert.deepEqual(planLinks({ ...facts, links: [fakeLink(2, 'eth0'), vlan] }).waiting, []);
});

test('planLinks() gives a link its MTU and address back when it is no member of a bond', () => {
  const wanted = (mtu: number, hardwareAddr = '') => [
    { ...plainLink('bond0', 'configuration'), logical: true, kind: 'bond', up: true, mtu: 9000 },
    {
      ...{ ...plainLink('eth0', 'configuration'), up: true, mtu, hardwareAddr },
      bondSlave: { masterName: 'bond0', slaveIndex: 0 },
    },
  ];
  const facts = { bringsUpAll: false, obstacles: new Map() };
  const first = planLinks({
    ...facts,
    memory: noLinkMemory,
    links,
    wanted: wanted(9000, '02:00:00:00:00:77'),
  });
  const [made] = first.steps.filter((step) => step.kind === 'create-link');
  const { details } = made?.creation ?? assert.fail();
  const bonded = { flags: 1, mtu: 9000, masterIndex: 9, hardwareAddress: '02:00:00:00:00:99' };
  const kernel = [
    ...[fakeLink(1, 'lo', { hardwareType: 772 }), fakeLink(2, 'eth0', bonded)],
    fakeLink(9, 'bond0', { flags: 1, kind: 'bond', mtu: 9000, details }),
  ];
  const member = planLinks({ ...facts, memory: first.owned, links: kernel, wanted: wanted(0) });
  assert.deepEqual(wordsOf(member), []);
  const left = [...links, ...kernel.slice(2)].map((link) =>
    link.index === 2 ? { ...link, mtu: 9000 } : link,
  );
  const gone = planLinks({ ...facts, memory: member.owned, links: left, wanted: wanted(0).slice(0, 1) });
  assert.deepEqual(wordsOf(gone), ['change-link eth0 mtu 1500']);
});

test('a configuration beyond the limits takes neither the address nor the route of ip= from a machine', () => {
  const numbers = Array.from({ length: maxRoutes }, (_, index) => index);
  const ip = (index: number) => `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`;
  const configured = numbers
    .slice(0, maxAddresses)
    .map((index) => linkAddress('eth0', `${ip(index)}/32`, 'configuration'));
  const ofAddresses = planAddresses({
    wanted: [...configured, linkAddress('eth0', '192.0.2.2/24', 'cmdline')],
    ...{ owned: new Set(), links, addresses: [] },
  });
  assert.equal(ofAddresses.steps.length, maxAddresses);
  assert.ok(wordsOf(ofAddresses).includes('add-address 192.0.2.2/24 on eth0'));
  const route = { ...plainRoute, family: 'inet4', outLinkName: 'eth0' } as const;
  const ofRoutes = planRoutes({
    wanted: [
      ...numbers.map((index) => ({ ...route, dst: `${ip(index)}/32`, scope: 'link' as const })),
      { ...route, dst: '', gateway: '192.0.2.1', layer: 'cmdline' },
    ],
    ...{ owned: new Set(), links: isUp(2), routes: [] },
  });
  assert.equal(ofRoutes.steps.length, maxRoutes);
  assert.ok(wordsOf(ofRoutes).some((words) => words.includes('192.0.2.1')));
});

test('planRoutes() takes the route of the highest layer of those with one metric', () => {
  const route = { ...plainRoute, family: 'inet4', dst: '', outLinkName: 'eth0' } as const;
  const wanted = [
    { ...route, gateway: '10.0.0.1', layer: 'cmdline' as const },
    { ...route, gateway: '10.0.0.254', layer: 'configuration' as const },
  ];
  const plan = planRoutes({ wanted, owned: new Set(), links: isUp(2), routes: [] });
  assert.deepEqual(wordsOf(plan), ['add-route default via 10.0.0.254 metric 1024']);
  assert.deepEqual(plan.waiting, [
    'route default via 10.0.0.1 metric 1024: another specification has this metric',
  ]);
});

test('planRoutes() takes each network with the length 0 for the default route', () => {
  const wanted = [{ ...plainRoute, family: 'inet4', dst: '10.0.0.0/0', gateway: '10.0.0.1' } as const];
  const { owned, steps } = planRoutes({ wanted, owned: new Set(), links, routes: [] });
  const [added] = steps;
  const { route } = added?.kind === 'add-route' ? added : assert.fail();
  const kernel = { ...route, destination: '' };
  assert.deepEqual(wordsOf(planRoutes({ wanted, owned, links, routes: [kernel] })), []);
});

test('planLinks() keeps a made link that is named beyond the limit', () => {
  const dummy = (name: string) => ({
    ...{ ...plainLink(name, 'configuration'), logical: true, kind: 'dummy', up: true, mtu: 1400 },
  });
  const facts = { bringsUpAll: false, obstacles: new Map() };
  const before = planLinks({ ...facts, memory: noLinkMemory, links, wanted: [dummy('zz')] });
  const kernel = [...links, fakeLink(9, 'zz', { kind: 'dummy', mtu: 1400 })];
  const many = Array.from({ length: maxLinks }, (_, index) => dummy(`a${index}`));
  const plan = planLinks({ ...facts, memory: before.owned, links: kernel, wanted: [...many, dummy('zz')] });
  assert.deepEqual(plan.waiting, ['of 1001 links only 1000 are applied']);
  assert.deepEqual(
    wordsOf(plan).filter((step) => step.endsWith(' zz')),
    [],
  );
});

test('planLinks() keeps the settings of a link that is named beyond the limit', () => {
  const eth1 = { ...plainLink('eth1', 'configuration'), mtu: 1400 };
  const facts = { bringsUpAll: false, obstacles: new Map() };
  const before = planLinks({ ...facts, memory: noLinkMemory, links, wanted: [eth1] });
  const kernel = links.map((link) => (link.index === 3 ? { ...link, mtu: 1400 } : link));
  const many = Array.from({ length: maxLinks }, (_, index) => isUpSpec(`a${index}`));
  const plan = planLinks({ ...facts, memory: before.owned, links: kernel, wanted: [...many, eth1] });
  assert.deepEqual(wordsOf(plan), []);
});

test('planLinks() takes VLANs on VLANs, however many there are', () => {
  const wanted = Array.from({ length: 20_000 }, (_, index) => ({
    ...{ ...plainLink(`v${index}`, 'configuration'), logical: true, kind: 'vlan' },
    parentName: `v${index + 1}`,
  }));
  const plan = planLinks({ wanted, memory: noLinkMemory, bringsUpAll: false, obstacles: new Map(), links });
  assert.ok(plan.waiting.includes('of 20000 links only 1000 are applied'));
});

test('planLinks() makes no link with a name in which the kernel would put a number, and no pair without two names', () => {
  const made = (name: string, kind: string, peerName = '') => ({
    ...{ ...plainLink(name, 'configuration'), logical: true, kind, veth: { peerName } },
  });
  const wanted = [made('br%d', 'bridge'), made('va', 'veth', 'v%d'), made('vb', 'veth')];
  const plan = planLinks({ wanted, memory: noLinkMemory, bringsUpAll: false, obstacles: new Map(), links });
  assert.deepEqual(
    [wordsOf(plan), plan.waiting],
    [
      [],
      [
        'link "br%d": a link cannot have this name',
        'link va: its other end cannot have the name "v%d"',
        'link vb: its other end cannot have the name ""',
      ],
    ],
  );
});

test('planLinks() compares the addresses that a bond asks as the kernel writes them, and counts its rests anew', () => {
  const wanted = (...addresses: string[]) => {
    const bond = plainLink('bond0', 'configuration');
    const targets = { nsIp6Targets: addresses, arpIpTargets: addresses };
    const bondMaster = { ...bond.bondMaster, mode: 'active-backup', arpInterval: 1000, ...targets } as const;
    return [{ ...bond, logical: true, kind: 'bond', up: true, bondMaster }];
  };
  const facts = { bringsUpAll: false, obstacles: new Map() };
  const written = wanted('FD00::1', '10.0.0.1', 'fd00:0::1');
  const [made] = planLinks({ ...facts, memory: noLinkMemory, links, wanted: written }).steps;
  const { details } = made?.kind === 'create-link' ? made.creation : assert.fail();
  assert.deepEqual([details.bond?.nsIp6Targets, details.bond?.arpIpTargets], [['fd00::1'], ['10.0.0.1']]);
  const kernel = [...links, fakeLink(9, 'bond0', { flags: 1, kind: 'bond', details })];
  let memory = noLinkMemory;
  const isSetDown = (...addresses: string[]) => {
    const plan = planLinks({ ...facts, memory, links: kernel, wanted: wanted(...addresses) });
    memory = plan.owned;
    return wordsOf(plan).includes('set-link-down bond0');
  };
  for (let times = 0; times < 20; times += 1) assert.equal(isSetDown('fd00::2'), times < 15);
  assert.equal(isSetDown('FD00::1', '10.0.0.1'), false);
  assert.equal(isSetDown('fd00::2'), true);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigReader } from '@nodewright/machine-config';
import { evaluateSelector } from '@nodewright/machine-config/evaluate-selector';
import type { LinkStatusSpec } from '@nodewright/state/kinds';
import { linkStatusesOf } from '../controllers/link-statuses.ts';
import { fakeLink } from '../controllers/testing/fake-network.ts';
import type { PresentLink } from './device-configs.ts';
import { aliasCandidates, aliasDocuments, assignAliases } from './link-aliases.ts';
import { describeStep } from './network-step.ts';
import { planAliases } from './plan-aliases.ts';

const state = { hasLink: true, speedMbit: 1000, duplex: 1, port: 0 };
const hardware = {
  ...{ driver: 'virtio_net', driverVersion: '1.0.0', firmwareVersion: '7', busPath: '0000:00:03.0' },
  ...{ pciId: '1AF4:1000', vendorId: '0x1af4', productId: '0x1000' },
};

const present = (index: number, name: string, rest: Partial<LinkStatusSpec> = {}): PresentLink => {
  const link = fakeLink(index, name, {
    permanentAddress: `02:00:00:00:00:0${index}`,
    altNames: [`alt${index}`],
  });
  const [status] = linkStatusesOf([{ link, state, hardware }]);
  return { name, spec: { ...(status?.spec ?? assert.fail()), ...rest } };
};

/** The aliases that documents with these names and selectors give. */
function assigned(documents: Readonly<Record<string, string>>, links: readonly PresentLink[]) {
  const reader = new ConfigReader(
    Object.entries(documents).map(([name, match]) => ({
      kind: 'LinkAliasConfig',
      value: { name, selector: { match } },
    })),
  );
  const candidates = aliasCandidates(links);
  const choices = aliasDocuments(reader).map(({ name, expression }) => ({
    name,
    selection: evaluateSelector({ environment: 'link', expression, candidates }),
  }));
  const { aliases, problems } = assignAliases(choices, new Set(links.map(({ name }) => name)));
  return { aliases: Object.fromEntries(aliases), problems };
}

const three = [present(3, 'eth0'), present(2, 'eth1'), present(1, 'eth2')];

test('a selector sees each field of a physical link, as upstream names them', () => {
  const link = present(2, 'eth0', { linkIndex: 4, masterIndex: 5, slaveKind: 'bridge' });
  for (const expression of [
    'link.index == 2u && link.link_index == 4u && link.master_index == 5u && link.mtu == 1500u',
    'link.type == talos.resource.definitions.enums.NethelpersLinkType.LINK_ETHER && link.kind == ""',
    'link.operational_state == talos.resource.definitions.enums.NethelpersOperationalState.OPER_STATE_UP',
    'link.duplex == talos.resource.definitions.enums.NethelpersDuplex.FULL && link.speed_megabits == 1000',
    'link.port == talos.resource.definitions.enums.NethelpersPort.TWISTED_PAIR && link.link_state',
    'link.flags != 0u && link.queue_disc == "noqueue" && link.slave_kind == "bridge"',
    'mac(link.hardware_addr) == "02:00:00:00:00:02" && mac(link.permanent_addr) == "02:00:00:00:00:02"',
    'mac(link.broadcast_addr) == "ff:ff:ff:ff:ff:ff"',
    'glob("0000:00:*", link.bus_path) && link.pciid == "1AF4:1000" && link.driver == "virtio_net"',
    'link.driver_version == "1.0.0" && link.firmware_version == "7"',
    'link.product_id == "0x1000" && link.vendor_id == "0x1af4" && link.product + link.vendor == ""',
    'link.alt_names == ["alt2"]',
  ])
    assert.deepEqual(
      assigned({ net0: expression }, [link]),
      { aliases: { eth0: 'net0' }, problems: [] },
      expression,
    );
});

test('only physical links get aliases, numbered by their permanent addresses, and none depends on itself', () => {
  const vlan = present(4, 'eth0.7', { kind: 'vlan' });
  const lo = present(5, 'lo', { type: 'loopback' });
  assert.deepEqual(assigned({ 'net%d': 'true' }, [...three, vlan, lo]), {
    aliases: { eth2: 'net0', eth1: 'net1', eth0: 'net2' },
    problems: [],
  });
  const named = three.map(({ name, spec }) => ({ name, spec: { ...spec, alias: 'net0' } }));
  assert.deepEqual(assigned({ 'net%d': 'link.alias == ""' }, named).problems, []);
});

test('a member of a bond is selected by its own address, and not by that of the bond', () => {
  const member = present(2, 'eth0', { masterIndex: 9, hardwareAddr: '02:00:00:00:00:01' });
  const of = (address: string) =>
    assigned({ net0: `mac(link.hardware_addr) == "${address}"` }, [member]).aliases;
  assert.deepEqual([of('02:00:00:00:00:02'), of('02:00:00:00:00:01')], [{ eth0: 'net0' }, {}]);
});

test('an alias for one link is given to none of several, and the problem says which they are', () => {
  assert.deepEqual(assigned({ net0: 'true' }, three), {
    aliases: {},
    problems: ['alias net0: its selector matches eth2, eth1, eth0, and the alias is for one link'],
  });
  const many = Array.from({ length: 9 }, (_, index) => present(index, `eth${index}`));
  assert.deepEqual(assigned({ net0: 'true' }, many).problems, [
    'alias net0: its selector matches eth0, eth1, eth2, eth3 and 5 more, and the alias is for one link',
  ]);
  assert.deepEqual(assigned({ net0: 'false' }, three), { aliases: {}, problems: [] });
});

test('a link has the alias of the first document by name, and the others say so', () => {
  const first = 'mac(link.permanent_addr) == "02:00:00:00:00:01"';
  assert.deepEqual(assigned({ b: first, a: first, 'net%d': 'true' }, three), {
    aliases: { eth2: 'a', eth1: 'net0', eth0: 'net1' },
    problems: ['alias b: the link eth2 has the alias a'],
  });
  assert.deepEqual(assigned({ 'net%d': `!(${first})`, net0: first }, three), {
    aliases: { eth1: 'net0', eth0: 'net1' },
    problems: ['alias net0: another link than eth2 has the alias net0'],
  });
});

test('an alias is not the name of another link', () => {
  assert.deepEqual(assigned({ 'eth%d': 'link.index < 3u' }, three), {
    aliases: { eth1: 'eth1' },
    problems: ['alias "eth%d": a link has the name eth0'],
  });
});

test('names that no link can have, and that would break a console, are not given, and are shown quoted', () => {
  const one = [present(2, 'eth0')];
  for (const [name, shown] of [
    ['a\nb', '"a\\nb"'],
    ['\u001b[2J', '"\\u001b[2J"'],
    ['n'.repeat(300), `"${'n'.repeat(40)}..."`],
    ['\u2028', '"\u2028"'],
  ] as const) {
    const { aliases, problems } = assigned({ [name]: 'true' }, one);
    assert.deepEqual([aliases, problems], [{}, [`alias ${shown}: a link cannot have this alias`]]);
  }
  assert.deepEqual(assigned({ ['n'.repeat(255)]: 'true' }, one).aliases, { eth0: 'n'.repeat(255) });
  const long = assigned({ [`${'n'.repeat(255)}%d`]: 'true' }, one);
  assert.deepEqual(long.aliases, {});
});

test('an alias of somebody else that is put back is shown without its control characters', () => {
  const link = fakeLink(2, 'eth0', { alias: 'net0' });
  const before = new Map([[2, '\u001b[2J\n']]);
  const { steps } = planAliases({ wanted: new Map(), before, links: [link] });
  assert.deepEqual(steps.map(describeStep), ['change-link eth0 alias "\\u001b[2J\\n"']);
});

test('a selector that is not valid or fails is named with its reason, and the others work', () => {
  const { aliases, problems } = assigned({ bad: 'link.nosuch', 'net%d': 'true', worse: '1 / 0 == 1' }, three);
  assert.equal(Object.keys(aliases).length, 3);
  assert.match(
    problems.join('\n'),
    /^alias bad: the selector "link\.nosuch" is not a valid .*\nalias worse: /,
  );
});

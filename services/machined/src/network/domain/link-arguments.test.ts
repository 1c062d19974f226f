import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseCommandLineNetwork } from './command-line-network.ts';
import { CommandLineOperator, commandLineOutput } from './command-line-operator.ts';
import { parseLinkArguments } from './link-arguments.ts';
import { plainLink } from './link-documents.ts';
import { isLinkName } from './link-plan/shown-name.ts';

const plain = (name: string) => ({ ...plainLink(name, 'cmdline'), up: true });
const made = (name: string, kind: string) => ({ ...plain(name), logical: true, type: 'ether', kind });

test('vlan= makes a VLAN that is named after the link below it, however the number is written', () => {
  const vlan = (name: string, parentName: string, vlanID: number) => ({
    ...{ ...made(name, 'vlan'), parentName, vlan: { vlanID, vlanProtocol: '802.1q' } },
  });
  for (const name of ['eth0.5', 'eth0.0005', 'vlan5', 'vlan0005', 'other.5'])
    assert.deepEqual(parseLinkArguments(`quiet vlan=${name}:eth0 panic=0\n`), {
      links: [vlan('eth0.5', 'eth0', 5), plain('eth0')],
      ...{ writtenNames: new Map([[name, 'eth0.5']]), carriers: new Set(['eth0']), problems: [] },
    });
  const [long] = parseLinkArguments('vlan=enx0123456789ab.4094:enx0123456789ab').links;
  assert.deepEqual([long?.name.length, long?.vlan.vlanID], [15, 4094]);
  assert.match(long?.name ?? '', /^enx0[0-9a-f]{6}\.4094$/);
});

test('bond= makes a bond with its members, options and MTU, and has the defaults of dracut', () => {
  const { links, problems } = parseLinkArguments(
    'bond=bond1:eth1,eth2:mode=802.3ad,miimon=100,lacp_rate=1,arp_ip_target=10.0.0.1;10.0.0.2,xmit_hash_policy=layer3+4,use_carrier=0,num_unsol_na=3:9000',
  );
  assert.deepEqual(problems, []);
  const [bond, ...members] = links;
  assert.deepEqual(members, [
    { ...plain('eth1'), bondSlave: { masterName: 'bond1', slaveIndex: 0 } },
    { ...plain('eth2'), bondSlave: { masterName: 'bond1', slaveIndex: 1 } },
  ]);
  const { mode, miimon, lacpRate, arpIpTargets, xmitHashPolicy, useCarrier, numPeerNotif, adActorSysPrio } =
    bond?.bondMaster ?? plainLink('', 'cmdline').bondMaster;
  assert.deepEqual(
    [bond?.name, bond?.kind, bond?.logical, bond?.up, bond?.mtu],
    ['bond1', 'bond', true, true, 9000],
  );
  assert.deepEqual(
    [mode, miimon, lacpRate, arpIpTargets, xmitHashPolicy, useCarrier, numPeerNotif, adActorSysPrio],
    ['802.3ad', 100, 'fast', ['10.0.0.1', '10.0.0.2'], 'layer3+4', false, 3, 65_535],
  );
  for (const argument of ['bond', 'bond=', 'bond=bond0', 'bond=bond0:eth0,eth1:mode=balance-rr'])
    assert.deepEqual(parseLinkArguments(argument).links, parseLinkArguments('bond=bond0:eth0,eth1').links);
});

test('an argument that is wrong is named with its field, and the others count', () => {
  const cases: [string, RegExp][] = [
    ['vlan=', /vlan=: write vlan=<name>:<link>/],
    ['vlan=eth0.5', /write vlan=/],
    ['vlan=eth0.5:eth0:x', /write vlan=/],
    ['vlan=eth0:eth0', /"eth0" does not end with the number of a VLAN/],
    ['vlan=eth0.0:eth0', /from 1 to 4094/],
    ['vlan=vlan4095:eth0', /from 1 to 4094/],
    ['vlan=eth0.00005:eth0', /from 1 to 4094/],
    ['vlan=eth0.5:a/b', /"a\/b" is not the name of a network device/],
    [`vlan=eth0.5:${'e'.repeat(300)}`, /^vlan=eth0\.5:e{150,}…e+" is not the name of a network device$/],
    ['bond=:eth0,a/b', /"a\/b" is not the name of a network device/],
    ['bond=bond0:bond0', /"bond0" is not the name of a network device/],
    [`bond=${'b'.repeat(16)}`, /is not a name that a link can have/],
    ['bond=a%d', /is not a name that a link can have/],
    ['bond=..', /is not a name that a link can have/],
    ['bond=bond0:eth0:mode=8', /mode "8" is not one of balance-rr/],
    ['bond=bond0:eth0:mode', /mode "" is not one of balance-rr/],
    ['bond=bond0:eth0:constructor=1', /"constructor" is not an option of bonds/],
    ['bond=bond0:eth0:miimon=-1', /miimon "-1" is not a number up to/],
    ['bond=bond0:eth0:miimon=99999999999', /is not a number up to/],
    ['bond=bond0:eth0:arp_ip_target=10.0.0.1;fd00::1', /bond=.*write bond=|is not up to 16 IPv4 addresses/],
    ['bond=bond0:eth0:arp_ip_target=10.0.0.1/8', /is not up to 16 IPv4 addresses/],
    ['bond=bond0:eth0:primary=eth1', /primary "eth1" is not one of its links/],
    ['bond=bond0:eth0::20', /MTU "20" is not a number from 68 to 65535/],
    ['bond=bond0:eth0::1500:x', /write bond=/],
  ];
  for (const [argument, pattern] of cases) {
    const { links, problems } = parseLinkArguments(`${argument} vlan=eth9.9:eth9`);
    assert.equal(problems.length, 1, argument);
    assert.match(problems[0] ?? '', pattern);
    assert.deepEqual(
      links.map(({ name }) => name),
      ['eth9.9', 'eth9'],
      argument,
    );
  }
});

test('several count, the last one for a link, and only 64 of each are read', () => {
  const { links } = parseLinkArguments('bond=bond0:eth0 vlan=vlan7:bond0 bond=bond0:eth1 bond=bond1:eth2');
  assert.deepEqual(
    links.map(({ name }) => name),
    ['bond0', 'bond1', 'bond0.7', 'eth1', 'eth2'],
  );
  const many = Array.from({ length: 70 }, (_, id) => `vlan=eth0.${id + 1}:eth0`).join(' ');
  const read = parseLinkArguments(many);
  assert.deepEqual(
    [read.links.length, read.problems],
    [65, ['there are 70 arguments vlan=: all after 64 are ignored']],
  );
});

test('ip= may name the VLAN as it is written, and its specification is one with that of the VLAN', () => {
  const given = parseCommandLineNetwork(
    'vlan=vlan5:eth0 ip=10.0.0.2::10.0.0.1:24::vlan5 ip=vlan5:dhcp bond=bond0:eth1 ip=10.1.0.2:::24::bond0',
  );
  const { links = [], addresses = [] } = commandLineOutput(given, undefined);
  assert.deepEqual(
    addresses.map(({ address, linkName }) => `${address} ${linkName}`),
    ['10.0.0.2/24 eth0.5', '10.1.0.2/24 bond0'],
  );
  assert.deepEqual(given.ip.dhcpLinks, ['eth0.5']);
  assert.deepEqual(
    links.map(({ name, kind, up }) => `${name} ${kind} ${up}`),
    ['bond0 bond true', 'eth0.5 vlan true', 'eth1  true', 'eth0  true'],
  );
  assert.equal(links[0]?.bondMaster.useCarrier, true);
});

test('links that the command line makes are not missing devices, and members of bonds may be', () => {
  const operator = new CommandLineOperator('vlan=eth0.5:eth0 bond=bond0:eth1 ip=10.0.0.2:::24::eth0.5');
  const lo = { index: 1, name: 'lo', alias: '', altNames: [], hardwareType: 772, kind: '' };
  operator.react({ kernelLinks: [lo as never] });
  assert.deepEqual(
    operator.problems().map(({ line }) => line),
    ['no network device eth1 for bond=; devices of the hardware: none'],
  );
});

test('talos.hostname has precedence over the name in ip=, and a wrong one is reported and ignored', () => {
  const nameOf = (commandLine: string) =>
    commandLineOutput(parseCommandLineNetwork(commandLine), 'eth0').hostname;
  assert.deepEqual(nameOf('ip=10.0.0.2::::other talos.hostname=node1.lab talos.hostname=node2'), {
    ...{ hostname: 'node1', domainname: 'lab', layer: 'cmdline' },
  });
  const wrong = `talos.hostname=${'a'.repeat(300)}`;
  assert.equal(nameOf(`${wrong} ip=10.0.0.2::::other`)?.hostname, 'other');
  assert.equal(nameOf(wrong), undefined);
  const [problem = ''] = parseCommandLineNetwork(`${wrong} talos.hostname=a_b`).hostnameProblems;
  assert.match(problem, /^talos\.hostname=a{80} is not a host name$/);
  assert.deepEqual([...new CommandLineOperator('talos.hostname=node1').given()], ['hostname']);
});

test('lines about wrong arguments, which reach the console, have no control characters and are not long', () => {
  const hostile = `\x1b[2J\x07\u202e${'x'.repeat(4000)}`;
  for (const name of ['ip', 'vlan', 'bond', 'talos.hostname']) {
    const { ip, links, hostnameProblems } = parseCommandLineNetwork(`${name}=eth0.5:${hostile}`);
    const lines = [...ip.problems, ...links.problems, ...hostnameProblems];
    assert.equal(lines.length, 1, name);
    assert.match(lines[0] ?? '', /^\P{C}{1,301}$/u, name);
  }
});

/** Pieces of arguments, and what somebody hostile or careless writes in their place. */
const piece = fc.oneof(
  fc.constantFrom('eth0', 'vlan5', 'eth0.5', 'bond0', 'mode=1', 'miimon=100', '', '1500', 'lo', '..', '%d'),
  fc.string({ maxLength: 20 }),
);
const value = fc
  .array(fc.tuple(piece, fc.constantFrom(':', ',', '=', ';', '.')), { maxLength: 8 })
  .map((pieces) => pieces.flat().join(''));

test('property: whatever is written, links have names that the kernel takes, and each word is read or reported', () => {
  const argument = fc
    .tuple(fc.constantFrom('vlan=', 'bond=', 'talos.hostname=', 'ip=', ''), value)
    .map(([name, text]) => `${name}${text}`);
  fc.assert(
    fc.property(fc.array(argument, { maxLength: 12 }), (words) => {
      const line = words.join(' ');
      const { links, problems } = parseLinkArguments(line);
      const given = line.split(/\s+/).filter((word) => /^(?:vlan|bond)(?:=|$)/.test(word)).length;
      const created = links.filter(({ logical }) => logical);
      for (const { name, layer, kind, vlan } of created) {
        assert.ok(isLinkName(name), name);
        assert.equal(layer, 'cmdline');
        if (kind === 'vlan') assert.ok(vlan.vlanID >= 1 && vlan.vlanID <= 4094);
      }
      assert.ok(created.length + problems.length <= given);
      assert.equal(new Set(created.map(({ name }) => name)).size, created.length);
      assert.ok(problems.length > 0 || created.length > 0 || given === 0);
      commandLineOutput(parseCommandLineNetwork(line), 'eth0');
    }),
    { numRuns: 2000 },
  );
});

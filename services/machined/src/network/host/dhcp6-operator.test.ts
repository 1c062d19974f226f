// The operator with a server in memory and a clock of the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { type Inet6Message, inet6Option, inet6OptionCodes } from '@nodewright/dhcp';
import { Inet6TestServer } from '@nodewright/dhcp/testing';
import type { KernelAddress } from '@nodewright/linux';
import type { LinkStatusSpec, OperatorSpecSpec } from '@nodewright/state/kinds';
import { linkStatusesOf } from '../controllers/link-statuses.ts';
import { fakeLink } from '../controllers/testing/fake-network.ts';
import { plainOperator } from '../domain/operator-documents.ts';
import { Dhcp6Operator } from './dhcp6-operator.ts';

const operatorOf = (linkName: string, change: Partial<OperatorSpecSpec['dhcp6']> = {}) => {
  const operator = plainOperator('dhcp6', linkName, 'configuration');
  return { ...operator, dhcp6: { ...operator.dhcp6, ...change } };
};

function statusOf(
  index: number,
  name: string,
  isUp = true,
  rest: Partial<LinkStatusSpec> = {},
): LinkStatusSpec {
  const state = { hasLink: isUp, speedMbit: undefined, duplex: undefined, port: undefined };
  const link = fakeLink(index, name, { hardwareAddress: `02:00:00:00:00:0${index}` });
  const [status = assert.fail()] = linkStatusesOf([{ link, state, hardware: undefined }]);
  return { ...status.spec, operationalState: isUp ? 'up' : 'down', ...rest };
}

function openRig() {
  const timers = new FakeTimers();
  const server = new Inet6TestServer();
  const logged: string[] = [];
  const sent: Inet6Message[] = [];
  const addresses: KernelAddress[] = [];
  let wires = 0;
  let failure: Error | undefined;
  let onAddress: (() => void) | undefined;
  let changes = 0;
  const write = (fields: object, text: string) => void logged.push(`${text} ${JSON.stringify(fields)}`);
  const operator = new Dhcp6Operator({
    openWire: (_, { onMessage }) => {
      wires += 1;
      let isOpen = false;
      return {
        listen(isListening) {
          isOpen = isListening;
        },
        send(message) {
          if (failure !== undefined) throw failure;
          sent.push(message);
          const reply = server.answer(message);
          if (reply !== undefined) timers.after(1, () => isOpen && onMessage(reply));
        },
        [Symbol.dispose]: () => {
          wires -= 1;
        },
      };
    },
    kernel: {
      addresses: () => addresses,
      watchAddresses({ onChange }) {
        onAddress = onChange;
        return {
          [Symbol.dispose]: () => {
            onAddress = undefined;
          },
        };
      },
    },
    ...{ timers, random: () => 0.5, log: { info: write, warn: write, debug: () => {} } as never },
  });
  operator.watch(() => {
    changes += 1;
  });
  return {
    ...{ operator, server, timers, logged, sent, addresses },
    counts: () => ({ wires, changes, isWatching: onAddress !== undefined }),
    failWith: (error: Error | undefined) => {
      failure = error;
    },
    /** The kernel has found another host with the address. */
    fail(linkIndex: number, address: string) {
      addresses.push({
        ...{ linkIndex, family: 10, prefixLength: 128, scope: 0, flags: 0xc8, address, local: '' },
        ...{ broadcast: '', anycast: '', multicast: '', priority: 0 },
      });
      onAddress?.();
    },
    react: (operators: readonly OperatorSpecSpec[], links: Readonly<Record<string, LinkStatusSpec>>) =>
      operator.react({ operators, links: new Map(Object.entries(links)) }),
    pass(seconds: number) {
      const until = timers.now() + seconds * 1000;
      while (timers.step(until));
    },
    leased: () => operator.outputs().flatMap(({ addresses: of = [] }) => of.map(({ address }) => address)),
    lines: () => operator.problems().map(({ line }) => line),
    [Symbol.dispose]: () => operator[Symbol.dispose](),
  };
}

const clientIdIn = (message: Inet6Message | undefined) =>
  Buffer.from(inet6Option(message?.options ?? [], inet6OptionCodes.clientId) ?? []).toString('hex');

test('a link that a specification names gets an address, keeps it, and loses it with the specification', () => {
  using rig = openRig();
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0', false) });
  assert.deepEqual(
    rig.operator.outputs().map(({ prefix, links = [] }) => [prefix, links.map(({ name, up }) => [name, up])]),
    [['dhcp6/eth0', [['eth0', true]]]],
  );
  rig.pass(3);
  assert.equal(rig.sent.length, 0);
  for (let count = 0; count < 3; count += 1) rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(3);
  const [output] = rig.operator.outputs();
  assert.deepEqual(
    output?.addresses?.map(({ address, layer, family, flags, priority }) => ({
      address,
      layer,
      family,
      flags,
      priority,
    })),
    [{ address: 'fd00::5/128', layer: 'operator', family: 'inet6', flags: ['permanent'], priority: 0 }],
  );
  assert.deepEqual(
    [output?.resolvers?.dnsServers, output?.resolvers?.searchDomains],
    [['fd00::53'], ['lab.example']],
  );
  rig.pass(600);
  // The second one is the end of the time in which no address is no problem.
  assert.deepEqual([rig.leased(), rig.counts().changes], [['fd00::5/128'], 2]);
  assert.equal(rig.sent.length, 21);
  rig.react([operatorOf('eth0')], {});
  assert.deepEqual(rig.leased(), ['fd00::5/128']);
  rig.react([], { eth0: statusOf(2, 'eth0') });
  assert.deepEqual([rig.operator.outputs(), rig.counts().wires, rig.counts().isWatching], [[], 0, false]);
});

test('a client identifies itself as the configuration says, and another id begins anew', () => {
  const settingsOf = (clientIdentifier: 'mac' | 'duid' | 'none', duidRawHex = '') => ({
    clientIdentifier: { clientIdentifier, duidRawHex },
  });
  for (const [settings, expected] of [
    [settingsOf('mac'), '00030001020000000002'],
    [settingsOf('duid', '00:03:00:01:AA'), '00030001aa'],
    [settingsOf('duid', 'not one'), '00030001020000000002'],
  ] as const) {
    using rig = openRig();
    rig.react([operatorOf('eth0', settings)], { eth0: statusOf(2, 'eth0') });
    rig.pass(2);
    assert.equal(clientIdIn(rig.sent[0]), expected);
  }
  using rig = openRig();
  rig.react([operatorOf('eth0', settingsOf('none'))], { eth0: statusOf(2, 'eth0') });
  rig.pass(100);
  const ids = new Set(rig.sent.map(clientIdIn));
  assert.deepEqual([ids.size, [...ids][0]?.slice(0, 8)], [1, '00010001']);
  rig.react([operatorOf('eth0', settingsOf('mac'))], { eth0: statusOf(2, 'eth0') });
  assert.deepEqual([rig.leased(), rig.counts().wires], [[], 1]);
});

test('an address that the kernel finds on another host is declined, and another one is taken', () => {
  using rig = openRig();
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(2);
  rig.fail(3, 'fd00::5');
  rig.fail(2, 'fd00::9');
  assert.deepEqual(rig.leased(), ['fd00::5/128']);
  rig.fail(2, 'fd00::5');
  assert.deepEqual(rig.leased(), []);
  rig.pass(12);
  assert.deepEqual([rig.leased(), [...rig.server.declined]], [['fd00::6/128'], ['fd00::5']]);
});

test('a machine that no server answers says so after a while, and a name server that is itself is dropped', () => {
  using rig = openRig();
  rig.server.isAway = true;
  rig.react([operatorOf('eth0'), operatorOf('eth7'), operatorOf('tun0')], {
    eth0: statusOf(2, 'eth0'),
    tun0: statusOf(3, 'tun0', true, { type: 'nohdr' }),
  });
  rig.pass(16);
  assert.deepEqual(rig.lines(), [
    'DHCP for IPv6 on eth0: no server has given an address',
    'DHCP for IPv6 on eth7: there is no such network device',
    'DHCP for IPv6 on tun0: it is not an Ethernet device',
  ]);
  rig.failWith(new Error('EADDRNOTAVAIL'));
  rig.pass(130);
  assert.match(rig.lines()[0] ?? '', /eth0: .*EADDRNOTAVAIL/);
  rig.failWith(undefined);
  rig.server.isAway = false;
  rig.server.addresses = ['fd00::53'];
  rig.pass(260);
  assert.deepEqual(rig.leased(), ['fd00::53/128']);
  assert.deepEqual(rig.operator.outputs()[0]?.resolvers?.dnsServers, []);
});

test('a server that changes its settings with each renewal changes them once a minute, and fills no log', () => {
  using rig = openRig();
  rig.server.validSeconds = 10;
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(2);
  const seen = new Set<string>();
  for (let second = 0; second < 600; second += 1) {
    rig.server.more = [
      {
        code: inet6OptionCodes.nameServers,
        value: Uint8Array.from([0xfd, ...new Uint8Array(13), second >> 8, second]),
      },
    ];
    rig.pass(1);
    seen.add(String(rig.operator.outputs()[0]?.resolvers?.dnsServers));
  }
  assert.ok(seen.size > 5 && seen.size < 14, `${seen.size}`);
  assert.ok(rig.logged.length < 5, rig.logged.join('\n'));
});

test('a listener that another one has replaced takes the changes of neither away', () => {
  using rig = openRig();
  let seen = 0;
  const first = rig.operator.watch(() => {});
  rig.operator.watch(() => {
    seen += 1;
  });
  first[Symbol.dispose]();
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(2);
  assert.equal(seen, 1);
});

test('a name server of the link is named with its link', () => {
  using rig = openRig();
  const value = Uint8Array.from([0xfe, 0x80, ...new Uint8Array(13), 1]);
  rig.server.more = [{ code: inet6OptionCodes.nameServers, value }];
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(2);
  assert.deepEqual(rig.operator.outputs()[0]?.resolvers?.dnsServers, ['fe80::1%eth0']);
});

test('the name and the time servers of a server are those of the machine, and the name is ignored where somebody says so', () => {
  using rig = openRig();
  const addresses = Buffer.concat([Buffer.from([0, 1, 0, 16, 0xfd]), Buffer.alloc(14), Buffer.from([123])]);
  rig.server.more = [
    { code: inet6OptionCodes.clientName, value: Buffer.from('\x01\x06node01\x03lab\x00', 'latin1') },
    { code: inet6OptionCodes.timeServers, value: addresses },
  ];
  const found = () => {
    const [{ hostname, timeServers } = {}] = rig.operator.outputs();
    return [hostname?.hostname, hostname?.domainname, timeServers?.timeServers];
  };
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(2);
  assert.deepEqual(found(), ['node01', 'lab', ['fd00::7b']]);
  const [before] = rig.sent;
  rig.react([operatorOf('eth0', { skipHostnameRequest: true })], { eth0: statusOf(2, 'eth0') });
  assert.deepEqual([...found(), rig.sent[0] === before], [undefined, undefined, ['fd00::7b'], true]);
  rig.server.more = [];
  rig.pass(120);
  assert.deepEqual(found(), [undefined, undefined, undefined]);
});

// The operator with servers in memory and a clock of the test.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { messageTypeOf, messageTypes } from '@nodewright/dhcp';
import { TestServer } from '@nodewright/dhcp/testing';
import type { HostnameSpecSpec, LinkStatusSpec, OperatorSpecSpec } from '@nodewright/state/kinds';
import { eventually } from '@nodewright/testkit';
import fc from 'fast-check';
import { linkStatusesOf } from '../controllers/link-statuses.ts';
import { fakeLink } from '../controllers/testing/fake-network.ts';
import type { GivenSetting } from '../domain/dhcp-specs.ts';
import { plainOperator } from '../domain/operator-documents.ts';
import { openDhcpLeases } from './dhcp-leases.ts';
import { DhcpOperator } from './dhcp-operator.ts';
import type { DhcpWire, Reception, WireEvents, WireLink } from './dhcp-wire.ts';

const folder = mkdtempSync(join(tmpdir(), 'dhcp-'));
// A lease may be written a moment after the last test.
after(() => rmSync(folder, { recursive: true, maxRetries: 5 }));
let files = 0;
const newPath = () => {
  files += 1;
  return join(folder, `${files}`, 'leases.json');
};

const operatorOf = (linkName: string, layer: OperatorSpecSpec['layer'] = 'configuration') =>
  plainOperator('dhcp4', linkName, layer);

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

function openRig({ path = newPath(), given = [] as readonly GivenSetting[] } = {}) {
  const timers = new FakeTimers();
  const server = new TestServer({ addresses: ['10.0.0.5', '10.0.0.6'] });
  const wires = new Set<WireLink>();
  const receptions: Reception[] = [];
  const logged: string[] = [];
  const delays = { replyMs: 1 };
  const broken = { send: undefined as Error | undefined, probe: undefined as Error | undefined };
  const log = {
    info: (fields: object, text: string) => void logged.push(`${text} ${JSON.stringify(fields)}`),
    warn: (fields: object, text: string) => void logged.push(`${text} ${JSON.stringify(fields)}`),
  } as never;
  let changes = 0;
  const openWire = (link: WireLink, { onMessage }: WireEvents): DhcpWire => {
    wires.add(link);
    let reception: Reception = 'nothing';
    const answer = (message: Parameters<TestServer['answer']>[0]) => {
      if (broken.send !== undefined) throw broken.send;
      assert.equal(reception, 'servers');
      const reply = server.answer(message);
      if (reply !== undefined)
        timers.after(delays.replyMs, () => reception === 'servers' && onMessage(reply));
    };
    return {
      listen(next) {
        reception = next;
        receptions.push(next);
      },
      probe() {
        if (broken.probe !== undefined) throw broken.probe;
      },
      ...{ broadcast: answer, unicast: answer, announce: () => {}, forgetAddress: () => {} },
      [Symbol.dispose]: () => void wires.delete(link),
    };
  };
  const operator = new DhcpOperator({
    ...{ openWire, timers, random: () => 0.5, log, isTaken: (name) => name === 'eth9' },
    given: () => new Set(given),
    leases: openDhcpLeases(path, log),
  });
  operator.watch(() => {
    changes += 1;
  });
  return {
    ...{ operator, server, timers, wires, receptions, logged, broken, delays, path },
    changes: () => changes,
    react: (
      operators: readonly OperatorSpecSpec[],
      links: Readonly<Record<string, LinkStatusSpec>>,
      hostname?: HostnameSpecSpec,
    ) => operator.react({ operators, links: new Map(Object.entries(links)), hostname }),
    pass(seconds: number) {
      const until = timers.now() + seconds * 1000;
      while (timers.step(until));
    },
    addresses: () =>
      operator.outputs().flatMap(({ addresses = [] }) => addresses.map(({ address }) => address)),
    lines: () => operator.problems().map(({ line }) => line),
    [Symbol.dispose]: () => operator[Symbol.dispose](),
  };
}

test('a link that a specification names gets an address, keeps it, and loses it with the specification', () => {
  using rig = openRig();
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0', false) });
  assert.deepEqual(
    rig.operator.outputs().map(({ links = [] }) => links.map(({ name, up }) => [name, up])),
    [[['eth0', true]]],
  );
  rig.pass(3);
  assert.deepEqual([rig.addresses(), rig.server.received.length], [[], 0]);
  for (let count = 0; count < 3; count += 1) rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(3);
  assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
  assert.equal(rig.changes(), 1);
  assert.deepEqual(rig.receptions.at(-1), 'nothing');
  rig.pass(600);
  assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
  // Another metric changes the specifications, and not the lease.
  const changed = { ...operatorOf('eth0'), dhcp4: { ...operatorOf('eth0').dhcp4, routeMetric: 7 } };
  rig.react([changed], { eth0: statusOf(2, 'eth0') });
  assert.deepEqual(
    rig.operator.outputs().map(({ routes = [] }) => routes.map(({ priority }) => priority)),
    [[7]],
  );
  rig.react([changed], {});
  assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
  rig.react([], { eth0: statusOf(2, 'eth0') });
  assert.deepEqual([rig.addresses(), rig.operator.outputs(), rig.wires.size], [[], [], 0]);
});

test('the address of the last lease is asked for after a restart, and a damaged file is ignored', async () => {
  const path = newPath();
  {
    using rig = openRig({ path });
    rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
    rig.pass(3);
    assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
  }
  const isWritten = () => {
    try {
      return readFileSync(path, 'utf8').includes('10.0.0.5');
    } catch {
      return false;
    }
  };
  await eventually(isWritten, { what: 'the file' });
  writeFileSync(path, readFileSync(path, 'utf8').replace('10.0.0.5', '10.0.0.6'));
  for (const expected of ['10.0.0.6/24', '10.0.0.5/24']) {
    using rig = openRig({ path });
    rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
    rig.pass(3);
    assert.deepEqual(rig.addresses(), [expected]);
    await eventually(() => readFileSync(path, 'utf8').includes(expected.slice(0, 8)), { what: expected });
    writeFileSync(path, '{"addresses": {"eth0');
  }
});

test('another device under the same name starts again', () => {
  using rig = openRig();
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(3);
  rig.react([operatorOf('eth0')], { eth0: statusOf(3, 'eth0') });
  assert.deepEqual(rig.addresses(), []);
  rig.pass(3);
  assert.deepEqual(rig.addresses(), ['10.0.0.6/24']);
});

test('links of the command line, other operators and links that are not Ethernet have no client', () => {
  using rig = openRig();
  const links = {
    eth9: statusOf(9, 'eth9'),
    tun0: statusOf(4, 'tun0', true, { type: 'nohdr' }),
    nul0: statusOf(5, 'nul0', true, { hardwareAddr: '00:00:00:00:00:00' }),
  };
  const { dhcp4, ...other } = operatorOf('eth9');
  rig.react(
    [
      operatorOf('eth9', 'default'),
      { ...other, dhcp4, operator: 'dhcp6' },
      operatorOf('tun0'),
      operatorOf('nul0'),
      operatorOf('eth7'),
    ],
    links,
  );
  assert.equal(rig.wires.size, 0);
  assert.deepEqual(rig.lines(), [
    'DHCP on tun0: it is not an Ethernet device',
    'DHCP on nul0: it is not an Ethernet device',
    'DHCP on eth7: there is no such network device',
  ]);
  rig.react([operatorOf('eth9', 'cmdline')], links);
  assert.equal(rig.wires.size, 1);
});

test('a link without an address for ten seconds is a problem, with its reason, until it has one', () => {
  using rig = openRig();
  rig.server.isAway = true;
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(9);
  assert.deepEqual(rig.lines(), []);
  rig.pass(1);
  assert.deepEqual(rig.lines(), ['DHCP on eth0: no server has given an address']);
  rig.broken.send = new Error('the cable burns');
  rig.pass(20);
  assert.deepEqual(rig.lines(), ['DHCP on eth0: nothing can be sent: the cable burns']);
  rig.broken.send = undefined;
  rig.server.isAway = false;
  rig.pass(100);
  assert.deepEqual([rig.lines(), rig.addresses()], [[], ['10.0.0.5/24']]);
  assert.equal(rig.logged.filter((line) => line.includes('the cable burns')).length, 1);
  using down = openRig();
  down.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0', false) });
  down.pass(11);
  assert.deepEqual(down.lines(), ['DHCP on eth0: the link has no carrier']);
});

test('the name of the node is told to the server, unless the server has given it', () => {
  using rig = openRig();
  const links = { eth0: statusOf(2, 'eth0') };
  const react = (hostname: string, layer: HostnameSpecSpec['layer']) => {
    rig.react([operatorOf('eth0')], links, { hostname, domainname: '', layer });
    rig.pass(3);
  };
  const told = () => rig.server.received.map(({ options }) => Buffer.from(options.get(12) ?? []).toString());
  const given = () => rig.operator.outputs().map(({ hostname }) => hostname?.hostname);
  rig.server.options = new Map([[12, Buffer.from('given')]]);
  rig.react([operatorOf('eth0')], links);
  rig.pass(3);
  // Until the name of the lease has replaced it.
  react('talos-abc', 'default');
  react('given', 'operator');
  assert.deepEqual([told(), given()], [['', ''], ['given']]);
  for (const name of ['first', 'second'])
    rig.react([operatorOf('eth0')], links, { hostname: name, domainname: '', layer: 'configuration' });
  rig.pass(3);
  // What the server answers is not taken then.
  assert.deepEqual([told(), given()], [['', '', 'second'], [undefined]]);
  react('second', 'configuration');
  assert.equal(told().length, 3);
  assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
  using bare = openRig();
  bare.react([operatorOf('eth0')], links, { hostname: 'talos-abc', domainname: '', layer: 'default' });
  bare.pass(3);
  bare.react([operatorOf('eth0')], links, { hostname: 'talos-abc', domainname: '', layer: 'default' });
  bare.pass(3);
  assert.equal(Buffer.from(bare.server.received.at(-1)?.options.get(12) ?? []).toString(), 'talos-abc');
});

test('a link whose cable is pulled keeps its address, and has routes again with the cable', () => {
  using rig = openRig();
  rig.server.options = new Map([[3, Uint8Array.of(10, 0, 0, 1)]]);
  const react = (isUp: boolean) => rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0', isUp) });
  const routes = () => rig.operator.outputs().map((output) => output.routes?.length);
  react(true);
  rig.pass(3);
  const counts = [true, false, true].map((isUp) => {
    react(isUp);
    return routes();
  });
  assert.deepEqual(counts, [[1], [0], [1]]);
  assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
});

test('a link that asks by default takes no name and no resolvers in place of those of the command line', () => {
  for (const layer of ['default', 'configuration'] as const) {
    using rig = openRig({ given: ['hostname', 'resolvers'] });
    rig.server.options = new Map([
      [6, Uint8Array.of(10, 0, 0, 3)],
      [12, Buffer.from('given')],
    ]);
    rig.react([operatorOf('eth0', layer)], { eth0: statusOf(2, 'eth0') });
    rig.pass(3);
    const isTaken = layer !== 'default';
    assert.deepEqual(
      rig.operator.outputs().map(({ hostname, resolvers }) => [hostname?.hostname, resolvers?.dnsServers]),
      [isTaken ? ['given', ['10.0.0.3']] : [undefined, undefined]],
    );
  }
});

test('a link that asks by default is a problem only of a machine without an address', () => {
  using rig = openRig();
  rig.server.isAway = true;
  const links = { eth0: statusOf(2, 'eth0'), eth1: statusOf(3, 'eth1', false) };
  rig.react([operatorOf('eth0'), operatorOf('eth1', 'default')], links);
  rig.pass(11);
  assert.deepEqual(rig.operator.problems(), [
    { subject: 'addresses', line: 'DHCP on eth0: no server has given an address' },
    { subject: 'no-request', line: 'DHCP on eth1: the link has no carrier' },
  ]);
});

test('a link keeps its lease when only the way differs in which it names its hardware address', () => {
  using rig = openRig();
  const react = (clientIdentifier: 'none' | 'mac' | 'duid', duidRawHex = '') => {
    const { dhcp4, ...rest } = operatorOf('eth0');
    const spec = { ...rest, dhcp4: { ...dhcp4, clientIdentifier: { clientIdentifier, duidRawHex } } };
    rig.react([spec], { eth0: statusOf(2, 'eth0') });
  };
  const ids = () =>
    rig.server.received.map(({ options }) => Buffer.from(options.get(61) ?? []).toString('hex'));
  react('none');
  rig.pass(3);
  react('mac');
  assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
  // The lease belongs to the id with which it was asked for.
  rig.pass(100);
  assert.deepEqual([...new Set(ids())], ['']);
  rig.server.isAway = true;
  rig.pass(60);
  assert.deepEqual(rig.addresses(), []);
  rig.server.isAway = false;
  react('mac');
  rig.pass(3);
  assert.deepEqual([rig.addresses(), ids().at(-1)], [['10.0.0.5/24'], '01020000000002']);
  react('duid', '00:03:0a');
  assert.deepEqual(rig.addresses(), []);
});

test('a lease that could not be written is written with the next renewal of it', async () => {
  const path = newPath();
  const blocker = dirname(path);
  writeFileSync(blocker, '');
  using rig = openRig({ path });
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(3);
  const hasFailed = () => rig.logged.some((line) => line.includes('is not kept for the next start'));
  await eventually(hasFailed, { what: 'a line about the failed write' });
  rmSync(blocker);
  rig.pass(60);
  await eventually(() => existsSync(path), { what: 'the file', timeoutMs: 3000 });
});

test('a server that takes each address away again fills no log', () => {
  using rig = openRig();
  rig.server.leaseSeconds = 10;
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  for (let count = 0; count < 100; count += 1) {
    rig.server.refuses = false;
    rig.pass(8);
    rig.server.refuses = true;
    rig.pass(8);
  }
  const about = (text: string) => rig.logged.filter((line) => line.includes(text)).length;
  const [got, lost, more] = [about('got an address'), about('has lost'), about('changes more often')];
  assert.ok(got > 0 && lost > 0 && more > 0, `${got}, ${lost} and ${more} lines`);
  assert.ok(got + lost + more <= 33, `${got}, ${lost} and ${more} lines in less than half an hour`);
});

test('a server that sends other routes with each renewal changes those of the link once a minute', () => {
  using rig = openRig();
  let sent = 0;
  const sendOther = () => {
    sent += 1;
    rig.server.options = new Map([[121, Uint8Array.of(24, 10, sent, 0, 10, 0, 0, 1)]]);
  };
  rig.server.leaseSeconds = 10;
  sendOther();
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  const seen = new Set<string>();
  const routes = () => rig.operator.outputs().flatMap(({ routes = [] }) => routes.map(({ dst }) => dst));
  for (let second = 0; second < 200; second += 1) {
    rig.pass(1);
    for (const dst of routes()) seen.add(dst);
    sendOther();
  }
  assert.ok(seen.size >= 3 && seen.size <= 5, `${seen.size} changes`);
  assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
  // The last ones count in the end.
  const last = `10.${sent}.0.0/24`;
  rig.pass(70);
  assert.deepEqual(routes(), [last]);
});

test('a server that refuses for ever fills no log', () => {
  using rig = openRig();
  rig.server.refuses = true;
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(3600);
  assert.ok(rig.logged.length > 0 && rig.logged.length < 200, `${rig.logged.length} lines`);
});

test('an address that cannot be probed is not used, and is probed again until it can be', () => {
  using rig = openRig();
  rig.broken.probe = new Error('the cable burns');
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(20);
  assert.deepEqual(
    [rig.addresses(), rig.lines()],
    [[], ['DHCP on eth0: the address cannot be probed: the cable burns']],
  );
  assert.ok(rig.server.received.length <= 4, `${rig.server.received.length} messages`);
  assert.equal(rig.logged.length, 1);
  rig.broken.probe = undefined;
  rig.pass(4);
  assert.deepEqual([rig.addresses(), rig.lines()], [['10.0.0.5/24'], []]);
});

/** When the server stops, and for how long, in seconds. */
const outages = fc.array(fc.record({ upFor: fc.nat(300), awayFor: fc.nat(400) }), {
  minLength: 1,
  maxLength: 40,
});

test('a lease of 60 s is renewed for an hour, while the server stops and starts', () => {
  fc.assert(
    fc.property(outages, (list) => {
      using rig = openRig();
      const { server, timers } = rig;
      server.leaseSeconds = 60;
      let grantedMs = Number.NEGATIVE_INFINITY;
      const answer = server.answer.bind(server);
      server.answer = (message) => {
        const reply = answer(message);
        if (reply !== undefined && messageTypeOf(reply) === messageTypes.ack) grantedMs = timers.now();
        return reply;
      };
      const startMs = timers.now();
      rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
      let sinceMs = startMs;
      let [left, ...rest] = list;
      for (let second = 1; second <= 3600; second += 1) {
        rig.pass(1);
        const now = timers.now();
        const hasAddress = rig.addresses().join() === '10.0.0.5/24';
        const text = `second ${second}, granted ${(now - grantedMs) / 1000} s ago`;
        // No address is used longer than it was granted, and none is given up before.
        assert.ok(!hasAddress || now - grantedMs < 60_000, `it keeps its address: ${text}`);
        assert.ok(
          hasAddress || now - grantedMs >= 60_000 || now - grantedMs <= 3000,
          `it lost its address: ${text}`,
        );
        // The longest pause between two questions, and the time of the probe.
        if (!server.isAway && now - sinceMs > 70_000) assert.ok(hasAddress, `it has no address: ${text}`);
        const phaseMs = 1000 * (server.isAway ? (left?.awayFor ?? 0) : (left?.upFor ?? 3600));
        if (now - sinceMs < phaseMs) continue;
        if (server.isAway) [left, ...rest] = rest;
        server.isAway = !server.isAway && left !== undefined;
        sinceMs = now;
      }
      assert.equal(rig.logged.filter((line) => line.includes('not kept')).length, 0);
    }),
    { numRuns: 25 },
  );
});

test('a renewal that changes nothing causes no pass over the network', () => {
  using rig = openRig();
  rig.server.leaseSeconds = 10;
  rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0') });
  rig.pass(11);
  const before = [rig.changes(), rig.server.received.length] as const;
  rig.pass(600);
  assert.equal(rig.changes(), before[0]);
  assert.ok(rig.server.received.length > before[1] + 100);
});

test('a name that changes while a reply is on its way is told as well', () => {
  using rig = openRig();
  const named = (hostname: string): HostnameSpecSpec => ({
    hostname,
    domainname: '',
    layer: 'configuration',
  });
  const react = (hostname: string, isUp = true) =>
    rig.react([operatorOf('eth0')], { eth0: statusOf(2, 'eth0', isUp) }, named(hostname));
  react('first');
  rig.pass(5);
  react('first');
  rig.pass(5);
  // After the cable came back, the server takes its time to say that the address is still good.
  rig.delays.replyMs = 2000;
  react('first', false);
  react('first');
  react('second');
  rig.pass(20);
  assert.deepEqual(rig.addresses(), ['10.0.0.5/24']);
  const told = rig.server.received.map(({ options }) => Buffer.from(options.get(12) ?? []).toString());
  assert.deepEqual(told, ['', '', 'first', 'first', 'second']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { clientIdOfHardware } from './client-messages.ts';
import { dueMsOf } from './client-times.ts';
import { type ClientEvent, type ClientState, isListening, newClient, stepClient } from './dhcp-client.ts';
import { decodeMessage, encodeMessage } from './dhcp-message.ts';
import { messageTypeOf } from './lease-offer.ts';
import { messageTypes, optionCodes } from './option-codes.ts';
import { TestServer, type TestServerInit } from './testing/test-server.ts';

const hardware = '02:00:00:00:00:09';
const settings = {
  ...{ hardware, clientId: clientIdOfHardware(hardware), hostname: undefined, wantsHostname: true },
};
const typeNames = new Map<number, string>(
  Object.entries(messageTypes).map(([name, number]) => [number, name]),
);

/** A client on a virtual clock, and servers that answer at once. */
class Rig {
  nowMs = 0;
  state: ClientState;
  readonly servers: TestServer[];
  /** Addresses that other hosts have. */
  readonly taken = new Set<string>();
  /** What happened, with its second. */
  readonly log: string[] = [];
  /** The address of the link. */
  address: string | undefined;
  sent = 0;
  /** At least 0, less than 1. */
  random: () => number = () => 0.5;

  constructor(servers: readonly (TestServerInit | TestServer)[] = [{}], remembered?: string) {
    this.servers = servers.map((each) => (each instanceof TestServer ? each : new TestServer(each)));
    this.state = newClient(remembered);
  }

  get server(): TestServer {
    return this.servers[0] ?? assert.fail();
  }

  #seen: ClientEvent[] = [];

  happen(event: ClientEvent): void {
    this.#seen = [event];
    for (let count = 0; this.#seen.length > 0; count += 1) {
      assert.ok(count < 200, 'the client and its servers never stop');
      const next = this.#seen.shift() as ClientEvent;
      const facts = { settings, nowMs: this.nowMs, random: this.random };
      const { state, effects } = stepClient(this.state, next, facts);
      this.state = state;
      for (const effect of effects) {
        if (effect.kind === 'broadcast' || effect.kind === 'unicast') {
          this.sent += 1;
          const message = decodeMessage(encodeMessage(effect.message));
          const to = effect.kind === 'unicast' ? ` to ${effect.to}` : '';
          this.#say(`${typeNames.get(messageTypeOf(message) ?? 0)}${to}`);
          for (const server of this.servers) {
            if (effect.kind === 'unicast' && server.id !== effect.to) continue;
            const reply = server.answer(message);
            if (reply !== undefined)
              this.#seen.push({ kind: 'message', message: decodeMessage(encodeMessage(reply)) });
          }
        } else if (effect.kind === 'probe') {
          if (this.taken.has(effect.address))
            this.#seen.push({ kind: 'address-in-use', address: effect.address, owner: '02:00:00:00:00:77' });
        } else if (effect.kind === 'gained') {
          this.address = effect.lease.offer.address;
          this.#say(`${effect.isNew ? 'has' : 'keeps'} ${this.address}`);
        } else if (effect.kind === 'lost') {
          assert.equal(this.address, effect.address);
          this.address = undefined;
          this.#say(`loses ${effect.address}: ${effect.reason}`);
        } else this.#say(effect.text);
      }
    }
  }

  #say(text: string): void {
    this.log.push(`${this.nowMs / 1000}: ${text}`);
  }

  /** Lets time pass. */
  pass(seconds: number): void {
    const untilMs = this.nowMs + seconds * 1000;
    for (let count = 0; ; count += 1) {
      assert.ok(count < 100_000, 'the client wants a timer at once for ever');
      const dueMs = dueMsOf(this.state);
      if (dueMs === undefined || dueMs > untilMs) break;
      this.nowMs = Math.max(this.nowMs, dueMs);
      this.happen({ kind: 'timer' });
    }
    this.nowMs = untilMs;
  }

  up(): this {
    this.happen({ kind: 'link-up' });
    return this;
  }

  takeLog(): string[] {
    return this.log.splice(0);
  }
}

test('a client has an address two seconds after the link is up', () => {
  const rig = new Rig().up();
  rig.pass(1.9);
  assert.equal(rig.address, undefined);
  rig.pass(0.1);
  assert.deepEqual(rig.log, ['0: discover', '0: request', '2: has 10.0.0.5']);
  assert.equal(isListening(rig.state), false);
  const [discover = assert.fail(), request = assert.fail()] = rig.server.received;
  assert.deepEqual(
    [...discover.options].map(([code, value]) => `${code}: ${Buffer.from(value).toString('hex')}`),
    [
      '53: 01',
      '61: 01020000000009',
      '57: 05dc',
      '55: 01030f067977 2a1a3a3b0c'.replaceAll(' ', '').replace('55:', '55: '),
    ],
  );
  assert.deepEqual([...request.options.keys()], [53, 61, 50, 54, 57, 55]);
});

test('a lease of 60 s is renewed for an hour', () => {
  const rig = new Rig().up();
  rig.pass(3600);
  const lines = rig.takeLog();
  assert.equal(rig.address, '10.0.0.5');
  assert.equal(lines.filter((line) => line.endsWith('keeps 10.0.0.5')).length, 120);
  assert.equal(lines.filter((line) => line.includes('loses')).length, 0);
  assert.deepEqual(lines.slice(3, 7), [
    ...['30: request to 10.0.0.1', '30: keeps 10.0.0.5', '60: request to 10.0.0.1', '60: keeps 10.0.0.5'],
  ]);
});

test('a lease that ends while the server is away is given up at its end, and taken again', () => {
  const rig = new Rig([{ leaseSeconds: 1000 }]).up();
  rig.pass(10);
  rig.takeLog();
  rig.server.isAway = true;
  rig.pass(1089);
  assert.deepEqual(rig.takeLog(), [
    // T1, half of the time to T2, twice, and then each minute.
    ...[500, 687.5, 781.25, 841.25].map((at) => `${at}: request to 10.0.0.1`),
    // T2, to all servers.
    ...[875, 937.5, 997.5].map((at) => `${at}: request`),
    '1000: loses 10.0.0.5: its lease has ended',
    ...['1000: discover', '1004: discover', '1012: discover', '1028: discover', '1060: discover'],
  ]);
  rig.server.isAway = false;
  rig.pass(64 + 4);
  assert.deepEqual(rig.takeLog().slice(-3), ['1124: discover', '1124: request', '1126: has 10.0.0.5']);
  const [last = assert.fail()] = rig.server.received.slice(-1);
  assert.deepEqual(last.options.get(optionCodes.requestedAddress), Uint8Array.of(10, 0, 0, 5));
});

test('another server may go on with the lease after T2', () => {
  const second = new TestServer({ id: '10.0.0.2', leaseSeconds: 1000 });
  second.isAway = true;
  const rig = new Rig([{ leaseSeconds: 1000 }, second]).up();
  rig.pass(10);
  rig.server.isAway = true;
  second.isAway = false;
  rig.pass(865);
  assert.deepEqual(rig.log.slice(-2), ['875: request', '875: keeps 10.0.0.5']);
  rig.pass(500);
  assert.deepEqual(rig.log.slice(-2), ['1375: request to 10.0.0.2', '1375: keeps 10.0.0.5']);
});

test('pauses before an offer double to 64 s, a second more or less', () => {
  const rig = new Rig([]);
  const values = [0, 0.999, 0.5];
  rig.random = () => values[rig.sent % 3] ?? 0;
  rig.up().pass(400);
  const times = rig.log.map((line) => Number.parseFloat(line));
  const pauses = times.slice(1).map((at, index) => Math.round(at - (times[index] ?? 0)));
  assert.deepEqual(pauses, [3, 9, 16, 31, 65, 64, 63, 65, 64]);
});

test('after a reboot the address of the last lease is asked for first', () => {
  const rig = new Rig([{ addresses: ['10.0.0.5', '10.0.0.6'] }], '10.0.0.6').up();
  rig.pass(2);
  assert.deepEqual(rig.log, ['0: request', '2: has 10.0.0.6']);
  const [request = assert.fail()] = rig.server.received;
  assert.deepEqual([...request.options.keys()], [53, 61, 50, 57, 55]);
  assert.equal(request.clientAddress, '0.0.0.0');
});

test('after a reboot, a second server cannot refuse what the first one still grants', () => {
  const rogue = new TestServer({ id: '10.0.0.66', addresses: ['10.6.6.6'] });
  const rig = new Rig([rogue, {}], '10.0.0.5').up();
  rig.pass(2);
  assert.deepEqual(rig.log, ['0: request', '2: has 10.0.0.5']);
});

test('an address of another network is given up after a second, and a silent server is asked for another one', () => {
  const refused = new Rig([{}], '10.9.9.9').up();
  refused.pass(3);
  assert.deepEqual(refused.log, [
    ...['0: request', '1: the server does not grant 10.9.9.9'],
    ...['1: discover', '1: request', '3: has 10.0.0.5'],
  ]);
  const silent = new Rig([{}], '10.9.9.9');
  silent.server.isAuthoritative = false;
  silent.up().pass(14);
  assert.deepEqual(silent.log, [
    '0: request',
    '4: request',
    '12: discover',
    '12: request',
    '14: has 10.0.0.5',
  ]);
});

test('an address that another host has is declined, and the next one is taken after 10 s', () => {
  const rig = new Rig([{ addresses: ['10.0.0.5', '10.0.0.6'] }]);
  rig.taken.add('10.0.0.5');
  rig.up().pass(12);
  assert.deepEqual(rig.log, [
    ...['0: discover', '0: request'],
    '0: 10.0.0.5 is declined: the host with the hardware address 02:00:00:00:00:77 has it',
    ...['0: decline', '10: discover', '10: request', '12: has 10.0.0.6'],
  ]);
  const decline = rig.server.received[2] ?? assert.fail();
  assert.deepEqual([...decline.options.keys()], [53, 61, 50, 54, 56]);
});

test('after ten conflicts in a row the client asks once a minute', () => {
  const addresses = Array.from({ length: 40 }, (_, index) => `10.0.0.${index + 5}`);
  const rig = new Rig([{ addresses }]);
  for (const address of addresses) rig.taken.add(address);
  rig.up().pass(400);
  const times = rig.log.flatMap((line) => (line.endsWith('decline') ? [Number.parseFloat(line)] : []));
  assert.deepEqual(times.slice(8, 13), [80, 90, 150, 210, 270]);
});

test('offers of no use are ignored: leases of 0 s and 1 s, and a server that is ourselves', () => {
  const word = (value: number) => Uint8Array.of(0, 0, 0, value);
  const good = new TestServer({ id: '10.0.0.2', addresses: ['10.0.0.6'] });
  const rig = new Rig([
    { options: new Map([[optionCodes.leaseTime, word(0)]]) },
    { id: '10.0.0.3', options: new Map([[optionCodes.leaseTime, word(1)]]) },
    { id: '10.0.0.4', addresses: ['10.0.0.4'] },
    good,
  ]).up();
  rig.pass(2);
  assert.deepEqual(rig.log, [
    '0: discover',
    '0: an offer is ignored: a lease of 0 s is shorter than 10 s',
    '0: an offer is ignored: a lease of 1 s is shorter than 10 s',
    '0: an offer is ignored: the server gives its own address 10.0.0.4 away',
    ...['0: request', '2: has 10.0.0.6'],
  ]);
});

test('a lease that is shortened to nothing by a renewal is not taken, and the old one goes on to its end', () => {
  const rig = new Rig().up();
  rig.pass(10);
  rig.server.leaseSeconds = 0;
  rig.pass(49.9);
  assert.equal(rig.address, '10.0.0.5');
  rig.pass(0.2);
  assert.equal(rig.address, undefined);
});

test('a lease for ever is never renewed, and is verified when the cable comes back', () => {
  const rig = new Rig([{ leaseSeconds: 0xffff_ffff }]).up();
  rig.pass(10_000_000);
  assert.deepEqual(rig.takeLog(), ['0: discover', '0: request', '2: has 10.0.0.5']);
  assert.equal(dueMsOf(rig.state), undefined);
  rig.happen({ kind: 'link-down' });
  rig.up();
  assert.deepEqual(rig.takeLog(), ['10000000: request', '10000000: keeps 10.0.0.5']);
});

test('a cable that is pulled and put back a hundred times keeps the address, and causes one message a second', () => {
  const rig = new Rig([{ leaseSeconds: 3600 }]).up();
  rig.pass(10);
  rig.takeLog();
  const before = rig.sent;
  for (let count = 0; count < 100; count += 1) {
    rig.happen({ kind: 'link-down' });
    rig.pass(0.05);
    rig.up().pass(0.05);
  }
  rig.pass(2);
  assert.equal(rig.address, '10.0.0.5');
  assert.ok(rig.sent - before >= 1 && rig.sent - before <= 13, `${rig.sent - before} messages`);
  assert.equal(rig.state.phase, 'bound');
});

test('a server that is away when the cable comes back does not cost the address', () => {
  const rig = new Rig([{ leaseSeconds: 3600 }]).up();
  rig.pass(10);
  rig.server.isAway = true;
  rig.happen({ kind: 'link-down' });
  rig.up().pass(20);
  assert.deepEqual([rig.address, rig.state.phase, rig.state.dueMs], ['10.0.0.5', 'bound', 1_800_000]);
});

test('an address whose lease ends while the cable is pulled is given up', () => {
  const rig = new Rig().up();
  rig.pass(10);
  rig.happen({ kind: 'link-down' });
  rig.pass(100);
  assert.deepEqual([rig.address, rig.state.phase], [undefined, 'down']);
  rig.up().pass(2);
  assert.equal(rig.address, '10.0.0.5');
});

test('a second server cannot take or refuse what the first one has given', () => {
  const rogue = new TestServer({ id: '10.0.0.66', addresses: ['10.6.6.6'] });
  const rig = new Rig([{}, rogue]).up();
  rig.pass(2);
  rogue.refuses = true;
  rig.pass(600);
  assert.equal(rig.address, '10.0.0.5');
  rig.server.isAway = true;
  rig.pass(55);
  // It has answered to the request that goes to all.
  assert.equal(messageTypeOf(rogue.received.at(-1) ?? assert.fail()), messageTypes.request);
  assert.equal(rig.address, '10.0.0.5');
});

test('after a cable comes back, a second server cannot refuse or replace a lease before T2 of it', () => {
  for (const address of ['10.6.6.6', '10.0.0.5']) {
    const rogue = new TestServer({ id: '10.0.0.66', addresses: [address] });
    rogue.isAway = true;
    const rig = new Rig([rogue, { leaseSeconds: 1000 }]).up();
    rig.pass(10);
    rig.servers.reverse();
    rig.server.isAway = true;
    rogue.isAway = false;
    rig.happen({ kind: 'link-down' });
    rig.up().pass(20);
    assert.equal(rogue.received.length, 2);
    assert.deepEqual([rig.address, rig.state.lease?.offer.serverId], ['10.0.0.5', '10.0.0.1'], address);
    rig.happen({ kind: 'link-down' });
    rig.pass(860);
    rig.up().pass(4);
    // After T2 every server may answer.
    assert.equal(rig.state.lease?.offer.serverId, '10.0.0.66', address);
  }
});

test('a lease counts from the request, and not from the question before the offer', () => {
  const rig = new Rig([{ leaseSeconds: 60 }]);
  rig.server.isAway = true;
  rig.up().pass(59);
  rig.server.isAway = false;
  rig.pass(4);
  assert.deepEqual(rig.takeLog().slice(-3), ['60: discover', '60: request', '62: has 10.0.0.5']);
  assert.deepEqual([rig.state.lease?.renewMs, rig.state.lease?.endMs], [90_000, 120_000]);
});

test('of a server that offers and never grants, offers wait for those of others', () => {
  for (const how of ['refuses', 'is silent'] as const) {
    const rogue = new TestServer({ id: '10.0.0.66', addresses: ['10.6.6.6'] });
    if (how === 'refuses') rogue.refuses = true;
    else {
      const answer = rogue.answer.bind(rogue);
      rogue.answer = (message) =>
        messageTypeOf(message) === messageTypes.discover ? answer(message) : undefined;
    }
    const rig = new Rig([rogue, {}]).up();
    rig.pass(how === 'refuses' ? 3 : 62);
    assert.equal(rig.address, '10.0.0.5', how);
  }
});

test('a server that refuses everything is asked less and less', () => {
  const rig = new Rig();
  rig.server.refuses = true;
  rig.up().pass(3600);
  assert.ok(rig.sent > 60 && rig.sent < 400, `${rig.sent} messages`);
});

test('a new name is told to the server at once, with the lease kept', () => {
  const rig = new Rig([{ leaseSeconds: 3600 }]).up();
  rig.pass(10);
  rig.takeLog();
  rig.happen({ kind: 'renew' });
  assert.deepEqual(rig.takeLog(), ['10: request to 10.0.0.1', '10: keeps 10.0.0.5']);
});

test('replies to somebody else, to an earlier exchange and of no kind change nothing', () => {
  const rig = new Rig();
  rig.server.isAway = true;
  rig.up();
  const before = rig.state;
  const server = new TestServer();
  const { message: discover } =
    stepClient(newClient(), { kind: 'link-up' }, { settings, nowMs: 0, random: () => 0.5 }).effects.flatMap(
      (effect) => (effect.kind === 'broadcast' ? [effect] : []),
    )[0] ?? assert.fail();
  const offer = server.answer(discover) ?? assert.fail();
  for (const changes of [
    ...[{ transactionId: 1 }, { hardware: '02:00:00:00:00:0a' }, { isReply: false }, { options: new Map() }],
  ])
    rig.happen({ kind: 'message', message: { ...offer, ...changes } });
  assert.deepEqual(rig.state, before);
  rig.happen({ kind: 'message', message: offer });
  assert.equal(rig.state.phase, 'requesting');
});

test('whatever happens in whatever order, the client goes on, sends little, and gets an address in the end', () => {
  const what = fc.constantFrom(
    'up',
    'down',
    'away',
    'back',
    'refuse',
    'grant',
    'taken',
    'free',
    'renew',
    'short',
    'wait',
  );
  const anything = fc.array(fc.tuple(what, fc.integer({ min: 0, max: 500 })), { maxLength: 40 });
  fc.assert(
    fc.property(
      anything,
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (steps, randoms) => {
        const addresses = Array.from({ length: 60 }, (_, index) => `10.0.0.${index + 5}`);
        const rig = new Rig([{ addresses }]);
        rig.random = () => randoms.next().value ?? 0;
        for (const [name, seconds] of steps) {
          if (name === 'up') rig.up();
          if (name === 'down') rig.happen({ kind: 'link-down' });
          if (name === 'renew') rig.happen({ kind: 'renew' });
          if (name === 'away' || name === 'back') rig.server.isAway = name === 'away';
          if (name === 'refuse' || name === 'grant') rig.server.refuses = name === 'refuse';
          if (name === 'short') rig.server.leaseSeconds = seconds;
          if (name === 'taken') for (const address of addresses) rig.taken.add(address);
          if (name === 'free') rig.taken.clear();
          const before = rig.sent;
          rig.pass(seconds);
          assert.ok(rig.sent - before <= seconds / 3 + 8, `${rig.sent - before} messages in ${seconds} s`);
          assert.equal(rig.address, rig.state.lease?.offer.address);
          const endMs = rig.state.lease?.endMs ?? Number.POSITIVE_INFINITY;
          assert.ok(endMs > rig.nowMs, 'an address outlives its lease');
        }
        rig.taken.clear();
        rig.server.isAway = false;
        rig.server.refuses = false;
        rig.server.leaseSeconds = 60;
        rig.up().pass(700);
        assert.notEqual(rig.address, undefined);
      },
    ),
    { numRuns: 300 },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dueMsOf } from '../client-times.ts';
import { Inet6TestServer, type Inet6TestServerInit } from '../testing/inet6-test-server.ts';
import { type Inet6ClientEvent, type Inet6ClientState, newInet6Client, stepInet6Client } from './client.ts';
import { associationIdOf, duidOfHardware } from './client-message.ts';
import { decodeInet6Message, encodeInet6Message, inet6MessageTypes } from './message.ts';

const hardware = '02:00:00:00:00:09';
const settings = { clientId: duidOfHardware(hardware), associationId: associationIdOf(hardware) };
const typeNames = new Map<number, string>(
  Object.entries(inet6MessageTypes).map(([name, number]) => [number, name]),
);

/** A client on a virtual clock, and servers that answer at once. */
class Rig {
  nowMs = 0;
  state: Inet6ClientState = newInet6Client();
  readonly servers: Inet6TestServer[];
  readonly log: string[] = [];
  address: string | undefined;
  sent = 0;
  random: () => number = () => 0.5;

  constructor(...servers: readonly Inet6TestServerInit[]) {
    this.servers = (servers.length === 0 ? [{}] : servers).map((each) => new Inet6TestServer(each));
  }

  get server(): Inet6TestServer {
    return this.servers[0] ?? assert.fail();
  }

  happen(event: Inet6ClientEvent): void {
    const events: Inet6ClientEvent[] = [event];
    for (let count = 0; events.length > 0; count += 1) {
      assert.ok(count < 200, 'the client and its servers never stop');
      const facts = { settings, nowMs: this.nowMs, random: this.random };
      const { state, effects } = stepInet6Client(this.state, events.shift() as Inet6ClientEvent, facts);
      this.state = state;
      for (const effect of effects) {
        if (effect.kind === 'send') {
          this.sent += 1;
          const message = decodeInet6Message(encodeInet6Message(effect.message));
          this.#say(typeNames.get(message.type) ?? '');
          for (const server of this.servers) {
            const reply = server.answer(message);
            if (reply !== undefined)
              events.push({ kind: 'message', message: decodeInet6Message(encodeInet6Message(reply)) });
          }
        } else if (effect.kind === 'gained') {
          this.address = effect.lease.grant.address;
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

  pass(seconds: number): this {
    const untilMs = this.nowMs + seconds * 1000;
    for (let count = 0; ; count += 1) {
      assert.ok(count < 100_000, 'the client wants a timer at once for ever');
      const dueMs = dueMsOf(this.state);
      if (dueMs === undefined || dueMs > untilMs) break;
      this.nowMs = Math.max(this.nowMs, dueMs);
      this.happen({ kind: 'timer' });
    }
    this.nowMs = untilMs;
    return this;
  }

  up(): this {
    this.happen({ kind: 'link-up' });
    return this;
  }

  down(): this {
    this.happen({ kind: 'link-down' });
    return this;
  }

  takeLog(): string[] {
    return this.log.splice(0);
  }
}

test('a server that may do so grants an address with its first reply', () => {
  const rig = new Rig().up().pass(5);
  assert.deepEqual(rig.takeLog(), ['0.5: solicit', '0.5: has fd00::5']);
  assert.deepEqual(rig.state.lease?.grant, {
    ...{ address: 'fd00::5', validSeconds: 60, renewalSeconds: 30, rebindingSeconds: 48 },
    ...{ nameServers: ['fd00::53'], searchDomains: ['lab.example'] },
    ...{ timeServers: [], hostname: undefined, domainName: undefined },
  });
});

test('of several servers that advertise within a second, the preferred one is asked', () => {
  const rig = new Rig(
    { isRapid: false, id: '0001', addresses: ['fd00::1'] },
    { isRapid: false, id: '0002', addresses: ['fd00::2'], preference: 7 },
  )
    .up()
    .pass(5);
  assert.deepEqual(rig.takeLog(), ['0.5: solicit', '1.5: request', '1.5: has fd00::2']);
});

test('a server with the highest preference is asked at once', () => {
  const rig = new Rig({ isRapid: false, preference: 255 }).up().pass(5);
  assert.deepEqual(rig.takeLog(), ['0.5: solicit', '0.5: request', '0.5: has fd00::5']);
});

test('a lease of 60 s is renewed for an hour, by its server alone', () => {
  const rig = new Rig({}, { isAway: false, addresses: ['fd66::1'], id: '0099' } as Inet6TestServerInit);
  const [, other = assert.fail()] = rig.servers;
  other.isAway = true;
  rig.up().pass(5);
  other.isAway = false;
  rig.takeLog();
  rig.pass(3600);
  const log = rig.takeLog();
  assert.equal(log.filter((line) => line.endsWith('renew')).length, 120);
  assert.equal(log.filter((line) => line.endsWith('keeps fd00::5')).length, 120);
  assert.equal(log.length, 240);
});

test('another server may go on with the lease after T2, and without one it ends', () => {
  const rig = new Rig().up().pass(5);
  rig.takeLog();
  rig.server.isAway = true;
  rig.pass(44.5);
  assert.deepEqual(rig.takeLog(), ['30.5: renew', '40.5: renew', '48.5: rebind']);
  const other = new Inet6TestServer({ id: '0099', addresses: ['fd00::5'] });
  rig.servers.push(other);
  rig.pass(10);
  assert.deepEqual(rig.takeLog(), ['58.5: rebind', '58.5: keeps fd00::5']);
  other.isAway = true;
  rig.pass(61);
  const log = rig.takeLog();
  assert.ok(log.includes('118.5: loses fd00::5: its lease has ended'), log.join('\n'));
  assert.equal(rig.address, undefined);
  rig.server.isAway = false;
  rig.pass(130);
  assert.equal(rig.address, 'fd00::5');
});

test('pauses of a solicitation double up to two minutes', () => {
  const rig = new Rig();
  rig.server.isAway = true;
  rig.up().pass(1000);
  const seconds = rig.takeLog().map((line) => Number.parseFloat(line));
  assert.deepEqual(seconds.slice(0, 9), [0.5, 1.5, 3.5, 7.5, 15.5, 31.5, 63.5, 127.5, 247.5]);
});

test('an address that another host has is declined, and another one is asked for after ten seconds', () => {
  const rig = new Rig().up().pass(1);
  rig.happen({ kind: 'address-in-use', address: 'fd00::9' });
  assert.equal(rig.address, 'fd00::5');
  rig.happen({ kind: 'address-in-use', address: 'fd00::5' });
  rig.pass(15);
  assert.deepEqual(rig.takeLog(), [
    ...['0.5: solicit', '0.5: has fd00::5', '1: fd00::5 is declined: another host has it'],
    ...['1: loses fd00::5: another host has it', '1: decline', '11: solicit', '11: has fd00::6'],
  ]);
  assert.deepEqual([...rig.server.declined], ['fd00::5']);
});

test('after ten conflicts in a row the client asks once a minute', () => {
  const rig = new Rig({ addresses: Array.from({ length: 100 }, (_, index) => `fd00::${index + 1}`) }).up();
  for (let count = 0; count < 3600; count += 1) {
    rig.pass(1);
    if (rig.address !== undefined) rig.happen({ kind: 'address-in-use', address: rig.address });
  }
  assert.ok(rig.server.declined.size < 75, `${rig.server.declined.size}`);
});

test('after a cable comes back the client confirms its address, and only its server can refuse it', () => {
  const rig = new Rig({ validSeconds: 6000 }).up().pass(5);
  const other = new Inet6TestServer({ id: '0099' });
  other.status = 4;
  rig.server.isAway = true;
  rig.servers.push(other);
  rig.takeLog();
  rig.down().up().pass(30);
  assert.deepEqual(rig.takeLog(), ['5.5: confirm', '6.5: confirm', '8.5: confirm', '12.5: confirm']);
  assert.equal(rig.address, 'fd00::5');
  rig.server.isAway = false;
  rig.down().up().pass(30);
  assert.deepEqual(rig.takeLog(), ['35.5: confirm']);
  rig.server.status = 4;
  rig.down().up().pass(1);
  assert.equal(rig.address, undefined);
});

test('a cable that is pulled and put back a hundred times keeps the address, and causes few messages', () => {
  const rig = new Rig({ validSeconds: 6000 }).up().pass(5);
  const before = rig.sent;
  for (let count = 0; count < 100; count += 1) rig.down().pass(0.1).up().pass(0.1);
  assert.equal(rig.address, 'fd00::5');
  assert.ok(rig.sent - before < 5, `${rig.sent - before}`);
});

test('leases of 0 s and 1 s are not taken, and one without end is never renewed', () => {
  for (const validSeconds of [0, 1]) {
    const rig = new Rig({ validSeconds }).up().pass(600);
    assert.equal(rig.address, undefined);
    assert.ok(rig.sent < 15, `${rig.sent}`);
  }
  const rig = new Rig({ validSeconds: 0xffff_ffff }).up().pass(1e6);
  assert.deepEqual(rig.takeLog(), ['0.5: solicit', '0.5: has fd00::5']);
});

test('a server that advertises and never grants is asked less and less', () => {
  const rig = new Rig({ isRapid: false }).up().pass(0.9);
  rig.server.status = 1;
  rig.pass(0.7);
  rig.server.status = 0;
  const refuse = rig.server.answer.bind(rig.server);
  rig.server.answer = (message) => {
    rig.server.status = message.type === inet6MessageTypes.request ? 1 : 0;
    return refuse(message);
  };
  const before = rig.sent;
  rig.pass(3600);
  // Two solicitations and a request each minute.
  assert.ok(rig.sent - before < 200, `${rig.sent - before}`);
  assert.equal(rig.address, undefined);
});

test('of a server that advertises and never grants, advertisements wait for those of others', () => {
  for (const how of ['refuses', 'is silent'] as const) {
    const rig = new Rig(
      { id: '0066', isRapid: false, preference: 255, addresses: ['fd66::6'] },
      { id: '0001', isRapid: false, addresses: ['fd00::1'] },
    );
    const answer = rig.server.answer.bind(rig.server);
    rig.server.answer = (message) => {
      const isAsked = message.type === inet6MessageTypes.request;
      rig.server.status = isAsked ? 1 : 0;
      return isAsked && how === 'is silent' ? undefined : answer(message);
    };
    rig.up().pass(how === 'refuses' ? 10 : 300);
    assert.equal(rig.address, 'fd00::1', how);
  }
});

test('a server that does not know the lease is asked for it anew, and one that takes it away is believed', () => {
  const rig = new Rig().up().pass(5);
  rig.takeLog();
  const answer = rig.server.answer.bind(rig.server);
  rig.server.answer = (message) => {
    rig.server.status = message.type === inet6MessageTypes.renew ? 3 : 0;
    return answer(message);
  };
  rig.pass(30);
  assert.deepEqual(rig.takeLog(), ['30.5: renew', '30.5: request', '30.5: keeps fd00::5']);
  rig.server.answer = answer;
  rig.server.status = 0;
  rig.server.validSeconds = 0;
  rig.pass(30);
  assert.ok(rig.takeLog().includes('60.5: loses fd00::5: the server takes it away'));
});

test('whatever happens in whatever order, the client goes on, sends little, and gets an address in the end', () => {
  const act = fc.oneof(
    fc.record({ kind: fc.constantFrom('link-up' as const, 'link-down' as const, 'timer' as const) }),
    fc.record({ kind: fc.constant('pass' as const), seconds: fc.double({ min: 0, max: 200, noNaN: true }) }),
    fc.record({ kind: fc.constant('away' as const), isAway: fc.boolean() }),
    fc.record({ kind: fc.constant('status' as const), status: fc.integer({ min: 0, max: 6 }) }),
    fc.record({ kind: fc.constant('valid' as const), seconds: fc.constantFrom(0, 1, 10, 60, 0xffff_ffff) }),
    fc.record({ kind: fc.constant('conflict' as const) }),
  );
  fc.assert(
    fc.property(
      fc.array(act, { maxLength: 40 }),
      fc.boolean(),
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      (acts, isRapid, numbers) => {
        const rig = new Rig({
          isRapid,
          addresses: Array.from({ length: 60 }, (_, index) => `fd00::${index + 1}`),
        });
        rig.random = () => numbers.next().value as number;
        for (const each of acts) {
          if (each.kind === 'pass') rig.pass(each.seconds);
          else if (each.kind === 'away') rig.server.isAway = each.isAway;
          else if (each.kind === 'status') rig.server.status = each.status;
          else if (each.kind === 'valid') rig.server.validSeconds = each.seconds;
          else if (each.kind === 'conflict') {
            if (rig.address !== undefined) rig.happen({ kind: 'address-in-use', address: rig.address });
          } else rig.happen({ kind: each.kind });
        }
        assert.ok(rig.sent <= 60 + rig.nowMs / 1000, `${rig.sent} messages in ${rig.nowMs / 1000} s`);
        Object.assign(rig.server, { isAway: false, status: 0, validSeconds: 60 });
        rig.happen({ kind: 'link-up' });
        rig.pass(1000);
        assert.notEqual(rig.address, undefined);
      },
    ),
    { numRuns: 300 },
  );
});

// The operator with advertisements and a clock of the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FakeTimers } from '@nodewright/controllers/testing';
import { fakeLink } from '../controllers/testing/fake-network.ts';
import type { GivenSetting } from '../domain/dhcp-specs.ts';
import type { Layer } from '../domain/merge-layers.ts';
import { AdvertisementOperator, type WatchOptions } from './advertisement-operator.ts';

type Events = Parameters<WatchOptions>[0];

/** Name servers for a time, `fd00::<last>`. */
function serversOption(seconds: number, ...last: number[]): Uint8Array {
  const bytes = Buffer.alloc(8 + 16 * last.length);
  bytes.set([25, bytes.length / 8]);
  bytes.writeUInt32BE(seconds, 4);
  for (const [index, each] of last.entries()) {
    bytes[8 + 16 * index] = 0xfd;
    bytes.writeUInt16BE(each, 8 + 16 * index + 14);
  }
  return bytes;
}

/** Name servers of the link, `fe80::<last>`. */
function linkLocalOption(...last: number[]): Uint8Array {
  const bytes = Buffer.from(serversOption(100, ...last));
  for (const index of last.keys()) bytes.writeUInt16BE(0xfe80, 8 + 16 * index);
  return bytes;
}

function openRig({ own = [] as readonly string[], given = [] as readonly GivenSetting[] } = {}) {
  const timers = new FakeTimers();
  const logged: string[] = [];
  let events: Events | undefined;
  let opened = 0;
  let changes = 0;
  let failure: Error | undefined;
  const operator = new AdvertisementOperator({
    watchOptions(of) {
      opened += 1;
      if (failure !== undefined) throw failure;
      events = of;
      return {
        [Symbol.dispose]: () => {
          events = undefined;
        },
      };
    },
    ...{ timers, ownAddresses: () => own, given: () => new Set(given) },
    log: { warn: (_: object, text: string) => void logged.push(text) } as never,
  });
  operator.watch(() => {
    changes += 1;
  });
  const accept = (layer: Layer = 'operator', ...indexes: number[]) =>
    operator.setAccepting(indexes.map((index) => ({ link: fakeLink(index, `eth${index}`), layer })));
  return {
    ...{ operator, timers, logged, accept },
    counts: () => ({ opened, changes }),
    isListening: () => events !== undefined,
    breakWith(error: Error, isForGood: boolean) {
      failure = isForGood ? error : undefined;
      events?.onError(error);
    },
    repair: () => {
      failure = undefined;
    },
    receive: (bytes: Uint8Array, linkIndex = 2) => events?.onOption({ linkIndex, bytes }),
    pass(seconds: number) {
      const until = timers.now() + seconds * 1000;
      while (timers.step(until));
    },
    servers: () =>
      operator.outputs().flatMap(({ prefix, resolvers }) => [prefix, ...(resolvers?.dnsServers ?? [])]),
    [Symbol.dispose]: () => operator[Symbol.dispose](),
  };
}

test('a name server is published until its lifetime ends, from links that accept advertisements', () => {
  using rig = openRig();
  rig.receive(serversOption(100, 1));
  rig.accept('operator', 2);
  assert.deepEqual(rig.servers(), []);
  rig.receive(serversOption(100, 1, 2));
  rig.receive(serversOption(100, 3), 5);
  assert.deepEqual(rig.servers(), ['ra/eth2', 'fd00::1', 'fd00::2']);
  rig.pass(60);
  rig.receive(serversOption(100, 2));
  assert.equal(rig.counts().changes, 1);
  rig.pass(41);
  assert.deepEqual(rig.servers(), ['ra/eth2', 'fd00::2']);
  rig.pass(60);
  assert.deepEqual(rig.servers(), []);
  assert.equal(rig.counts().changes, 3);
});

test('a link that accepts nothing any more loses its name servers', () => {
  using rig = openRig();
  rig.accept('operator', 2, 3);
  rig.receive(serversOption(100, 1), 2);
  rig.receive(serversOption(100, 1), 3);
  rig.accept('operator', 3);
  assert.deepEqual(rig.servers(), ['ra/eth3', 'fd00::1']);
  rig.accept('operator', 2, 3);
  assert.deepEqual(rig.servers(), ['ra/eth3', 'fd00::1']);
});

test('an address of this machine is no name server of it', () => {
  using rig = openRig({ own: ['10.0.0.2', 'fd00::1'] });
  rig.accept('operator', 2);
  rig.receive(serversOption(100, 1));
  assert.deepEqual(rig.servers(), []);
  rig.receive(serversOption(100, 2));
  assert.deepEqual(rig.servers(), ['ra/eth2', 'fd00::2']);
});

test('name servers of the command line are replaced only on a link that a document names', () => {
  for (const [layer, expected] of [
    ['cmdline', []],
    ['operator', []],
    ['configuration', ['ra/eth2', 'fd00::1']],
  ] as const) {
    using rig = openRig({ given: ['resolvers'] });
    rig.accept(layer, 2);
    rig.receive(serversOption(100, 1));
    assert.deepEqual(rig.servers(), expected, layer);
  }
});

test('a router that advertises other servers all the time changes them ten times, and then once a minute', () => {
  using rig = openRig();
  rig.accept('operator', 2);
  for (let count = 1; count <= 1000; count += 1) rig.receive(serversOption(count % 2 === 0 ? 0 : 1000, 1));
  assert.equal(rig.counts().changes, 10);
  assert.deepEqual(rig.logged, ['routers advertise other name servers more often than is applied']);
  assert.deepEqual(rig.servers(), []);
  rig.receive(serversOption(1000, 1));
  rig.pass(61);
  assert.deepEqual(rig.servers(), ['ra/eth2', 'fd00::1']);
  for (let minute = 0; minute < 10; minute += 1) {
    for (let count = 0; count < 101; count += 1) rig.receive(serversOption(1000, 1 + minute, count));
    rig.pass(60);
  }
  assert.ok(rig.counts().changes <= 22, `${rig.counts().changes}`);
});

test('a watch that fails is opened again, also when that fails', () => {
  using rig = openRig();
  rig.accept('operator', 2);
  rig.receive(serversOption(1000, 1));
  rig.breakWith(new Error('gone'), true);
  rig.pass(6);
  assert.deepEqual([rig.isListening(), rig.counts().opened], [false, 2]);
  rig.repair();
  rig.pass(6);
  assert.deepEqual([rig.isListening(), rig.counts().opened], [true, 3]);
  rig.receive(serversOption(1000, 2));
  assert.deepEqual(rig.servers(), ['ra/eth2', 'fd00::1', 'fd00::2']);
});

test('a name server of the link is named with its link, unless it is this machine', () => {
  using rig = openRig({ own: ['fe80::2'] });
  rig.accept('operator', 2, 3);
  rig.receive(linkLocalOption(1, 2));
  rig.receive(linkLocalOption(1), 3);
  assert.deepEqual(rig.servers(), ['ra/eth2', 'fe80::1%eth2', 'ra/eth3', 'fe80::1%eth3']);
});

test('a watch that fails for hours fills no log, and is opened again in the end', () => {
  using rig = openRig();
  rig.breakWith(new Error('no netlink'), true);
  rig.pass(7200);
  assert.ok(rig.logged.length > 1 && rig.logged.length < 10, `${rig.logged.length} lines`);
  rig.repair();
  rig.pass(10);
  assert.ok(rig.isListening());
});

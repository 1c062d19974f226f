import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { FakeTimers } from '@nodewright/controllers/testing';
import { EndpointNames } from './endpoint-names.ts';

function openNames(known: Map<string, string>) {
  const timers = new FakeTimers();
  const asked: string[] = [];
  let running = 0;
  let most = 0;
  const names = new EndpointNames(timers, async (name) => {
    asked.push(name);
    running += 1;
    most = Math.max(most, running);
    await setImmediate();
    running -= 1;
    const address = known.get(name);
    if (address === undefined) throw new Error('no such name');
    return address;
  });
  let changes = 0;
  names.watch(() => {
    changes += 1;
  });
  const advance = async (ms: number) => {
    const untilMs = timers.now() + ms;
    for (;;) {
      for (let turn = 0; turn < 20; turn += 1) await setImmediate();
      if (!timers.step(untilMs)) return;
    }
  };
  return { names, asked, advance, changes: () => changes, most: () => most };
}

test('addresses come one after the other, each as a change, and are kept', async () => {
  const known = new Map([
    ['a.lab', '192.0.2.1'],
    ['b.lab', 'fd00::1'],
  ]);
  const { names, asked, advance, changes, most } = openNames(known);
  assert.deepEqual(names.addressesOf(['a.lab', 'b.lab', 'a.lab']), new Map());
  await advance(0);
  known.set('a.lab', '192.0.2.99');
  for (let pass = 0; pass < 5; pass += 1) {
    assert.deepEqual(
      names.addressesOf(['a.lab', 'b.lab']),
      new Map([
        ['a.lab', '192.0.2.1'],
        ['b.lab', 'fd00::1'],
      ]),
    );
    await advance(60_000);
  }
  assert.deepEqual([asked, changes(), most()], [['a.lab', 'b.lab'], 2, 1]);
});

test('a name without an address is looked up every ten seconds, however often it is asked for', async () => {
  const known = new Map<string, string>();
  const { names, asked, advance, changes } = openNames(known);
  for (let second = 0; second < 100; second += 1) {
    assert.deepEqual(names.addressesOf(['a.lab']), new Map());
    await advance(1000);
  }
  assert.equal(asked.length, 10 + 1);
  known.set('a.lab', '192.0.2.1');
  // Also when nobody asks in the meantime.
  await advance(10_000);
  assert.equal(changes(), 1);
  assert.deepEqual(names.addressesOf(['a.lab']), new Map([['a.lab', '192.0.2.1']]));
});

test('a new name is looked up at once, while others wait', async () => {
  const { names, asked, advance } = openNames(new Map([['b.lab', '192.0.2.1']]));
  names.addressesOf(['a.lab']);
  await advance(1000);
  names.addressesOf(['a.lab', 'b.lab']);
  await advance(1000);
  assert.deepEqual(asked, ['a.lab', 'b.lab']);
});

test('a name that is no longer asked for is forgotten, also during its look-up', async () => {
  const { names, asked, advance, changes } = openNames(new Map([['a.lab', '192.0.2.1']]));
  names.addressesOf(['a.lab']);
  names.addressesOf([]);
  await advance(60_000);
  assert.deepEqual([asked, changes()], [['a.lab'], 0]);
  names.addressesOf(['a.lab']);
  await advance(0);
  assert.deepEqual(names.addressesOf([]), new Map());
  assert.deepEqual(names.addressesOf(['a.lab']), new Map());
});

test('names that nobody answers for keep no other one waiting, although each look-up takes longer than the pause', async () => {
  const timers = new FakeTimers();
  const asked: string[] = [];
  const names = new EndpointNames(timers, async (name) => {
    asked.push(name);
    if (name === 'good.lab') return '192.0.2.1';
    const { promise, resolve } = Promise.withResolvers<void>();
    timers.after(20_000, resolve);
    await promise;
    throw new Error('no answer');
  });
  names.addressesOf(['silent1.lab', 'silent2.lab', 'good.lab']);
  for (const untilMs = timers.now() + 99_000; ; ) {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
    if (!timers.step(untilMs)) break;
  }
  assert.equal(names.addressesOf(['silent1.lab', 'silent2.lab', 'good.lab']).get('good.lab'), '192.0.2.1');
  // Each name gets its turn, and the pause begins with the end of a look-up.
  const [first, second] = ['silent1.lab', 'silent2.lab'];
  assert.deepEqual(asked, [first, second, 'good.lab', first, second, first]);
});

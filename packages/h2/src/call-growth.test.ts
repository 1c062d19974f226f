import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { CallGrowths } from './call-growth.ts';

const limits = {
  first: 4,
  generous: 2,
  settled: 4,
  settleMs: 100,
  step: 4,
  intervalMs: 5,
};

/** A connection that records its limits. The test decides when the client acknowledges one. */
function connection() {
  const granted: number[] = [];
  const unacknowledged: (() => void)[] = [];
  return {
    callCount: 0,
    granted,
    acknowledge: () => unacknowledged.shift()?.(),
    allowCalls(count: number, onAcknowledged: () => void) {
      granted.push(count);
      unacknowledged.push(onAcknowledged);
    },
  };
}

test('CallGrowths raises a limit when half of it is in use and the last one is acknowledged', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const busy = connection();
    const growth = new CallGrowths().open(busy, limits, 4, 10);
    busy.callCount = 1;
    growth.began();
    mock.timers.tick(1000);
    assert.deepEqual(busy.granted, []);
    busy.callCount = 100;
    growth.began();
    assert.deepEqual(busy.granted, []);
    mock.timers.tick(5);
    assert.deepEqual(busy.granted, [8]);
    // The client has not acknowledged the last limit, so it does not grow.
    growth.began();
    mock.timers.tick(1000);
    assert.deepEqual(busy.granted, [8]);
    busy.acknowledge();
    mock.timers.tick(5);
    busy.acknowledge();
    mock.timers.tick(1000);
    assert.deepEqual(busy.granted, [8, 10]);
  } finally {
    mock.timers.reset();
  }
});

test('CallGrowths raises one limit at a time over all connections, in order of arrival', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const growths = new CallGrowths();
    const opened = Array.from({ length: 4 }, () => {
      const each = Object.assign(connection(), { callCount: 4 });
      return { each, growth: growths.open(each, limits, 4, 8) };
    });
    for (const { growth } of opened) growth.began();
    opened[1]?.growth.close();
    const counts = [];
    for (let tick = 0; tick < 4; tick += 1) {
      counts.push(opened.map(({ each }) => each.granted.length));
      mock.timers.tick(5);
    }
    assert.deepEqual(counts, [
      [0, 0, 0, 0],
      [1, 0, 0, 0],
      [1, 0, 1, 0],
      [1, 0, 1, 1],
    ]);
  } finally {
    mock.timers.reset();
  }
});

test('CallGrowths gives few connections at a time a high first limit', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const growths = new CallGrowths();
    const generous = { ...limits, first: 100 };
    const begin = () => {
      const first = growths.firstOf(generous);
      return { first, growth: growths.open(connection(), generous, first, 100) };
    };
    const begun = Array.from({ length: 4 }, begin);
    assert.deepEqual(
      begun.map(({ first }) => first),
      [100, 100, 4, 4],
    );
    begun[0]?.growth.close();
    assert.equal(begin().first, 100);
    assert.equal(begin().first, 4);
    for (let turn = 0; turn < 2; turn += 1) mock.timers.tick(limits.settleMs);
    assert.equal(begin().first, 100);
    assert.equal(growths.firstOf({ ...limits, first: 2 }), 2);
  } finally {
    mock.timers.reset();
  }
});

test('CallGrowths lowers a limit that is not used, and raises it again when it is', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const growths = new CallGrowths();
    const [idle, busy, gone] = [connection(), connection(), connection()];
    const growth = growths.open(idle, limits, 100, 100);
    busy.callCount = 30;
    growths.open(busy, limits, 100, 100);
    growths.open(gone, limits, 100, 100).close();
    mock.timers.tick(100);
    // Both connections are new: they may still need their limit.
    assert.deepEqual([idle.granted, busy.granted], [[], []]);
    mock.timers.tick(100);
    assert.deepEqual([idle.granted, busy.granted, gone.granted], [[4], [60], []]);
    mock.timers.tick(1000);
    assert.deepEqual(busy.granted, [60]);
    busy.callCount = 1;
    busy.acknowledge();
    idle.acknowledge();
    for (let turn = 0; turn < 2; turn += 1) mock.timers.tick(100);
    assert.deepEqual(busy.granted, [60, 4]);
    idle.callCount = 2;
    growth.began();
    mock.timers.tick(5);
    assert.deepEqual(idle.granted, [4, 8]);
  } finally {
    mock.timers.reset();
  }
});

test('CallGrowths keeps a limit that is used in bursts, also between two bursts', () => {
  mock.timers.enable({ apis: ['setTimeout'] });
  try {
    const bursts = connection();
    const growth = new CallGrowths().open(bursts, limits, 100, 100);
    for (let burst = 0; burst < 5; burst += 1) {
      bursts.callCount = 50;
      growth.began();
      bursts.callCount = 0;
      mock.timers.tick(100);
    }
    assert.deepEqual(bursts.granted, []);
  } finally {
    mock.timers.reset();
  }
});

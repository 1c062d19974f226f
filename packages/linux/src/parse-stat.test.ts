import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fixture } from './fixture.ts';
import { type CpuTimes, parseStat } from './parse-stat.ts';

const idleCpu: CpuTimes = {
  user: 0,
  nice: 0,
  system: 0,
  idle: 0,
  iowait: 0,
  irq: 0,
  softIrq: 0,
  steal: 0,
  guest: 0,
  guestNice: 0,
};

test('parseStat() returns seconds, keeps large counters exact and leaves a hole for an offline CPU', () => {
  assert.deepEqual(parseStat(fixture('stat-gap.txt')), {
    bootTime: 1700000000n,
    cpuTotal: {
      ...idleCpu,
      user: 3,
      nice: 0.1,
      system: 2,
      idle: 40,
      iowait: 0.5,
      softIrq: 0.07,
      steal: 0.01,
    },
    cpus: [
      { ...idleCpu, user: 1, nice: 0.05, system: 1, idle: 20, iowait: 0.25, softIrq: 0.03, steal: 0.01 },
      undefined,
      { ...idleCpu, user: 2, nice: 0.05, system: 1, idle: 20, iowait: 0.25, softIrq: 0.04 },
    ],
    interruptTotal: 42n,
    interrupts: [40n, 0n, 2n],
    contextSwitches: 9007199254740993n,
    processesCreated: 77n,
    processesRunning: 2n,
    processesBlocked: 1n,
    softInterruptTotal: 55n,
    softInterrupts: {
      hi: 1n,
      timer: 2n,
      netTx: 3n,
      netRx: 4n,
      block: 5n,
      irqPoll: 6n,
      tasklet: 7n,
      sched: 8n,
      hrtimer: 9n,
      rcu: 10n,
    },
  });
});

test('parseStat() reads the file of a real kernel', () => {
  const text = fixture('stat-x86_64.txt');
  const statistics = parseStat(text);
  const line = (name: string) =>
    (new RegExp(`^${name} (.*)$`, 'm').exec(text) as RegExpExecArray)[1] as string;
  assert.equal(statistics.cpus.length, 2);
  assert.equal(statistics.interrupts.length, line('intr').split(' ').length - 1);
  assert.equal(statistics.contextSwitches, BigInt(line('ctxt')));
  assert.equal(statistics.softInterrupts.rcu, BigInt(line('softirq').split(' ').at(-1) as string));
});

test('parseStat() uses zero for values that the kernel does not print', () => {
  const statistics = parseStat('cpu  100 0 50 7\n');
  assert.deepEqual(statistics.cpuTotal, { ...idleCpu, user: 1, system: 0.5, idle: 0.07 });
  assert.deepEqual([statistics.bootTime, statistics.softInterrupts.rcu, statistics.cpus], [0n, 0n, []]);
});

test('parseStat() returns the interrupt counters that were printed', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt(0n, 2n ** 64n - 1n)), (counters) => {
      const total = counters.reduce((sum, counter) => BigInt.asUintN(64, sum + counter), 0n);
      const statistics = parseStat(`intr ${[total, ...counters].join(' ')}\n`);
      assert.deepEqual([statistics.interruptTotal, statistics.interrupts], [total, counters]);
    }),
  );
});

test('parseStat() accepts any text', () => {
  fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseStat(text).cpus)));
});

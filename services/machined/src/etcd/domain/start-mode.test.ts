import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinSchedule, nextPauseMs } from './retry-schedules.ts';
import { type BootstrapWish, type StartFacts, startModeOf } from './start-mode.ts';

const wish: BootstrapWish = { recover: true, skipHashCheck: false };
const plain: BootstrapWish = { recover: false, skipHashCheck: false };
const facts: StartFacts = {
  isDataEmpty: true,
  machineType: 'controlplane',
  hasUpgradeTag: false,
  wish: undefined,
};

test('startModeOf() keeps existing data, creates a cluster when requested, and joins otherwise', () => {
  const table: [Partial<StartFacts>, object][] = [
    [{}, { kind: 'join' }],
    [{ wish }, { kind: 'new', wish }],
    [{ isDataEmpty: false, wish }, { kind: 'as-is' }],
    [{ isDataEmpty: false, machineType: 'init' }, { kind: 'as-is' }],
    [{ machineType: 'init' }, { kind: 'new', wish: plain }],
    [{ machineType: 'init', hasUpgradeTag: true }, { kind: 'join' }],
    [
      { machineType: 'init', hasUpgradeTag: true, wish },
      { kind: 'new', wish },
    ],
  ];
  for (const [change, mode] of table) assert.deepEqual(startModeOf({ ...facts, ...change }), mode);
});

test('nextPauseMs() returns 3 to 4 s until half an hour has passed', () => {
  assert.deepEqual(
    [
      nextPauseMs(joinSchedule, 0, 0),
      nextPauseMs(joinSchedule, 0, 0.9999),
      nextPauseMs(joinSchedule, 1_796_999, 0),
      nextPauseMs(joinSchedule, 1_797_000, 0),
    ],
    [3000, 3999, 3000, undefined],
  );
});

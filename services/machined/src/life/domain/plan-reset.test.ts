import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planReset, type ResetWish } from './plan-reset.ts';

const wish = (change: Partial<ResetWish> = {}): ResetWish => ({
  ...{ graceful: true, reboot: false, mode: 'all', partitions: [], userDisks: [] },
  ...change,
});
const listed = (...labels: string[]) => labels.map((label) => ({ label, wipe: true }));

test('planReset() wipes the whole node when no partitions are listed', () => {
  const whole = { volumes: ['META', 'STATE', 'EPHEMERAL'], isWhole: true, userDisks: [] };
  assert.deepEqual(planReset(wish()), { isGraceful: true, end: 'power-off', ...whole });
  assert.deepEqual(planReset(wish({ mode: 'system-disk', graceful: false, reboot: true })), {
    ...{ isGraceful: false, end: 'reboot', ...whole },
  });
});

test('planReset() wipes the listed volumes, and the volumes that are folders of these', () => {
  const volumesOf = (...labels: string[]) => planReset(wish({ partitions: listed(...labels) })).volumes;
  assert.deepEqual(volumesOf('EPHEMERAL', 'STATE', 'STATE'), ['STATE', 'EPHEMERAL']);
  assert.deepEqual(volumesOf('ETCD', 'EPHEMERAL'), ['EPHEMERAL']);
  const partitions = [...listed('STATE'), { label: 'NONSENSE', wipe: false }];
  assert.deepEqual(planReset(wish({ partitions })).volumes, ['STATE']);
});

test('planReset() wipes nothing for user disks when none is listed', () => {
  const { volumes, isWhole } = planReset(wish({ mode: 'user-disks' }));
  assert.deepEqual([volumes, isWhole], [[], false]);
});

test('planReset() refuses contradictory or unknown values and quotes them', () => {
  const refused: [Partial<ResetWish>, string, string][] = [
    [
      { mode: 'system-disk', userDisks: ['/dev/sdb'] },
      'unknown',
      'wipe mode SYSTEM_DISK leaves user disks alone, but "/dev/sdb" is listed',
    ],
    [
      { mode: 'user-disks', partitions: listed('STATE') },
      'unknown',
      'wipe mode USER_DISKS leaves system partitions alone, but "STATE" is listed',
    ],
    [{ userDisks: ['/dev/sdb'] }, 'unknown', "reset user disk failed: device /dev/sdb wasn't found"],
    [
      { partitions: listed('BOOT') },
      'unknown',
      'unknown volume "BOOT": this node has META, STATE, EPHEMERAL',
    ],
    [
      { partitions: listed('constructor') },
      'unknown',
      'unknown volume "constructor": this node has META, STATE, EPHEMERAL',
    ],
    [
      { partitions: listed('ETCD', 'STATE') },
      'unknown',
      'volume "ETCD" is a folder of volume "EPHEMERAL": list that one as well',
    ],
    [
      { partitions: [{ label: 'STATE', wipe: false }] },
      'invalid-argument',
      'the list of system partitions names no partition that can be wiped',
    ],
  ];
  for (const [change, kind, message] of refused)
    assert.throws(() => planReset(wish(change)), { kind, message });
});

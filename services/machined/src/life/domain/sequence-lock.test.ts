import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SequenceName, sequenceNames } from './node-event.ts';
import { lockDecision } from './sequence-lock.ts';

const takers = (running: SequenceName) =>
  sequenceNames.filter((wanted) => lockDecision(running, wanted, false) === 'take-over');

test('lockDecision() permits the same takeovers as upstream, for each running sequence', () => {
  assert.deepEqual(Object.fromEntries(sequenceNames.map((running) => [running, takers(running)])), {
    noop: [],
    boot: ['reset', 'upgrade', 'reboot', 'emergencyVolumeCleanup'].sort(byOrder),
    initialize: ['maintenanceUpgrade', 'reboot', 'emergencyVolumeCleanup'].sort(byOrder),
    install: [],
    shutdown: [],
    upgrade: [],
    stageUpgrade: [],
    maintenanceUpgrade: [],
    reset: ['reboot'],
    reboot: ['reboot'],
    emergencyVolumeCleanup: [],
  });
});

test('lockDecision() starts any sequence when none runs, and lets a takeover cancel any', () => {
  for (const wanted of sequenceNames) {
    assert.equal(lockDecision(undefined, wanted, false), 'start');
    for (const running of sequenceNames) assert.equal(lockDecision(running, wanted, true), 'take-over');
  }
});

function byOrder(a: string, b: string): number {
  const names: readonly string[] = sequenceNames;
  return names.indexOf(a) - names.indexOf(b);
}

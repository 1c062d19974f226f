import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MachineStatusSpec, UpgradeStatusSpec } from '@nodewright/state/kinds';
import { armedSlot, triedSystem } from './tried-system.ts';

const status = (change: Partial<UpgradeStatusSpec>): UpgradeStatusSpec => ({
  ...{ slot: 'B', mode: 'confirmed', trial: '', reason: '', previous: 'A', failed: '', staged: '' },
  paused: false,
  ...change,
});
const machine = (ready: boolean): MachineStatusSpec => ({
  stage: 'running',
  status: { ready, unmetConditions: [] },
});

test('triedSystem() tells what became of the system in slot B', () => {
  const rows: [string, UpgradeStatusSpec | undefined, boolean][] = [
    ['unknown: the systems of this node are not known yet', undefined, true],
    ['unknown: the systems of this node are not known yet', status({ slot: 'A', mode: '' }), true],
    ['unknown: the disk does not answer', status({ mode: '', reason: 'the disk does not answer' }), true],
    ['unknown: no space left', status({ slot: 'A', mode: '', trial: 'B', reason: 'no space left' }), true],
    [
      'lost: the node is back on the system before: the disk does not answer',
      status({ slot: 'A', mode: '', reason: 'the disk does not answer' }),
      true,
    ],
    ['kept', status({}), true],
    ['kept', status({ trial: 'B' }), true],
    ['not ready', status({}), false],
    ['trying: etcd is not up', status({ mode: 'trial', trial: 'B', reason: 'etcd is not up' }), true],
    ['trying: the new system is not confirmed yet', status({ mode: 'trial', trial: 'B' }), true],
    ['armed', status({ slot: 'A', trial: 'B' }), true],
    ['lost: the node is back on the system before', status({ slot: 'A' }), true],
    [
      'lost: the node is back on the system before: it hung',
      status({ slot: 'A', failed: 'B', reason: 'it hung' }),
      true,
    ],
    ['lost: somebody has started the system in slot B by hand', status({ mode: 'by hand' }), true],
  ];
  for (const [expected, given, ready] of rows) {
    const found = triedSystem('B', given, machine(ready));
    assert.equal('reason' in found ? `${found.kind}: ${found.reason}` : found.kind, expected);
  }
  assert.deepEqual(triedSystem('B', status({}), undefined).kind, 'not ready');
});

test('armedSlot() is the slot that the next start tries, and not the one that is being tried', () => {
  assert.equal(armedSlot(undefined), undefined);
  assert.equal(armedSlot(status({})), undefined);
  assert.equal(armedSlot(status({ trial: 'A' })), 'A');
  assert.equal(armedSlot(status({ mode: 'trial', trial: 'B' })), undefined);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodePlan } from './node-plan.ts';
import { nodePlanFrom, nodePlanToText } from './node-plan-text.ts';

const plan: NodePlan = {
  ...{ id: 'a'.repeat(32), kind: 'upgrade', image: 'registry.example/installer:v1', restart: 'graceful' },
  ...{ allowsDowngrade: false, dropsExtensions: true, ignoresEtcd: false, actorId: 'actor' },
  ...{ phase: 'running', step: 'drain', reason: '', slotBefore: 'A', slot: '', restarts: 0 },
};

test('nodePlanFrom() reads what nodePlanToText() has written', () => {
  assert.deepEqual(nodePlanFrom(nodePlanToText(plan)), plan);
  const restart: NodePlan = {
    ...plan,
    kind: 'restart',
    image: '',
    step: 'confirm',
    phase: 'failed',
    reason: 'lost',
  };
  assert.deepEqual(nodePlanFrom(nodePlanToText(restart)), restart);
});

test('nodePlanFrom() refuses a record with anything that this version does not write', () => {
  const texts = [
    ...['', 'null', '[]', '{', '{"format":1}', `${'['.repeat(20_000)}`, ' '.repeat(20_000)],
    nodePlanToText(plan).replace('"format":1', '"format":2'),
    nodePlanToText(plan).replace('"format":1', '"format":1,"command":"rm"'),
    ...[
      { id: 'A'.repeat(32) },
      { id: `${'a'.repeat(31)}\n` },
      { kind: 'reset' },
      { image: 'x'.repeat(3000) },
      { image: 'a\nb' },
      { image: '' },
      { allowsDowngrade: 'yes' },
      { restart: 'forced' },
      { actorId: 'x'.repeat(65) },
      { phase: 'paused' },
      { step: 'wipe' },
      { kind: 'restart', image: '', step: 'drain' },
      { reason: '\u001b[2J' },
      { slot: '../A' },
      { slotBefore: 'A'.repeat(17) },
      { restarts: -1 },
      { restarts: 0.5 },
    ].map((change) => nodePlanToText({ ...plan, ...(change as Partial<NodePlan>) })),
  ];
  assert.deepEqual(
    texts.filter((text) => nodePlanFrom(text) !== undefined),
    [],
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeRole, type Turn } from '@nodewright/contract/gen/suite/upgrade/v1/rollout.ts';
import { planLimits } from '@nodewright/rollout';
import { messageOfTurn, turnOfMessage } from './turn-of-message.ts';

const turn: Turn = { rollout: 'a'.repeat(32), node: 'node04', role: NodeRole.NODE_ROLE_WORKER, attempt: 1 };

test('a turn is the same after its way over the wire', () => {
  const most = { ...turn, role: NodeRole.NODE_ROLE_CONTROL_PLANE, attempt: planLimits.attempts };
  for (const message of [turn, most, { ...turn, node: 'n'.repeat(planLimits.nameLength) }])
    assert.deepEqual(messageOfTurn(turnOfMessage(message)), message);
});

for (const [what, change] of [
  ['an id of another form', { rollout: `${'a'.repeat(31)}/` }],
  ['an id of a megabyte', { rollout: 'a'.repeat(1_000_000) }],
  ['no name', { node: '' }],
  ['a name that is too long', { node: 'n'.repeat(planLimits.nameLength + 1) }],
  ['no role', { role: NodeRole.NODE_ROLE_UNSPECIFIED }],
  ['an unknown role', { role: 7 }],
  ['no attempt', { attempt: 0 }],
  ['more attempts than a plan has', { attempt: planLimits.attempts + 1 }],
] as const)
  test(`a message with ${what} names no turn`, () => {
    assert.throws(() => turnOfMessage({ ...turn, ...change } as Turn), { kind: 'invalid-argument' });
  });

test('a request without a turn is refused', () => {
  assert.throws(() => turnOfMessage(undefined), { kind: 'invalid-argument' });
});

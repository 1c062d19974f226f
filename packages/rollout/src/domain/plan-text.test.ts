import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createPlan } from './create-plan.ts';
import { planFromBytes, planToBytes } from './plan-text.ts';
import { planLimits, type RolloutPlan } from './rollout-plan.ts';

const created = createPlan({
  id: '0123456789abcdef0123456789abcdef',
  action: 'upgrade to sha256:aa',
  nodes: [
    { name: 'cp1', role: 'control-plane' },
    { name: 'cp2', role: 'control-plane' },
    { name: 'w1', role: 'worker' },
  ],
  limitMs: 600_000,
});
assert.ok(created.kind === 'plan');
const { plan } = created;
const json = JSON.parse(Buffer.from(planToBytes(plan)).toString());
const read = (value: unknown) => planFromBytes(Buffer.from(JSON.stringify(value)));
const withNode = (index: number, change: object) => ({
  ...json,
  nodes: json.nodes.map((node: object, at: number) => (at === index ? { ...node, ...change } : node)),
});

test('planFromBytes() reads what planToBytes() has written', () => {
  const later: RolloutPlan = {
    ...plan,
    ...{ phase: 'stopped', reason: 'cp2: „nicht bereit“', waitsFor: '' },
    nodes: plan.nodes.map((node, index) => {
      if (index === 0) return { ...node, progress: { state: 'done' } };
      if (index === 1) return { ...node, attempt: 2, progress: { state: 'failed', reason: 'it went back' } };
      return node;
    }),
  };
  for (const one of [plan, later])
    assert.deepEqual(planFromBytes(planToBytes(one)), { kind: 'plan', plan: one });
});

test('planFromBytes() refuses what was tampered with, and says what', () => {
  const acting = { progress: { state: 'acting', spentMs: 0 } };
  const table: [unknown, RegExp][] = [
    [null, /other fields/],
    [[], /other fields/],
    [{ ...json, format: 2 }, /other fields/],
    [{ ...json, extra: 1 }, /other fields/],
    [{ ...json, nodes: {} }, /other fields/],
    [{ ...json, nodes: [null] }, /other fields/],
    [{ ...json, nodes: [] }, /1 to 500 nodes/],
    [{ ...json, nodes: Array(501).fill(json.nodes[0]) }, /other fields/],
    [{ ...json, maxUnavailable: 0 }, /maxUnavailable/],
    [{ ...json, maxUnavailable: 1.5 }, /maxUnavailable/],
    [{ ...json, maxUnavailable: '3' }, /other fields/],
    [{ ...json, pauseAfter: -1 }, /pauseAfter/],
    [{ ...json, limitMs: 1e12 }, /limit/],
    [{ ...json, phase: 'constructor' }, /phase/],
    [{ ...json, id: '../../etc' }, /its id/],
    [{ ...json, action: 'a\u001b[2J' }, /its action/],
    [{ ...json, action: 'a'.repeat(planLimits.actionLength + 1) }, /its action/],
    [{ ...json, waitsFor: 'a'.repeat(planLimits.reasonLength + 1) }, /a reason/],
    [{ ...json, phase: 'done' }, /done, and some/],
    [withNode(0, { name: 'cp2' }), /twice/],
    [withNode(0, { name: '-rf' }), /valid name/],
    [withNode(0, { name: 'a'.repeat(254) }), /valid name/],
    [withNode(0, { role: 'admin' }), /known role/],
    [withNode(0, { role: 'worker' }), /worker comes before/],
    [withNode(0, { attempt: 0 }), /attempt/],
    [withNode(0, { progress: { state: 'acting', spentMs: -1 } }), /its time/],
    [withNode(0, { progress: { state: 'acting' } }), /other fields/],
    [withNode(0, { progress: { state: 'failed', reason: '' } }), /although a node has failed/],
    [withNode(2, acting), /before all control planes were done/],
    [{ ...json, nodes: json.nodes.map((node: object) => ({ ...node, ...acting })) }, /more than 1 nodes act/],
    [
      {
        ...json,
        maxUnavailable: 3,
        nodes: json.nodes.slice(0, 2).map((node: object) => ({ ...node, ...acting })),
      },
      /two control planes act/,
    ],
  ];
  for (const [value, reason] of table) {
    const result = read(value);
    assert.equal(result.kind, 'refused', JSON.stringify(value));
    assert.match(result.kind === 'refused' ? result.reason : '', reason);
  }
});

test('planFromBytes() refuses bytes that are no JSON, too many, or name the prototype of objects', () => {
  const text = JSON.stringify(json);
  for (const bytes of [
    Buffer.from(''),
    Buffer.from(text.slice(0, -1)),
    Buffer.from([0xff, 0xfe]),
    Buffer.from(text.replace('"waitsFor"', '"__proto__"')),
    Buffer.from(text + ' '.repeat(planLimits.sizeBytes)),
  ])
    assert.equal(planFromBytes(bytes).kind, 'refused');
});

test('planFromBytes() throws for nothing, and what it reads can be written again', () => {
  const anyField = fc
    .tuple(fc.constantFrom(...Object.keys(json)), fc.jsonValue())
    .map(([name, value]) => ({ ...json, [name]: value }));
  const anyNodeField = fc
    .tuple(fc.constantFrom('name', 'role', 'attempt', 'progress'), fc.jsonValue())
    .map(([name, value]) => withNode(0, { [name]: value }));
  const anyText = fc
    .oneof(fc.jsonValue(), anyField, anyNodeField)
    .map((value) => Buffer.from(JSON.stringify(value)));
  let read = 0;
  fc.assert(
    fc.property(fc.oneof(anyText, fc.uint8Array()), (bytes) => {
      const result = planFromBytes(bytes);
      if (result.kind === 'refused') return;
      read += 1;
      planToBytes(result.plan);
    }),
    { numRuns: 2000 },
  );
  assert.ok(read > 0, 'nothing was read at all');
});

test('a plan of all limits fits into its size, whatever fails', () => {
  const nodes = Array.from({ length: planLimits.nodes }, (_, index) => ({
    name: `${index}`.padStart(planLimits.nameLength, '0'),
    ...({ role: 'worker', attempt: planLimits.attempts } as const),
    progress: { state: 'failed', reason: '€'.repeat(planLimits.reasonLength) } as const,
  }));
  const full: RolloutPlan = { ...plan, phase: 'stopped', maxUnavailable: planLimits.nodes, nodes };
  assert.deepEqual(planFromBytes(planToBytes(full)), { kind: 'plan', plan: full });
});

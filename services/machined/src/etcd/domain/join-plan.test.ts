import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  initialClusterOf,
  type KnownMember,
  needsPeerUpdate,
  planJoin,
  planPromotion,
  promotionEndpoints,
} from './join-plan.ts';

const self = { name: 'c', peerUrls: ['https://10.0.0.3:2380'] };
const member = (id: number, name: string, host = id, isLearner = false): KnownMember => ({
  id: BigInt(id),
  name,
  peerUrls: [`https://10.0.0.${host}:2380`],
  clientUrls: name === '' ? [] : [`https://10.0.0.${host}:2379`],
  isLearner,
});
const [a, b] = [member(1, 'a'), member(2, 'b')];
const add = { kind: 'add-learner', peerUrls: self.peerUrls };

test('planJoin() removes an earlier member of this node, then adds a learner or reuses one that never started', () => {
  const table: [KnownMember[], object[]][] = [
    [[a], [add]],
    [
      [a, member(3, 'c')],
      [{ kind: 'remove', id: 3n, unlessAt: [] }, add],
    ],
    [[a, member(9, '', 3, true)], [{ kind: 'reuse', id: 9n }]],
    // A learner of another node.
    [[a, member(9, '', 4, true)], [add]],
    // A voting member that an administrator added.
    [[a, member(9, '', 3, false)], [{ kind: 'reuse', id: 9n }]],
    // An earlier member with another name.
    [
      [a, member(7, 'old', 3)],
      [{ kind: 'remove', id: 7n, unlessAt: [] }, add],
    ],
    [
      [member(3, 'c', 7), member(9, '', 3, true)],
      [
        { kind: 'remove', id: 3n, unlessAt: ['10.0.0.7:2379'] },
        { kind: 'reuse', id: 9n },
      ],
    ],
  ];
  for (const [members, steps] of table) assert.deepEqual(planJoin(members, self), steps);
});

test('planJoin() removes only members with its own name or URLs', () => {
  const name = fc.constantFrom('', 'a', 'b', 'c');
  const anyMember = fc
    .tuple(fc.integer({ min: 1, max: 99 }), name, fc.integer({ min: 1, max: 5 }), fc.boolean())
    .map((parts) => member(...parts));
  fc.assert(
    fc.property(fc.array(anyMember), (members) => {
      const steps = planJoin(members, self);
      const removed = steps.flatMap((step) => (step.kind === 'remove' ? [step.id] : []));
      const own = members.filter(
        ({ name, peerUrls }) => name === 'c' || (name !== '' && peerUrls[0] === self.peerUrls[0]),
      );
      assert.deepEqual(
        removed,
        own.map(({ id }) => id),
      );
      assert.equal(steps.filter(({ kind }) => kind !== 'remove').length, 1);
    }),
  );
});

test("initialClusterOf() lists all members and gives the unnamed one with the node's URLs the node's name", () => {
  assert.equal(
    initialClusterOf([a, member(171, '', 2), member(9, '', 3, true)], self),
    'a=https://10.0.0.1:2380,ab=https://10.0.0.2:2380,c=https://10.0.0.3:2380',
  );
});

test('planPromotion() is done when the node has a vote', () => {
  assert.deepEqual(
    [
      planPromotion([a], 9n),
      planPromotion([a, member(9, '', 3, true)], 9n),
      planPromotion([a, member(9, 'c', 3, true)], 9n),
      planPromotion([a, member(9, 'c', 3)], 9n),
      // The name and the URLs are those of another member.
      planPromotion([member(1, 'c', 3), member(9, 'old', 7, true)], 9n),
    ],
    [
      { kind: 'wait' },
      { kind: 'promote', id: 9n },
      { kind: 'promote', id: 9n },
      { kind: 'done' },
      { kind: 'promote', id: 9n },
    ],
  );
});

test('promotionEndpoints() lists voters, then other control planes, without duplicates or the node itself', () => {
  const members = [member(9, 'c', 3, true), a, b, member(8, 'd', 4, true)];
  assert.deepEqual(
    promotionEndpoints(members, ['10.0.0.2:2379', '10.0.0.3:2379', '10.0.0.4:2379'], ['10.0.0.3:2379']),
    ['10.0.0.1:2379', '10.0.0.2:2379', '10.0.0.4:2379'],
  );
});

test('needsPeerUpdate() compares URLs as sets, and never requests an empty list', () => {
  const urls = ['https://a:2380', 'https://b:2380'];
  assert.deepEqual(
    [
      needsPeerUpdate({ peerUrls: urls }, [...urls].reverse()),
      needsPeerUpdate({ peerUrls: urls }, ['https://a:2380']),
      needsPeerUpdate({ peerUrls: urls }, []),
    ],
    [false, true, false],
  );
});

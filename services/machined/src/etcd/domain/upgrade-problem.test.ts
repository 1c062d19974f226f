import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberProblems, upgradeProblem } from './upgrade-problem.ts';

const member = (name: string, failure?: string) => ({ name, id: `id-of-${name}`, failure });

for (const [members, problem] of [
  [[member('a')], undefined],
  [[], undefined],
  [[member('a'), member('b')], /^etcd member count\(2\) is insufficient to maintain quorum/],
  [[member('a'), member('b'), member('c')], undefined],
  [[member('a'), member('b'), member('c'), member('d')], undefined],
  [[member('a'), member(''), member('c')], /^etcd member id-of- has not started yet/],
  [[member('a'), member('b'), member('c', 'no answer')], /^etcd member "c" is not healthy: no answer$/],
  [[member('a', 'no answer')], /^etcd member "a" is not healthy/],
] as const)
  test(`of members ${members.map(({ name, failure }) => `${name}${failure ? '!' : ''}`).join(', ')} one ${problem === undefined ? 'may' : 'must not'} go down`, () => {
    const found = upgradeProblem(members);
    if (problem === undefined) assert.equal(found, undefined);
    else assert.match(found ?? '', problem);
  });

test('memberProblems() has what concerns each member by its name, and what concerns all of them apart', () => {
  const three = [member('a'), member('b', 'no answer'), member('c')];
  assert.deepEqual(memberProblems(three), {
    ...{ common: undefined, byName: new Map([['b', 'no answer']]), names: ['a', 'b', 'c'] },
  });
  const two = memberProblems([member('a'), member('b', 'no answer')]);
  assert.match(two.common ?? '', /^etcd member count\(2\)/);
  assert.deepEqual(two.byName, new Map([['b', 'no answer']]));
  const unstarted = memberProblems([member('a'), member(''), member('c')]);
  assert.match(unstarted.common ?? '', /has not started yet/);
  assert.deepEqual(unstarted.names, ['a', 'c']);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ServiceNeeds, stopPlan, withServices } from './service-graph.ts';

const none = () => false;
const declared = (...needs: ServiceNeeds[]) => withServices(new Map(), needs, none);

const refusals: readonly {
  readonly name: string;
  readonly before?: readonly ServiceNeeds[];
  readonly added: readonly ServiceNeeds[];
  readonly message: string;
}[] = [
  {
    name: 'a service that needs itself',
    added: [{ id: 'a', dependsOn: ['a'] }],
    message: 'service "a" would wait for itself: a -> a',
  },
  {
    name: 'a circle among those declared together',
    added: [
      { id: 'a', dependsOn: ['b'] },
      { id: 'b', dependsOn: ['c', 'd'] },
      { id: 'c', dependsOn: ['a'] },
      { id: 'd' },
    ],
    message: 'service "a" would wait for itself: a -> b -> c -> a',
  },
  {
    name: 'a circle that a later service closes',
    before: [{ id: 'etcd', dependsOn: ['cri'] }],
    added: [{ id: 'cri', dependsOn: ['etcd'] }],
    message: 'service "cri" would wait for itself: cri -> etcd -> cri',
  },
  {
    name: 'a circle of starting after and being outlived by',
    added: [
      { id: 'a', dependsOn: ['b'] },
      { id: 'b', outlivedBy: ['a'] },
    ],
    message: 'service "a" would wait for itself: a -> b -> a',
  },
  {
    name: 'a need that nobody can meet',
    added: [{ id: 'a', dependsOn: ['ghost'] }],
    message:
      'service "a" needs service "ghost", which is neither declared nor a service that a node may have',
  },
  {
    name: 'an id that is taken',
    before: [{ id: 'a' }],
    added: [{ id: 'a' }],
    message: 'service "a" is declared already',
  },
];

for (const { name, before = [], added, message } of refusals) {
  test(`withServices() refuses ${name}, and names it`, () => {
    const graph = withServices(new Map(), before, (id) => id === 'cri');
    assert.throws(() => withServices(graph, added, none), { message });
    assert.deepEqual([...graph.values()], before);
  });
}

test('withServices() permits several paths to one service, and a dependency that is declared later', () => {
  const diamond = declared(
    { id: 'a', dependsOn: ['b', 'c'] },
    { id: 'b', dependsOn: ['d'] },
    { id: 'c', dependsOn: ['d'] },
    { id: 'd' },
  );
  const graph = withServices(diamond, [{ id: 'e', dependsOn: ['a', 'cri'] }], (id) => id === 'cri');
  assert.deepEqual([...graph.keys()], ['a', 'b', 'c', 'd', 'e']);
});

test('stopPlan() lists all services that depend on a service, and what each one waits for', () => {
  const graph = declared(
    { id: 'machined' },
    { id: 'cri', outlivedBy: ['machined'] },
    { id: 'etcd', dependsOn: ['cri'] },
    { id: 'kubelet', dependsOn: ['cri'] },
    { id: 'ext-a', dependsOn: ['etcd', 'kubelet'] },
    { id: 'apid' },
  );
  assert.deepEqual(Object.fromEntries(stopPlan(graph, ['cri'])), {
    cri: ['etcd', 'kubelet'],
    etcd: ['ext-a'],
    kubelet: ['ext-a'],
    'ext-a': [],
  });
  assert.deepEqual([...stopPlan(graph, graph.keys()).keys()].sort(), [...graph.keys()].sort());
  assert.deepEqual([...stopPlan(graph, ['nobody']).keys()], []);
});

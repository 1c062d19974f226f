import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DependencyEdge } from '@nodewright/controllers';
import { controllerMap } from './controller-map.ts';
import { joinControllers } from './declared-controllers.ts';

const edge = (controller: string, kind: DependencyEdge['kind'], type: string): DependencyEdge => ({
  ...{ controller, kind, type: `${type}.test.dev` },
  ...{ namespace: '', id: '' },
});

const edges = [
  edge('a.WriterController', 'output-exclusive', 'Words'),
  edge('b.ReaderController', 'input-weak', 'Words'),
  edge('b.ReaderController', 'input-destroy-ready', 'Shouts'),
  edge('b.ReaderController', 'output-shared', 'Shouts'),
];

test('controllerMap() draws an arrow from the topic that writes a kind to the one that reads it', () => {
  const topics = { 'a.WriterController': 'words', 'b.ReaderController': 'shouts' };
  const map = controllerMap({ topics, edges });
  assert.match(map, /^ {2}words -- 1 --> shouts$/m);
  assert.match(map, /^## words\n\n.*\n.*\n\| `a\.WriterController` \| {2}\| Words \|$/m);
  assert.match(map, /^\| `b\.ReaderController` \| Words \| Shouts \|$/m);
});

test('controllerMap() fails for a controller of no topic', () => {
  assert.throws(() => controllerMap({ topics: {}, edges }), { message: /a\.WriterController/ });
});

test('joinControllers() adds the controllers that the started node lacks, and controllerMap() marks them', () => {
  const started = { topics: { 'a.WriterController': 'words' }, edges: edges.slice(0, 1) };
  const declared = {
    topics: { 'a.WriterController': 'words', 'b.ReaderController': 'shouts' },
    edges: [edge('a.WriterController', 'output-exclusive', 'Other'), ...edges.slice(1)],
  };
  const map = controllerMap(joinControllers(started, declared));
  assert.match(map, /^\| `a\.WriterController` \| {2}\| Words \|$/m);
  assert.match(map, /^\| `b\.ReaderController` \* \| Words \| Shouts \|$/m);
});

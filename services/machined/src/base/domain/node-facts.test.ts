import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenAddressOf, type NodeFacts, platformOf } from './node-facts.ts';

const node: NodeFacts = {
  mode: 'process',
  hostname: 'node01',
  addresses: ['127.5.6.2'],
};

test('listenAddressOf() is one address for a node of processes and every address else', () => {
  assert.equal(listenAddressOf(node, 50000), '127.5.6.2:50000');
  assert.equal(listenAddressOf({ ...node, addresses: ['fd00::2'] }, 50000), '[fd00::2]:50000');
  assert.equal(listenAddressOf({ ...node, mode: 'metal' }, 50000), ':50000');
});

test('platformOf() shows processes and nodes of several containers as metal', () => {
  assert.deepEqual(
    (['process', 'container', 'metal'] as const).map((mode) => platformOf(mode, 'child').mode),
    ['metal', 'container', 'metal'],
  );
  assert.equal(platformOf('container', 'external').mode, 'metal');
});

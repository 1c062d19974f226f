import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listenAddressOf, type NodeFacts } from './node-facts.ts';
import { worlds } from './world.ts';

const node: NodeFacts = { world: worlds.process, hostname: 'node01', addresses: ['127.5.6.2'] };

test('listenAddressOf() is one address for a node of processes, and all addresses of the host in other worlds', () => {
  assert.equal(listenAddressOf(node, 50000), '127.5.6.2:50000');
  assert.equal(listenAddressOf({ ...node, addresses: ['fd00::2'] }, 50000), '[fd00::2]:50000');
  assert.equal(listenAddressOf({ ...node, world: worlds.machine }, 50000), ':50000');
});

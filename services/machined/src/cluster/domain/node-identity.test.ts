import assert from 'node:assert/strict';
import { test } from 'node:test';
import { machineIdOf, nodeIdentityText, nodeIdFromBytes, nodeIdFromText } from './node-identity.ts';

test('nodeIdFromBytes() encodes bytes in base 62', () => {
  assert.equal(nodeIdFromBytes(Uint8Array.of(0, 61)), 'z');
  assert.equal(nodeIdFromBytes(Uint8Array.of(1, 0)), '48');
  assert.match(nodeIdFromBytes(new Uint8Array(32).fill(0xff)), /^[0-9A-Za-z]{43}$/);
});

test('machineIdOf() returns 32 hexadecimal digits that depend only on the node id', () => {
  assert.match(machineIdOf('a'), /^[0-9a-f]{32}$/);
  assert.equal(machineIdOf('a'), machineIdOf('a'));
  assert.notEqual(machineIdOf('a'), machineIdOf('b'));
});

test('nodeIdFromText() reads ids with and without quotes', () => {
  for (const text of [nodeIdentityText('7x1C'), 'nodeId: "7x1C"\n', "# mine\nnodeId: '7x1C'"]) {
    assert.equal(nodeIdFromText(text), '7x1C');
  }
});

for (const text of ['', 'nodeId:\n', 'nodeId: ""\n', 'other: 1\n']) {
  test(`nodeIdFromText() rejects the text ${JSON.stringify(text)}`, () => {
    assert.throws(() => nodeIdFromText(text), { kind: 'data-loss' });
  });
}

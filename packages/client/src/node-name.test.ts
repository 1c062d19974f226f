import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNodeName, nodeNameInLine } from './node-name.ts';

test('checkNodeName() takes host names and addresses', () => {
  for (const name of ['node01', 'node01.example', '10.5.0.2', 'fd00::1', 'fe80::1%eth0', '[::1]']) {
    assert.equal(checkNodeName(name), undefined);
    assert.equal(nodeNameInLine(name), name);
  }
});

test('checkNodeName() quotes what cannot stand in a header, in one line of ASCII', () => {
  const rows: [string, string][] = [
    ['', 'node name "" is empty'],
    [' \n', 'node name " \\n" is empty'],
    ['nöde', 'node name "n\\u00f6de" is no host name and no address'],
    ['a\nb', 'node name "a\\nb" is no host name and no address'],
    ['a b', 'node name "a b" is no host name and no address'],
    ['a,b', 'node name "a,b" is no host name and no address'],
    ['a\u2028\u{1f600}', 'node name "a\\u2028\\ud83d\\ude00" is no host name and no address'],
  ];
  for (const [name, message] of rows) {
    assert.throws(() => checkNodeName(name), { kind: 'invalid-argument', message });
  }
});

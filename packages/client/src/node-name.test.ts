import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkNodeName, nodeNameInLine } from './node-name.ts';

test('checkNodeName() accepts host names and addresses', () => {
  for (const name of ['node01', 'node01.example', '10.5.0.2', 'fd00::1', 'fe80::1%eth0', '[::1]']) {
    assert.equal(checkNodeName(name), undefined);
    assert.equal(nodeNameInLine(name), name);
  }
});

test('checkNodeName() rejects names that a header cannot carry, and quotes them in one line of ASCII', () => {
  const rows: [string, string][] = [
    ['', 'node name "" is empty'],
    [' \n', 'node name " \\n" is empty'],
    ['nöde', 'node name "n\\u00f6de" is not a host name or an address'],
    ['a\nb', 'node name "a\\nb" is not a host name or an address'],
    ['a b', 'node name "a b" is not a host name or an address'],
    ['a,b', 'node name "a,b" is not a host name or an address'],
    ['a\u2028\u{1f600}', 'node name "a\\u2028\\ud83d\\ude00" is not a host name or an address'],
  ];
  for (const [name, message] of rows) {
    assert.throws(() => checkNodeName(name), { kind: 'invalid-argument', message });
  }
});

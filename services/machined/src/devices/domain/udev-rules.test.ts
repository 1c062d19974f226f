import assert from 'node:assert/strict';
import { test } from 'node:test';
import { udevRulesText } from './udev-rules.ts';

test('udevRulesText() writes one rule per line and continues a rule over a line break', () => {
  assert.equal(udevRulesText([]), '');
  assert.equal(
    udevRulesText(['KERNEL=="vda", SYMLINK+="disk/first"', 'SUBSYSTEM=="block",\nMODE="0600"']),
    'KERNEL=="vda", SYMLINK+="disk/first"\nSUBSYSTEM=="block",\\\nMODE="0600"\n',
  );
});

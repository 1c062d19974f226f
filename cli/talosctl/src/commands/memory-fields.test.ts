import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MemInfo } from '@nodewright/contract/gen/machine/machine.ts';
import { memoryFields } from './memory-fields.ts';

test('memory -v shows every field of the message MemInfo', () => {
  const shown = memoryFields.map(({ field }) => field);
  assert.deepEqual(shown.toSorted(), Object.keys(MemInfo.fromPartial({})).sort());
});

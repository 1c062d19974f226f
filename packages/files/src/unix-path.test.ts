import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openUnixPath } from './index.ts';

test('openUnixPath() keeps a path of 107 bytes, and refuses a longer one whose folder is missing', () => {
  const longest = `/${'x'.repeat(106)}`;
  using kept = openUnixPath(longest);
  assert.equal(kept.path, longest);
  assert.throws(() => openUnixPath(`/no-such-folder/${'x'.repeat(107)}`), { code: 'ENOENT' });
});

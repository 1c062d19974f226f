import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withoutJson } from './binary-codecs.ts';

const generated = join(
  import.meta.dirname,
  '..',
  'packages',
  'contract',
  'src',
  'gen',
  'common',
  'common.ts',
);

test('withoutJson() removes both JSON methods of every codec, and nothing else', () => {
  const source = readFileSync(generated, 'utf8');
  const contents = withoutJson(source);
  const count = (text: string, method: string) =>
    text.split('\n').filter((line) => line.startsWith(`  ${method}(`) && line.endsWith('{')).length;
  const codecs = count(source, 'encode');
  assert.ok(codecs > 5);
  for (const method of ['fromJSON', 'toJSON']) {
    assert.equal(count(source, method), codecs);
    assert.equal(count(contents, method), 0);
  }
  for (const method of ['encode', 'decode', 'create', 'fromPartial'])
    assert.equal(count(contents, method), codecs);
});

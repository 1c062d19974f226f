import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { entryName, slotOfEntry } from './entry-name.ts';
import {
  encodeLoaderVariable,
  loaderVariableBytes,
  loaderVariableFile,
  parseLoaderVariable,
} from './loader-variable.ts';

test('a variable has the bytes of efivarfs: attributes, UTF-16LE and a NUL', () => {
  const bytes = Buffer.from('070000006100620000002e00', 'hex');
  assert.deepEqual(encodeLoaderVariable('ab'), bytes.subarray(0, 10));
  assert.equal(parseLoaderVariable(bytes), 'ab', 'what follows the NUL does not count');
  assert.equal(parseLoaderVariable(bytes.subarray(0, 8)), 'ab', 'the NUL may be missing');
  assert.equal(loaderVariableFile('oneShot'), 'LoaderEntryOneShot-4a67b082-0a4c-41cf-b6c7-440b29bb8c4f');
});

test('a name reads as it was written, up to the longest', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9._~-]{1,255}$/);
  fc.assert(
    fc.property(name, (entry) => assert.equal(parseLoaderVariable(encodeLoaderVariable(entry)), entry)),
  );
  const longest = encodeLoaderVariable('x'.repeat(255));
  assert.equal(longest.length, loaderVariableBytes);
  assert.equal(parseLoaderVariable(longest)?.length, 255);
});

test('names that are no boot entry are neither written nor read', () => {
  for (const entry of ['', 'a b', 'a\0b', 'a\n', 'é', '\ud800', 'x'.repeat(256)])
    assert.throws(() => encodeLoaderVariable(entry), RangeError, entry.slice(0, 9));
  const variable = (text: string) => Buffer.concat([Buffer.from([7, 0, 0, 0]), Buffer.from(text, 'utf16le')]);
  const none = [
    ...[
      Buffer.alloc(0),
      Buffer.alloc(3),
      Buffer.alloc(4),
      variable('\0'),
      variable('a b\0'),
      variable('é\0'),
    ],
    ...[
      Buffer.concat([variable('ab'), Buffer.of(0)]),
      variable('x'.repeat(256)),
      variable('x'.repeat(1 << 16)),
    ],
    variable('\ud800\0'),
  ];
  for (const bytes of none)
    assert.equal(parseLoaderVariable(bytes), undefined, bytes.toString('hex').slice(0, 40));
});

test('every sequence of bytes can be read', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => void parseLoaderVariable(bytes)));
});

test('slotOfEntry() ignores case, as firmware and systemd-boot do', () => {
  assert.deepEqual([entryName('A'), entryName('B')], ['nodewright-a.efi', 'nodewright-b.efi']);
  assert.deepEqual(
    ['nodewright-a.efi', 'NODEWRIGHT-B.EFI', 'nodewright-c.efi', 'Talos-v1.efi', '', undefined].map(
      slotOfEntry,
    ),
    ['A', 'B', undefined, undefined, undefined, undefined],
  );
  for (const slot of ['A', 'B'] as const) assert.doesNotMatch(entryName(slot), /[+*?[\]]|[A-Z]/);
});

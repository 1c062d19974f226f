import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDigests, digestList, parseDigestList } from './digest-list.ts';

const files = { vmlinuz: Buffer.from('k'), initramfs: Buffer.from('i') };
const digests = {
  vmlinuz: '8254c329a92850f6d539dd376f4816ee2764517da5e0235514af433164480d7a',
  initramfs: 'de7d1b721a1e0632b7cf04edf5032c8ecffa9f9a08492152b926f1a5a7e765d7',
};
const list = `${digests.vmlinuz}  vmlinuz\n${digests.initramfs}  initramfs\n`;

test('digestList() writes what sha256sum writes', () => {
  assert.equal(digestList(files), list);
  assert.deepEqual(Object.fromEntries(parseDigestList(list)), digests);
  assert.equal(parseDigestList('').size, 0);
});

test('checkDigests() names the file that differs, or that the list lacks', () => {
  checkDigests(list, files);
  checkDigests(list, { vmlinuz: files.vmlinuz });
  const refuse = (text: string, changed: Record<string, Buffer>, message: RegExp) =>
    assert.throws(() => checkDigests(text, { ...files, ...changed }), { kind: 'data-loss', message });
  refuse(list, { vmlinuz: Buffer.from('K') }, /^vmlinuz differs/);
  refuse(list, { initramfs: Buffer.from('') }, /^initramfs differs/);
  refuse(list, { 'rootfs.verity': Buffer.from('') }, /^rootfs\.verity differs/);
  refuse('', {}, /^vmlinuz differs/);
  // The digest of one file says nothing about another.
  refuse(list, { vmlinuz: files.initramfs }, /^vmlinuz differs/);
  refuse(list, { constructor: files.initramfs }, /^constructor differs/);
});

test('parseDigestList() refuses lists that are not whole', () => {
  const [first = ''] = list.split('\n');
  const damaged: [string, RegExp][] = [
    [first, /last line is not whole/],
    [list.slice(0, 100), /last line is not whole/],
    [`${first}\n\n`, /line 2/],
    [`${first}\n${first}\n`, /vmlinuz is listed twice/],
    [first.replace('  ', ' *').concat('\n'), /line 1/],
    [first.toUpperCase().concat('\n'), /line 1/],
    [`${digests.vmlinuz}  ../vmlinuz\n`, /line 1/],
    [`${digests.vmlinuz}  a/b\n`, /line 1/],
    [`${digests.vmlinuz}  .\n`, /line 1/],
    [list.repeat(40), /more than 4096 bytes/],
  ];
  for (const [text, message] of damaged)
    assert.throws(() => parseDigestList(text), { kind: 'data-loss', message }, text);
  assert.ok(list.repeat(40).length > 4096);
});

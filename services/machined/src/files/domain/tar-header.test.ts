import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { extract, type Header } from 'tar-stream';
import { bytesFromText } from './byte-text.ts';
import { maxTarHeaderBytes, type TarEntry, tarPadding, writeTarHeader } from './tar-header.ts';

const plain: TarEntry = {
  kind: 'file',
  name: 'a',
  mode: 0o640,
  uid: 1,
  gid: 2,
  size: 0,
  modifiedSeconds: 1_700_000_000,
};

function encode(entry: TarEntry): Buffer {
  const target = Buffer.alloc(maxTarHeaderBytes, 0xff);
  return target.subarray(0, writeTarHeader(entry, target));
}

/** Reads the header with another program, tar-stream. */
async function decode(entry: TarEntry): Promise<Header> {
  const archive = extract();
  const content = Buffer.alloc(entry.size + tarPadding(entry.size));
  archive.end(Buffer.concat([encode(entry), content, Buffer.alloc(1024)]));
  for await (const found of archive) return found.header;
  throw new Error('no entry');
}

test('writeTarHeader() writes one block if all values fit, and never more than maxTarHeaderBytes', () => {
  assert.equal(encode(plain).length, 512);
  const long = encode({
    ...plain,
    kind: 'symlink',
    name: 'x'.repeat(4096),
    link: '\xff'.repeat(4096),
    uid: 2 ** 32 - 1,
  });
  assert.ok(long.length <= maxTarHeaderBytes && long.length % 512 === 0, String(long.length));
});

test('tar-stream reads every field back, including values that do not fit into a ustar header', async () => {
  const entry = fc.record({
    name: fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 200 })
      .filter((name) => /^[^\0/]+$/.test(name)),
    mode: fc.integer({ min: 0, max: 0o7777 }),
    uid: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    gid: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    size: fc.integer({ min: 0, max: 2000 }),
    modifiedSeconds: fc.integer({ min: 0, max: 8 ** 11 - 1 }),
  });
  await fc.assert(
    fc.asyncProperty(entry, async (fields) => {
      const found = await decode({ ...plain, ...fields, name: bytesFromText(fields.name) });
      const pax = (found.pax ?? {}) as Record<string, string>;
      assert.deepEqual(
        {
          name: found.name,
          mode: found.mode,
          uid: Number(pax.uid ?? found.uid),
          gid: Number(pax.gid ?? found.gid),
          size: found.size,
          modifiedSeconds: found.mtime.getTime() / 1000,
        },
        { ...fields },
      );
    }),
  );
});

test('links keep their targets, devices their numbers, and unusual times and sizes are written as pax records', async () => {
  const target = `${'é'.repeat(60)}/x`;
  const link = await decode({ ...plain, kind: 'symlink', link: bytesFromText(target) });
  assert.deepEqual([link.type, link.linkname], ['symlink', target]);
  const device = await decode({ ...plain, kind: 'character-device', device: { major: 5, minor: 70_000 } });
  assert.deepEqual([device.type, device.devmajor, device.devminor], ['character-device', 5, 70_000]);
  const text = encode({ ...plain, modifiedSeconds: -86_400, size: 8 ** 11 }).toString('latin1');
  assert.match(text, /mtime=-86400\n/);
  assert.match(text, /size=8589934592\n/);
});

// Sets of extensions: what was changed after it was signed is refused, whatever it is.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { extensionSetLimits, setFiles, verifyExtensionSet } from './sets.ts';
import { createSetSigner, type SignedSetInit, signedSet } from './testing/signed-set.ts';

const signer = createSetSigner();
const certificates = [signer.certificate];
const imageRootHash = 'a'.repeat(64);
const squashfs = Buffer.concat(
  Array.from({ length: 1000 }, (_, at) => createHash('sha256').update(`${at}`).digest()),
);
const init = { signer, squashfs, imageRootHash };
const whole = signedSet(init);

/** Cuts the bytes into pieces, as they would arrive from a network. */
async function* piecesOf(bytes: Uint8Array, pieceBytes = 5000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

const verify = (bytes: Uint8Array, trust = { certificates, imageRootHash }) =>
  verifyExtensionSet(piecesOf(bytes), trust);

test('a set that was signed with a trusted key is verified, and described', async () => {
  const { description, rootHashSignature, tree, squashfsOffset } = await verify(whole.bytes);
  assert.equal(description.rootHash, whole.rootHash);
  assert.deepEqual(
    description.layers.map(({ image, metadata }) => [image, metadata.name]),
    [['set/1', 'demo']],
  );
  assert.ok(
    whole.bytes
      .subarray(squashfsOffset)
      .equals(Buffer.concat([squashfs, whole.bytes.subarray(squashfsOffset + squashfs.length)])),
  );
  assert.ok(whole.bytes.includes(tree) && whole.bytes.includes(rootHashSignature));
  assert.deepEqual(await verifyExtensionSet(piecesOf(whole.bytes, 1), { certificates }), {
    ...{ description, rootHashSignature, tree, squashfsOffset },
  });
});

test('a set of another signer, of another image, or with an exchanged part is refused with the reason', async () => {
  const other = createSetSigner();
  const otherSet = signedSet({ ...init, squashfs: Buffer.from('other') });
  const contentOf = (bytes: Buffer, name: string) => {
    const at = bytes.indexOf(`${name}\0`);
    const size = Number.parseInt(bytes.toString('latin1', at + 124, at + 135), 8);
    return bytes.subarray(at + 512, at + 512 + size);
  };
  const takesFromOther =
    (...names: string[]): SignedSetInit['change'] =>
    (files) => {
      for (const name of names) files.set(name, contentOf(otherSet.bytes, name));
    };
  const { description, descriptionSignature, rootHashSignature, tree, squashfs: data } = setFiles;
  const unsigned = /permission-denied: the set is not signed with a key that this image trusts/;
  const cases: readonly (readonly [Partial<SignedSetInit>, RegExp])[] = [
    [{ signer: other }, unsigned],
    [{ imageRootHash: 'b'.repeat(64) }, /failed-precondition: the set was built for the image with the root/],
    [{ change: takesFromOther(description) }, unsigned],
    [{ change: takesFromOther(descriptionSignature) }, unsigned],
    [{ change: takesFromOther(description, descriptionSignature) }, /data-loss: roothash\.p7s was changed/],
    [
      { change: takesFromOther(description, descriptionSignature, rootHashSignature) },
      /invalid-argument: set\.verity has/,
    ],
    [
      { change: takesFromOther(description, descriptionSignature, rootHashSignature, tree) },
      /data-loss: set\.squashfs or set\.verity was changed/,
    ],
    [{ change: takesFromOther(data) }, /data-loss: set\.squashfs or set\.verity was changed/],
    [{ change: takesFromOther(tree) }, /data-loss: set\.squashfs or set\.verity was changed/],
    [{ change: takesFromOther(rootHashSignature) }, /data-loss: roothash\.p7s was changed/],
    [
      { change: (files) => files.delete(data) },
      /data-loss: the file is no set of extensions: it lacks set\./,
    ],
    [{ change: (files) => files.delete(description) }, /it lacks description\.json/],
    [{ change: (files) => files.set('more', Buffer.from('x')) }, /data-loss: the set has more files/],
    [
      { describe: (given) => ({ ...given, squashfsBytes: extensionSetLimits.squashfsBytes + 1 }) },
      /invalid-argument: the set has 96 MiB, more than 96 MiB/,
    ],
    [{ describe: (given) => ({ ...given, rootHash: 'x' }) }, /data-loss: description\.json has no root hash/],
    [{ describe: (given) => ({ ...given, squashfsBytes: -1 }) }, /data-loss: description\.json has no size/],
  ];
  for (const [change, reason] of cases) {
    const { bytes } = signedSet({ ...init, ...change });
    await assert.rejects(verify(bytes), (error: Error & { kind: string }) => {
      assert.match(`${error.kind}: ${error.message}`, reason);
      return true;
    });
  }
});

test('a flipped bit anywhere in a set makes it refused, unless the bit is in padding that nothing reads', async () => {
  const expected = await verify(whole.bytes);
  const check = async (at: number, bit: number) => {
    const changed = Buffer.from(whole.bytes);
    changed.writeUInt8(changed.readUInt8(at) ^ (1 << bit), at);
    const found = await verify(changed).catch(() => undefined);
    if (found !== undefined) assert.deepEqual(found, expected, `bit ${bit} of byte ${at}`);
    return found === undefined;
  };
  for (const [name, distance] of [
    [setFiles.description, 700],
    [setFiles.descriptionSignature, 700],
    [setFiles.rootHashSignature, 700],
    [setFiles.tree, 512 + 16],
    [setFiles.tree, 512 + 4096 + 5],
    [setFiles.tree, 512 + 90],
    [setFiles.squashfs, 512],
    [setFiles.squashfs, 512 + squashfs.length - 1],
  ] as const)
    assert.ok(await check(whole.bytes.indexOf(`${name}\0`) + distance, 3), `${name} ${distance}`);
  const at = fc.integer({ min: 0, max: whole.bytes.length - 1 });
  await fc.assert(
    fc.asyncProperty(at, fc.integer({ min: 0, max: 7 }), async (at, bit) => void (await check(at, bit))),
  );
});

test('a set that ends early is refused wherever it ends, and bytes that are no set are, too', async () => {
  const length = fc.integer({ min: 0, max: whole.bytes.length - 1024 });
  await fc.assert(
    fc.asyncProperty(length, async (bytes) => {
      await assert.rejects(verify(whole.bytes.subarray(0, bytes)), { kind: 'data-loss' });
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 3000 }), async (bytes) => {
      await assert.rejects(verify(bytes), { name: 'Fault' });
    }),
  );
});

test('nothing unsigned is interpreted: a description that nobody signed is not read', async () => {
  const change = (files: Map<string, Buffer>) => files.set(setFiles.description, Buffer.from('{{{'));
  await assert.rejects(verify(signedSet({ ...init, change }).bytes), { kind: 'permission-denied' });
});

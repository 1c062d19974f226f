// A second key: an artefact that the first key signed can say that its system trusts another key, too.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import type { ImageContent } from '@nodewright/extensions/images';
import { digestOf, mediaTypes } from '@nodewright/oci';
import { verifyArtefact } from './index.ts';
import { createArtefactSigner, platform, testArtefact } from './testing/index.ts';
import { blobPath, type TestArtefact } from './testing/test-artefact.ts';

const [first, second] = [createArtefactSigner(), createArtefactSigner()];

/** An artefact in memory. */
function contentOf({ files, digests }: TestArtefact): ImageContent {
  const index = files.get(blobPath(digests.index)) ?? Buffer.alloc(0);
  return {
    root: async () => ({ mediaType: mediaTypes.index, digest: digestOf(index), size: index.length }),
    async *read({ digest }) {
      yield files.get(blobPath(digest)) ?? Buffer.alloc(0);
    },
    async [Symbol.asyncDispose]() {},
  };
}

const verify = (artefact: TestArtefact, certificates: readonly X509Certificate[]) =>
  verifyArtefact(contentOf(artefact), { certificates, platform });

test('the system of an artefact accepts the keys that the artefact names, and the one before it only its own', async () => {
  const describe = () => ({ certificates: [first, second].map(({ certificate }) => certificate.toString()) });
  const change = testArtefact({ signer: first, describe });
  const next = testArtefact({ signer: second });
  const old = [first.certificate];
  await assert.rejects(verify(next, old), { kind: 'permission-denied' });
  const { description } = await verify(change, old);
  const trusted = description.certificates.map((pem) => new X509Certificate(pem));
  assert.equal((await verify(next, trusted)).description.version, 'v1.14.1');
  assert.equal((await verify(testArtefact({ signer: first }), trusted)).description.version, 'v1.14.1');
});

test('an artefact cannot bring in a key by itself', async () => {
  const describe = () => ({ certificates: [first, second].map(({ certificate }) => certificate.toString()) });
  await assert.rejects(verify(testArtefact({ signer: second, describe }), [first.certificate]), {
    kind: 'permission-denied',
  });
});

test('the same artefact is written with the same bytes', () => {
  assert.deepEqual(testArtefact({ signer: first }), testArtefact({ signer: first }));
});

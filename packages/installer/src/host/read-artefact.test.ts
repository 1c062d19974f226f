// What a reader holds, and when it ends.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { ImageContent } from '@nodewright/extensions/images';
import { mediaTypes } from '@nodewright/oci';
import {
  blobPath,
  createArtefactSigner,
  goodFiles,
  platform,
  type TestArtefact,
  testArtefact,
} from '../testing/test-artefact.ts';
import { type ArtefactSink, readArtefact } from './read-artefact.ts';
import { verifyArtefact } from './verify-artefact.ts';

const signer = createArtefactSigner();
const pieceBytes = 1 << 16;

/** An artefact in memory that counts the bytes which were read of it, and the layers. */
function countedContent({ files, digests }: TestArtefact) {
  const counted = { bytes: 0, blobs: [] as string[] };
  const content: ImageContent = {
    async root() {
      const size = files.get(blobPath(digests.index))?.length ?? 0;
      return { mediaType: mediaTypes.index, digest: digests.index, size };
    },
    async *read({ digest }) {
      counted.blobs.push(digest);
      const bytes = files.get(blobPath(digest)) ?? Buffer.alloc(0);
      for (let at = 0; at < bytes.length; at += pieceBytes) {
        const piece = bytes.subarray(at, at + pieceBytes);
        counted.bytes += piece.length;
        yield piece;
      }
    },
    async [Symbol.asyncDispose]() {},
  };
  return { content, counted };
}

async function verified(artefact: TestArtefact) {
  const { content, counted } = countedContent(artefact);
  const found = await verifyArtefact(content, { certificates: [signer.certificate], platform });
  return { content, counted, found };
}

const sinkOf = (write: ArtefactSink['write']): ArtefactSink => ({ write });

for (const isCompressed of [false, true])
  test(`a slow sink holds the reader up: it reads only some pieces ahead, ${isCompressed ? 'compressed' : 'plain'}`, async () => {
    const large = { 'machine/vmlinuz': randomBytes(16 << 20) };
    const { content, counted, found } = await verified(
      testArtefact({ signer, isCompressed, files: [large, ...goodFiles.slice(1)] }),
    );
    const before = counted.bytes;
    let [taken, ahead] = [0, 0];
    await readArtefact(content, found, {
      isWanted: ({ path }) => path === 'machine/vmlinuz',
      sink: sinkOf(async (_file, pieces) => {
        for await (const piece of pieces) {
          if (taken % (4 << 20) < piece.length) await pause(20);
          ahead = Math.max(ahead, counted.bytes - before - taken);
          taken += piece.length;
        }
      }),
    });
    assert.equal(taken, 16 << 20);
    assert.ok(ahead < 2 << 20, `${ahead} bytes were read ahead`);
  });

test('layers without a wanted file are not read', async () => {
  const { content, counted, found } = await verified(testArtefact({ signer }));
  const paths: string[] = [];
  counted.blobs.length = 0;
  await readArtefact(content, found, {
    isWanted: ({ path }) => path.startsWith('container/'),
    sink: sinkOf(async ({ path }, pieces) => {
      paths.push(path);
      for await (const _piece of pieces);
    }),
  });
  assert.deepEqual(paths, ['container/node-image.tar']);
  assert.deepEqual(counted.blobs, [found.layers[2]?.digest]);
});

test('a sink that leaves a file unread is a fault, and what it throws reaches the caller', async () => {
  const { content, found } = await verified(testArtefact({ signer }));
  const unread = readArtefact(content, found, { sink: sinkOf(async () => {}) });
  await assert.rejects(unread, { kind: 'internal', message: /was not read to its end/ });
  const full = new Error('no space left');
  const failing = readArtefact(content, found, { sink: sinkOf(() => Promise.reject(full)) });
  await assert.rejects(failing, full);
});

test('a signal ends the reading between two pieces', async () => {
  const large = { 'machine/vmlinuz': randomBytes(4 << 20) };
  const { content, counted, found } = await verified(
    testArtefact({ signer, files: [large, ...goodFiles.slice(1)] }),
  );
  const before = counted.bytes;
  const ending = new AbortController();
  const sink = sinkOf(async (_file, pieces) => {
    for await (const _piece of pieces) ending.abort(new Error('the client has left'));
  });
  await assert.rejects(readArtefact(content, found, { sink, signal: ending.signal }), /the client has left/);
  assert.ok(counted.bytes - before < 1 << 20);
});

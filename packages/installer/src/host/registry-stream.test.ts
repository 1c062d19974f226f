// Artefacts of registries, which end layers early, send slowly, or send something else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { openDistributionClient, parseImageReference } from '@nodewright/oci';
import { noTelemetry } from '@nodewright/telemetry';
import { artefactLimits } from '../domain/artefact-limits.ts';
import {
  blobPath,
  createArtefactSigner,
  goodFiles,
  platform,
  testArtefact,
} from '../testing/test-artefact.ts';
import { readArtefact } from './read-artefact.ts';
import { registryStream } from './registry-stream.ts';
import { verifyArtefact } from './verify-artefact.ts';

const signer = createArtefactSigner();
const artefact = testArtefact({ signer });
const [firstLayer = ''] = artefact.digests.layers;

async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/**
 * Answers as a registry.
 *
 * @param cutOf how many bytes of a blob an answer has before its connection ends; undefined: all
 * @param pieceBytes of a blob that is sent as a whole; each piece waits until the one before it has left
 */
function registryOf(
  cutOf: (digest: string, request: IncomingMessage) => number | undefined,
  pieceBytes = Number.POSITIVE_INFINITY,
): RequestListener {
  return (request, response) => {
    const [, kind, which = ''] = /\/(manifests|blobs)\/(.*)$/.exec(request.url ?? '') ?? [];
    const digest = which === 'v1' ? artefact.digests.index : which;
    const bytes = artefact.files.get(blobPath(digest));
    if (kind === undefined || bytes === undefined) return void response.writeHead(404).end();
    const offset = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const rest = bytes.subarray(offset);
    response.writeHead(offset === 0 ? 200 : 206, { 'content-length': rest.length });
    const cut = kind === 'blobs' ? cutOf(digest, request) : undefined;
    if (cut === undefined || cut >= rest.length) return void sendInPieces(response, rest, pieceBytes);
    response.write(rest.subarray(0, cut), () => response.destroy());
  };
}

async function sendInPieces(response: ServerResponse, bytes: Uint8Array, pieceBytes: number): Promise<void> {
  for (let at = 0; at + pieceBytes < bytes.length; at += pieceBytes) {
    response.write(bytes.subarray(at, at + pieceBytes));
    await nextTurn();
  }
  response.end(bytes.subarray(Math.floor((bytes.length - 1) / pieceBytes) * pieceBytes));
}

/** @param onPiece called before each piece that the sink takes */
async function readFrom(host: string, nowMs = () => 0, onPiece = () => {}): Promise<Map<string, string>> {
  using client = openDistributionClient({
    telemetry: noTelemetry,
    endpointsOf: () => [{ url: `http://${host}` }],
  });
  const content = registryStream({
    ...{ client, reference: parseImageReference(`${host}/installer:v1`), nowMs, retryPauseMs: 50 },
  });
  const verified = await verifyArtefact(content, { certificates: [signer.certificate], platform });
  const found = new Map<string, string>();
  await readArtefact(content, verified, {
    sink: {
      async write({ path }, bytes) {
        const pieces: Uint8Array[] = [];
        for await (const piece of bytes) {
          onPiece();
          pieces.push(piece);
        }
        found.set(path, Buffer.concat(pieces).toString());
      },
    },
  });
  return found;
}

const expected = new Map(goodFiles.flatMap((layer) => Object.entries(layer)));

test('an artefact of a registry is read, also when the registry ends a layer early four times', async () => {
  let cuts = 0;
  await using server = await serve(
    registryOf((digest) => {
      if (digest !== firstLayer || cuts >= artefactLimits.registryAttempts - 1) return undefined;
      cuts += 1;
      return 1500;
    }),
  );
  assert.deepEqual(await readFrom(server.host), expected);
  assert.equal(cuts, artefactLimits.registryAttempts - 1);
});

test('a registry that ends a layer early again and again is given up', async () => {
  let requests = 0;
  await using server = await serve(
    registryOf((digest) => {
      if (digest !== firstLayer) return undefined;
      requests += 1;
      return 100;
    }),
  );
  await assert.rejects(readFrom(server.host), { kind: 'aborted' });
  assert.equal(requests, artefactLimits.registryAttempts);
});

test('a registry that is away for a moment is asked again until it is back', async () => {
  let awayUntilMs: number | undefined;
  const listener = registryOf(() => undefined);
  await using server = await serve((request, response) => {
    if (request.url?.endsWith(firstLayer)) awayUntilMs ??= performance.now() + 100;
    const isAway = awayUntilMs !== undefined && performance.now() < awayUntilMs;
    if (isAway) response.writeHead(503).end();
    else listener(request, response);
  });
  assert.deepEqual(await readFrom(server.host), expected);
});

test('a registry that sends too slowly is given up, however long it would go on', async () => {
  await using server = await serve(registryOf(() => undefined));
  let now = 0;
  // Each look at the clock is half an hour later.
  await assert.rejects(
    readFrom(server.host, () => {
      now += 1_800_000;
      return now;
    }),
    { kind: 'deadline-exceeded' },
  );
});

test('a registry is not given up because the disk is slow', async () => {
  await using server = await serve(registryOf(() => undefined, 100));
  let now = 0;
  const found = await readFrom(
    server.host,
    () => now,
    () => {
      now += 1_800_000;
    },
  );
  assert.deepEqual(found, expected);
});

test('a registry that has another manifest under the digest is refused', async () => {
  await using server = await serve((request, response) => {
    if (request.url?.endsWith(artefact.digests.manifest)) return void response.end('{}');
    registryOf(() => undefined)(request, response);
  });
  await assert.rejects(readFrom(server.host), { kind: 'data-loss' });
});

// Artefacts of registries, which end layers early, send slowly, or send something else.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
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

/** Answers as a registry. @param cutOf how many bytes of a blob an answer has before its connection ends; undefined: all */
function registryOf(
  cutOf: (digest: string, request: IncomingMessage) => number | undefined,
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
    if (cut === undefined || cut >= rest.length) return void response.end(rest);
    response.write(rest.subarray(0, cut), () => response.destroy());
  };
}

async function readFrom(host: string, nowMs = () => 0): Promise<Map<string, string>> {
  using client = openDistributionClient({
    telemetry: noTelemetry,
    endpointsOf: () => [{ url: `http://${host}` }],
  });
  const content = registryStream({ client, reference: parseImageReference(`${host}/installer:v1`), nowMs });
  const verified = await verifyArtefact(content, { certificates: [signer.certificate], platform });
  const found = new Map<string, string>();
  await readArtefact(content, verified, {
    sink: {
      async write({ path }, bytes) {
        found.set(path, Buffer.concat(await Array.fromAsync(bytes)).toString());
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

test('a registry that has another manifest under the digest is refused', async () => {
  await using server = await serve((request, response) => {
    if (request.url?.endsWith(artefact.digests.manifest)) return void response.end('{}');
    registryOf(() => undefined)(request, response);
  });
  await assert.rejects(readFrom(server.host), { kind: 'data-loss' });
});

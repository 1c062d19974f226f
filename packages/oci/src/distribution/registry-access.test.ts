// Identity tokens, client certificates and sizes, which the pulls of registryd need.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { noTelemetry } from '@nodewright/telemetry';
import { digestOf } from '../digest.ts';
import { parseImageReference } from '../image-reference.ts';
import { openDistributionClient } from './distribution-client.ts';
import type { RegistryEndpoint } from './registry-endpoint.ts';

const reference = parseImageReference('registry.example/a/b:v1');
const manifest = Buffer.from('{"schemaVersion":2}');
const blob = Buffer.from('0123456789');
const folder = mkdtempSync(join(tmpdir(), 'registry-access-'));
after(() => rmSync(folder, { recursive: true }));

async function serve(listener: RequestListener, tls?: ServerOptions) {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, '127.0.0.1');
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

const clientOf = (endpoint: RegistryEndpoint) =>
  openDistributionClient({ telemetry: noTelemetry, endpointsOf: () => [endpoint] });

function pair(name: string): { certificate: string; key: string } {
  const [key, certificate] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-days', '1', '-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'],
      ...['-keyout', key, '-out', certificate],
    ],
    { stdio: 'ignore' },
  );
  return { certificate: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') };
}

test('an identity token is exchanged for a token by its issuer alone', async () => {
  const bodies: string[] = [];
  await using issuer = await serve(async (request, response) => {
    bodies.push(`${request.method} ${Buffer.concat(await request.toArray())}`);
    response.end('{"access_token":"short"}');
  });
  await using server = await serve((request, response) => {
    if (request.headers.authorization === 'Bearer short') return response.end(manifest);
    const realm = `Bearer realm="http://${issuer.host}/token",service="s"`;
    return response.writeHead(401, { 'www-authenticate': realm }).end();
  });
  using client = clientOf({ url: `http://${server.host}`, credentials: { identityToken: 'long' } });
  assert.equal((await client.resolve(reference)).descriptor.digest, digestOf(manifest));
  assert.deepEqual(bodies, [
    'POST service=s&scope=repository%3Aa%2Fb%3Apull&grant_type=refresh_token&client_id=nodewright&refresh_token=long',
  ]);
});

test('a client certificate, a CA and an unverified certificate are those of the endpoint', async () => {
  const [own, other] = [pair('own'), pair('other')];
  const common: string[] = [];
  const tls = { key: own.key, cert: own.certificate, ca: other.certificate, requestCert: true };
  await using server = await serve(
    (request, response) => {
      common.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN));
      response.end(manifest);
    },
    { ...tls, rejectUnauthorized: false },
  );
  const url = `https://${server.host}`;
  const resolve = async (endpoint: Omit<RegistryEndpoint, 'url'>) => {
    using client = clientOf({ url, ...endpoint });
    await client.resolve(reference);
  };
  await assert.rejects(resolve({}), { kind: 'unavailable' });
  await assert.rejects(resolve({ tls: { ca: other.certificate } }), { kind: 'unavailable' });
  await resolve({ tls: { ca: own.certificate } });
  await resolve({ tls: { skipsVerification: true, clientIdentity: other } });
  assert.deepEqual(common, ['undefined', 'other']);
});

test('openBlob() and sizeOfBlob() tell the size of the whole blob, or that it is not known', async () => {
  await using server = await serve((request, response) => {
    const from = Number(/bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const bytes = blob.subarray(from);
    if (request.url?.includes('chunked')) return void response.write(blob, () => response.end());
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': bytes.length });
    response.end(request.method === 'HEAD' ? undefined : bytes);
  });
  using client = clientOf({ url: `http://${server.host}` });
  const open = async (repository: string, offset = 0) => {
    const { size, bytes } = await client.openBlob({ ...reference, repository }, digestOf(blob), { offset });
    return [size, Buffer.concat(await Array.fromAsync(bytes)).toString()];
  };
  assert.deepEqual(await open('a/b'), [10, '0123456789']);
  assert.deepEqual(await open('a/b', 4), [10, '456789']);
  assert.deepEqual(await open('chunked', 4), [undefined, '456789']);
  assert.equal(await client.sizeOfBlob(reference, digestOf(blob)), 10);
});

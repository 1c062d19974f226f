import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { generateCertificateAuthority } from '@nodewright/pki';
import { MemoryState, pointerTo } from '@nodewright/state';
import { apiServerConfigs, kubernetesDynamicCerts } from '@nodewright/state/kinds';
import { checkReadiness, createCheckApiServer } from './check-api-server.ts';

const host = '127.0.0.1';
const pair = await generateCertificateAuthority({ algorithm: 'ecdsa-p256', notBefore: new Date() });
const credentials = { crt: pair.certificate, key: pair.key };

/** An API server that answers administrators with this status, and refuses everybody else. */
async function serve(status: number) {
  const options = { cert: pair.certificate, key: pair.key, requestCert: true, rejectUnauthorized: false };
  const server = createServer(options, (request, response) => {
    const isKnown = Object.keys((request.socket as TLSSocket).getPeerCertificate()).length > 0;
    response.writeHead(isKnown ? status : 403).end();
  });
  server.listen(0, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

test('checkReadiness() asks as an administrator, and takes no refusal for readiness', async () => {
  const state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  const isReady = async (status: number) => {
    await using server = await serve(status);
    return (await checkReadiness(state, { host, port: server.port }, 20_000)).healthy;
  };
  assert.equal(await isReady(200), false, 'without a certificate');
  const spec = { apiServer: credentials, apiServerKubeletClient: credentials, frontProxy: credentials };
  await state.create({ ...pointerTo(kubernetesDynamicCerts), spec });
  const rows = [200, 401, 403, 500].map(async (status) => [status, await isReady(status)]);
  assert.deepEqual(await Promise.all(rows), [
    ...[
      [200, true],
      [401, true],
    ],
    ...[
      [403, false],
      [500, false],
    ],
  ]);
});

test('an API server without a configuration is not healthy, and one is asked at the port of its configuration', async () => {
  const state = new MemoryState({ now: () => 0, cookie: Buffer.alloc(8) });
  const check = createCheckApiServer(state);
  assert.deepEqual(await check(20_000), { healthy: false, message: 'it is not configured' });
  const spec = { apiServer: credentials, apiServerKubeletClient: credentials, frontProxy: credentials };
  await state.create({ ...pointerTo(kubernetesDynamicCerts), spec });
  await using server = await serve(200);
  await state.create({
    ...pointerTo(apiServerConfigs, 'final-kube-apiserver'),
    spec: { ...apiServerConfigs.codec.fromProto(new Uint8Array()), localPort: server.port },
  });
  assert.equal((await check(20_000)).healthy, true);
});

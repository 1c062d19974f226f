// The API client against an HTTPS server on loopback that misbehaves.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { faultFrom } from '@nodewright/fault';
import { generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import type { Kubeconfig } from './kubeconfig.ts';
import { openKubernetesApi } from './kubernetes-api.ts';

const notBefore = new Date(Date.now() - 60_000);
const authority = (organization: string) =>
  generateCertificateAuthority({ algorithm: 'ecdsa-p256', organization, notBefore, lifetimeHours: 1 });
const issuer = await authority('test');
const issue = (usage: 'serverAuth' | 'clientAuth') =>
  issueCertificate({
    ...{ issuer, subject: { commonName: 'test' }, ipAddresses: ['127.0.0.1'], notBefore, lifetimeHours: 1 },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: [usage],
  });
const own = await issue('serverAuth');
const client = await issue('clientAuth');

let answer: (response: ServerResponse) => void = () => {};
const server = createServer(
  { cert: own.certificate, key: own.key, ca: issuer.certificate, requestCert: true },
  (_request, response) => answer(response),
);
server.listen(0, '127.0.0.1');
await once(server, 'listening');
after(() => {
  server.closeAllConnections();
  server.close();
});

const base64 = (text: string) => Buffer.from(text).toString('base64');
const config = (ca = issuer.certificate): Kubeconfig => ({
  clusters: [
    {
      name: 'c',
      cluster: {
        server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
        'certificate-authority-data': base64(ca),
      },
    },
  ],
  users: [
    {
      name: 'u',
      user: {
        'client-certificate-data': base64(client.certificate),
        'client-key-data': base64(client.key),
      },
    },
  ],
  contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
  currentContext: 'x',
  others: {},
});
const { signal } = new AbortController();
const mebibyte = 1 << 20;

async function linesUntilEnd(
  given = signal,
): Promise<{ readonly lines: string[]; readonly failure: unknown }> {
  using api = openKubernetesApi(config());
  const lines: string[] = [];
  try {
    for await (const line of api.lines('/watch', { signal: given })) lines.push(line);
    return { lines, failure: undefined };
  } catch (error) {
    return { lines, failure: faultFrom(error) };
  }
}

test('lines() yields each line as a whole, however it arrives, and nothing of an incomplete one', async () => {
  answer = (response) => {
    response.write('{"a":"é');
    response.write('"}\n{"b":1}\n');
    response.end('{"c"');
  };
  assert.deepEqual(await linesUntilEnd(), { lines: ['{"a":"é"}', '{"b":1}'], failure: undefined });
});

test('lines() fails at a line of more than 4 MiB, before it is complete', async () => {
  answer = (response) => {
    const piece = Buffer.alloc(mebibyte, 'x');
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', more);
    more();
  };
  const { lines, failure } = await linesUntilEnd();
  assert.deepEqual(lines, []);
  assert.match(faultFrom(failure).message, /a line is longer than 4194304 characters/);
});

test('lines() fails with the answer when its status is no success, and when the connection breaks', async () => {
  answer = (response) => {
    response.writeHead(403).end(JSON.stringify({ message: 'nodes "b" is forbidden' }));
  };
  const refused = faultFrom((await linesUntilEnd()).failure);
  assert.deepEqual([refused.kind, refused.message], ['permission-denied', 'nodes "b" is forbidden']);
  answer = (response) => {
    response.write('{}\n');
    setImmediate(() => response.destroy());
  };
  assert.equal(faultFrom((await linesUntilEnd()).failure).kind, 'unavailable');
});

test('lines() ends with its signal while the server is silent', async () => {
  const stop = new AbortController();
  answer = (response) => {
    response.write('{}\n');
    setImmediate(() => stop.abort());
  };
  assert.equal(faultFrom((await linesUntilEnd(stop.signal)).failure).kind, 'cancelled');
});

test('send() fails at an answer of more than 16 MiB, and at a server of another authority', async () => {
  answer = (response) => {
    response.end(Buffer.alloc(17 * mebibyte, 'x'));
  };
  using api = openKubernetesApi(config());
  const large = await api.get('/', { signal }).catch(faultFrom);
  assert.match((large as Error).message, /the answer is larger than 16777216 bytes/);
  const stranger = await authority('other');
  using other = openKubernetesApi(config(stranger.certificate));
  await assert.rejects(other.get('/', { signal }), { kind: 'unavailable' });
});

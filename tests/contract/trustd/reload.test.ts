import assert from 'node:assert/strict';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { createCertificateRequest, parseCertificate, readCertificate, splitPem } from '@nodewright/pki';
import {
  createCa,
  dialTrustd,
  issueServer,
  requestCertificate,
  startTrustd,
  statusOf,
  token,
} from './harness.ts';

const unauthenticated = [16, 'invalid token'];

/** The name in the certificate that a new connection sees. */
async function nameInNewHandshake(port: number, ca: string): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'node01', ca, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const { subject } = parseCertificate(socket.getPeerX509Certificate()?.raw ?? Buffer.alloc(0));
  socket.destroy();
  return subject.commonName;
}

const requestLike = async (ca: string) =>
  (await createCertificateRequest({ subject: { commonName: 'node04' }, like: ca })).request;

test('a new server certificate is in the next handshake, on the same port and process, and old connections stay', async () => {
  await using trustd = await startTrustd();
  const { ca } = trustd;
  const port = await trustd.port();
  using channel = dialTrustd(port, ca.certificate);
  const request = await requestLike(ca.certificate);
  await requestCertificate(channel, request);
  assert.equal(await nameInNewHandshake(port, ca.certificate), 'node01');

  trustd.writeRuntime({ server: await issueServer(ca, 'renewed') });
  await trustd.logged('runtime file adopted');
  assert.equal(await nameInNewHandshake(port, ca.certificate), 'renewed');
  await requestCertificate(channel, request);
  assert.equal(trustd.process.lines().filter(({ msg }) => msg === 'listening').length, 1);
});

test('a rotated token holds from the next call, on connections that are open', async () => {
  await using trustd = await startTrustd();
  using channel = dialTrustd(await trustd.port(), trustd.ca.certificate);
  const request = await requestLike(trustd.ca.certificate);
  const newToken = 'zzzzzz.0123456789zzzzzz';
  assert.deepEqual(await statusOf(requestCertificate(channel, request, newToken)), unauthenticated);

  trustd.writeRuntime({ token: newToken });
  await trustd.logged('runtime file adopted');
  assert.deepEqual(await statusOf(requestCertificate(channel, request, token)), unauthenticated);
  assert.deepEqual(await statusOf(requestCertificate(channel, request, newToken)), [0, '']);
});

test('a rotated CA signs from the next call, and all accepted CAs are handed out in order', async () => {
  await using trustd = await startTrustd();
  const { ca: oldCa } = trustd;
  const newCa = await createCa();
  using channel = dialTrustd(await trustd.port(), oldCa.certificate);
  const request = await requestLike(oldCa.certificate);
  const ask = async () => {
    const { ca, crt } = await requestCertificate(channel, request);
    const signers = [oldCa, newCa].map(({ certificate }) =>
      readCertificate(crt).verify(readCertificate(certificate).publicKey),
    );
    return { cas: splitPem(ca), signedByOld: signers[0], signedByNew: signers[1] };
  };

  trustd.writeRuntime({ acceptedCas: [newCa.certificate, oldCa.certificate] });
  await trustd.logged('runtime file adopted');
  const added = await ask();
  trustd.writeRuntime({ issuingCa: newCa, acceptedCas: [oldCa.certificate, newCa.certificate] });
  await trustd.logged('runtime file adopted', 2);
  const swapped = await ask();
  assert.deepEqual(
    [added, swapped],
    [
      { cas: [newCa.certificate, oldCa.certificate], signedByOld: true, signedByNew: false },
      { cas: [oldCa.certificate, newCa.certificate], signedByOld: false, signedByNew: true },
    ],
  );
});

test('a broken or absent runtime file changes nothing, is logged without its content, and a good one counts', async () => {
  await using trustd = await startTrustd();
  const { ca } = trustd;
  using channel = dialTrustd(await trustd.port(), ca.certificate);
  const request = await requestLike(ca.certificate);
  const good = trustd.runtime();
  const other = await createCa();
  const broken = [
    '',
    '{"token": "abcdef.0123',
    '[]',
    JSON.stringify({ ...good, token: '' }),
    JSON.stringify({ ...good, server: undefined }),
    JSON.stringify({ ...good, server: { certificate: good.server?.certificate, key: other.key } }),
    JSON.stringify({ ...good, issuingCa: { certificate: ca.certificate, key: other.key } }),
    JSON.stringify({ ...good, acceptedCas: [] }),
  ];
  for (const [index, text] of broken.entries()) {
    trustd.writeText(text);
    const line = await trustd.logged('runtime file ignored', index + 1);
    assert.equal(line.level, 'error');
    assert.deepEqual(await statusOf(requestCertificate(channel, request)), [0, ''], text);
  }
  rmSync(trustd.runtimeFile);
  await trustd.logged('no runtime file');
  assert.deepEqual(await statusOf(requestCertificate(channel, request)), [0, '']);

  const newToken = 'zzzzzz.0123456789zzzzzz';
  trustd.writeRuntime({ token: newToken });
  await trustd.logged('runtime file adopted');
  assert.deepEqual(await statusOf(requestCertificate(channel, request, newToken)), [0, '']);
  const output = trustd.process.stdout() + trustd.process.stderr();
  assert.deepEqual(
    [token, newToken, 'abcdef.0123', 'PRIVATE KEY'].filter((secret) => output.includes(secret)),
    [],
  );
});

test('another listen address moves the listener', async () => {
  await using trustd = await startTrustd();
  const { ca } = trustd;
  const oldPort = await trustd.port();
  trustd.writeRuntime({ listenAddress: 'localhost:0' });
  const newPort = await trustd.port(2);
  using channel = dialTrustd(newPort, ca.certificate);
  assert.deepEqual(await statusOf(requestCertificate(channel, await requestLike(ca.certificate))), [0, '']);
  await assert.rejects(nameInNewHandshake(oldPort, ca.certificate), { code: 'ECONNREFUSED' });
});

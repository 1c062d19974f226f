import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { createCertificateRequest, parseCertificate, readCertificate, splitPem } from '@nodewright/pki';
import { eventually } from '@nodewright/testkit';
import {
  createCa,
  dialTrustd,
  issueServer,
  type Runtime,
  requestCertificate,
  startTrustd,
  statusOf,
  token,
} from './harness.ts';

const unauthenticated = [16, 'invalid token'];

/** The name in the certificate that a new connection receives. */
async function nameInNewHandshake(port: number, ca: string): Promise<string | undefined> {
  const socket = connect({ host: '127.0.0.1', port, servername: 'node01', ca, ALPNProtocols: ['h2'] });
  await once(socket, 'secureConnect');
  const { subject } = parseCertificate(socket.getPeerX509Certificate()?.raw ?? Buffer.alloc(0));
  socket.destroy();
  return subject.commonName;
}

const requestLike = async (ca: string) =>
  (await createCertificateRequest({ subject: { commonName: 'node04' }, like: ca })).request;

test('a new server certificate is used in the next handshake, on the same port and process, and old connections stay', async () => {
  await using trustd = await startTrustd();
  const { ca } = trustd;
  const port = await trustd.port();
  using channel = dialTrustd(port, ca.certificate);
  const request = await requestLike(ca.certificate);
  await requestCertificate(channel, request);
  assert.equal(await nameInNewHandshake(port, ca.certificate), 'node01');

  await trustd.writeRuntime({ server: await issueServer(ca, 'renewed') });
  await trustd.logged('root of trust adopted');
  assert.equal(await nameInNewHandshake(port, ca.certificate), 'renewed');
  await requestCertificate(channel, request);
  assert.equal(trustd.process.lines().filter(({ msg }) => msg === 'listening').length, 1);
});

test('a rotated token applies to the next call, also on open connections', async () => {
  await using trustd = await startTrustd();
  using channel = dialTrustd(await trustd.port(), trustd.ca.certificate);
  const request = await requestLike(trustd.ca.certificate);
  const newToken = 'zzzzzz.0123456789zzzzzz';
  assert.deepEqual(await statusOf(requestCertificate(channel, request, newToken)), unauthenticated);

  await trustd.writeRuntime({ token: newToken });
  await trustd.logged('root of trust adopted');
  assert.deepEqual(await statusOf(requestCertificate(channel, request, token)), unauthenticated);
  assert.deepEqual(await statusOf(requestCertificate(channel, request, newToken)), [0, '']);
});

test('a rotated CA signs from the next call on, and all accepted CAs are returned in order', async () => {
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

  await trustd.writeRuntime({ acceptedCas: [newCa.certificate, oldCa.certificate] });
  await trustd.logged('root of trust adopted');
  const added = await ask();
  await trustd.writeRuntime({ issuingCa: newCa, acceptedCas: [oldCa.certificate, newCa.certificate] });
  await trustd.logged('root of trust adopted', 2);
  const swapped = await ask();
  assert.deepEqual(
    [added, swapped],
    [
      { cas: [newCa.certificate, oldCa.certificate], signedByOld: true, signedByNew: false },
      { cas: [oldCa.certificate, newCa.certificate], signedByOld: false, signedByNew: true },
    ],
  );
});

test('an invalid or missing root of trust changes nothing and is logged without its content, and a valid one applies', async () => {
  await using trustd = await startTrustd();
  const { ca } = trustd;
  using channel = dialTrustd(await trustd.port(), ca.certificate);
  const request = await requestLike(ca.certificate);
  const good = trustd.runtime();
  const other = await createCa();
  const broken: (readonly [Partial<Runtime>, RegExp])[] = [
    [{ token: '' }, /no token/],
    [{ server: undefined }, /no server certificate/],
    [{ server: { certificate: good.server?.certificate ?? '', key: other.key } }, /key values mismatch/i],
    [{ issuingCa: { certificate: ca.certificate, key: other.key } }, /key of the certificate authority/],
    [{ acceptedCas: [] }, /no accepted CAs/],
  ];
  for (const [index, [change, message]] of broken.entries()) {
    await trustd.writeRuntime({ ...good, ...change });
    const line = await trustd.logged('root of trust ignored', index + 1);
    assert.equal(line.level, 'error');
    assert.match(String(line.error), message);
    assert.deepEqual(await statusOf(requestCertificate(channel, request)), [0, ''], String(message));
    const adopted = trustd.process.lines().filter(({ msg }) => msg === 'root of trust adopted').length;
    await trustd.writeRuntime(good);
    await trustd.logged('root of trust adopted', adopted + 1);
  }
  await trustd.removeRuntime();
  await trustd.logged('no root of trust');
  assert.deepEqual(await statusOf(requestCertificate(channel, request)), [0, '']);

  const newToken = 'zzzzzz.0123456789zzzzzz';
  await trustd.writeRuntime({ token: newToken });
  await eventually(async () => (await statusOf(requestCertificate(channel, request, newToken)))[0] === 0, {
    what: 'the new token',
  });
  const output = trustd.process.stdout() + trustd.process.stderr();
  assert.deepEqual(
    [token, newToken, 'PRIVATE KEY'].filter((secret) => output.includes(secret)),
    [],
  );
});

test('trustd signs nothing while machined is away, and follows the next one', async () => {
  await using trustd = await startTrustd();
  const { ca } = trustd;
  using channel = dialTrustd(await trustd.port(), ca.certificate);
  const request = await requestLike(ca.certificate);
  await trustd.stopState();
  await trustd.logged("the node's state cannot be read", 2);
  // Only machined knows which node owns a name.
  assert.equal((await statusOf(requestCertificate(channel, request)))[0], 14);

  await trustd.restartState();
  await trustd.logged('no root of trust');
  await eventually(async () => (await statusOf(requestCertificate(channel, request)))[0] === 0, {
    what: 'a certificate of the root that was known',
  });
  const newToken = 'zzzzzz.0123456789zzzzzz';
  await trustd.writeRuntime({ token: newToken });
  await trustd.logged('root of trust adopted');
  assert.deepEqual(await statusOf(requestCertificate(channel, request, newToken)), [0, '']);
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import { connect, createServer } from 'node:tls';
import {
  backdatingMs,
  clientCertificateProblem,
  createCertificateRequest,
  hasExactClientAuthUsage,
  parseCertificate,
  readCertificate,
  tlsPrivateKey,
} from '@nodewright/pki';
import { dialTrustd, issueServer, requestCertificate, startTrustd } from './harness.ts';

const trustd = await startTrustd();
const { ca } = trustd;
const channel = dialTrustd(await trustd.port(), ca.certificate);
after(async () => {
  channel.close();
  await trustd[Symbol.asyncDispose]();
});

const worker = {
  subject: { commonName: 'node04.example', organizations: ['os:admin', 'os:impersonator'] },
  dnsNames: ['node04', 'node04.example'],
  ipAddresses: ['10.5.0.5', 'fd00::5'],
  like: ca.certificate,
};

test('Certificate returns a server certificate for the names of the request, valid for a day, and the CA', async () => {
  const { request } = await createCertificateRequest(worker);
  const before = Math.floor(Date.now() / 1000) * 1000;
  const response = await requestCertificate(channel, request);
  const {
    serial: _,
    publicKeyFingerprint: __,
    notBefore,
    notAfter,
    ...info
  } = parseCertificate(response.crt);
  assert.deepEqual(info, {
    subject: { commonName: 'node04.example', organizations: [] },
    issuer: { commonName: undefined, organizations: ['talos'] },
    isCa: false,
    extendedKeyUsage: ['serverAuth'],
    dnsNames: worker.dnsNames,
    ipAddresses: worker.ipAddresses,
  });
  assert.equal(readCertificate(response.crt).verify(readCertificate(ca.certificate).publicKey), true);
  assert.equal(notAfter.getTime() - notBefore.getTime(), 24 * 3_600_000 + backdatingMs);
  const issuedMs = notBefore.getTime() + backdatingMs;
  assert.ok(issuedMs >= before && issuedMs <= Date.now(), notBefore.toISOString());
  assert.equal(Buffer.from(response.ca).toString(), ca.certificate);
});

test('Certificate returns a new certificate at each renewal', async () => {
  const answers = [];
  for (let round = 0; round < 2; round += 1) {
    const { request, key } = await createCertificateRequest(worker);
    const { crt } = await requestCertificate(channel, request);
    answers.push({ ...parseCertificate(crt), key });
  }
  assert.equal(new Set(answers.map(({ serial }) => serial)).size, 2);
  assert.equal(new Set(answers.map(({ publicKeyFingerprint }) => publicKeyFingerprint)).size, 2);
});

/**
 * Made by `openssl req -new`: `/C=NL/O=os:admin/CN=node09`, names `DNS:node09, IP:10.5.0.9, email:a@b.example,
 * URI:https://c.example`, extended key usage clientAuth, key usage keyCertSign, basic constraints CA:TRUE.
 */
const greedyRequest = `-----BEGIN CERTIFICATE REQUEST-----
MIIBKzCB3gIBADAxMQswCQYDVQQGEwJOTDERMA8GA1UECgwIb3M6YWRtaW4xDzAN
BgNVBAMMBm5vZGUwOTAqMAUGAytlcAMhAIw1TpIO2MSWkVf5/EhhFiU9QwZkXDf+
eH3oypiInR36oHoweAYJKoZIhvcNAQkOMWswaTA3BgNVHREEMDAuggZub2RlMDmH
BAoFAAmBC2FAYi5leGFtcGxlhhFodHRwczovL2MuZXhhbXBsZTATBgNVHSUEDDAK
BggrBgEFBQcDAjALBgNVHQ8EBAMCAgQwDAYDVR0TBAUwAwEB/zAFBgMrZXADQQAe
yUCqJS+LTZhDYkwSqyyGFOo1w53sSkMQC+mtXJvgjX1ABx/a2uhGu0Q2YYflZR79
2J12K4Eb/rAQnSx4LyMC
-----END CERTIFICATE REQUEST-----
`;

test('Certificate grants no usage, authority or name outside its policy', async () => {
  const { crt } = await requestCertificate(channel, greedyRequest);
  const { subject, isCa, extendedKeyUsage, dnsNames, ipAddresses } = parseCertificate(crt);
  const text = readCertificate(crt).toLegacyObject();
  assert.deepEqual(
    {
      subject,
      isCa,
      extendedKeyUsage,
      dnsNames,
      ipAddresses,
      names: text.subjectaltname,
      country: text.subject.C,
    },
    {
      subject: { commonName: 'node09', organizations: [] },
      isCa: false,
      extendedKeyUsage: ['serverAuth'],
      dnsNames: ['node09'],
      ipAddresses: ['10.5.0.9'],
      names: 'DNS:node09, IP Address:10.5.0.9',
      country: undefined,
    },
  );
});

test('an issued certificate does not work as a client of the API', async () => {
  const { request, key } = await createCertificateRequest(worker);
  const crt = Buffer.from((await requestCertificate(channel, request)).crt).toString();
  assert.equal(hasExactClientAuthUsage(crt), false);
  assert.equal(
    clientCertificateProblem({ certificate: crt, ca: ca.certificate, now: new Date() })?.kind,
    'usage',
  );

  const server = await issueServer(ca);
  const verdict = Promise.withResolvers<unknown>();
  const listener = createServer(
    {
      cert: server.certificate,
      key: tlsPrivateKey(server.key),
      ca: ca.certificate,
      requestCert: true,
      // Let the handshake finish, so that the error can be read.
      rejectUnauthorized: false,
    },
    (socket) => verdict.resolve(socket.authorizationError),
  );
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const socket = connect({
    host: '127.0.0.1',
    port,
    servername: 'node01',
    ca: ca.certificate,
    cert: crt,
    key: tlsPrivateKey(key),
  });
  try {
    assert.equal(await verdict.promise, 'INVALID_PURPOSE');
  } finally {
    socket.destroy();
    listener.close();
  }
});

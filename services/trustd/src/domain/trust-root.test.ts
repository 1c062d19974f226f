import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { type CertificateAndKey, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import fc from 'fast-check';
import { parseTrustRoot } from './trust-root.ts';

const notBefore = new Date();
const makeCa = () => generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
const [issuingCa, otherCa] = await Promise.all([makeCa(), makeCa()]);
const server: CertificateAndKey = await issueCertificate({
  issuer: issuingCa,
  subject: { commonName: 'node01' },
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: ['serverAuth'],
  notBefore,
  lifetimeHours: 1,
});
const token = 'abcdef.0123456789abcdef';
const runtime = {
  listenAddress: '127.0.0.1:50001',
  server,
  issuingCa,
  acceptedCas: [otherCa.certificate.trimEnd(), issuingCa.certificate],
  token,
};
const parse = (value: unknown) => parseTrustRoot(Buffer.from(JSON.stringify(value)));

test('parseTrustRoot() reads a runtime file and joins the accepted CAs', () => {
  const { token: secret, ...root } = parse(runtime);
  assert.deepEqual(root, {
    listenAddress: '127.0.0.1:50001',
    server,
    issuingCa,
    acceptedCas: otherCa.certificate + issuingCa.certificate,
  });
  assert.deepEqual([secret.reveal(), JSON.stringify(secret)], [token, '"******"']);
});

test('parseTrustRoot() refuses half a root and says what is missing, without a value', () => {
  const rows: [unknown, RegExp][] = [
    [null, /not an object/],
    [{}, /no listenAddress/],
    [{ ...runtime, server: undefined }, /no server/],
    [{ ...runtime, issuingCa: undefined }, /no issuingCa/],
    [{ ...runtime, acceptedCas: [] }, /no acceptedCas/],
    [{ ...runtime, acceptedCas: 'text' }, /no acceptedCas/],
    [{ ...runtime, acceptedCas: ['nothing'] }, /hold no certificate/],
    [{ ...runtime, token: '' }, /no token/],
    [{ ...runtime, issuingCa: { ...issuingCa, key: otherCa.key } }, /key of the certificate authority/],
    [{ ...runtime, issuingCa: server }, /not a certificate authority/],
    [{ ...runtime, issuingCa: { certificate: issuingCa.certificate, key: token } }, /private key: not PEM/],
  ];
  for (const [value, message] of rows) {
    assert.throws(
      () => parse(value),
      (error) => error instanceof Fault && message.test(error.message) && !error.message.includes(token),
      String(message),
    );
  }
});

test('parseTrustRoot() answers any bytes and any JSON with a fault', () => {
  const bytes = fc.oneof(
    fc.uint8Array(),
    fc.json().map((text) => Buffer.from(text)),
    fc
      .object({ key: fc.constantFrom('server', 'issuingCa', 'acceptedCas', 'token', 'listenAddress', 'key') })
      .map((value) => Buffer.from(JSON.stringify(value))),
  );
  fc.assert(
    fc.property(bytes, (input) => {
      assert.throws(
        () => parseTrustRoot(input),
        (error) => error instanceof Fault,
      );
    }),
  );
});

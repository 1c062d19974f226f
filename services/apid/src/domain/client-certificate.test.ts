import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { type CertificateInit, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { judgeClientCertificate } from './client-certificate.ts';

const notBefore = new Date('2026-01-01T00:00:00Z');
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });

async function issue(changes: Partial<CertificateInit> = {}): Promise<X509Certificate> {
  const { certificate } = await issueCertificate({
    issuer: ca,
    subject: { organizations: ['os:reader', 'os:admin'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['clientAuth'],
    notBefore,
    lifetimeHours: 24,
    ...changes,
  });
  return new X509Certificate(certificate);
}

test('judgeClientCertificate() returns the organisations of a client certificate, sorted', async () => {
  assert.deepEqual(judgeClientCertificate(await issue(), undefined), {
    accepted: true,
    organizations: ['os:admin', 'os:reader'],
  });
});

test('judgeClientCertificate() does not split an organisation that contains a role', async () => {
  const verdict = judgeClientCertificate(
    await issue({ subject: { organizations: ['x\nO=os:admin', 'y, O=os:admin', 'z+O=os:admin'] } }),
    undefined,
  );
  // Organisations that contain a blank or a comma are not roles.
  assert.deepEqual(verdict, {
    accepted: true,
    organizations: ['z+O=os:admin'],
  });
});

test('judgeClientCertificate() accepts no usage but clientAuth alone', async () => {
  const reasons = [];
  for (const extendedKeyUsage of [['clientAuth', 'serverAuth'], ['serverAuth']] as const) {
    reasons.push(judgeClientCertificate(await issue({ extendedKeyUsage }), undefined));
  }
  const start = 'client certificate must have the usage clientAuth and no other, it has';
  assert.deepEqual(reasons, [
    { accepted: false, reason: `${start} clientAuth, serverAuth` },
    { accepted: false, reason: `${start} serverAuth` },
  ]);
});

test('judgeClientCertificate() asks the same usage of the certificate of an authority', () => {
  assert.deepEqual(judgeClientCertificate(new X509Certificate(ca.certificate), undefined), {
    accepted: false,
    reason: 'client certificate must have the usage clientAuth and no other, it has serverAuth, clientAuth',
  });
});

test('judgeClientCertificate() gives the reason when it refuses a certificate', async () => {
  const certificate = await issue();
  const reasons = [
    judgeClientCertificate(undefined, undefined),
    ...[
      'CERT_HAS_EXPIRED',
      'CERT_NOT_YET_VALID',
      'INVALID_PURPOSE',
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      'CERT_SIGNATURE_FAILURE',
      'CERT_REVOKED',
    ].map((error) => judgeClientCertificate(certificate, error)),
  ].map((verdict) => (verdict.accepted ? 'accepted' : verdict.reason));
  assert.deepEqual(reasons, [
    'client sent no certificate',
    'client certificate has expired: it was valid until 2026-01-02T00:00:00.000Z',
    'client certificate is not valid yet: it is valid from 2026-01-01T00:00:00.000Z',
    'client certificate is not for client authentication, it has the usage clientAuth',
    'client certificate is not issued by an accepted authority',
    'client certificate is not issued by an accepted authority: its signature is wrong',
    'client certificate is not valid: CERT_REVOKED',
  ]);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { hasExactClientAuthUsage } from './client-certificate.ts';
import { createCertificateRequest } from './create-certificate-request.ts';
import { generateCertificateAuthority } from './generate-certificate-authority.ts';
import { parseCertificate, publicKeyFingerprint } from './parse-certificate.ts';
import { parseCertificateRequest } from './parse-certificate-request.ts';
import { decodePem, encodePem } from './pem.ts';
import { generateKey, loadPrivateKey } from './private-key.ts';
import { type SigningPolicy, signCertificateRequest } from './sign-certificate-request.ts';

const notBefore = new Date('2026-08-15T10:20:30Z');
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
const forServers: SigningPolicy = {
  subject: 'common-name',
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: ['serverAuth'],
  notBefore,
  lifetimeHours: 24,
};
const asked = {
  subject: { commonName: 'node04.example', organizations: ['os:admin', 'os:impersonator'] },
  dnsNames: ['node04', 'node04.example'],
  ipAddresses: ['10.5.0.5', 'fd00::5'],
};

test('signCertificateRequest() grants the names of the request and nothing else', async () => {
  const { request } = await createCertificateRequest({ ...asked, like: ca.certificate });
  const certificate = signCertificateRequest({ issuer: ca, request, policy: forServers });
  const { serial: _, ...info } = parseCertificate(certificate);
  assert.deepEqual(info, {
    subject: { commonName: 'node04.example', organizations: [] },
    issuer: { commonName: undefined, organizations: ['talos'] },
    notBefore,
    notAfter: new Date('2026-08-16T10:20:30Z'),
    isCa: false,
    extendedKeyUsage: ['serverAuth'],
    dnsNames: asked.dnsNames,
    ipAddresses: asked.ipAddresses,
    publicKeyFingerprint: publicKeyFingerprint(parseCertificateRequest(request).publicKey),
  });
  assert.equal(hasExactClientAuthUsage(certificate), false);
});

test('signCertificateRequest() keeps organisations if the policy permits them', async () => {
  const { request } = await createCertificateRequest({ ...asked, like: ca.certificate });
  const policy: SigningPolicy = { ...forServers, subject: 'keep', extendedKeyUsage: ['clientAuth'] };
  const certificate = signCertificateRequest({ issuer: ca, request, policy });
  assert.deepEqual(parseCertificate(certificate).subject.organizations, ['os:admin', 'os:impersonator']);
  assert.equal(hasExactClientAuthUsage(certificate), true);
});

test('parseCertificateRequest() returns the contents of a request, also when its PEM has other line lengths', async () => {
  const { request, key } = await createCertificateRequest({ ...asked, algorithm: 'ecdsa-p256' });
  const parsed = parseCertificateRequest(Buffer.from(`note\n${request.replaceAll('\n', '\r\n')}`));
  const { subject, dnsNames, ipAddresses } = parsed;
  assert.deepEqual({ subject, dnsNames, ipAddresses }, asked);
  assert.deepEqual(
    [parsed.algorithm?.name, parsed.hasValidSignature(), loadPrivateKey(key).asymmetricKeyType],
    ['ECDSA-SHA256', true, 'ec'],
  );
});

test('createCertificateRequest() uses the key type of the last accepted CA, or an existing key', async () => {
  const second = await generateCertificateAuthority({ algorithm: 'ecdsa-p256', notBefore });
  const like = await createCertificateRequest({ subject: {}, like: ca.certificate + second.certificate });
  assert.equal(parseCertificateRequest(like.request).publicKey.asymmetricKeyType, 'ec');

  const again = await createCertificateRequest({ subject: {}, key: like.key });
  const fingerprints = [like, again].map(({ request }) =>
    publicKeyFingerprint(parseCertificateRequest(request).publicKey),
  );
  assert.equal(fingerprints[0], fingerprints[1]);
  await assert.rejects(createCertificateRequest({ subject: {}, like: 'nothing' }), {
    kind: 'invalid-argument',
  });
});

/** The request with the last byte of its signature changed. */
function withBrokenSignature(pem: string): string {
  const der = Buffer.from(decodePem(pem)[0]?.der ?? []);
  der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
  return encodePem('CERTIFICATE REQUEST', der);
}

test('signCertificateRequest() reports the step at which a request failed', async () => {
  const good = await createCertificateRequest({ ...asked, like: ca.certificate });
  const ecdsa = await createCertificateRequest({ ...asked, algorithm: 'ecdsa-p256' });
  const other = await generateKey('ed25519');
  const rows: [string, string | Uint8Array, string, RegExp][] = [
    ['no PEM', 'hello', 'invalid-argument', /^failed to decode CSR$/],
    ['half a PEM', good.request.slice(0, 90), 'invalid-argument', /^failed to decode CSR$/],
    ['bytes', Buffer.of(0, 255, 128), 'invalid-argument', /^failed to decode CSR$/],
    ['a certificate', ca.certificate, 'invalid-argument', /^failed to parse CSR: /],
    [
      'a public key',
      other.publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      'invalid-argument',
      /^failed to parse CSR: /,
    ],
    [
      'no ASN.1',
      encodePem('CERTIFICATE REQUEST', Buffer.from('x')),
      'invalid-argument',
      /^failed to parse CSR: /,
    ],
    [
      'a wrong signature',
      withBrokenSignature(good.request),
      'internal',
      /^failed to sign CSR: .*signature.*wrong/,
    ],
    ['another family', ecdsa.request, 'internal', /^failed to sign CSR: .*ECDSA-SHA256.*ed25519/],
  ];
  for (const [name, request, kind, message] of rows) {
    assert.throws(
      () => signCertificateRequest({ issuer: ca, request, policy: forServers }),
      (error) => error instanceof Fault && error.kind === kind && message.test(error.message),
      name,
    );
  }
});

test('signCertificateRequest() does not reveal the key of a broken authority', async () => {
  const { request } = await createCertificateRequest({ ...asked, like: ca.certificate });
  const broken = {
    certificate: ca.certificate,
    key: encodePem('ED25519 PRIVATE KEY', Buffer.from('SECRET')),
  };
  assert.throws(
    () => signCertificateRequest({ issuer: broken, request, policy: forServers }),
    (error) => error instanceof Fault && error.kind === 'internal' && !error.message.includes('U0VDUkVU'),
  );
});

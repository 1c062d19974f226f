import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { generateCertificateAuthority } from './generate-certificate-authority.ts';
import { type CertificateInit, issueCertificate } from './issue-certificate.ts';
import { parseCertificate } from './parse-certificate.ts';
import { loadPrivateKey } from './private-key.ts';

const notBefore = new Date('2026-08-15T10:20:30.750Z');
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });

function issue(init: Partial<CertificateInit>) {
  return issueCertificate({
    issuer: ca,
    subject: { commonName: 'node01' },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore,
    lifetimeHours: 24,
    ...init,
  });
}

test('generateCertificateAuthority() creates a self-signed CA that is valid for ten years', () => {
  const { serial, publicKeyFingerprint, ...info } = parseCertificate(ca.certificate);
  assert.deepEqual(info, {
    subject: { commonName: undefined, organizations: ['talos'] },
    issuer: { commonName: undefined, organizations: ['talos'] },
    notBefore: new Date('2026-08-15T10:20:30Z'),
    notAfter: new Date('2036-08-12T10:20:30Z'),
    isCa: true,
    extendedKeyUsage: ['serverAuth', 'clientAuth'],
    dnsNames: [],
    ipAddresses: [],
  });
  const certificate = new X509Certificate(ca.certificate);
  assert.equal(certificate.verify(certificate.publicKey), true);
  assert.match(serial, /^[0-9A-F]{20,32}$/);
  assert.equal(Buffer.from(publicKeyFingerprint, 'base64').length, 32);
});

test('generateCertificateAuthority() leaves the subject empty without an organisation', async () => {
  const aggregator = await generateCertificateAuthority({ algorithm: 'ecdsa-p256', notBefore });
  const { subject, issuer } = parseCertificate(aggregator.certificate);
  const empty = { commonName: undefined, organizations: [] };
  assert.deepEqual({ subject, issuer }, { subject: empty, issuer: empty });
});

test('issueCertificate() uses the key type of the CA', async () => {
  const kinds = [];
  for (const algorithm of ['ed25519', 'ecdsa-p256'] as const) {
    const issuer = await generateCertificateAuthority({ algorithm, organization: 'x', notBefore });
    const leaf = await issue({ issuer });
    const certificate = new X509Certificate(leaf.certificate);
    kinds.push([
      certificate.publicKey.asymmetricKeyType,
      certificate.signatureAlgorithm,
      certificate.checkPrivateKey(loadPrivateKey(leaf.key)),
      certificate.verify(new X509Certificate(issuer.certificate).publicKey),
    ]);
  }
  assert.deepEqual(kinds, [
    ['ed25519', 'ED25519', true, true],
    ['ec', 'ecdsa-with-SHA256', true, true],
  ]);
});

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?$/);
const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });

test('parseCertificate() returns the subject and the names of an issued certificate', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.option(text, { nil: undefined }),
      fc.uniqueArray(text, { maxLength: 4 }),
      fc.array(fc.array(label, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('.'))),
      fc.array(
        fc.oneof(
          fc.ipV4(),
          fc.ipV6().filter((address) => !address.includes('.')),
        ),
      ),
      fc.integer({ min: 1, max: 300_000 }),
      async (commonName, organizations, dnsNames, ipAddresses, lifetimeHours) => {
        const subject = commonName === undefined ? { organizations } : { commonName, organizations };
        const leaf = await issue({ subject, dnsNames, ipAddresses, lifetimeHours });
        const info = parseCertificate(leaf.certificate);
        assert.deepEqual(
          {
            commonName: info.subject.commonName,
            organizations: [...info.subject.organizations].sort(),
            dnsNames: info.dnsNames,
            ipAddresses: info.ipAddresses.map((address) => new URL(`http://${bracketed(address)}`).hostname),
            lifetimeMs: info.notAfter.getTime() - info.notBefore.getTime(),
          },
          {
            commonName,
            organizations: [...organizations].sort(),
            dnsNames,
            ipAddresses: ipAddresses.map((address) => new URL(`http://${bracketed(address)}`).hostname),
            lifetimeMs: lifetimeHours * 3_600_000,
          },
        );
      },
    ),
  );
});

const bracketed = (address: string) => (address.includes(':') ? `[${address}]` : address);

test('issueCertificate() gives every certificate a key and a serial number of its own', async () => {
  const infos = (await Promise.all([issue({}), issue({})])).map(({ certificate }) =>
    parseCertificate(certificate),
  );
  assert.equal(new Set(infos.map(({ serial }) => serial)).size, 2);
  assert.equal(new Set(infos.map(({ publicKeyFingerprint }) => publicKeyFingerprint)).size, 2);
});

test('issueCertificate() finds the certificate of the key in a bundle', async () => {
  const other = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'old', notBefore });
  const leaf = await issue({ issuer: { certificate: other.certificate + ca.certificate, key: ca.key } });
  assert.deepEqual(parseCertificate(leaf.certificate).issuer.organizations, ['talos']);
});

test('issueCertificate() refuses input that cannot be issued', async () => {
  const other = await generateCertificateAuthority({ algorithm: 'ed25519', notBefore });
  const rows: [Partial<CertificateInit>, RegExp][] = [
    [
      { issuer: { certificate: ca.certificate, key: other.key } },
      /key of the certificate authority does not match/,
    ],
    [{ issuer: await issue({}) }, /not a certificate authority/],
    [{ issuer: { certificate: 'nonsense', key: ca.key } }, /key of the certificate authority/],
    [{ dnsNames: ['nöde'] }, /"nöde" is not made of visible ASCII/],
    [{ dnsNames: [''] }, /"" is not made of visible ASCII/],
    [{ ipAddresses: ['node01'] }, /"node01" is not an IP address/],
    [{ keyUsage: [] }, /needs a key usage/],
    [{ extendedKeyUsage: [] }, /needs a key usage/],
  ];
  for (const [init, message] of rows) {
    await assert.rejects(issue(init), (error) => {
      return error instanceof Fault && error.kind === 'invalid-argument' && message.test(error.message);
    });
  }
});

test('issueCertificate() certifies a given key, so that the fingerprint stays', async () => {
  const first = await issue({});
  const again = await issue({ key: first.key, subject: { commonName: 'node02' } });
  const fingerprintOf = ({ certificate }: typeof first) => parseCertificate(certificate).publicKeyFingerprint;
  assert.deepEqual([again.key, fingerprintOf(again)], [first.key, fingerprintOf(first)]);
  assert.notEqual(again.certificate, first.certificate);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientCertificateProblem, hasExactClientAuthUsage } from './client-certificate.ts';
import type { ExtendedKeyUsage } from './extensions.ts';
import { generateCertificateAuthority } from './generate-certificate-authority.ts';
import { issueCertificate } from './issue-certificate.ts';
import { readCertificate } from './read-certificate.ts';

const notBefore = new Date('2026-08-15T10:00:00Z');
const now = new Date('2026-08-15T12:00:00Z');
const [ca, otherCa] = await Promise.all(
  [1, 2].map(() => generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore })),
);
assert.ok(ca !== undefined && otherCa !== undefined);

async function clientWith(...extendedKeyUsage: ExtendedKeyUsage[]): Promise<string> {
  const { certificate } = await issueCertificate({
    issuer: ca ?? { certificate: '', key: '' },
    subject: { organizations: ['os:admin'] },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage,
    notBefore,
    lifetimeHours: 24,
  });
  return certificate;
}

const client = await clientWith('clientAuth');

test('clientCertificateProblem() accepts a valid certificate of any accepted CA', () => {
  for (const accepted of [ca.certificate, otherCa.certificate + ca.certificate, undefined]) {
    assert.equal(clientCertificateProblem({ certificate: client, ca: accepted, now }), undefined);
  }
});

test('clientCertificateProblem() names the reason that the client itself can find', async () => {
  const server = await clientWith('serverAuth');
  const both = await clientWith('clientAuth', 'serverAuth');
  const at = (time: string) => new Date(time);
  const problems = [
    clientCertificateProblem({ certificate: undefined, ca: ca.certificate, now }),
    clientCertificateProblem({ certificate: ' \n', ca: ca.certificate, now }),
    clientCertificateProblem({ certificate: client, ca: ca.certificate, now: at('2026-08-17T00:00:00Z') }),
    clientCertificateProblem({ certificate: client, ca: ca.certificate, now: at('2026-08-15T09:00:00Z') }),
    clientCertificateProblem({ certificate: server, ca: ca.certificate, now }),
    clientCertificateProblem({ certificate: both, ca: ca.certificate, now }),
    clientCertificateProblem({ certificate: client, ca: otherCa.certificate, now }),
    clientCertificateProblem({ certificate: client, ca: '', now }),
  ];
  assert.deepEqual(problems, [
    { kind: 'missing', text: 'there is no client certificate' },
    { kind: 'missing', text: 'there is no client certificate' },
    { kind: 'expired', text: 'the client certificate expired at 2026-08-16T10:00:00.000Z' },
    { kind: 'not-yet-valid', text: 'the client certificate is not valid before 2026-08-15T10:00:00.000Z' },
    { kind: 'usage', text: 'the client certificate is not for client authentication alone' },
    { kind: 'usage', text: 'the client certificate is not for client authentication alone' },
    { kind: 'wrong-ca', text: 'the client certificate was not issued by the CA of the context' },
    { kind: 'wrong-ca', text: 'the client certificate was not issued by the CA of the context' },
  ]);
});

test('hasExactClientAuthUsage() takes PEM, DER and Node objects, and requires the one usage only', async () => {
  const certificate = readCertificate(client);
  const answers = [client, Buffer.from(client), certificate.raw, certificate].map(hasExactClientAuthUsage);
  assert.deepEqual(answers, [true, true, true, true]);
  const others = [
    await clientWith('serverAuth'),
    await clientWith('clientAuth', 'serverAuth'),
    ca.certificate,
  ];
  assert.deepEqual(others.map(hasExactClientAuthUsage), [false, false, false]);
});

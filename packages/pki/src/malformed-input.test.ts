// For any input the parsers return quickly, with a result or a Fault.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import fc from 'fast-check';
import { clientCertificateProblem } from './client-certificate.ts';
import { createCertificateRequest } from './create-certificate-request.ts';
import { generateCertificateAuthority } from './generate-certificate-authority.ts';
import { issueCertificate } from './issue-certificate.ts';
import { parseCertificate } from './parse-certificate.ts';
import { parseCertificateRequest } from './parse-certificate-request.ts';
import { decodePem, encodePem } from './pem.ts';
import { loadPrivateKey, tlsPrivateKey } from './private-key.ts';
import { signCertificateRequest } from './sign-certificate-request.ts';

const notBefore = new Date();
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
const names = {
  subject: { commonName: 'nöde', organizations: ['os:admin', 'b'] },
  dnsNames: ['node01', 'node01.example'],
  ipAddresses: ['10.5.0.2', 'fd00::2'],
};
const leaf = await issueCertificate({
  issuer: ca,
  ...names,
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: ['clientAuth'],
  notBefore,
  lifetimeHours: 1,
});
const { request } = await createCertificateRequest({ ...names, like: ca.certificate });
const policy = {
  subject: 'common-name',
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: ['serverAuth'],
  notBefore,
  lifetimeHours: 1,
} as const;

/** Each parses a text; the label is that of the PEM block around its input. */
const readers: readonly { label: string; sample: string; read(pem: string): unknown }[] = [
  { label: 'CERTIFICATE', sample: leaf.certificate, read: parseCertificate },
  {
    label: 'CERTIFICATE',
    sample: leaf.certificate,
    read: (pem) => clientCertificateProblem({ certificate: pem, ca: ca.certificate, now: notBefore }),
  },
  {
    label: 'CERTIFICATE',
    sample: ca.certificate,
    read: (pem) => clientCertificateProblem({ certificate: leaf.certificate, ca: pem, now: notBefore }),
  },
  { label: 'CERTIFICATE REQUEST', sample: request, read: parseCertificateRequest },
  {
    label: 'CERTIFICATE REQUEST',
    sample: request,
    read: (pem) => signCertificateRequest({ issuer: ca, request: pem, policy }),
  },
  {
    label: 'CERTIFICATE',
    sample: ca.certificate,
    read: (pem) => signCertificateRequest({ issuer: { certificate: pem, key: ca.key }, request, policy }),
  },
  { label: 'ED25519 PRIVATE KEY', sample: leaf.key, read: loadPrivateKey },
  { label: 'EC PRIVATE KEY', sample: leaf.key, read: loadPrivateKey },
  { label: 'PRIVATE KEY', sample: leaf.key, read: tlsPrivateKey },
];

/** Time limit for the largest input here, in milliseconds. Only a hang exceeds it, not a slow machine. */
const patienceMs = 30_000;

function readsOrFaults(read: (pem: string) => unknown, pem: string): void {
  const start = performance.now();
  try {
    read(pem);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
  }
  const tookMs = performance.now() - start;
  assert.ok(tookMs < patienceMs, `took ${tookMs} ms`);
}

test('parsers of text return a result or a fault for any text', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string().map((middle) => `-----BEGIN ${middle}`),
    fc.string().map((middle) => `-----BEGIN CERTIFICATE-----${middle}-----END CERTIFICATE-----`),
  );
  fc.assert(
    fc.property(text, (input) => {
      for (const { read } of readers) readsOrFaults(read, input);
    }),
  );
});

test('parsers of DER return a result or a fault for any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 600 }), (bytes) => {
      for (const { label, read } of readers) readsOrFaults(read, encodePem(label, bytes));
    }),
  );
});

const edits = fc.array(
  fc.record({
    at: fc.nat(),
    kind: fc.constantFrom('flip', 'set', 'remove', 'insert', 'cut'),
    value: fc.integer({ min: 0, max: 255 }),
  }),
  { minLength: 1, maxLength: 4 },
);

function edited(der: Buffer, at: number, kind: string, value: number): Buffer {
  const index = at % Math.max(der.length, 1);
  const rest = kind === 'insert' ? index : index + 1;
  const middle = {
    flip: [(der[index] ?? 0) ^ (1 << (value % 8))],
    set: [value],
    insert: [value],
    remove: [],
    cut: [],
  };
  return Buffer.concat([
    der.subarray(0, index),
    Buffer.from(middle[kind as keyof typeof middle]),
    kind === 'cut' ? Buffer.alloc(0) : der.subarray(rest),
  ]);
}

test('parsers return a result or a fault for valid input with a few changed bytes', () => {
  fc.assert(
    fc.property(fc.constantFrom(...readers), edits, ({ label, sample, read }, changes) => {
      let der = decodePem(sample)[0]?.der ?? Buffer.alloc(0);
      for (const { at, kind, value } of changes) der = edited(der, at, kind, value);
      readsOrFaults(read, encodePem(label, der));
    }),
    { numRuns: 1500 },
  );
});

test('parsers do not hang or exhaust the stack on nested, long and indefinite DER', () => {
  const long = (byte: number, length: number) => Buffer.alloc(length, byte);
  const inputs = [
    // A sequence of sequences, definite and indefinite.
    Buffer.concat(Array.from({ length: 5000 }, () => Buffer.of(0x30, 0x80))),
    long(0x30, 200_000),
    // Lengths beyond the end of the input.
    Buffer.of(0x30, 0x84, 0xff, 0xff, 0xff, 0xff, 0),
    Buffer.concat([Buffer.of(0x30, 0xff), long(0xff, 130)]),
    Buffer.concat([Buffer.of(0x30, 0x88), long(0x7f, 8)]),
    // Many tiny members.
    Buffer.concat([Buffer.of(0x30, 0x83, 0x03, 0x0d, 0x40), long(0x05, 200_000).fill(Buffer.of(0x05, 0))]),
  ];
  for (const input of inputs) {
    for (const { label, read } of readers) readsOrFaults(read, encodePem(label, input));
  }
  const unclosed = '-----BEGIN CERTIFICATE-----\n'.repeat(20_000);
  for (const { read } of readers) readsOrFaults(read, unclosed);
});

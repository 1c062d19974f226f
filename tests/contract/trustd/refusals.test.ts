import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  createCertificateRequest,
  decodePem,
  encodePem,
  generateServiceAccountKey,
  tlsPrivateKey,
} from '@nodewright/pki';
import { createClient, Metadata } from 'nice-grpc';
import { dialTrustd, requestCertificate, startTrustd, statusOf, token } from './harness.ts';

const code = {
  invalidArgument: 3,
  resourceExhausted: 8,
  unimplemented: 12,
  internal: 13,
  unauthenticated: 16,
};

const trustd = await startTrustd({ env: { LOG_LEVEL: 'trace' } });
const { ca } = trustd;
const channel = dialTrustd(await trustd.port(), ca.certificate);
after(async () => {
  channel.close();
  await trustd[Symbol.asyncDispose]();
});

const worker = { subject: { commonName: 'node04' }, dnsNames: ['node04'], ipAddresses: ['10.5.0.5'] };
const { request } = await createCertificateRequest({ ...worker, like: ca.certificate });

test('Certificate refuses a call without the token before it reads the request', async () => {
  const tokens = [[], '', 'wrong', `${token}x`, token.toUpperCase(), [token, 'second']];
  const calls = [request, 'not even PEM'].flatMap((csr) =>
    tokens.map((given) => statusOf(requestCertificate(channel, csr, given))),
  );
  const statuses = await Promise.all(calls);
  const invalid = [code.unauthenticated, 'invalid token'] as const;
  const expected = [[code.unauthenticated, 'missing token'], invalid, invalid, invalid, invalid, invalid];
  assert.deepEqual(statuses, [...expected, ...expected]);
});

/** The request with the last byte of its signature changed. */
function withBrokenSignature(pem: string): string {
  const der = Buffer.from(decodePem(pem)[0]?.der ?? []);
  der[der.length - 1] = (der[der.length - 1] ?? 0) ^ 1;
  return encodePem('CERTIFICATE REQUEST', der);
}

test('Certificate gives the reason when it cannot sign a request', async () => {
  const ecdsa = await createCertificateRequest({ ...worker, algorithm: 'ecdsa-p256' });
  const rsa = await createCertificateRequest({ ...worker, key: await generateServiceAccountKey() });
  const many = Array.from({ length: 2800 }, (_, index) => `node${index}.example.org`);
  const large = await createCertificateRequest({ ...worker, dnsNames: many, like: ca.certificate });
  const rows: [string, string | Uint8Array, number, RegExp][] = [
    ['nothing', '', code.invalidArgument, /^failed to decode CSR$/],
    ['not PEM', 'hello', code.invalidArgument, /^failed to decode CSR$/],
    ['DER', decodePem(request)[0]?.der ?? '', code.invalidArgument, /^failed to decode CSR$/],
    ['cut off', request.slice(0, -30), code.invalidArgument, /^failed to decode CSR$/],
    ['a certificate', ca.certificate, code.invalidArgument, /^failed to parse CSR: /],
    ['a key', tlsPrivateKey(ca.key), code.invalidArgument, /^failed to parse CSR: /],
    [
      'bytes',
      encodePem('CERTIFICATE REQUEST', Buffer.alloc(90, 7)),
      code.invalidArgument,
      /^failed to parse CSR: /,
    ],
    ['too big', large.request, code.invalidArgument, /^the CSR has \d+ bytes, more than 65536$/],
    ['a wrong signature', withBrokenSignature(request), code.internal, /^failed to sign CSR: .*wrong$/],
    ['ECDSA for an Ed25519 CA', ecdsa.request, code.internal, /^failed to sign CSR: .*ECDSA-SHA256/],
    ['RSA for an Ed25519 CA', rsa.request, code.internal, /^failed to sign CSR: .*RSA-SHA512/],
  ];
  for (const [name, csr, expectedCode, message] of rows) {
    const [actual, details] = await statusOf(requestCertificate(channel, csr));
    assert.deepEqual([name, actual], [name, expectedCode]);
    assert.match(details, message, name);
  }
  assert.deepEqual(await statusOf(requestCertificate(channel, request)), [0, '']);
});

test('Certificate refuses a message over 96 KiB', async () => {
  const sizes = [96 * 1024 + 1, 4 * 1024 * 1024];
  for (const size of sizes) {
    const [actual, details] = await statusOf(requestCertificate(channel, Buffer.alloc(size, 65)));
    assert.equal(actual, code.resourceExhausted);
    assert.match(details, /^the message has \d+ bytes, more than 98304$/);
  }
  // A request of exactly that size reaches the check of its content.
  const fits = await statusOf(requestCertificate(channel, Buffer.alloc(96 * 1024 - 16, 65)));
  assert.equal(fits[0], code.invalidArgument);
});

const raw = {
  requestStream: false,
  responseStream: false,
  requestSerialize: (message: Uint8Array) => Buffer.from(message),
  requestDeserialize: () => ({}),
  responseSerialize: () => Buffer.alloc(0),
  responseDeserialize: () => ({}),
  options: {},
} as const;

/** A client of any method that sends raw bytes. */
const rawMethod = (path: string) => createClient({ call: { ...raw, path } }, channel);

test('every other call is unimplemented, with and without a token', async () => {
  const rows = [
    ['/securityapi.Security/Certificate', 'unknown service securityapi.Security'],
    ['/machine.MachineService/Version', 'unknown service machine.MachineService'],
    ['/grpc.health.v1.Health/Check', 'unknown service grpc.health.v1.Health'],
    ['/securityapi.SecurityService/Sign', 'unknown method Sign for service securityapi.SecurityService'],
  ] as const;
  for (const [path, details] of rows) {
    for (const metadata of [Metadata(), Metadata({ token })]) {
      const status = await statusOf(rawMethod(path).call(Buffer.alloc(0), { metadata }));
      assert.deepEqual(status, [code.unimplemented, details]);
    }
  }
  for (const name of ['ReadFile', 'WriteFile']) {
    const call = rawMethod(`/securityapi.SecurityService/${name}`).call(Buffer.alloc(0));
    assert.equal((await statusOf(call))[0], code.unimplemented);
  }
});

test('a request that cannot be decoded is refused, and without the token not even read', async () => {
  const { call } = rawMethod('/securityapi.SecurityService/Certificate');
  const broken = Buffer.from('ffffffffff', 'hex');
  assert.deepEqual(await statusOf(call(broken)), [code.unauthenticated, 'missing token']);
  const [actual, details] = await statusOf(call(broken, { metadata: Metadata({ token }) }));
  assert.equal(actual, code.invalidArgument);
  assert.match(details, /^the request of \/securityapi\.SecurityService\/Certificate cannot be decoded: \S/);
});

test("trustd logs no token, neither the cluster's nor a caller's", async () => {
  const given = 'callers.wrongtoken000000';
  await statusOf(requestCertificate(channel, request, given));
  const facts = await trustd.logged('request finished');
  assert.equal((facts.metadata as Record<string, string>)['user-agent']?.startsWith('grpc-node'), true);
  const output = trustd.process.stdout() + trustd.process.stderr();
  const shown = [given, token, token.slice(0, 6), 'PRIVATE KEY'].filter((secret) => output.includes(secret));
  assert.deepEqual(shown, []);
});

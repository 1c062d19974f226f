// A worker's request, with real keys and a real TLS server instead of trustd.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecurityServiceDefinition } from '@nodewright/contract/gen/securityapi/security.ts';
import { Fault, Secret } from '@nodewright/fault';
import {
  generateCertificateAuthority,
  issueCertificate,
  parseCertificate,
  signCertificateRequest,
  tlsPrivateKey,
} from '@nodewright/pki';
import { createRpcServer, ReloadingServerCredentials } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import { askTrustd, type TrustdAnswer } from './ask-trustd.ts';
import { type RequestCertificateInit, requestCertificate } from './request-certificate.ts';

const now = new Date();
const authority = await generateCertificateAuthority({
  algorithm: 'ed25519',
  organization: 'talos',
  notBefore: now,
});
const token = 'abcdef.0123456789abcdef';
const quiet = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const never = new AbortController().signal;

const certificate = {
  commonName: 'node04',
  dnsNames: ['api.example.org', 'node04'],
  ipAddresses: ['127.0.0.1', '127.5.6.2'],
};
const request = (init: Pick<RequestCertificateInit, 'ask' | 'endpoints'> & Partial<RequestCertificateInit>) =>
  requestCertificate({
    certificate,
    acceptedCAs: [authority.certificate],
    random: Math.random,
    signal: never,
    ...init,
  });

async function withTrustd(
  body: (endpoint: { host: string; port: number }) => Promise<void>,
  serverAddress = '127.0.0.1',
): Promise<void> {
  const { certificate, key } = await issueCertificate({
    issuer: authority,
    subject: { commonName: 'node01' },
    ipAddresses: [serverAddress],
    keyUsage: ['digitalSignature', 'keyEncipherment'],
    extendedKeyUsage: ['serverAuth'],
    notBefore: now,
    lifetimeHours: 24,
  });
  await using server = createRpcServer({
    services: [
      {
        definition: SecurityServiceDefinition,
        implementation: {
          async certificate({ csr }: { csr: Uint8Array }, { metadata }: { metadata: Map<string, string> }) {
            if (metadata.get('token') !== token) throw new Fault('unauthenticated', 'invalid token');
            const crt = signCertificateRequest({
              request: csr,
              issuer: authority,
              policy: {
                subject: 'common-name',
                keyUsage: ['digitalSignature'],
                extendedKeyUsage: ['serverAuth'],
                notBefore: now,
                lifetimeHours: 24,
              },
            });
            return { ca: Buffer.from(authority.certificate), crt: Buffer.from(crt) };
          },
        },
      },
    ],
    telemetry: noTelemetry,
    log: quiet,
  });
  const credentials = new ReloadingServerCredentials({
    certificate,
    key: tlsPrivateKey(key),
    minVersion: 'TLSv1.3',
  });
  await body({ host: '127.0.0.1', port: await server.listenTls('127.0.0.1:0', credentials) });
}

const questionWith = (change: { token?: string; acceptedCAs?: string[] } = {}) => ({
  token: new Secret(change.token ?? token),
  acceptedCAs: change.acceptedCAs ?? [authority.certificate],
  telemetry: noTelemetry,
  timeoutMs: 60_000,
  signal: never,
});

test('a worker gets a certificate for its own key from a trustd that it connects to by address', async () => {
  await withTrustd(async (endpoint) => {
    const { acceptedCAs, ...answer } = await request({
      endpoints: [endpoint],
      ask: (target, csr) => askTrustd(target, { ...questionWith(), request: csr }),
    });
    const { subject, dnsNames, ipAddresses, extendedKeyUsage } = parseCertificate(answer.certificate);
    assert.deepEqual(
      { subject, dnsNames, ipAddresses, extendedKeyUsage },
      {
        subject: { commonName: 'node04', organizations: [] },
        dnsNames: certificate.dnsNames,
        ipAddresses: certificate.ipAddresses,
        extendedKeyUsage: ['serverAuth'],
      },
    );
    assert.equal(acceptedCAs, authority.certificate);
  });
});

test('askTrustd() keeps the code of a refusal, names the endpoint, and never shows the token', async () => {
  await withTrustd(async (endpoint) => {
    await assert.rejects(askTrustd(endpoint, { ...questionWith({ token: 'zzzzzz.wrong' }), request: '' }), {
      kind: 'unauthenticated',
      message: `trustd at 127.0.0.1:${endpoint.port}: invalid token`,
    });
  });
});

test('askTrustd() refuses a trustd whose certificate is for another address or of another CA', async () => {
  await withTrustd(async (endpoint) => {
    await assert.rejects(askTrustd(endpoint, { ...questionWith(), request: '' }), { kind: 'unavailable' });
  }, '127.9.9.9');
  const other = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore: now,
  });
  await withTrustd(async (endpoint) => {
    await assert.rejects(
      askTrustd(endpoint, { ...questionWith({ acceptedCAs: [other.certificate] }), request: '' }),
      { kind: 'unavailable' },
    );
  });
});

test('requestCertificate() tries the next endpoint, and repeats the round while none listens', async () => {
  await withTrustd(async (endpoint) => {
    const asked: number[] = [];
    const ask = async (target: { host: string; port: number }, csr: string): Promise<TrustdAnswer> => {
      asked.push(target.port);
      if (asked.length <= 4) throw new Fault('unavailable', 'connection refused');
      return await askTrustd(endpoint, { ...questionWith(), request: csr });
    };
    const endpoints = [1, 2].map((port) => ({ host: '127.0.0.1', port }));
    await request({ endpoints, ask, random: () => 0.99 });
    assert.deepEqual(asked, [1, 2, 1, 2, 1]);
  });
});

test('requestCertificate() rejects a certificate that does not belong to its key', async () => {
  const stop = new AbortController();
  const other = await issueCertificate({
    issuer: authority,
    subject: { commonName: 'node01' },
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore: now,
    lifetimeHours: 24,
  });
  const asking = request({
    endpoints: [{ host: '127.0.0.1', port: 1 }],
    ask: async () => {
      setTimeout(() => stop.abort(), 20);
      return { certificate: other.certificate, acceptedCAs: authority.certificate };
    },
    random: () => 0,
    signal: stop.signal,
  });
  await assert.rejects(asking, { kind: 'data-loss' });
});

test('requestCertificate() rejects an answer whose authority is no certificate', async () => {
  for (const acceptedCAs of [
    '',
    'garbage',
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
  ]) {
    const stop = new AbortController();
    const asking = request({
      endpoints: [{ host: '127.0.0.1', port: 1 }],
      ask: async (_endpoint, asked) => {
        setTimeout(() => stop.abort(), 20);
        const crt = signCertificateRequest({
          ...{ request: Buffer.from(asked), issuer: authority },
          policy: {
            ...{ subject: 'common-name', keyUsage: ['digitalSignature'], extendedKeyUsage: ['serverAuth'] },
            ...{ notBefore: now, lifetimeHours: 24 },
          },
        });
        return { certificate: crt, acceptedCAs };
      },
      random: () => 0,
      signal: stop.signal,
    });
    await assert.rejects(asking, { kind: 'data-loss' });
  }
});

test('requestCertificate() fails without an endpoint', async () => {
  const ask = () => Promise.reject(new Error('asked'));
  await assert.rejects(request({ endpoints: [], ask }), { kind: 'failed-precondition' });
});

// What the node issues and requests, with real keys and a real TLS server in trustd's place.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { SecurityServiceDefinition } from '@nodewright/contract/gen/securityapi/security.ts';
import {
  ApidRuntime,
  type Member,
  TrustdRuntime,
} from '@nodewright/contract/gen/suite/runtime/v1/runtime.ts';
import { Fault, Secret } from '@nodewright/fault';
import {
  type CertificateAndKey,
  generateCertificateAuthority,
  issueCertificate,
  parseCertificate,
  signCertificateRequest,
  tlsPrivateKey,
} from '@nodewright/pki';
import { createRpcServer, ReloadingServerCredentials } from '@nodewright/rpc';
import { createLogger, noTelemetry } from '@nodewright/telemetry';
import type { NodeFacts } from '../domain/node-facts.ts';
import { planIdentity } from '../domain/plan-identity.ts';
import { askTrustd, type TrustdAnswer } from '../host/ask-trustd.ts';
import { issueIdentity } from './issue-identity.ts';
import { requestIdentity } from './request-identity.ts';
import { createRuntimePublisher } from './runtime-publisher.ts';

const now = new Date();
const authority = await generateCertificateAuthority({
  algorithm: 'ed25519',
  organization: 'talos',
  notBefore: now,
});
const token = 'abcdef.0123456789abcdef';
const quiet = createLogger({ name: 'test', telemetry: noTelemetry, level: 'silent' });
const never = new AbortController().signal;

const node: NodeFacts = {
  mode: 'process',
  machineType: 'controlplane',
  hostname: 'node01',
  addresses: ['127.5.6.2'],
};
const config = {
  machineType: 'controlplane',
  token,
  ca: authority,
  acceptedCAs: [],
  certSANs: ['api.example.org'],
  clusterName: 'c',
  clusterEndpoint: 'https://127.5.6.2:6443',
  timeServers: [],
} as const;

async function controlPlaneIdentity() {
  const plan = planIdentity(config, node);
  assert.equal(plan.kind, 'issue');
  return issueIdentity(plan as Extract<typeof plan, { kind: 'issue' }>, token, now);
}

function workerPlan() {
  const plan = planIdentity(
    { ...config, machineType: 'worker' },
    { ...node, machineType: 'worker', hostname: 'node04' },
  );
  assert.equal(plan.kind, 'request');
  return plan as Extract<typeof plan, { kind: 'request' }>;
}

const facts = ({ certificate }: { certificate: string }) => {
  const { subject, dnsNames, ipAddresses, extendedKeyUsage, notBefore, notAfter } =
    parseCertificate(certificate);
  const lifetimeHours = (notAfter.getTime() - notBefore.getTime()) / 3_600_000;
  return { subject, dnsNames, ipAddresses, extendedKeyUsage, lifetimeHours };
};

test('a control plane issues certificates that its CA signed, for the names it is dialled by', async () => {
  const { apidServer, apidClient, trustd, acceptedCAs } = await controlPlaneIdentity();
  const server = {
    subject: { commonName: 'node01', organizations: [] as string[] },
    dnsNames: ['api.example.org', 'node01'],
    ipAddresses: ['127.0.0.1', '127.5.6.2'],
    extendedKeyUsage: ['serverAuth'],
    lifetimeHours: 24,
  };
  assert.deepEqual(facts(apidServer), server);
  assert.deepEqual(facts(trustd?.server as CertificateAndKey), server);
  assert.deepEqual(facts(apidClient as CertificateAndKey), {
    ...server,
    subject: { commonName: 'node01', organizations: ['os:impersonator'] },
    dnsNames: [],
    ipAddresses: [],
    extendedKeyUsage: ['clientAuth'],
  });
  assert.deepEqual(acceptedCAs, [authority.certificate]);
  for (const pair of [apidServer, apidClient, trustd?.server]) {
    const leaf = new X509Certificate(pair?.certificate ?? '');
    assert.ok(leaf.verify(new X509Certificate(authority.certificate).publicKey));
  }
  assert.notEqual(apidServer.key, trustd?.server.key);
});

test('the runtime files say what the daemons need, belong to nobody else, and are written only when they change', async () => {
  const root = await mkdtemp(join(tmpdir(), 'publish-'));
  try {
    const paths = { apid: join(root, 'apid', 'runtime.json'), trustd: join(root, 'trustd', 'runtime.json') };
    const member: Member = { hostname: 'node02', addresses: ['127.5.6.3'], machineType: 2 };
    let members: Member[] = [member];
    using publisher = createRuntimePublisher({
      node,
      members: () => members,
      apid: { path: paths.apid },
      trustd: { path: paths.trustd },
    });
    const identity = await controlPlaneIdentity();
    await publisher.publish(identity);

    const apid = ApidRuntime.fromJSON(JSON.parse(await readFile(paths.apid, 'utf8')));
    assert.deepEqual(apid, {
      listenAddress: '127.5.6.2:50000',
      nodeRoutingDisabled: false,
      readonlyRoleMode: false,
      skipVerifyingClientCert: false,
      server: identity.apidServer,
      client: identity.apidClient,
      acceptedCas: [authority.certificate],
      hostname: 'node01',
      fqdn: 'node01',
      addresses: ['127.5.6.2'],
      members: [member],
    });
    const trustd = TrustdRuntime.fromJSON(JSON.parse(await readFile(paths.trustd, 'utf8')));
    assert.deepEqual(trustd, {
      listenAddress: '127.5.6.2:50001',
      server: identity.trustd?.server,
      issuingCa: { certificate: authority.certificate, key: authority.key },
      acceptedCas: [authority.certificate],
      token,
    });
    const inodes = async () => [(await stat(paths.apid)).ino, (await stat(paths.trustd)).ino];
    assert.equal((await stat(paths.trustd)).mode & 0o777, 0o600);

    const before = await inodes();
    await publisher.publish(identity);
    assert.deepEqual(await inodes(), before);
    members = [];
    await publisher.publish(identity);
    const after = await inodes();
    assert.notEqual(after[0], before[0]);
    assert.equal(after[1], before[1]);
    assert.deepEqual(await readdir(join(root, 'apid')), ['runtime.json']);
    publisher[Symbol.dispose]();
    assert.deepEqual(await readdir(join(root, 'trustd')), []);
  } finally {
    await rm(root, { recursive: true });
  }
});

/** A trustd that signs what carries the token. Its certificate is for `serverAddress`. */
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
                organizations: 'strip',
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
  timeoutMs: 3000,
  signal: never,
});

test('a worker gets a certificate for its own key from a trustd that it dials by address', async () => {
  await withTrustd(async (endpoint) => {
    const { apidServer, apidClient, trustd, acceptedCAs } = await requestIdentity({
      plan: workerPlan(),
      endpoints: [endpoint],
      ask: (target, request) => askTrustd(target, { ...questionWith(), request }),
      random: Math.random,
      signal: never,
    });
    assert.deepEqual(facts(apidServer), {
      subject: { commonName: 'node04', organizations: [] },
      dnsNames: ['api.example.org', 'node04'],
      ipAddresses: ['127.0.0.1', '127.5.6.2'],
      extendedKeyUsage: ['serverAuth'],
      lifetimeHours: 24,
    });
    assert.deepEqual([apidClient, trustd, acceptedCAs], [undefined, undefined, [authority.certificate]]);
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

test('requestIdentity() goes on to the next endpoint, and round again while nobody listens', async () => {
  await withTrustd(async (endpoint) => {
    const asked: number[] = [];
    const ask = async (target: { host: string; port: number }, request: string): Promise<TrustdAnswer> => {
      asked.push(target.port);
      if (asked.length <= 4) throw new Fault('unavailable', 'connection refused');
      return await askTrustd(endpoint, { ...questionWith(), request });
    };
    const endpoints = [1, 2].map((port) => ({ host: '127.0.0.1', port }));
    await requestIdentity({ plan: workerPlan(), endpoints, ask, random: () => 0.99, signal: never });
    assert.deepEqual(asked, [1, 2, 1, 2, 1]);
  });
});

test('requestIdentity() refuses a certificate that is not for its key', async () => {
  const stop = new AbortController();
  const { apidServer } = await controlPlaneIdentity();
  const asking = requestIdentity({
    plan: workerPlan(),
    endpoints: [{ host: '127.0.0.1', port: 1 }],
    ask: async () => {
      setTimeout(() => stop.abort(), 20);
      return { certificate: apidServer.certificate, acceptedCAs: authority.certificate };
    },
    random: () => 0,
    signal: stop.signal,
  });
  await assert.rejects(asking, { kind: 'data-loss' });
});

test('requestIdentity() says that there is nobody to ask', async () => {
  await assert.rejects(
    requestIdentity({
      plan: workerPlan(),
      endpoints: [],
      ask: () => Promise.reject(new Error('asked')),
      random: () => 0,
      signal: never,
    }),
    { kind: 'failed-precondition' },
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { identityFromFacts } from './gateway-identity.ts';
import { needsNewConnection, needsNewListener } from './identity-change.ts';
import type { UsableFacts } from './service-facts.ts';

const notBefore = new Date(Date.now() - 60_000);
const ca = await generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
const issue = () =>
  issueCertificate({
    issuer: ca,
    subject: { commonName: 'node01' },
    ipAddresses: ['127.0.0.1'],
    keyUsage: ['digitalSignature'],
    extendedKeyUsage: ['serverAuth'],
    notBefore,
    lifetimeHours: 1,
  });
const server = await issue();
const client = await issue();

const member = (hostname: string, ...addresses: string[]) => ({
  ...{ nodeId: '', hostname, addresses, machineType: 'worker' as const },
  ...{ operatingSystem: '', controlPlane: undefined },
});
const pem = ({ certificate, key }: { certificate: string; key: string }) => ({ crt: certificate, key });
const accepted = (...crts: string[]) => crts.map((crt) => ({ crt }));

const config: UsableFacts['config'] = {
  listenAddress: '10.5.0.2:50000',
  nodeRoutingDisabled: false,
  readonlyRoleMode: false,
  skipVerifyingClientCert: false,
};
const certificates: UsableFacts['certificates'] = {
  server: pem(server),
  client: pem(client),
  acceptedCAs: accepted(ca.certificate),
  skipVerifyingClientCert: false,
};
const facts: UsableFacts = {
  config,
  certificates,
  wait: undefined,
  hostname: { hostname: 'node01', domainname: 'example.org' },
  addresses: { addresses: ['10.5.0.2/24', 'fd00::2/64'], sortAlgorithm: 'v1' },
  members: [member('Node02', '10.5.0.3')],
};

/** The identity of this node with these changes to its configuration, certificates and other facts. */
const read = (
  changes: Partial<UsableFacts['config']> = {},
  others: Partial<UsableFacts['certificates']> = {},
  more: Partial<UsableFacts> = {},
) =>
  identityFromFacts({
    ...facts,
    config: { ...config, ...changes },
    certificates: { ...certificates, ...others },
    ...more,
  });

test("identityFromFacts() returns the node's state, with keys in a form that TLS can load", () => {
  const identity = read();
  assert.deepEqual(
    { ...identity, server: undefined, client: undefined },
    {
      listen: { host: '10.5.0.2', port: 50_000 },
      nodeRoutingDisabled: false,
      readonlyRoleMode: false,
      skipVerifyingClientCert: false,
      waitsFor: undefined,
      server: undefined,
      client: undefined,
      acceptedCas: [ca.certificate],
      hostname: 'node01',
      localTargets: new Set(['node01', 'node01.example.org', '10.5.0.2', 'fd00::2']),
      members: new Map([['node02', ['10.5.0.3']]]),
      sharedNames: new Map(),
    },
  );
  assert.match(identity.server.key, /^-----BEGIN PRIVATE KEY-----/);
});

test('identityFromFacts() knows nodes by their names with and without the domain', () => {
  const members = [member('Alpha.lab', '10.5.0.4'), member('beta', '10.5.0.5'), member('', '10.5.0.6')];
  assert.deepEqual(
    read({}, {}, { members }).members,
    new Map([
      ['alpha.lab', ['10.5.0.4']],
      ['alpha', ['10.5.0.4']],
      ['beta', ['10.5.0.5']],
    ]),
  );
});

test('identityFromFacts() resolves a shared name to its only control plane, otherwise to no node', () => {
  const worker = (hostname: string, address: string) => ({
    ...member(hostname, address),
    machineType: 'worker' as const,
  });
  const controlPlane = (hostname: string, address: string) => ({
    ...member(hostname, address),
    machineType: 'controlplane' as const,
  });
  const members = [
    worker('node02.zzz', '10.5.0.66'),
    controlPlane('node02.example.com', '10.5.0.2'),
    worker('node02', '10.5.0.67'),
    worker('w.a', '10.5.0.4'),
    worker('w', '10.5.0.5'),
    controlPlane('c.a', '10.5.0.6'),
    controlPlane('c.b', '10.5.0.7'),
  ];
  const wanted = {
    'node02.zzz': ['10.5.0.66'],
    node02: ['10.5.0.2'],
    'node02.example.com': ['10.5.0.2'],
    'w.a': ['10.5.0.4'],
    'c.a': ['10.5.0.6'],
    'c.b': ['10.5.0.7'],
  };
  for (const order of [members, members.toReversed()]) {
    const identity = read({}, {}, { members: order });
    assert.deepEqual(Object.fromEntries(identity.members), wanted);
    assert.deepEqual(Object.fromEntries(identity.sharedNames), {
      w: '"w" at 10.5.0.5, "w.a" at 10.5.0.4',
      c: '"c.a" at 10.5.0.6, "c.b" at 10.5.0.7',
    });
  }
});

test('identityFromFacts() accepts every form of a listen address', () => {
  const listens = [':50000', '[fd00::2]:50000', 'localhost:0'].map(
    (listenAddress) => read({ listenAddress }).listen,
  );
  assert.deepEqual(listens, [
    { host: undefined, port: 50_000 },
    { host: 'fd00::2', port: 50_000 },
    { host: 'localhost', port: 0 },
  ]);
});

test('identityFromFacts() calls a node without a name "this node", which is not a target', () => {
  const { hostname, localTargets } = read({}, {}, { hostname: undefined, addresses: undefined });
  assert.deepEqual([hostname, localTargets], ['this node', new Set()]);
});

test('identityFromFacts() reports what is wrong and never includes a key', () => {
  const rows: [() => unknown, string][] = [
    [() => read({ listenAddress: '10.5.0.2' }), 'listenAddress must be host:port, not "10.5.0.2"'],
    [() => read({ listenAddress: ':70000' }), 'listenAddress must be host:port, not ":70000"'],
    [() => read({}, { server: undefined }), 'the server certificate is missing'],
    [
      () => read({}, { server: { ...pem(server), key: client.key } }),
      'server.key is not the key of server.crt',
    ],
    [() => read({}, { server: { ...pem(server), key: 'secret' } }), 'server.key is not a private key in PEM'],
    [() => read({}, { client: { ...pem(client), crt: 'x' } }), 'client.crt is not a certificate in PEM'],
    [
      () => read({}, { acceptedCAs: accepted(ca.certificate, 'x') }),
      'acceptedCAs[1] is not a certificate in PEM',
    ],
    [() => read({}, { acceptedCAs: [] }), 'acceptedCAs is empty: no client could connect'],
  ];
  for (const [attempt, message] of rows) assert.throws(attempt, { kind: 'invalid-argument', message });
});

test('a change of mode or address needs a new listener, a change of credentials new connections', () => {
  const before = read();
  const rows: [Parameters<typeof read>, boolean, boolean][] = [
    [[{}], false, false],
    [[{}, { server: pem(client) }], false, false],
    [[{ listenAddress: ':50000' }], true, false],
    [[{ skipVerifyingClientCert: true }], true, false],
    [[{ readonlyRoleMode: true }], true, false],
    [[{}, { client: pem(server) }], false, true],
    [[{}, { client: undefined }], false, true],
    [[{}, { acceptedCAs: accepted(ca.certificate, ca.certificate) }], false, true],
    [[{}, {}, { members: [] }], false, false],
  ];
  assert.deepEqual(
    rows.map(([changes]) => {
      const next = read(...changes);
      return [changes, needsNewListener(before, next), needsNewConnection(before, next)('10.5.0.9')];
    }),
    rows,
  );
});

test('a change of members needs new connections to those that may have lost the address of theirs', () => {
  const identity = read();
  const of = (addresses: readonly string[] | undefined, shared = false) => ({
    ...identity,
    members: new Map(addresses === undefined ? [] : [['node02', addresses]]),
    sharedNames: new Map(shared ? [['node02', 'several']] : []),
  });
  const rows: [ReturnType<typeof of>, ReturnType<typeof of>, boolean][] = [
    [of(['10.5.0.3']), of(['10.5.0.3']), false],
    [of(['10.5.0.3']), of(['10.5.0.4', '10.5.0.3']), false],
    [of(['10.5.0.3', '10.5.0.4']), of(['10.5.0.4']), true],
    [of(['10.5.0.3']), of(['10.5.0.4']), true],
    [of(['10.5.0.3']), of(undefined), true],
    [of(undefined), of(['10.5.0.3']), true],
    [of([]), of(undefined), false],
    [of(['10.5.0.3']), of(undefined, true), true],
    [of(undefined, true), of(undefined), true],
  ];
  assert.deepEqual(
    rows.map(([before, next]) => [before, next, needsNewConnection(before, next)('Node02')]),
    rows,
  );
});

test('identityFromFacts() admits strangers only to a worker that waits with a certificate of its own', async () => {
  const ownCa = await generateCertificateAuthority({
    algorithm: 'ed25519',
    organization: 'talos',
    notBefore,
  });
  const own = pem(
    await issueCertificate({
      ...{ issuer: ownCa, subject: { commonName: 'node02' }, keyUsage: ['digitalSignature'], notBefore },
      ...{ extendedKeyUsage: ['serverAuth'], lifetimeHours: 1 },
    }),
  );
  const wait = { wait: { reason: 'this worker waits' } };
  const worker = { client: undefined };
  assert.deepEqual(
    [
      read({}, { ...worker, server: own }, wait).waitsFor,
      read({}, { ...worker, server: own }).waitsFor,
      read({}, worker, wait).waitsFor,
      read({}, { server: own }, wait).waitsFor,
      read({ skipVerifyingClientCert: true }, { ...worker, server: own }, wait).waitsFor,
    ],
    ['this worker waits', undefined, undefined, undefined, undefined],
  );
});

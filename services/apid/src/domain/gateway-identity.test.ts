import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { identityFromJson } from './gateway-identity.ts';
import { needsNewConnections, needsNewListener } from './identity-change.ts';

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

const runtime = {
  listenAddress: '10.5.0.2:50000',
  server,
  client,
  acceptedCas: [ca.certificate],
  hostname: 'node01',
  fqdn: 'node01.example.org',
  addresses: ['10.5.0.2', 'fd00::2'],
  members: [{ hostname: 'Node02', addresses: ['10.5.0.3'] }],
};
const read = (changes: object = {}) => identityFromJson(JSON.stringify({ ...runtime, ...changes }));

test('identityFromJson() reads what machined writes, with keys that TLS can load', () => {
  const identity = read();
  assert.deepEqual(
    { ...identity, server: undefined, client: undefined },
    {
      listen: { host: '10.5.0.2', port: 50_000 },
      nodeRoutingDisabled: false,
      readonlyRoleMode: false,
      skipVerifyingClientCert: false,
      server: undefined,
      client: undefined,
      acceptedCas: [ca.certificate],
      hostname: 'node01',
      localTargets: new Set(['node01', 'node01.example.org', '10.5.0.2', 'fd00::2']),
      members: new Map([['node02', ['10.5.0.3']]]),
    },
  );
  assert.match(identity.server.key, /^-----BEGIN PRIVATE KEY-----/);
});

test('identityFromJson() takes every form of a listen address', () => {
  const listens = [':50000', '[fd00::2]:50000', 'localhost:0'].map(
    (listenAddress) => read({ listenAddress }).listen,
  );
  assert.deepEqual(listens, [
    { host: undefined, port: 50_000 },
    { host: 'fd00::2', port: 50_000 },
    { host: 'localhost', port: 0 },
  ]);
});

test('identityFromJson() says what is wrong, and shows no key', () => {
  const rows: [string, string][] = [
    ['{', 'it is not JSON'],
    ['[]', 'it is not a JSON object'],
    ['null', 'it is not a JSON object'],
    ...(
      [
        [{ listenAddress: '10.5.0.2' }, 'listenAddress wants host:port, not "10.5.0.2"'],
        [{ listenAddress: ':70000' }, 'listenAddress wants host:port, not ":70000"'],
        [{ server: undefined }, 'server is missing'],
        [{ server: { ...server, key: client.key } }, 'server.key is not the key of server.certificate'],
        [{ server: { ...server, key: 'secret' } }, 'server.key is not a private key in PEM'],
        [{ client: { ...client, certificate: 'x' } }, 'client.certificate is not a certificate in PEM'],
        [{ acceptedCas: [ca.certificate, 'x'] }, 'acceptedCas[1] is not a certificate in PEM'],
        [{ acceptedCas: [] }, 'acceptedCas is empty: no client could be let in'],
      ] as const
    ).map(([changes, message]): [string, string] => [JSON.stringify({ ...runtime, ...changes }), message]),
  ];
  for (const [text, message] of rows) {
    assert.throws(() => identityFromJson(text), { kind: 'invalid-argument', message });
  }
});

test('a change of mode or address needs a new listener, other credentials new connections', () => {
  const before = read();
  const rows: [object, boolean, boolean][] = [
    [{}, false, false],
    [{ server: client }, false, false],
    [{ listenAddress: ':50000' }, true, false],
    [{ skipVerifyingClientCert: true }, true, false],
    [{ readonlyRoleMode: true }, true, false],
    [{ client: server }, false, true],
    [{ client: undefined }, false, true],
    [{ acceptedCas: [ca.certificate, ca.certificate] }, false, true],
    [{ members: [] }, false, true],
  ];
  assert.deepEqual(
    rows.map(([changes]) => {
      const next = read(changes);
      return [changes, needsNewListener(before, next), needsNewConnections(before, next)];
    }),
    rows,
  );
});

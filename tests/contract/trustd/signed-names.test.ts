// No certificate that trustd gives to one node is valid for a name or an address of another one, whichever
// client judges: Node.js takes the common name when there are no DNS names, Go never does.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { test } from 'node:test';
import { checkServerIdentity } from 'node:tls';
import { CertificateRequest, CertificateResponse } from '@nodewright/contract/gen/securityapi/security.ts';
import { Fault, Secret } from '@nodewright/fault';
import {
  createCertificateRequest,
  decodePem,
  encodePem,
  generateCertificateAuthority,
  issueCertificate,
  loadPrivateKey,
  parseCertificate,
} from '@nodewright/pki';
import fc from 'fast-check';
import {
  bitString,
  childrenOf,
  type DerValue,
  decodeDer,
  encodeDer,
  sequence,
} from '../../../packages/pki/src/der.ts';
import { encodeName } from '../../../packages/pki/src/distinguished-name.ts';
import { signatureAlgorithmOf, signBytes } from '../../../packages/pki/src/signature-algorithm.ts';
import { withheldFrom } from '../../../services/machined/src/cluster/domain/check-certificate.ts';
import { reservedFrom } from '../../../services/machined/src/cluster/domain/reserved-names.ts';
import {
  controlPlaneRecord,
  nodeRecord,
} from '../../../services/machined/src/cluster/domain/testing/node-record.ts';
import { certificateMethod } from '../../../services/trustd/src/rpc/security-service.ts';
import { createCa } from './harness.ts';

const controlPlane = controlPlaneRecord(2, {
  addresses: ['10.5.0.2', 'fd00::2'],
  hostname: 'cp2.example.com',
  nodename: 'cp2',
});
const worker = nodeRecord(3, { addresses: ['10.5.0.3'], hostname: 'w3.example.com', nodename: 'w3' });
/** One that does not live, so that it has no record. */
const absent = controlPlaneRecord(4, {
  addresses: ['10.5.0.4'],
  hostname: 'cp4.example.com',
  nodename: 'cp4',
});
const controlPlanes = [{ record: absent, memberId: '8e9e05c52164694d' }];
const reserved = reservedFrom({
  endpoints: [{ addresses: [], hosts: ['api.example.com'] }],
  certSans: { certSANDNSNames: ['balancer.example.com', '*.lab.test'], certSANIPs: ['10.5.0.99'] },
  virtual: new Set(['10.5.0.100']),
});
/** What belongs to the control planes, and what to the worker at 10.5.0.3. Workers may share a short name. */
const ofControlPlanes = [
  ...['cp2.example.com', 'cp2', 'cp4.example.com', 'cp4', 'api.example.com', 'balancer.example.com'],
  'any.lab.test',
  ...['10.5.0.2', 'fd00::2', '10.5.0.4', '10.5.0.99', '10.5.0.100'],
];
const workers = ['w3.example.com', '10.5.0.3'];

const ca = await createCa();
const { key: keyPem } = await createCertificateRequest({ subject: {}, like: ca.certificate });
const key = loadPrivateKey(keyPem);

/** A request whose subject has all of these common names and an organisation. */
async function requestFor(commonNames: readonly string[], dnsNames: string[], ipAddresses: string[]) {
  const { request } = await createCertificateRequest({ subject: {}, dnsNames, ipAddresses, key: keyPem });
  const partsOf = (value: DerValue | undefined) => childrenOf(value, 'the request of the test');
  const [signedPart, algorithm] = partsOf(decodeDer(decodePem(request)[0]?.der ?? Buffer.of(), 'PEM'));
  const [version, , ...rest] = partsOf(signedPart);
  assert.ok(version !== undefined && algorithm !== undefined);
  const relativeNames = [
    { organizations: ['os:admin'] },
    ...commonNames.map((commonName) => ({ commonName })),
  ];
  const changed = sequence(
    version,
    sequence(...relativeNames.flatMap((each) => partsOf(encodeName(each)))),
    ...rest,
  );
  const signature = bitString(signBytes(signatureAlgorithmOf(key), encodeDer(changed), key));
  return encodePem('CERTIFICATE REQUEST', encodeDer(sequence(changed, algorithm, signature)));
}

/** trustd's answer to a caller at this address; `undefined` when it refuses. */
async function signedFor(callerAddress: string, request: string): Promise<string | undefined> {
  const method = certificateMethod({
    root: () => ({
      issuingCa: ca,
      acceptedCas: ca.certificate,
      server: ca,
      token: new Secret('token'),
    }),
    now: () => new Date(),
    checkCertificate: async (asked) =>
      withheldFrom(asked, { known: [controlPlane, worker], controlPlanes, reserved }),
  });
  try {
    const bytes = await method.answer(CertificateRequest.encode({ csr: Buffer.from(request) }).finish(), {
      remoteAddress: callerAddress,
      signal: new AbortController().signal,
      annotate() {},
      keepOutOfLog() {},
    });
    return CertificateResponse.decode(bytes).crt.toString();
  } catch (error) {
    if (error instanceof Fault && ['permission-denied', 'invalid-argument'].includes(error.kind))
      return undefined;
    throw error;
  }
}

type Judge = (host: string) => boolean;

function judgeOfNode(pem: string): Judge {
  const certificate = new X509Certificate(pem).toLegacyObject();
  return (host) => checkServerIdentity(host, certificate) === undefined;
}

/** Source: Go, crypto/x509: Certificate.VerifyHostname. */
function judgeOfGo(pem: string): Judge {
  const { dnsNames, ipAddresses } = parseCertificate(pem);
  return (host) => isValidInGo(host, dnsNames, ipAddresses);
}

function isValidInGo(host: string, dnsNames: readonly string[], ipAddresses: readonly string[]): boolean {
  if (isIP(host) !== 0) return ipAddresses.includes(host);
  const form = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
  const candidate = host.toLowerCase();
  return dnsNames.some((pattern) => {
    const isPattern = form.test(pattern.replace(/^\*\./, ''));
    if (!isPattern || !form.test(candidate.replace(/\.$/, ''))) return pattern.toLowerCase() === candidate;
    const labels = pattern.toLowerCase().split('.');
    const wanted = candidate.replace(/\.$/, '').split('.');
    return (
      labels.length === wanted.length &&
      labels.every((label, index) => (index === 0 && label === '*') || label === wanted[index])
    );
  });
}

const written = (name: string) => [name, name.toUpperCase(), `${name}.`];
const names = fc.oneof(
  fc.constantFrom(
    ...[...ofControlPlanes, ...workers, 'w3', 'w7.example.com', 'w7', 'w7.test'].flatMap(written),
  ),
  fc.constantFrom(
    '*',
    '*.',
    '*.com',
    '*.example.com',
    '*.EXAMPLE.com.',
    'cp*.example.com',
    'cp2.*',
    'c*',
    'a/b',
    'any.lab.test',
    'ANY.lab.test.',
    'other.lab.test',
  ),
  fc.stringMatching(/^[*a-c.2]{1,6}$/),
);
const addresses = fc.constantFrom(
  ...[...ofControlPlanes, ...workers].filter((text) => isIP(text) !== 0),
  ...['::ffff:10.5.0.2', '::ffff:10.5.0.100', '10.5.0.7', '127.0.0.1', 'fd00::7', 'FD00:0::2'],
);

test('no certificate of trustd is valid for a name or address of another node, by the rules of Node.js and of Go', async () => {
  const counts = { signed: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('10.5.0.7', '10.5.0.3'),
      fc.array(names, { maxLength: 2 }),
      fc.array(names, { maxLength: 4 }),
      fc.array(addresses, { maxLength: 4 }),
      async (callerAddress, commonNames, dnsNames, ipAddresses) => {
        const pem = await signedFor(callerAddress, await requestFor(commonNames, dnsNames, ipAddresses));
        counts[pem === undefined ? 'refused' : 'signed'] += 1;
        if (pem === undefined) return;
        const foreign = callerAddress === '10.5.0.3' ? ofControlPlanes : [...ofControlPlanes, ...workers];
        const judges: [string, Judge][] = [
          ['Node.js', judgeOfNode(pem)],
          ['Go', judgeOfGo(pem)],
        ];
        for (const [client, isValid] of judges)
          assert.deepEqual(foreign.flatMap(written).filter(isValid), [], client);
        const { subject = '' } = new X509Certificate(pem);
        assert.ok(subject === '' || subject === `CN=${commonNames[0]}`, subject);
        assert.ok(parseCertificate(pem).dnsNames.every((name) => !name.includes('*')));
      },
    ),
    { numRuns: 1500, seed: 45 },
  );
  assert.ok(counts.signed > 200 && counts.refused > 200, JSON.stringify(counts));
});

test('the rules of Node.js and of Go in this test accept what those clients accept', async () => {
  const pem = (
    await issueCertificate({
      issuer: await generateCertificateAuthority({ algorithm: 'ed25519', notBefore: new Date() }),
      subject: { commonName: 'cn' },
      dnsNames: ['*.example.com', 'Cp2'],
      ipAddresses: ['10.5.0.2'],
      keyUsage: ['digitalSignature'],
      extendedKeyUsage: ['serverAuth'],
      notBefore: new Date(),
      lifetimeHours: 1,
    })
  ).certificate;
  for (const isValid of [judgeOfNode(pem), judgeOfGo(pem)]) {
    const judged = [
      'cp2.example.com',
      'CP2.example.COM',
      'cp2',
      'cp2.',
      '10.5.0.2',
      'a.b.example.com',
      'cn',
      '10.5.0.3',
    ];
    assert.deepEqual(judged.map(isValid), [true, true, true, true, true, false, false, false]);
  }
});

test('a worker with several addresses and certSANs of its own gets all that is not reserved', async () => {
  const request = await requestFor(
    ['w7.example.com'],
    ['w7', 'w7.example.com', 'api.example.com', 'w7.test', '*.example.com'],
    ['10.5.0.7', '192.168.1.7', '10.5.0.100', '127.0.0.1', '10.5.0.2'],
  );
  const pem = await signedFor('10.5.0.7', request);
  assert.ok(pem);
  const { dnsNames, ipAddresses, subject } = parseCertificate(pem);
  assert.deepEqual(
    { dnsNames, ipAddresses, subject },
    {
      dnsNames: ['w7', 'w7.example.com', 'w7.test'],
      ipAddresses: ['10.5.0.7', '192.168.1.7', '127.0.0.1'],
      subject: { commonName: 'w7.example.com', organizations: [] },
    },
  );
});

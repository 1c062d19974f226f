import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '@nodewright/fault';
import { type CertificateAndKey, generateCertificateAuthority, issueCertificate } from '@nodewright/pki';
import { type RootFacts, trustRootFrom } from './trust-root.ts';

const notBefore = new Date();
const makeCa = () => generateCertificateAuthority({ algorithm: 'ed25519', organization: 'talos', notBefore });
const [issuingCa, otherCa] = await Promise.all([makeCa(), makeCa()]);
const server: CertificateAndKey = await issueCertificate({
  issuer: issuingCa,
  subject: { commonName: 'node01' },
  keyUsage: ['digitalSignature'],
  extendedKeyUsage: ['serverAuth'],
  notBefore,
  lifetimeHours: 1,
});
const token = 'abcdef.0123456789abcdef';
const pem = ({ certificate, key }: CertificateAndKey) => ({ crt: certificate, key });
const accepted = (...crts: string[]) => crts.map((crt) => ({ crt }));

const certificates: NonNullable<RootFacts['certificates']> = { server: pem(server), acceptedCAs: [] };
const root: NonNullable<RootFacts['root']> = {
  issuingCA: pem(issuingCa),
  acceptedCAs: accepted(otherCa.certificate.trimEnd(), issuingCa.certificate),
  certSANIPs: [],
  certSANDNSNames: [],
  token,
};

test('trustRootFrom() reads the root of the node and joins the accepted CAs', () => {
  const { token: secret, ...rest } = trustRootFrom({ certificates, root }) ?? { token: undefined };
  assert.deepEqual(rest, {
    server,
    issuingCa,
    acceptedCas: otherCa.certificate + issuingCa.certificate,
  });
  assert.deepEqual([secret?.reveal(), JSON.stringify(secret)], [token, '"******"']);
});

test('trustRootFrom() returns undefined while a resource is missing', () => {
  assert.deepEqual(
    [
      trustRootFrom({ certificates: undefined, root }),
      trustRootFrom({ certificates, root: undefined }),
      trustRootFrom({ certificates: undefined, root: undefined }),
    ],
    [undefined, undefined, undefined],
  );
});

test('trustRootFrom() rejects an incomplete root and names the missing field, not a value', () => {
  const rows: [RootFacts, RegExp][] = [
    [{ root, certificates: { ...certificates, server: undefined } }, /no server certificate/],
    [{ certificates, root: { ...root, issuingCA: undefined } }, /no issuing CA/],
    [{ certificates, root: { ...root, acceptedCAs: [] } }, /no accepted CAs/],
    [{ certificates, root: { ...root, acceptedCAs: accepted('nothing') } }, /contain no certificate/],
    [{ certificates, root: { ...root, token: '' } }, /no token/],
    [
      { certificates, root: { ...root, issuingCA: { ...pem(issuingCa), key: otherCa.key } } },
      /key of the certificate authority/,
    ],
    [{ certificates, root: { ...root, issuingCA: pem(server) } }, /not a certificate authority/],
    [
      { certificates, root: { ...root, issuingCA: { ...pem(issuingCa), key: token } } },
      /private key: not PEM/,
    ],
  ];
  for (const [facts, message] of rows) {
    assert.throws(
      () => trustRootFrom(facts),
      (error) => error instanceof Fault && message.test(error.message) && !error.message.includes(token),
      String(message),
    );
  }
});

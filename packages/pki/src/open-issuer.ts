import type { KeyObject } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import type { CertificateAndKey } from './certificate-and-key.ts';
import type { DerValue } from './der.ts';
import { authorityKeyIdentifierExtension, decodeKeyIdentifier } from './extensions.ts';
import { objectIdentifiers } from './object-identifiers.ts';
import { loadPrivateKey } from './private-key.ts';
import { readCertificateStructure, readCertificates } from './read-certificate.ts';

/**
 * A CA that can sign: its name as it appears in issued certificates, its key, and the extension that
 * identifies the key.
 */
export interface Issuer {
  readonly name: DerValue;
  readonly key: KeyObject;
  /** Empty when the CA has no subject key identifier. */
  readonly authorityKeyIdentifier: readonly DerValue[];
}

/** Throws a Fault `invalid-argument` when no CA certificate in the PEM belongs to the key. */
export function openIssuer({ certificate, key: keyPem }: CertificateAndKey): Issuer {
  const key = loadPrivateKey(keyPem);
  const found = readCertificates(certificate).find((candidate) => candidate.checkPrivateKey(key));
  if (found === undefined) {
    throw new Fault(
      'invalid-argument',
      'the key of the certificate authority does not match its certificate',
    );
  }
  if (!found.ca)
    throw new Fault('invalid-argument', 'the issuing certificate is not a certificate authority');

  const { subject, extensions } = readCertificateStructure(found);
  const extension = extensions.find(({ id }) => id === objectIdentifiers.subjectKeyIdentifier);
  const identifier = extension && decodeKeyIdentifier(extension, 'subject key identifier');
  return {
    name: subject,
    key,
    authorityKeyIdentifier: identifier === undefined ? [] : [authorityKeyIdentifierExtension(identifier)],
  };
}

/** Checks that the pair can issue certificates; throws the Fault of `openIssuer` otherwise. */
export function assertIssuer(pair: CertificateAndKey): void {
  openIssuer(pair);
}

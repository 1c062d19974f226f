import type { KeyObject } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import type { CertificateAndKey } from './certificate-and-key.ts';
import type { DerValue } from './der.ts';
import { authorityKeyIdentifierExtension, decodeKeyIdentifier } from './extensions.ts';
import { objectIdentifiers } from './object-identifiers.ts';
import { loadPrivateKey } from './private-key.ts';
import { readCertificateStructure, readCertificates } from './read-certificate.ts';

/** A CA that can sign: its name as it stands in what it issues, its key, and the extension that names the key. */
export interface Issuer {
  readonly name: DerValue;
  readonly key: KeyObject;
  /** Empty when the CA has no subject key identifier. */
  readonly authorityKeyIdentifier: readonly DerValue[];
}

/** Throws a Fault `invalid-argument` when the key is none of a CA certificate in the PEM. */
export function openIssuer({ certificate, key: keyPem }: CertificateAndKey): Issuer {
  const key = loadPrivateKey(keyPem);
  const found = readCertificates(certificate).find((candidate) => candidate.checkPrivateKey(key));
  if (found === undefined) {
    throw new Fault(
      'invalid-argument',
      'the key of the certificate authority is not that of its certificate',
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

/** Can the pair issue certificates? Throws the Fault of `openIssuer` when not. */
export function assertIssuer(pair: CertificateAndKey): void {
  openIssuer(pair);
}

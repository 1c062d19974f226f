import { type KeyObject, randomBytes } from 'node:crypto';
import { encodeTime } from './certificate-time.ts';
import {
  bitString,
  contextConstructed,
  type DerValue,
  decodeDer,
  encodeDer,
  sequence,
  unsignedInteger,
} from './der.ts';
import { encodePem } from './pem.ts';
import { encodeSignatureAlgorithm, type SignatureAlgorithm, signBytes } from './signature-algorithm.ts';

const serialNumberBytes = 16;
const version3 = contextConstructed(0, [unsignedInteger(Buffer.of(2))]);

/** The contents of a certificate before it is signed. Names and extensions are already in ASN.1. */
export interface CertificateContent {
  readonly subject: DerValue;
  readonly issuer: DerValue;
  readonly notBefore: Date;
  readonly notAfter: Date;
  readonly publicKey: KeyObject;
  readonly extensions: readonly DerValue[];
  /** Default: 128 random bits. */
  readonly serialNumber?: Uint8Array;
}

/** An X.509 v3 certificate as PEM, signed by `signingKey`. */
export function buildCertificate(
  content: CertificateContent,
  algorithm: SignatureAlgorithm,
  signingKey: KeyObject,
): string {
  const spki = content.publicKey.export({ type: 'spki', format: 'der' });
  const signedPart = sequence(
    version3,
    unsignedInteger(content.serialNumber ?? randomBytes(serialNumberBytes)),
    encodeSignatureAlgorithm(algorithm),
    content.issuer,
    sequence(encodeTime(content.notBefore), encodeTime(content.notAfter)),
    content.subject,
    decodeDer(spki, 'public key'),
    contextConstructed(3, [sequence(...content.extensions)]),
  );
  const signature = signBytes(algorithm, encodeDer(signedPart), signingKey);
  const certificate = sequence(signedPart, encodeSignatureAlgorithm(algorithm), bitString(signature));
  return encodePem('CERTIFICATE', encodeDer(certificate));
}

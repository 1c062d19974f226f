import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { buildCertificate } from './build-certificate.ts';
import { encodeName } from './distinguished-name.ts';
import {
  certificateAuthorityExtension,
  keyUsageExtension,
  subjectKeyIdentifierExtension,
} from './extensions.ts';
import { rsaSha256 } from './signature-algorithm.ts';

const identifierBytes = 16;

export interface OwnKeyInit {
  /** A private RSA key. */
  readonly key: KeyObject;
  readonly commonName: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}

/**
 * A self-signed certificate as PEM for an RSA key, signed with SHA-256. Its serial number is derived from the key, so that the
 * same arguments give the same certificate.
 *
 * @throws Fault `invalid-argument` for another kind of key
 */
export function certifyOwnKey({ key, commonName, notBefore, notAfter }: OwnKeyInit): string {
  if (key.asymmetricKeyType !== 'rsa') throw new Fault('invalid-argument', 'the key is not an RSA key');
  const publicKey = createPublicKey(key);
  const digest = createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
  const identifier = digest.subarray(0, identifierBytes);
  const name = encodeName({ commonName });
  const extensions = [
    keyUsageExtension(['digitalSignature', 'certSign']),
    certificateAuthorityExtension(),
    subjectKeyIdentifierExtension(identifier),
  ];
  const content = { subject: name, issuer: name, notBefore, notAfter, publicKey, extensions };
  return buildCertificate({ ...content, serialNumber: identifier }, rsaSha256, key);
}

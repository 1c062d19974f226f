import { X509Certificate } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { childrenOf, type DerValue, decodeDer, isContext } from './der.ts';
import { decodeExtensions, type Extension } from './extensions.ts';
import { decodePem } from './pem.ts';

/** A certificate in any form: PEM text (the first certificate counts), PEM or DER bytes, or Node's object. */
export type CertificateSource = string | Uint8Array | X509Certificate;

/** The ASN.1 parts of a certificate that Node does not return in a reliable form. */
export interface CertificateStructure {
  readonly subject: DerValue;
  readonly issuer: DerValue;
  readonly extensions: readonly Extension[];
}

const what = 'failed to read the certificate';
const sequenceTag = 0x30;

function x509FromDer(der: Uint8Array): X509Certificate {
  try {
    return new X509Certificate(der);
  } catch (error) {
    throw new Fault('invalid-argument', `${what}: not an X.509 certificate`, { cause: error });
  }
}

/** Every certificate of a PEM text, in order. Throws a Fault `invalid-argument` when one cannot be parsed. */
export function readCertificates(pem: string | Uint8Array): X509Certificate[] {
  return decodePem(pem)
    .filter(({ label }) => label === 'CERTIFICATE')
    .map(({ der }) => x509FromDer(der));
}

/** The certificate, or the first of several. Throws a Fault `invalid-argument` when there is no valid one. */
export function readCertificate(source: CertificateSource): X509Certificate {
  if (source instanceof X509Certificate) return source;
  if (typeof source !== 'string' && source[0] === sequenceTag) return x509FromDer(source);
  const block = decodePem(source).find(({ label }) => label === 'CERTIFICATE');
  if (block === undefined) throw new Fault('invalid-argument', `${what}: no PEM block CERTIFICATE`);
  return x509FromDer(block.der);
}

export function readCertificateStructure(certificate: X509Certificate): CertificateStructure {
  const [signedPart] = childrenOf(decodeDer(certificate.raw, what), what);
  const fields = childrenOf(signedPart, what);
  // Certificates of version 1 have no version field.
  const first = isContext(fields[0], 0) ? 1 : 0;
  const [issuer, subject] = [fields[first + 2], fields[first + 4]];
  if (issuer === undefined || subject === undefined) {
    throw new Fault('invalid-argument', `${what}: unexpected ASN.1 structure`);
  }
  const wrapped = fields.slice(first + 6).find((field) => isContext(field, 3));
  const extensions = wrapped === undefined ? undefined : childrenOf(wrapped, what)[0];
  return {
    subject,
    issuer,
    extensions: extensions === undefined ? [] : decodeExtensions(extensions, what),
  };
}

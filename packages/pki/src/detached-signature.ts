// Detached signatures of bytes: PKCS #7 as the kernel's dm-verity and `openssl cms -verify` read it.
// Source: RFC 2315. Source: Linux, dm-verity, root_hash_sig_key_desc.
import { type KeyObject, sign, verify, type X509Certificate } from 'node:crypto';
import {
  asn1Null,
  childrenOf,
  contentOf,
  contextConstructed,
  type DerValue,
  decodeDer,
  encodeDer,
  octetString,
  oid,
  sequence,
  setOf,
  unsignedInteger,
} from './der.ts';

const ids = {
  data: '1.2.840.113549.1.7.1',
  signedData: '1.2.840.113549.1.7.2',
  sha256: '2.16.840.1.101.3.4.2.1',
  rsaEncryption: '1.2.840.113549.1.1.1',
} as const;

/** The most bytes that such a signature has: one of an RSA key, with the name of the issuer. */
export const detachedSignatureBytes = 4096;

/** The parts of a SignedData with one signer. */
export interface SignedDataInit {
  /** The content type, and the content unless it is detached. */
  readonly contentInfo: DerValue;
  /** What was signed in place of the content, if it was not the content itself. */
  readonly attributes?: readonly DerValue[];
  /** Of the key that signed with SHA-256. */
  readonly certificate: X509Certificate;
  /** Whether the certificate is part of it. */
  readonly hasCertificate: boolean;
  readonly signature: Buffer;
}

/** Encodes a ContentInfo with a SignedData. The same arguments give the same bytes. */
export function encodeSignedData(init: SignedDataInit): Buffer {
  const { contentInfo, attributes, certificate, hasCertificate, signature } = init;
  const version1 = () => unsignedInteger(Buffer.of(1));
  const sha256 = () => sequence(oid(ids.sha256), asn1Null());
  const signer = sequence(
    version1(),
    sequence(...issuerAndSerial(certificate)),
    sha256(),
    ...(attributes === undefined ? [] : [contextConstructed(0, childrenOf(setOf(attributes), 'attributes'))]),
    sequence(oid(ids.rsaEncryption), asn1Null()),
    octetString(signature),
  );
  const signedData = sequence(
    version1(),
    setOf([sha256()]),
    contentInfo,
    ...(hasCertificate ? [contextConstructed(0, [decodeDer(certificate.raw, 'certificate')])] : []),
    setOf([signer]),
  );
  return encodeDer(sequence(oid(ids.signedData), contextConstructed(0, [signedData])));
}

/** The issuer and the serial number, as they are in the certificate. */
function issuerAndSerial(certificate: X509Certificate): [DerValue, DerValue] {
  const [signed] = childrenOf(decodeDer(certificate.raw, 'certificate'), 'certificate');
  const [, serial, , issuer] = childrenOf(signed, 'certificate');
  if (serial === undefined || issuer === undefined) throw new Error('the certificate has no issuer');
  return [issuer, serial];
}

/**
 * Signs bytes with an RSA key. The signature has neither the bytes nor the certificate nor a time, so the same arguments give
 * the same bytes.
 */
export function signDetached(content: Uint8Array, key: KeyObject, certificate: X509Certificate): Buffer {
  return detached(sign('sha256', content, key), certificate);
}

const detached = (signature: Buffer, certificate: X509Certificate) =>
  encodeSignedData({
    ...{ contentInfo: sequence(oid(ids.data)), certificate, hasCertificate: false, signature },
  });

/**
 * Whether `signDetached()` made the signature, with the key of one of the certificates. It accepts only the encoding that
 * `signDetached()` writes, so the signature of an untrusted source is not interpreted.
 */
export function isSignedDetached(
  content: Uint8Array,
  signature: Uint8Array,
  certificates: readonly X509Certificate[],
): boolean {
  const value = signature.length <= detachedSignatureBytes ? signatureValue(signature) : undefined;
  return (
    value !== undefined &&
    certificates.some(
      (certificate) =>
        certificate.publicKey.asymmetricKeyType === 'rsa' &&
        detached(value, certificate).equals(signature) &&
        verify('sha256', content, certificate.publicKey, value),
    )
  );
}

/** The last value of the signer. Undefined for anything else than such a signature. */
function signatureValue(bytes: Uint8Array): Buffer | undefined {
  const what = 'signature';
  try {
    const [, explicit] = childrenOf(decodeDer(bytes, what), what);
    const [, , , signers] = childrenOf(childrenOf(explicit, what)[0], what);
    const [signer] = childrenOf(signers, what);
    return contentOf(childrenOf(signer, what).at(-1), what);
  } catch {
    return undefined;
  }
}

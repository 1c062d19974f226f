// Signatures of programs for UEFI firmware: PKCS #7 around the digest of the program.
// Source: Windows Authenticode Portable Executable Signature Format. Source: RFC 2315.
import { createHash, type KeyObject, sign, verify, type X509Certificate } from 'node:crypto';
import {
  asn1Null,
  bitString,
  childrenOf,
  contentOf,
  contextConstructed,
  contextPrimitive,
  type DerValue,
  decodeDer,
  encodeDer,
  octetString,
  oid,
  sequence,
  setOf,
} from '@nodewright/pki/der';
import { encodeSignedData } from '@nodewright/pki/detached-signature';
import { addSignature, programDigest, signatureOf } from './efi-program.ts';

const ids = {
  indirectData: '1.3.6.1.4.1.311.2.1.4',
  peImageData: '1.3.6.1.4.1.311.2.1.15',
  contentType: '1.2.840.113549.1.9.3',
  messageDigest: '1.2.840.113549.1.9.4',
  sha256: '2.16.840.1.101.3.4.2.1',
} as const;

const sha256 = () => sequence(oid(ids.sha256), asn1Null());
const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest();

/** Signs a program for UEFI firmware. There is no time in the signature, so the same arguments give the same bytes. */
export function signProgram(program: Buffer, key: KeyObject, certificate: X509Certificate): Buffer {
  const content = indirectData(programDigest(program));
  // The digest covers the contents of the sequence, without its header.
  const message = Buffer.concat(childrenOf(content, 'content').map(encodeDer));
  const attributes = [
    sequence(oid(ids.contentType), setOf([oid(ids.indirectData)])),
    sequence(oid(ids.messageDigest), setOf([octetString(digestOf(message))])),
  ];
  const signature = sign('sha256', encodeDer(setOf(attributes)), key);
  const whole = encodeSignedData({
    contentInfo: sequence(oid(ids.indirectData), contextConstructed(0, [content])),
    ...{ attributes, certificate, hasCertificate: true, signature },
  });
  return addSignature(program, whole);
}

/** SpcIndirectDataContent: the digest of a program, which is in no other file. */
function indirectData(digest: Buffer): DerValue {
  const noFile = contextConstructed(0, [contextConstructed(2, [contextPrimitive(0, Buffer.alloc(0))])]);
  return sequence(
    sequence(oid(ids.peImageData), sequence(bitString(Buffer.alloc(0)), noFile)),
    sequence(sha256(), octetString(digest)),
  );
}

/**
 * Compares a program with its signature.
 *
 * @returns why the program is not as the owner of the certificate signed it; undefined when it is
 */
export function programProblem(program: Buffer, certificate: X509Certificate): string | undefined {
  let signature: Buffer | undefined;
  let parts: ReturnType<typeof partsOf>;
  try {
    signature = signatureOf(program);
    if (signature === undefined) return 'has no signature for firmware';
    parts = partsOf(signature);
    if (!parts.digest.equals(programDigest(program))) return 'was changed after it was signed for firmware';
  } catch {
    return 'is damaged';
  }
  const { message, attributes, attributeDigest } = parts;
  const isWhole =
    attributeDigest.equals(digestOf(message)) &&
    verify('sha256', attributes, certificate.publicKey, parts.signature);
  return isWhole ? undefined : 'is not signed with the key of this certificate';
}

/** What `signProgram()` has put into a signature. */
function partsOf(padded: Buffer) {
  const what = 'signature';
  const bytes = padded.subarray(0, lengthOf(padded));
  const [, explicit] = childrenOf(decodeDer(bytes, what), what);
  const [, , content, , signers] = childrenOf(childrenOf(explicit, what)[0], what);
  const [data] = childrenOf(childrenOf(content, what)[1], what);
  const [, digestInfo] = childrenOf(data, what);
  const [signer] = childrenOf(signers, what);
  const [, , , attributes, , signature] = childrenOf(signer, what);
  const signedAttributes = childrenOf(attributes, what);
  const [, digests] = childrenOf(signedAttributes[1], what);
  return {
    digest: contentOf(childrenOf(digestInfo, what)[1], what),
    message: Buffer.concat(childrenOf(data, what).map(encodeDer)),
    attributes: encodeDer(setOf(signedAttributes)),
    attributeDigest: contentOf(childrenOf(digests, what)[0], what),
    signature: contentOf(signature, what),
  };
}

/** The length of the DER value at the start of the bytes, which has two bytes of length. */
function lengthOf(bytes: Buffer): number {
  if (bytes[1] !== 0x82) throw new Error('the signature has an unexpected length');
  return 4 + bytes.readUInt16BE(2);
}

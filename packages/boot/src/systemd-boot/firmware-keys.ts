// Whether firmware with Secure Boot starts a program: a machine that is told to start one that is refused waits in its firmware. Only what we sign
// ourselves is known here: a signature with one certificate, which is in the list of the firmware as it is.
// Source: UEFI specification 2.10, chapter 32. Source: PE format. Source: RFC 2315.
import type { Section } from './unified-kernel.ts';

/** The list of keys for programs, as a file of efivarfs. Source: UEFI specification 2.10, chapter 32. */
export const programKeysFile = 'db-d719b2cb-3d3a-4596-a3bc-dad00e67656f';

/** What is larger is not read: some boards have lists of dozens of kilobytes. */
export const programKeysBytes = 1 << 18;
/** What is larger is not read as a signature. */
export const signatureBytes = 1 << 16;

/** EFI_CERT_X509_GUID as it is stored. */
const certificateType = Buffer.from('a159c0a5e494a74a87b5ab155c2bf072', 'hex');
const listHeaderBytes = 28;
const ownerBytes = 16;
const attributeBytes = 4;
const tableHeaderBytes = 8;

/** The certificates in the list of the firmware, as DER. What is damaged ends the list. @param file the file of efivarfs */
export function programKeys(file: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = attributeBytes; at + listHeaderBytes <= file.length; ) {
    const listBytes = file.readUInt32LE(at + 16);
    const first = at + listHeaderBytes + file.readUInt32LE(at + 20);
    const entryBytes = file.readUInt32LE(at + 24);
    const end = at + listBytes;
    if (listBytes < listHeaderBytes || end > file.length || entryBytes <= ownerBytes) return found;
    if (file.subarray(at, at + 16).equals(certificateType))
      for (let entry = first; entry + entryBytes <= end; entry += entryBytes)
        found.push(file.subarray(entry + ownerBytes, entry + entryBytes));
    at = end;
  }
  return found;
}

/** Where a program for UEFI has its signature; undefined when it has none. @param head the first `headerBytes` of the file */
export function signaturePlace(head: Buffer): Section | undefined {
  const optional = head.length >= 0x40 ? head.readUInt32LE(0x3c) + 24 : head.length;
  const entry = optional + 112 + 4 * 8;
  if (entry + 8 > head.length || head.readUInt16LE(optional) !== 0x20b) return undefined;
  const [offset, bytes] = [head.readUInt32LE(entry), head.readUInt32LE(entry + 4)];
  return bytes <= tableHeaderBytes || bytes > signatureBytes
    ? undefined
    : { offset: offset + tableHeaderBytes, bytes: bytes - tableHeaderBytes };
}

/** The certificate in a signature, as DER; undefined when it has none. @param signature PKCS #7, at the place of `signaturePlace()` */
export function signerCertificate(signature: Buffer): Buffer | undefined {
  const [content] = valuesIn(signature);
  const [, explicit] = valuesIn(content?.body);
  const [signedData] = valuesIn(explicit?.body);
  const certificates = valuesIn(signedData?.body).find(({ tag }) => tag === 0xa0);
  return valuesIn(certificates?.body)[0]?.whole;
}

/**
 * Whether the firmware accepts the signature of a program.
 *
 * @param keys the file of efivarfs
 * @param signature as for `signerCertificate()`; undefined for a program without one
 */
export function isSignedForFirmware(keys: Buffer, signature: Buffer | undefined): boolean {
  const signer = signature && signerCertificate(signature);
  return signer !== undefined && programKeys(keys).some((key) => key.equals(signer));
}

interface Value {
  readonly tag: number;
  readonly body: Buffer;
  readonly whole: Buffer;
}

/** The values of DER that follow each other. What is damaged ends them. */
function valuesIn(bytes: Buffer | undefined): Value[] {
  const found: Value[] = [];
  for (let at = 0; bytes !== undefined && at + 2 <= bytes.length; ) {
    const short = bytes.readUInt8(at + 1);
    const lengthBytes = short < 0x80 ? 0 : short & 0x7f;
    if (lengthBytes > 4 || short === 0x80 || at + 2 + lengthBytes > bytes.length) return found;
    const from = at + 2 + lengthBytes;
    const end = from + (lengthBytes === 0 ? short : bytes.readUIntBE(at + 2, lengthBytes));
    if (end > bytes.length) return found;
    const whole = bytes.subarray(at, end);
    found.push({ tag: bytes.readUInt8(at), body: bytes.subarray(from, end), whole });
    at = end;
  }
  return found;
}

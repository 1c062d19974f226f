// The few ASN.1 types that certificates need, as functions on top of forge's reader and writer. Bytes are
// latin-1 strings inside forge and Buffers outside.
import { Fault } from '@nodewright/fault';
import asn1, { type Asn1 } from 'node-forge/lib/asn1.js';

/** An ASN.1 value, created by one of the functions below. */
export type DerValue = Asn1;

/** Tag numbers of the universal class. Source: X.680. */
export const tags = {
  boolean: 1,
  integer: 2,
  bitString: 3,
  octetString: 4,
  null: 5,
  oid: 6,
  utf8String: 12,
  sequence: 16,
  set: 17,
  printableString: 19,
  teletexString: 20,
  ia5String: 22,
  utcTime: 23,
  generalizedTime: 24,
  bmpString: 30,
} as const;

const universal = 0x00;
const contextSpecific = 0x80;
/** Certificates nest about ten levels deep; deeper input is an attempt to exhaust the stack. */
const maxDepth = 32;

/**
 * Decodes one DER value that fills all of `bytes`. Throws a Fault `invalid-argument` that starts with `what`
 * for anything else, including encodings that are not canonical, because two parsers could read those
 * differently.
 */
export function decodeDer(bytes: Uint8Array, what: string): DerValue {
  const input = Buffer.from(bytes).toString('latin1');
  let value: DerValue;
  let canonical: string;
  try {
    value = asn1.fromDer(input, { strict: true, parseAllBytes: true, decodeBitStrings: false, maxDepth });
    canonical = asn1.toDer(value).getBytes();
  } catch (error) {
    throw new Fault('invalid-argument', `${what}: malformed ASN.1`, { cause: error });
  }
  if (canonical !== input) throw new Fault('invalid-argument', `${what}: not canonical DER`);
  return value;
}

export function encodeDer(value: DerValue): Buffer {
  return Buffer.from(asn1.toDer(value).getBytes(), 'latin1');
}

function primitive(type: number, content: string): DerValue {
  return asn1.create(universal, type, false, content);
}

export function sequence(...items: DerValue[]): DerValue {
  return asn1.create(universal, tags.sequence, true, items);
}

/** A SET OF: DER orders the members by their encodings. */
export function setOf(items: readonly DerValue[]): DerValue {
  const value = items
    .map((item) => ({ item, bytes: encodeDer(item) }))
    .sort((left, right) => Buffer.compare(left.bytes, right.bytes))
    .map(({ item }) => item);
  return asn1.create(universal, tags.set, true, value);
}

export function oid(id: string): DerValue {
  return primitive(tags.oid, asn1.oidToDer(id).getBytes());
}

/** A non-negative INTEGER of any size from its big-endian bytes. */
export function unsignedInteger(bytes: Uint8Array): DerValue {
  const firstSet = bytes.findIndex((byte) => byte !== 0);
  const significant = Buffer.from(firstSet < 0 ? [0] : bytes.subarray(firstSet));
  const needsSignByte = (significant[0] ?? 0) >= 0x80;
  return primitive(tags.integer, (needsSignByte ? '\0' : '') + significant.toString('latin1'));
}

export function boolean(value: boolean): DerValue {
  return primitive(tags.boolean, value ? '\xff' : '\0');
}

export function octetString(content: Uint8Array): DerValue {
  return primitive(tags.octetString, Buffer.from(content).toString('latin1'));
}

export function bitString(content: Uint8Array, unusedBits = 0): DerValue {
  return primitive(tags.bitString, String.fromCharCode(unusedBits) + Buffer.from(content).toString('latin1'));
}

export function asn1Null(): DerValue {
  return primitive(tags.null, '');
}

/** One of the character string types. The caller must ensure that the type permits the characters. */
export function characterString(type: number, bytes: Uint8Array): DerValue {
  return primitive(type, Buffer.from(bytes).toString('latin1'));
}

/** `[number] IMPLICIT` of a primitive value. */
export function contextPrimitive(number: number, content: Uint8Array): DerValue {
  return asn1.create(contextSpecific, number, false, Buffer.from(content).toString('latin1'));
}

/** `[number]` around `items`: EXPLICIT of one value, or IMPLICIT of a sequence or set. */
export function contextConstructed(number: number, items: readonly DerValue[]): DerValue {
  return asn1.create(contextSpecific, number, true, [...items]);
}

/** Whether `value` has the universal type `type` (one of `tags`). */
export function isUniversal(value: DerValue | undefined, type: number): boolean {
  return value?.tagClass === universal && value.type === type;
}

/** Whether `value` has the context-specific tag `number`. */
export function isContext(value: DerValue | undefined, number: number): boolean {
  return value?.tagClass === contextSpecific && value.type === number;
}

/** The members of a constructed value. Throws a Fault for other values. */
export function childrenOf(value: DerValue | undefined, what: string): DerValue[] {
  if (value === undefined || !value.constructed || typeof value.value === 'string') {
    throw new Fault('invalid-argument', `${what}: unexpected ASN.1 structure`);
  }
  return value.value;
}

/** The content bytes of a primitive value. Throws a Fault for other values. */
export function contentOf(value: DerValue | undefined, what: string): Buffer {
  if (value === undefined || value.constructed || typeof value.value !== 'string') {
    throw new Fault('invalid-argument', `${what}: unexpected ASN.1 structure`);
  }
  // The reader turns BMPString into UTF-16 units; all other types stay bytes.
  if (isUniversal(value, tags.bmpString)) return Buffer.from(value.value, 'utf16le').swap16();
  return Buffer.from(value.value, 'latin1');
}

/** The content of a BIT STRING that consists of whole bytes. */
export function bitStringOf(value: DerValue | undefined, what: string): Buffer {
  const content = isUniversal(value, tags.bitString) ? contentOf(value, what) : Buffer.of(1);
  if (content[0] !== 0) throw new Fault('invalid-argument', `${what}: unexpected ASN.1 structure`);
  return content.subarray(1);
}

/** The dotted form of an OBJECT IDENTIFIER. */
export function oidOf(value: DerValue | undefined, what: string): string {
  if (isUniversal(value, tags.oid)) {
    const content = contentOf(value, what);
    try {
      if (content.length > 0) return asn1.derToOid(content.toString('latin1'));
    } catch (error) {
      throw new Fault('invalid-argument', `${what}: malformed object identifier`, { cause: error });
    }
  }
  throw new Fault('invalid-argument', `${what}: unexpected ASN.1 structure`);
}

import { Fault } from '@nodewright/fault';
import {
  bitString,
  boolean,
  childrenOf,
  contentOf,
  contextPrimitive,
  type DerValue,
  decodeDer,
  encodeDer,
  isContext,
  isUniversal,
  octetString,
  oid,
  oidOf,
  sequence,
  tags,
} from './der.ts';
import { objectIdentifiers } from './object-identifiers.ts';
import { type AlternativeNames, encodeAlternativeNames } from './subject-alternative-name.ts';

export type KeyUsage = 'digitalSignature' | 'keyEncipherment' | 'certSign';
export type ExtendedKeyUsage = 'serverAuth' | 'clientAuth';

/** Bit positions. Source: RFC 5280, section 4.2.1.3. */
const keyUsageBits = { digitalSignature: 0, keyEncipherment: 2, certSign: 5 } as const satisfies Record<
  KeyUsage,
  number
>;

/** An extension of a certificate or a request, with its value decoded. */
export interface Extension {
  readonly id: string;
  readonly value: DerValue;
}

function extension(id: string, critical: boolean, value: DerValue): DerValue {
  const criticality = critical ? [boolean(true)] : [];
  return sequence(oid(id), ...criticality, octetString(encodeDer(value)));
}

export function keyUsageExtension(usages: readonly KeyUsage[]): DerValue {
  const positions: number[] = usages.map((usage) => keyUsageBits[usage]);
  const bits = positions.reduce((byte, position) => byte | (0x80 >> position), 0);
  // A named bit list ends at its last set bit.
  const unusedBits = 7 - Math.max(...positions);
  return extension(objectIdentifiers.keyUsage, true, bitString(Buffer.of(bits), unusedBits));
}

export function extendedKeyUsageExtension(usages: readonly ExtendedKeyUsage[]): DerValue {
  const ids = usages.map((usage) => oid(objectIdentifiers[usage]));
  return extension(objectIdentifiers.extendedKeyUsage, false, sequence(...ids));
}

/** CA true, no path length. */
export function certificateAuthorityExtension(): DerValue {
  return extension(objectIdentifiers.basicConstraints, true, sequence(boolean(true)));
}

export function subjectKeyIdentifierExtension(identifier: Uint8Array): DerValue {
  return extension(objectIdentifiers.subjectKeyIdentifier, false, octetString(identifier));
}

export function authorityKeyIdentifierExtension(identifier: Uint8Array): DerValue {
  const value = sequence(contextPrimitive(0, identifier));
  return extension(objectIdentifiers.authorityKeyIdentifier, false, value);
}

/** No extension without names. Critical when the subject is empty (RFC 5280 §4.2.1.6). */
export function alternativeNameExtensions(names: AlternativeNames, subjectIsEmpty: boolean): DerValue[] {
  if (names.dnsNames.length + names.ipAddresses.length === 0) return [];
  return [extension(objectIdentifiers.subjectAltName, subjectIsEmpty, encodeAlternativeNames(names))];
}

/**
 * Splits an `Extensions` sequence. Duplicates are refused, because parsers disagree on which one counts.
 * Values of unused extensions are not parsed.
 */
export function decodeExtensions(value: DerValue, what: string): Extension[] {
  const known = new Set<string>(Object.values(objectIdentifiers));
  const seen = new Set<string>();
  const extensions: Extension[] = [];
  for (const item of childrenOf(value, what)) {
    const parts = childrenOf(item, what);
    const id = oidOf(parts[0], what);
    if (seen.has(id)) throw new Fault('invalid-argument', `${what}: extension ${id} appears twice`);
    seen.add(id);
    if (!known.has(id)) continue;
    const content = isUniversal(parts[1], tags.boolean) ? parts[2] : parts[1];
    extensions.push({ id, value: decodeDer(contentOf(content, what), `${what}: extension ${id}`) });
  }
  return extensions;
}

/** Names of the usages; a dotted identifier if a usage has no name. */
export function decodeExtendedKeyUsage(value: DerValue, what: string): string[] {
  return childrenOf(value, what).map((item) => {
    const id = oidOf(item, what);
    if (id === objectIdentifiers.serverAuth) return 'serverAuth';
    return id === objectIdentifiers.clientAuth ? 'clientAuth' : id;
  });
}

export function decodeBasicConstraints(value: DerValue, what: string): { isCa: boolean } {
  const [first] = childrenOf(value, what);
  return { isCa: isUniversal(first, tags.boolean) && contentOf(first, what)[0] !== 0 };
}

/** The key identifier in either of the two key identifier extensions; undefined if it is missing. */
export function decodeKeyIdentifier({ id, value }: Extension, what: string): Buffer | undefined {
  if (id === objectIdentifiers.subjectKeyIdentifier) return contentOf(value, what);
  const identifier = childrenOf(value, what).find((item) => isContext(item, 0));
  return identifier === undefined ? undefined : contentOf(identifier, what);
}

import { Fault } from '@nodewright/fault';
import {
  characterString,
  childrenOf,
  contentOf,
  type DerValue,
  isUniversal,
  oid,
  oidOf,
  sequence,
  setOf,
  tags,
} from './der.ts';
import { objectIdentifiers } from './object-identifiers.ts';

/**
 * The used parts of a subject: the common name, and the organisations, which are the roles of an API client.
 */
export interface Subject {
  readonly commonName?: string;
  readonly organizations?: readonly string[];
}

/** A parsed subject: a missing name is `undefined`, and missing organisations are an empty list. */
export interface SubjectInfo {
  readonly commonName: string | undefined;
  readonly organizations: readonly string[];
}

const what = 'distinguished name';
const printable = /^[A-Za-z0-9 '()+,\-./:=?]*$/;

function attribute(id: string, value: string): DerValue {
  // Go writes PrintableString if the characters permit it. Doing the same makes names equal byte by byte.
  const type = printable.test(value) ? tags.printableString : tags.utf8String;
  return sequence(oid(id), characterString(type, Buffer.from(value, 'utf8')));
}

/**
 * All organisations are in one relative name, so they are returned in the order of their encodings (shorter
 * first), not in the given order: they are a set. Source: Talos v1.14: certificate subjects.
 */
export function encodeName({ commonName, organizations = [] }: Subject): DerValue {
  const relativeNames: DerValue[] = [];
  if (organizations.length > 0) {
    const values = [...new Set(organizations)];
    relativeNames.push(setOf(values.map((value) => attribute(objectIdentifiers.organization, value))));
  }
  if (commonName !== undefined && commonName !== '') {
    relativeNames.push(setOf([attribute(objectIdentifiers.commonName, commonName)]));
  }
  return sequence(...relativeNames);
}

function textOf(value: DerValue | undefined): string {
  const content = contentOf(value, what);
  if (isUniversal(value, tags.bmpString)) return content.swap16().toString('utf16le');
  if (isUniversal(value, tags.teletexString)) return content.toString('latin1');
  const text = content.toString('utf8');
  if (!Buffer.from(text, 'utf8').equals(content)) throw new Fault('invalid-argument', `${what}: not UTF-8`);
  return text;
}

interface Attribute {
  readonly type: string;
  readonly text: () => string;
}

function attributesOf(relativeName: DerValue): Attribute[] {
  if (!isUniversal(relativeName, tags.set)) {
    throw new Fault('invalid-argument', `${what}: unexpected ASN.1 structure`);
  }
  return childrenOf(relativeName, what).map((item) => {
    const [type, value] = childrenOf(item, what);
    return { type: oidOf(type, what), text: () => textOf(value) };
  });
}

function textsOf(name: DerValue | undefined, id: string): string[] {
  const attributes = childrenOf(name, what).flatMap(attributesOf);
  return attributes.filter(({ type }) => type === id).map(({ text }) => text());
}

/** All common names, in their order. TLS clients disagree on which of several counts. */
export const commonNamesOf = (name: DerValue | undefined): string[] =>
  textsOf(name, objectIdentifiers.commonName);

/** The known parts. Other attributes are ignored; the last of several common names counts. */
export function decodeName(name: DerValue | undefined): SubjectInfo {
  return {
    commonName: commonNamesOf(name).at(-1),
    organizations: textsOf(name, objectIdentifiers.organization),
  };
}

import { type KeyObject, sign, verify } from 'node:crypto';
import { Fault } from '@nodewright/fault';
import { asn1Null, childrenOf, type DerValue, isUniversal, oid, oidOf, sequence, tags } from './der.ts';

/** A signature algorithm: the key family, and the hash if the family does not determine it. */
export interface SignatureAlgorithm {
  readonly id: string;
  readonly name: string;
  readonly keyType: 'ed25519' | 'ec' | 'rsa';
  readonly hash: 'sha256' | 'sha384' | 'sha512' | null;
}

const ed25519 = { id: '1.3.101.112', name: 'Ed25519', keyType: 'ed25519', hash: null } as const;
const ecdsaSha256 = {
  id: '1.2.840.10045.4.3.2',
  name: 'ECDSA-SHA256',
  keyType: 'ec',
  hash: 'sha256',
} as const;
const rsaSha512 = {
  id: '1.2.840.113549.1.1.13',
  name: 'RSA-SHA512',
  keyType: 'rsa',
  hash: 'sha512',
} as const;

/** The algorithm that firmware verifies. */
export const rsaSha256: SignatureAlgorithm = {
  id: '1.2.840.113549.1.1.11',
  name: 'RSA-SHA256',
  keyType: 'rsa',
  hash: 'sha256',
};

/** The algorithms that requests may use. SHA-1 and RSA-PSS are not accepted. */
const accepted: readonly SignatureAlgorithm[] = [
  ed25519,
  ecdsaSha256,
  { id: '1.2.840.10045.4.3.3', name: 'ECDSA-SHA384', keyType: 'ec', hash: 'sha384' },
  { id: '1.2.840.10045.4.3.4', name: 'ECDSA-SHA512', keyType: 'ec', hash: 'sha512' },
  rsaSha256,
  { id: '1.2.840.113549.1.1.12', name: 'RSA-SHA384', keyType: 'rsa', hash: 'sha384' },
  rsaSha512,
];

/** The default algorithm for a key. Source: Talos v1.14: certificate primitives. */
export function signatureAlgorithmOf(key: KeyObject): SignatureAlgorithm {
  const found = [ed25519, ecdsaSha256, rsaSha512].find(({ keyType }) => keyType === key.asymmetricKeyType);
  if (found !== undefined) return found;
  throw new Fault('invalid-argument', `keys of type ${key.asymmetricKeyType} are not supported`);
}

export function encodeSignatureAlgorithm({ id, keyType }: SignatureAlgorithm): DerValue {
  // RSA requires explicit NULL parameters (RFC 4055), the others no parameters (RFC 5758, RFC 8410).
  return keyType === 'rsa' ? sequence(oid(id), asn1Null()) : sequence(oid(id));
}

/** The accepted algorithm that an identifier names, or undefined. */
export function decodeSignatureAlgorithm(value: DerValue | undefined): SignatureAlgorithm | undefined {
  const [id, parameters] = childrenOf(value, 'signature algorithm');
  if (parameters !== undefined && !isUniversal(parameters, tags.null)) return undefined;
  const dotted = oidOf(id, 'signature algorithm');
  return accepted.find((algorithm) => algorithm.id === dotted);
}

export function signBytes({ hash }: SignatureAlgorithm, bytes: Uint8Array, key: KeyObject): Buffer {
  return sign(hash, bytes, key);
}

/** False for a wrong signature and for a key of another family. */
export function verifyBytes(
  { hash, keyType }: SignatureAlgorithm,
  bytes: Uint8Array,
  key: KeyObject,
  signature: Uint8Array,
): boolean {
  return key.asymmetricKeyType === keyType && verify(hash, bytes, key, signature);
}

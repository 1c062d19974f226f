import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { Fault } from '@nodewright/fault';
import { decodePem, encodePem, type PemBlock } from './pem.ts';

/** The key types that the PKI of a node creates. */
export type KeyAlgorithm = 'ed25519' | 'ecdsa-p256' | 'rsa-4096';

export interface KeyPair {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

const ed25519Label = 'ED25519 PRIVATE KEY';
const formats: Readonly<Record<string, 'pkcs8' | 'sec1' | 'pkcs1'>> = {
  // A label that only this system uses for ordinary PKCS #8; OpenSSL does not know it.
  [ed25519Label]: 'pkcs8',
  'PRIVATE KEY': 'pkcs8',
  'EC PRIVATE KEY': 'sec1',
  'RSA PRIVATE KEY': 'pkcs1',
};
const generate = promisify(generateKeyPair);

/**
 * Creates a key pair in the thread pool. RSA-4096 takes a third of a second to over a second; the other types
 * take almost no time.
 */
export function generateKey(algorithm: KeyAlgorithm): Promise<KeyPair> {
  if (algorithm === 'ed25519') return generate('ed25519');
  if (algorithm === 'ecdsa-p256') return generate('ec', { namedCurve: 'P-256' });
  return generate('rsa', { modulusLength: 4096 });
}

/**
 * The private key that signs Kubernetes service account tokens: RSA 4096, PEM. Source: Talos v1.14: secrets.
 * It generates one key. Taking the faster of two parallel generations was slower overall, because the process
 * cannot exit before the other one ends.
 */
export async function generateServiceAccountKey(): Promise<string> {
  const { privateKey } = await generateKey('rsa-4096');
  return encodePrivateKey(privateKey);
}

/** The key type of the certificates that a CA with this key issues. Source: Talos v1.14: leaf key type. */
export function keyAlgorithmOf(key: KeyObject): KeyAlgorithm {
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519';
  if (key.asymmetricKeyType === 'ec') return 'ecdsa-p256';
  if (key.asymmetricKeyType === 'rsa') return 'rsa-4096';
  throw new Fault('invalid-argument', `keys of type ${key.asymmetricKeyType} are not supported`);
}

/** PEM with the label that machine configurations use. Source: Talos v1.14: PEM labels. */
export function encodePrivateKey(key: KeyObject): string {
  const algorithm = keyAlgorithmOf(key);
  if (algorithm === 'ed25519') {
    return encodePem(ed25519Label, key.export({ type: 'pkcs8', format: 'der' }));
  }
  return algorithm === 'rsa-4096'
    ? key.export({ type: 'pkcs1', format: 'pem' }).toString()
    : key.export({ type: 'sec1', format: 'pem' }).toString();
}

/** The first private key of a text. Some tools write a block of parameters before an EC key. */
function privateKeyBlock(pem: string | Uint8Array): PemBlock {
  const blocks = decodePem(pem);
  const block = blocks.find(({ label }) => label.endsWith('PRIVATE KEY')) ?? blocks[0];
  if (block === undefined) throw new Fault('invalid-argument', 'failed to read the private key: not PEM');
  if (formats[block.label] === undefined) {
    const known = Object.keys(formats).join(', ');
    throw new Fault(
      'invalid-argument',
      `failed to read the private key: PEM label ${JSON.stringify(block.label)} is not one of ${known}`,
    );
  }
  return block;
}

/**
 * Parses a private key with any accepted label. Throws a Fault `invalid-argument` that never contains the
 * key.
 */
export function loadPrivateKey(pem: string | Uint8Array): KeyObject {
  const { label, der } = privateKeyBlock(pem);
  try {
    return createPrivateKey({ key: der, format: 'der', type: formats[label] });
  } catch (error) {
    throw new Fault(
      'invalid-argument',
      `failed to read the private key: the content does not match the label ${JSON.stringify(label)}`,
      { cause: error },
    );
  }
}

/** The same key with a label that OpenSSL, and therefore node:tls, accepts. */
export function tlsPrivateKey(pem: string | Uint8Array): string {
  const { label, der } = privateKeyBlock(pem);
  return encodePem(label === ed25519Label ? 'PRIVATE KEY' : label, der);
}

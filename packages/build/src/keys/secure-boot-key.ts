import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { certifyOwnKey } from '@nodewright/pki';

const privateName = 'secure-boot.key';
/** Firmware has no clock that it trusts, and does not look at these times. */
const notBefore = new Date('2026-01-01T00:00:00Z');
const notAfter = new Date('2056-01-01T00:00:00Z');
const modulusBits = 2048;

export interface SecureBootKey {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
}

/**
 * The key that signs the unified kernel for firmware: an RSA key in `folder`, the only kind that all firmware verifies. It is made
 * at the first use, and readable for its owner only. Its certificate depends on nothing but the key.
 *
 * @throws Error that names the file when it is no such key
 */
export function secureBootKey(folder: string): SecureBootKey {
  const path = join(folder, privateName);
  if (!existsSync(path)) makeKey(folder, path);
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path, 'utf8'));
  } catch {
    // The text of a parser's error could contain a part of the key.
    throw new Error(`${path} is not a key in PEM form`);
  }
  const isUsable = key.asymmetricKeyType === 'rsa' && key.asymmetricKeyDetails?.modulusLength === modulusBits;
  if (!isUsable) throw new Error(`${path} is not an RSA key of ${modulusBits} bits`);
  const pem = certifyOwnKey({ key, commonName: 'nodewright Secure Boot', notBefore, notAfter });
  return { key, certificate: new X509Certificate(pem) };
}

function makeKey(folder: string, path: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: modulusBits });
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' });
  // `wx`: two builds that begin at the same moment must not replace each other's key.
  writeFileSync(path, text, { mode: 0o600, flag: 'wx' });
}

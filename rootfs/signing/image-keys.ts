import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const privateName = 'image.key';
const publicName = 'image.pub';

/**
 * The key that signs images: an Ed25519 key in `folder`, which is made at the first use. Its file is readable for its
 * owner only. The public key, with which others verify an image, is next to it.
 *
 * @throws Error that names the file when it is no such key
 */
export function signingKey(folder: string): KeyObject {
  const path = join(folder, privateName);
  if (!existsSync(path)) makeKeys(folder);
  const key = readKey(path, createPrivateKey);
  const publicPath = join(folder, publicName);
  const text = createPublicKey(key).export({ type: 'spki', format: 'pem' });
  if (!existsSync(publicPath) || readFileSync(publicPath, 'utf8') !== text) writeFileSync(publicPath, text);
  return key;
}

function makeKeys(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { privateKey } = generateKeyPairSync('ed25519');
  const text = privateKey.export({ type: 'pkcs8', format: 'pem' });
  // `wx`: two builds that begin at the same moment must not replace each other's key.
  writeFileSync(join(folder, privateName), text, { mode: 0o600, flag: 'wx' });
}

/**
 * Reads the public key of images.
 *
 * @throws Error that names the file when it is no such key
 */
export const readPublicKey = (path: string): KeyObject => readKey(path, createPublicKey);

/** Where `signingKey()` puts the public key. */
export const publicKeyIn = (folder: string) => join(folder, publicName);

function readKey(path: string, parse: (text: string) => KeyObject): KeyObject {
  let key: KeyObject;
  try {
    key = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    // The text of a parser's error could contain a part of the key.
    const reason =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'does not exist' : 'is not a key in PEM form';
    throw new Error(`${path} ${reason}`);
  }
  if (key.asymmetricKeyType !== 'ed25519') throw new Error(`${path} is not an Ed25519 key`);
  return key;
}

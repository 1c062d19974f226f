// Keys of WireGuard in the text form of wg(8): base64 of 32 bytes. Source: wg(8).
import { createHash, createPrivateKey, createPublicKey } from 'node:crypto';
import type { Secret } from '@nodewright/fault';

export const wireguardKeyBytes = 32;
const form = /^[A-Za-z0-9+/]{43}=$/;
/** What precedes the 32 bytes of an X25519 key in a PKCS #8 structure. Source: RFC 8410, section 7. */
const pkcs8Prefix = Buffer.from('302e020100300506032b656e04220420', 'hex');

/** The bytes of a key; undefined for another text. */
export function keyFromText(text: string): Buffer | undefined {
  return form.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** A key in the one form that the kernel's bytes have. */
export const keyText = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The kernel reports 32 zero bytes where a key is not set. */
export const isNoKey = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

/** The public key that belongs to a private key; undefined when the text is not a key, or the key is all zeros. */
export function wireguardPublicKey(privateKey: Secret): string | undefined {
  const bytes = keyFromText(privateKey.reveal());
  if (bytes === undefined || isNoKey(bytes)) return undefined;
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, bytes]), format: 'der', type: 'pkcs8' });
  return keyText(createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-wireguardKeyBytes));
}

/** Stands for a preshared key where two are compared, so that the key itself need not be kept. Empty for zeros, which mean that no key is set. */
export function presharedKeyDigest(bytes: Uint8Array): string {
  return isNoKey(bytes) ? '' : createHash('sha256').update(bytes).digest('hex');
}

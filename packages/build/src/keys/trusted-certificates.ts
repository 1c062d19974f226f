import { X509Certificate } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { secureBootKey } from './secure-boot-key.ts';

/** The folder with the keys of a build. */
export const keysFolder = (checkout: string): string =>
  process.env.IMAGE_KEYS ?? join(checkout, '_out', 'keys');

/** In the folder of the keys: certificates of further keys, as PEM or DER. */
export const trustedFolder = 'trusted';

/**
 * The certificates with which the systems of an image verify sets of extensions and artefacts of the installer: that of the key
 * in the folder, and those in its folder `trusted`. The second ones let a system accept a new key before the old one is given up.
 *
 * @throws Error that names a file that is no certificate of an RSA key
 */
export function trustedCertificates(keys: string): readonly X509Certificate[] {
  const own = secureBootKey(keys).certificate;
  const folder = join(keys, trustedFolder);
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const others = names.map((name) => readCertificate(join(folder, name)));
  const isOther = ({ fingerprint256 }: X509Certificate) => fingerprint256 !== own.fingerprint256;
  return [own, ...others.filter(isOther)];
}

function readCertificate(path: string): X509Certificate {
  let certificate: X509Certificate | undefined;
  try {
    certificate = new X509Certificate(readFileSync(path));
  } catch {
    // Said below.
  }
  if (certificate?.publicKey.asymmetricKeyType !== 'rsa')
    throw new Error(`${path} is not the certificate of an RSA key`);
  return certificate;
}

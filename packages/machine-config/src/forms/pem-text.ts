import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Parses the certificates of a bundle. Returns `undefined` when there is none or one is invalid. */
export function parseCertificates(pem: string): X509Certificate[] | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g);
  try {
    return blocks?.map((block) => new X509Certificate(block));
  } catch {
    return undefined;
  }
}

export function parsePrivateKey(pem: string): KeyObject | undefined {
  try {
    // Keys of the OS CA have the PEM label `ED25519 PRIVATE KEY`, which Node.js does not read.
    return createPrivateKey(pem.replaceAll('ED25519 PRIVATE KEY', 'PRIVATE KEY'));
  } catch {
    return undefined;
  }
}

export function isPublicKey(pem: string): boolean {
  try {
    return createPublicKey(pem).type === 'public';
  } catch {
    return false;
  }
}

/** Whether certificate and key can be parsed and belong together. */
export function isLoadablePair(certificatePem: string, keyPem: string): boolean {
  const [certificate] = parseCertificates(certificatePem) ?? [];
  const key = parsePrivateKey(keyPem);
  return certificate !== undefined && key !== undefined && certificate.checkPrivateKey(key);
}

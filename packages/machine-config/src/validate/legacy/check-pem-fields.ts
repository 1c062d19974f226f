import type { CheckedDocument } from '../checked-document.ts';

type Path = readonly string[];

/** The pairs of certificate and key, in base64. The key may be empty. */
const pairs: readonly Path[] = [
  ['machine', 'ca'],
  ['cluster', 'ca'],
  ['cluster', 'aggregatorCA'],
  ['cluster', 'serviceAccount'],
  ['cluster', 'etcd', 'ca'],
];

const accepted: readonly Path[] = [
  ['machine', 'acceptedCAs'],
  ['cluster', 'acceptedCAs'],
];

/**
 * Checks the certificates and keys that a node decodes, which it could not use otherwise. The errors never
 * contain a value.
 */
export function checkPemFields(legacy: CheckedDocument): void {
  for (const path of pairs) for (const half of ['crt', 'key']) checkPem(legacy.at(...path), half);
  for (const path of accepted) for (const item of legacy.items(...path)) checkPem(item, 'crt');
}

function checkPem(part: CheckedDocument, key: string): void {
  try {
    const isSet = part.base64Pem(key) !== undefined;
    // Node.js decodes a text that was cut. A node that has stored such a text still starts with it.
    if (!isSet || part.text(key).replace(/\s+/g, '').length % 4 === 0) return;
  } catch {
    // It is no PEM.
  }
  part.refuse('must be base64-encoded PEM', key);
}

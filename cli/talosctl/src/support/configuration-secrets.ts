import { type Configuration, redactConfiguration } from '@nodewright/machine-config';

/**
 * All secrets of a configuration, in the forms in which they may appear elsewhere: as they are, decoded from
 * base64, and each line of a key.
 */
export function configurationSecrets(documents: Configuration): string[] {
  const found: string[] = [];
  const redacted = redactConfiguration(documents);
  for (const [index, { value }] of documents.entries()) collect(value, redacted[index]?.value, found);
  return [...new Set(found.flatMap(formsOf))];
}

/** A value that differs from the redacted document is a secret. */
function collect(value: unknown, redacted: unknown, found: string[]): void {
  if (typeof value !== 'object' || value === null) {
    if (value !== redacted) found.push(String(value));
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    collect(child, (redacted as Readonly<Record<string, unknown>> | undefined)?.[key], found);
  }
}

/** The forms in which a secret may appear. */
export function formsOf(secret: string): string[] {
  // A URL is not secret as a whole, only its parameter is.
  const token = /[?&]jointoken=([^&#]+)/i.exec(secret)?.[1];
  if (token !== undefined) return [token, decodeURIComponent(token)];
  const pem = secret.includes('-----BEGIN') ? secret : Buffer.from(secret, 'base64').toString('latin1');
  if (!pem.includes('-----BEGIN')) return [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')];
  const lines = pem.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-----'));
  return [secret, ...lines];
}

import { type Configuration, redactConfiguration } from '@nodewright/machine-config';

/**
 * Every secret that stands in a configuration, in the forms in which it may turn up elsewhere: as it is, what it is the
 * base64 of, and each line of a key.
 */
export function configurationSecrets(documents: Configuration): string[] {
  const found: string[] = [];
  const redacted = redactConfiguration(documents);
  for (const [index, { value }] of documents.entries()) collect(value, redacted[index]?.value, found);
  return [...new Set(found.flatMap(formsOf))];
}

/** What differs is what was redacted. */
function collect(value: unknown, redacted: unknown, found: string[]): void {
  if (typeof value !== 'object' || value === null) {
    if (value !== redacted) found.push(String(value));
    return;
  }
  for (const [key, child] of Object.entries(value)) {
    collect(child, (redacted as Readonly<Record<string, unknown>> | undefined)?.[key], found);
  }
}

/** The forms in which a secret may turn up. */
export function formsOf(secret: string): string[] {
  // A URL is no secret as a whole: its parameter is.
  const token = /[?&]jointoken=([^&#]+)/i.exec(secret)?.[1];
  if (token !== undefined) return [token, decodeURIComponent(token)];
  const pem = secret.includes('-----BEGIN') ? secret : Buffer.from(secret, 'base64').toString('latin1');
  if (!pem.includes('-----BEGIN')) return [secret, Buffer.from(secret).toString('base64').replace(/=+$/, '')];
  const lines = pem.split('\n').filter((line) => line.length >= 16 && !line.startsWith('-----'));
  return [secret, ...lines];
}

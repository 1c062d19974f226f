import { redactVariable } from '@nodewright/fault';
import type { Configuration } from '../config-document.ts';
import { mapSecrets } from './map-secrets.ts';
import type { SecretForm } from './secret-fields.ts';

/** Default replacement of a secret. */
export const redactedText = 'REDACTED';

/**
 * Replaces every secret. A base64 field gets the base64 of the replacement, and an empty field stays empty.
 * The result has no `origin`, because the source text still contains the secrets.
 *
 * Source: Talos v1.14: machine configuration, redaction.
 */
export function redactConfiguration(
  configuration: Configuration,
  replacement: string = redactedText,
): Configuration {
  return mapSecrets(configuration, (text, form) => redact(text, form, replacement));
}

function redact(text: string, form: SecretForm, replacement: string): string {
  if (form === 'join-token')
    return text.replace(
      /([?&]jointoken=)[^&#]+/gi,
      (_, name: string) => name + encodeURIComponent(replacement),
    );
  // Any variable may hold a proxy URL, with or without a scheme.
  if (form === 'url-password') return redactVariable('any_proxy', text);
  return form === 'base64' ? Buffer.from(replacement).toString('base64') : replacement;
}

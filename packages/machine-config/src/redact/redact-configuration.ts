import { redactVariable } from '@nodewright/fault';
import type { ConfigDocument, Configuration } from '../config-document.ts';
import {
  entriesOf,
  isYamlList,
  isYamlMap,
  mapFromEntries,
  type YamlMap,
  type YamlValue,
} from '../yaml/yaml-value.ts';
import { type SecretForm, secretFields } from './secret-fields.ts';

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
  return configuration.map(({ kind, value }): ConfigDocument => {
    const fields = secretFields.filter((field) => field.kind === kind);
    return {
      kind,
      value: fields.reduce((redacted, { path, form }) => {
        const changed = changeAt(redacted, path, (secret) => redact(secret, form, replacement));
        return isYamlMap(changed) ? changed : redacted;
      }, value),
    };
  });
}

function changeAt(
  value: YamlValue,
  path: readonly string[],
  change: (found: YamlValue) => YamlValue,
): YamlValue {
  const [key, ...rest] = path;
  if (key === undefined) return change(value);
  if (key === '*' && isYamlList(value)) return value.map((item) => changeAt(item, rest, change));
  if (!isYamlMap(value)) return value;
  return mapFromEntries(
    entriesOf(value).map(([name, child]) => [
      name,
      key === '*' || key === name ? changeAt(child, rest, change) : child,
    ]),
  );
}

function redact(value: YamlValue, form: SecretForm, replacement: string): YamlValue {
  if (form === 'secrets-inside') return redactInside(value, replacement);
  if (typeof value !== 'string' || value === '') return value;
  if (form === 'join-token')
    return value.replace(
      /([?&]jointoken=)[^&#]+/gi,
      (_, name: string) => name + encodeURIComponent(replacement),
    );
  // Any variable may hold a proxy URL, with or without a scheme.
  if (form === 'url-password') return redactVariable('any_proxy', value);
  return form === 'base64' ? Buffer.from(replacement).toString('base64') : replacement;
}

function redactInside(value: YamlValue, replacement: string): YamlValue {
  if (isYamlList(value)) return value.map((item) => redactInside(item, replacement));
  if (!isYamlMap(value)) return value;
  const entries = entriesOf(value as YamlMap).map(([key, child]): [string, YamlValue] =>
    key === 'secret' && typeof child !== 'object' && child !== ''
      ? [key, replacement]
      : [key, redactInside(child, replacement)],
  );
  return mapFromEntries(entries);
}

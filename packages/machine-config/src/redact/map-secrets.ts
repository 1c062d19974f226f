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

/** Returns what replaces the text of a field that contains a secret. Fields inside of free-form objects have the form `text`. */
export type ChangeSecret = (text: string, form: SecretForm) => string;

/**
 * Replaces the text of every field that contains a secret. An empty field stays empty. The result has no `origin`, because the
 * source text still contains the secrets.
 *
 * Source: Talos v1.14: machine configuration, redaction.
 */
export function mapSecrets(configuration: Configuration, change: ChangeSecret): Configuration {
  return configuration.map(({ kind, value }): ConfigDocument => {
    const fields = secretFields.filter((field) => field.kind === kind);
    return {
      kind,
      value: fields.reduce((mapped, { path, form }) => {
        const changed = changeAt(mapped, path, (field) => changeField(field, form, change));
        return isYamlMap(changed) ? changed : mapped;
      }, value),
    };
  });
}

/** Replaces every text of a value, but no key. */
export function mapTexts(value: YamlValue, change: (text: string) => string): YamlValue {
  if (typeof value === 'string') return change(value);
  if (isYamlList(value)) return value.map((item) => mapTexts(item, change));
  if (!isYamlMap(value)) return value;
  return mapFromEntries(entriesOf(value).map(([key, child]) => [key, mapTexts(child, change)]));
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

function changeField(value: YamlValue, form: SecretForm, change: ChangeSecret): YamlValue {
  if (form === 'secrets-inside') return changeInside(value, change);
  return typeof value !== 'string' || value === '' ? value : change(value, form);
}

function changeInside(value: YamlValue, change: ChangeSecret): YamlValue {
  if (isYamlList(value)) return value.map((item) => changeInside(item, change));
  if (!isYamlMap(value)) return value;
  const entries = entriesOf(value as YamlMap).map(([key, child]): [string, YamlValue] =>
    key === 'secret' && typeof child !== 'object' && child !== ''
      ? [key, change(String(child), 'text')]
      : [key, changeInside(child, change)],
  );
  return mapFromEntries(entries);
}

import { type Configuration, redactConfiguration } from '@nodewright/machine-config';
import { redactionMark } from './known-secrets.ts';
import { ownTextFields } from './own-texts.ts';

type Value = Exclude<Configuration[number]['value'][string], undefined>;

/**
 * The configuration for the archive: without its secrets, and without texts that may contain more of them.
 */
export function shownConfiguration(documents: Configuration): Configuration {
  return redactConfiguration(documents, redactionMark).map(({ kind, value }) => ({
    kind,
    value: mapOwnTexts(value, hidden) as Configuration[number]['value'],
  }));
}

/** Replaces what a user wrote into files, manifests and headers, in one document. */
export function mapOwnTexts(value: Value, change: (text: Value) => Value): Value {
  if (Array.isArray(value)) return value.map((item) => mapOwnTexts(item as Value, change));
  // Only plain maps: integers in another notation are objects of their own.
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [
      key,
      ownTextFields.has(key) ? change(child as Value) : mapOwnTexts(child as Value, change),
    ]),
  );
}

/** Names stay, because they show what was configured. */
function hidden(value: Value): Value {
  if (typeof value !== 'object' || value === null) return value === '' ? '' : redactionMark;
  return Object.fromEntries(Object.keys(value).map((key) => [key, redactionMark]));
}

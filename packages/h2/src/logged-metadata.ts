import { h2Limits } from './h2-limits.ts';
import type { RawHeaders } from './raw-headers.ts';

/** Keys whose values are secrets and must not be logged. */
const hiddenKeys = /token|authorization|password|secret|cookie|credential|api-?key|signature/;
const hidden = '<hidden>';
/** Maximum number of characters of a key and of a value in the log, and of keys in a line. */
const { characters: maxLength, keys: maxKeys } = h2Limits.log;

const shown = (text: string) => (text.length > maxLength ? `${text.slice(0, maxLength)}…` : text);

/**
 * The metadata of a call in the form that may be logged: by key, with values joined by commas. Source: Talos
 * v1.14: request log, widened by more secrets.
 */
export function loggedMetadata(headers: RawHeaders, leftOut: ReadonlySet<string> = new Set()) {
  const logged = new Map<string, string>();
  for (let index = 0; index < headers.length; index += 2) {
    const name = shown(headers[index] ?? '');
    if ((name.startsWith(':') && name !== ':authority') || leftOut.has(name)) continue;
    const before = logged.get(name);
    if (before === undefined && logged.size === maxKeys) break;
    const value = hiddenKeys.test(name) ? hidden : (headers[index + 1] ?? '');
    logged.set(name, shown(before === undefined || value === hidden ? value : `${before},${value}`));
  }
  return Object.fromEntries(logged);
}

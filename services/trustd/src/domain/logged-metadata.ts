/** Keys whose values are secrets, whoever reads the log. */
const hiddenKeys = /token|authorization|password|secret|cookie|credential|api-?key|signature/;
const hidden = '<hidden>';
/** Strangers choose their metadata: a log line holds this many characters of a value. */
const maxValueLength = 200;

const shown = (value: string) =>
  value.length > maxValueLength ? `${value.slice(0, maxValueLength)}…` : value;

/**
 * Metadata of a call as a log may show it: by key, values joined by commas. Source: Talos v1.14: request log, widened
 * by more secrets.
 *
 * @param headers name, value, name, value, …
 */
export function loggedMetadata(headers: readonly string[]): Record<string, string> {
  const logged = new Map<string, string>();
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (name.startsWith(':') && name !== ':authority') continue;
    const value = hiddenKeys.test(name) ? hidden : (headers[index + 1] ?? '');
    const before = logged.get(name);
    logged.set(name, before === undefined || value === hidden ? value : `${before},${value}`);
  }
  return Object.fromEntries([...logged].map(([name, value]) => [shown(name), shown(value)]));
}

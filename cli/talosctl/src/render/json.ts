/** The library types of TypeScript do not have this function. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * JSON text of a value, with two spaces of indentation. 64-bit integers are printed as JSON numbers with all their
 * digits.
 */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, withDigits, 2);
}

/** JSON on one line, also with all digits of 64-bit integers. */
export function formatCompactJson(value: unknown): string {
  return JSON.stringify(value, withDigits);
}

/**
 * JSON as Go programs print it for people: indented by four spaces, with sorted keys, and with escapes for
 * HTML.
 */
export function formatSortedJson(value: unknown): string {
  const sorted = (_key: string, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))
      : withDigits(_key, item);
  const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return JSON.stringify(value, sorted, 4).replace(/[<>&\u2028\u2029]/g, escaped);
}

function withDigits(_key: string, item: unknown): unknown {
  return typeof item === 'bigint' ? rawJSON(item.toString()) : item;
}

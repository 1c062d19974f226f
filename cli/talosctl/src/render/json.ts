/** Not in TypeScript's library yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * JSON text of a value, with two spaces of indentation. 64-bit integers are printed as JSON numbers with all their
 * digits.
 */
export function formatJson(value: unknown): string {
  return JSON.stringify(
    value,
    (_key, item) => (typeof item === 'bigint' ? rawJSON(item.toString()) : item),
    2,
  );
}

/** Not in TypeScript's library yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * Lets `JSON.stringify` print what the API answers: a bigint becomes a JSON number with all its digits, bytes become
 * base64 as in the JSON of protobuf. Pass it as the second argument of `JSON.stringify`.
 */
export function jsonReplacer(this: unknown, key: string, value: unknown): unknown {
  // A Buffer has turned itself into an object before it comes here.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
  return typeof value === 'bigint' ? rawJSON(value.toString()) : value;
}

/** JSON text of anything that the client gives, with `indent` spaces per level, 0 for one line. */
export function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, jsonReplacer, indent);
}

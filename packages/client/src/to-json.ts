/** TypeScript's library has no declaration of `JSON.rawJSON`. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * A replacer for `JSON.stringify` that can print the responses of the API. A bigint becomes a JSON number
 * with all its digits. Bytes become base64, as in the JSON form of protobuf.
 */
export function jsonReplacer(this: unknown, key: string, value: unknown): unknown {
  // `value` of a Buffer is the result of `Buffer.toJSON()`: read the original from its parent.
  const original = (this as Readonly<Record<string, unknown>>)[key];
  if (original instanceof Uint8Array) return Buffer.from(original).toString('base64');
  return typeof value === 'bigint' ? rawJSON(value.toString()) : value;
}

/** Returns any response of the client as JSON, with `indent` spaces per level; 0 prints a single line. */
export function toJson(value: unknown, indent = 2): string {
  return JSON.stringify(value, jsonReplacer, indent);
}

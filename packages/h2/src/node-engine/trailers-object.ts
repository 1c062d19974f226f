import type { RawHeaders } from '../raw-headers.ts';

/**
 * Converts trailers to the object that node:http2 requires. The values of a repeated field become a list, in
 * order.
 */
export function trailersObject(trailers: RawHeaders): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = Object.create(null);
  for (let index = 0; index < trailers.length; index += 2) {
    const name = trailers[index] ?? '';
    const value = trailers[index + 1] ?? '';
    const known = fields[name];
    if (known === undefined) fields[name] = value;
    else if (typeof known === 'string') fields[name] = [known, value];
    else known.push(value);
  }
  return fields;
}

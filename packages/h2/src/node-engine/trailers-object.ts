import type { RawHeaders } from '../raw-headers.ts';

/** node:http2 takes trailers as an object only: repeated fields become a list, and keep their order. */
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

// Callers send the same few header blocks again and again. What was concluded from such a block is kept, by
// the identity of its list of fields.
import type { RawHeaders } from './raw-headers.ts';

/** Where an encoder without a dynamic table keeps the encoding of a header list. */
export interface KeptEncoding {
  bytes: Uint8Array | undefined;
}

const repeated = new WeakSet<RawHeaders>();
const encodings = new WeakMap<RawHeaders, KeptEncoding>();

/** Marks a list that an engine delivers again, unchanged, when a block with the same bytes arrives. */
export function markRepeated(headers: RawHeaders): void {
  repeated.add(headers);
}

/** Whether it is worth keeping what was concluded from this list. */
export function isRepeated(headers: RawHeaders): boolean {
  return repeated.has(headers);
}

/** Makes the encoder keep the encoding of a list that is sent many times. The list must not change. */
export function keepEncoding(headers: RawHeaders): void {
  encodings.set(headers, { bytes: undefined });
}

/** Where the encoding of this list is kept; undefined when it is not. */
export function keptEncoding(headers: RawHeaders): KeptEncoding | undefined {
  return encodings.get(headers);
}

/** The same function, which returns the same result again for a repeated list. */
export function concludeOnce<T>(conclude: (headers: RawHeaders) => T): (headers: RawHeaders) => T {
  const results = new WeakMap<RawHeaders, T>();
  return (headers) => {
    const known = results.get(headers);
    if (known !== undefined) return known;
    const result = conclude(headers);
    if (isRepeated(headers)) results.set(headers, result);
    return result;
  };
}

/** The same for a result that is sent: its encoding is kept too. */
export function rewriteOnce(
  rewrite: (headers: RawHeaders) => RawHeaders,
): (headers: RawHeaders) => RawHeaders {
  return concludeOnce((headers) => {
    const result = rewrite(headers);
    if (isRepeated(headers)) keepEncoding(result);
    return result;
  });
}

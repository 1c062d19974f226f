/** The keys that begin with a prefix, as a range for etcd. The empty prefix means every key. */
export function prefixRange(prefix: string): { readonly key: Buffer; readonly rangeEnd: Buffer } {
  const key = Buffer.from(prefix);
  const zero = Buffer.from([0]);
  if (key.length === 0) return { key: zero, rangeEnd: zero };
  return { key, rangeEnd: afterPrefix(key) ?? zero };
}

/** The first key after all keys that begin with these bytes; undefined if there is none. */
function afterPrefix(prefix: Buffer): Buffer | undefined {
  const last = prefix.findLastIndex((byte) => byte < 0xff);
  if (last < 0) return undefined;
  const end = Buffer.from(prefix.subarray(0, last + 1));
  end[last] = (end[last] ?? 0) + 1;
  return end;
}

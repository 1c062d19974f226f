/** The static table: names and values, in order from index 1. Source: RFC 7541, appendix A. */
const entries: readonly (readonly [name: string, value: string])[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  [':status', '200'],
  [':status', '204'],
  [':status', '206'],
  [':status', '304'],
  [':status', '400'],
  [':status', '404'],
  [':status', '500'],
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ['accept-language', ''],
  ['accept-ranges', ''],
  ['accept', ''],
  ['access-control-allow-origin', ''],
  ['age', ''],
  ['allow', ''],
  ['authorization', ''],
  ['cache-control', ''],
  ['content-disposition', ''],
  ['content-encoding', ''],
  ['content-language', ''],
  ['content-length', ''],
  ['content-location', ''],
  ['content-range', ''],
  ['content-type', ''],
  ['cookie', ''],
  ['date', ''],
  ['etag', ''],
  ['expect', ''],
  ['expires', ''],
  ['from', ''],
  ['host', ''],
  ['if-match', ''],
  ['if-modified-since', ''],
  ['if-none-match', ''],
  ['if-range', ''],
  ['if-unmodified-since', ''],
  ['last-modified', ''],
  ['link', ''],
  ['location', ''],
  ['max-forwards', ''],
  ['proxy-authenticate', ''],
  ['proxy-authorization', ''],
  ['range', ''],
  ['referer', ''],
  ['refresh', ''],
  ['retry-after', ''],
  ['server', ''],
  ['set-cookie', ''],
  ['strict-transport-security', ''],
  ['transfer-encoding', ''],
  ['user-agent', ''],
  ['vary', ''],
  ['via', ''],
  ['www-authenticate', ''],
];

export const staticEntries = entries.length;
/** Index 0 of both lists is unused. */
export const staticNames: readonly string[] = ['', ...entries.map(([name]) => name)];
export const staticValues: readonly string[] = ['', ...entries.map(([, value]) => value)];

const indexesByName = new Map<string, number>();
staticNames.forEach((name, index) => {
  if (index > 0 && !indexesByName.has(name)) indexesByName.set(name, index);
});

/** The first index of an entry with this name; 0 when there is none. */
export function staticNameIndex(name: string): number {
  return indexesByName.get(name) ?? 0;
}

/** The index of the entry with this value among those from `nameIndex` on that share its name; 0 for none. */
export function staticFieldIndex(nameIndex: number, value: string): number {
  const name = staticNames[nameIndex];
  for (let index = nameIndex; staticNames[index] === name; index += 1) {
    if (staticValues[index] === value) return index;
  }
  return 0;
}

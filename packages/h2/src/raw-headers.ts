/**
 * A header block as on the wire: name, value, name, value, … in order, with repeated fields and with
 * pseudo-header fields first. Names are lower case. Values have one character per byte (latin 1), whatever
 * the encoding. The list is flat so that no object is built per call.
 */
export type RawHeaders = readonly string[];

/** The first value of a field, or `undefined`. `name` must be lower case. */
export function headerValue(headers: RawHeaders, name: string): string | undefined {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) return headers[index + 1];
  }
  return undefined;
}

/** All values of a field in order; an empty list when it is absent. */
export function headerValues(headers: RawHeaders, name: string): string[] {
  const values: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) values.push(headers[index + 1] ?? '');
  }
  return values;
}

export function hasHeader(headers: RawHeaders, name: string): boolean {
  for (let index = 0; index < headers.length; index += 2) {
    if (headers[index] === name) return true;
  }
  return false;
}

/** A new block with the fields whose name `keep` accepts. `keep` is also called for pseudo-header fields. */
export function filterHeaders(headers: RawHeaders, keep: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (keep(name)) kept.push(name, headers[index + 1] ?? '');
  }
  return kept;
}

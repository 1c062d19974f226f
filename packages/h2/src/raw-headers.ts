/**
 * A header block as it stands on the wire: name, value, name, value, … in order, repeated fields repeated, pseudo
 * fields first. Names are lower case; values hold one byte a character (latin 1), whatever the bytes mean. The flat
 * form is what both ends of a gateway have and want: no object is built per call.
 */
export type RawHeaders = readonly string[];

/** The first value of a field, or undefined. `name` in lower case. */
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

/** A new block with the fields whose name `keep` accepts. Pseudo fields are asked about too. */
export function filterHeaders(headers: RawHeaders, keep: (name: string) => boolean): string[] {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    if (keep(name)) kept.push(name, headers[index + 1] ?? '');
  }
  return kept;
}

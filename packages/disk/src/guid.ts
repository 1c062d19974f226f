const pattern = /^([0-9a-f]{8})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{4})-([0-9a-f]{12})$/i;

/**
 * Encodes a GUID as in a partition table: the first three groups with the lowest byte first. Source: UEFI
 * specification 2.10, appendix A.
 *
 * @throws Error for a text of another form
 */
export function encodeGuid(text: string): Buffer {
  const [, first, second, third, fourth, fifth] = pattern.exec(text) ?? [];
  if (first === undefined) throw new Error(`"${text}" is not a GUID`);
  const reversed = [first, second, third].map((group) => Buffer.from(group as string, 'hex').reverse());
  return Buffer.concat([...reversed, Buffer.from(`${fourth}${fifth}`, 'hex')]);
}

/** Formats the 16 bytes of a GUID in lower case. */
export function decodeGuid(bytes: Buffer): string {
  const group = (from: number, to: number) => bytes.subarray(from, to).toString('hex');
  const reversed = (from: number, to: number) =>
    Buffer.from(bytes.subarray(from, to)).reverse().toString('hex');
  return [reversed(0, 4), reversed(4, 6), reversed(6, 8), group(8, 10), group(10, 16)].join('-');
}

// Splits the table of SMBIOS into its structures. Source: DMTF DSP0134, structure table.

/**
 * One structure of the table. Fields beyond its end, which older firmware does not have, are zero or empty.
 */
export interface SmbiosStructure {
  readonly type: number;
  byte(offset: number): number;
  word(offset: number): number;
  doubleWord(offset: number): number;
  /** `length` bytes; undefined when the structure ends before. */
  bytes(offset: number, length: number): Uint8Array | undefined;
  /** The text whose number is at `offset`, trimmed. */
  text(offset: number): string;
}

const headerBytes = 4;
const endOfTable = 127;

/** The structures in their order. A truncated table ends with its last complete structure. */
export function smbiosStructures(table: Uint8Array): SmbiosStructure[] {
  const structures: SmbiosStructure[] = [];
  for (let at = 0; at + headerBytes <= table.length; ) {
    const [type = endOfTable, length = 0] = table.subarray(at, at + 2);
    const stringsAt = at + length;
    if (length < headerBytes || stringsAt + 2 > table.length) break;
    const end = endOfStrings(table, stringsAt);
    if (end === undefined) break;
    structures.push(structureOf(type, table.subarray(at, stringsAt), table.subarray(stringsAt, end)));
    if (type === endOfTable) break;
    at = end;
  }
  return structures;
}

/** Texts are terminated by a zero byte each, and the list of texts by one more. */
function endOfStrings(table: Uint8Array, from: number): number | undefined {
  for (let at = from; at + 1 < table.length; at += 1) {
    if (table[at] === 0 && table[at + 1] === 0) return at + 2;
  }
  return undefined;
}

function structureOf(type: number, formatted: Uint8Array, strings: Uint8Array): SmbiosStructure {
  const bytes = (offset: number, length: number) =>
    offset + length <= formatted.length ? formatted.subarray(offset, offset + length) : undefined;
  const number = (offset: number, length: number) =>
    [...(bytes(offset, length) ?? [])].reduceRight((sum, byte) => sum * 256 + byte, 0);
  return {
    type,
    byte: (offset) => number(offset, 1),
    word: (offset) => number(offset, 2),
    doubleWord: (offset) => number(offset, 4),
    bytes,
    text(offset) {
      const texts = Buffer.from(strings).toString('latin1').split('\0');
      const which = number(offset, 1);
      return which === 0 ? '' : (texts[which - 1] ?? '').trim();
    },
  };
}

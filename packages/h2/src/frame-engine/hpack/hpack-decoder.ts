import { markRepeated } from '../../repeated-headers.ts';
import { compressionError } from '../connection-error.ts';
import { defaultTableBytes } from '../frame-types.ts';
import { BlockMemory } from './block-memory.ts';
import { DynamicTable, entryOverheadBytes } from './dynamic-table.ts';
import { HeaderBlock } from './header-block.ts';
import { decodeHuffman } from './huffman-decoder.ts';
import { staticEntries, staticNames, staticValues } from './static-table.ts';

/** How large a header block may be. */
export interface HeaderLimits {
  /** The size of the list as HTTP/2 defines it: 32 bytes per field, its name and its value. */
  readonly maxListBytes: number;
  readonly maxFields: number;
}

/** The largest integer in a block, far above every valid length and index; the next bits could overflow. */
const maxInteger = 2 ** 28;
const noBytes = Buffer.alloc(0);

/**
 * Decodes the header blocks of one direction of a connection, in the order in which they arrive. Source: RFC
 * 7541. Blocks that change nothing in the dynamic table are remembered by their bytes: callers send the same
 * few blocks again and again.
 */
export class HpackDecoder {
  readonly #limits: HeaderLimits;
  readonly #table = new DynamicTable(defaultTableBytes);
  /** The largest table that the peer may use: the setting that it has acknowledged. */
  #allowedTableBytes = defaultTableBytes;
  readonly #remembered = new BlockMemory();
  #tableChanged = false;
  #bytes: Buffer = noBytes;
  #at = 0;
  #end = 0;

  constructor(limits: HeaderLimits) {
    this.#limits = limits;
  }

  /** The peer has acknowledged this size of the dynamic table. */
  allowTable(sizeBytes: number): void {
    this.#allowedTableBytes = sizeBytes;
    if (this.#table.limitBytes <= sizeBytes) return;
    this.#table.resize(sizeBytes);
    this.#remembered.clear();
  }

  /**
   * Decodes a whole block. A block over the limits is decoded too, because later blocks depend on the table,
   * but its fields are dropped.
   *
   * @throws ConnectionError with COMPRESSION_ERROR; then no further block can be decoded
   */
  decode(bytes: Buffer, start: number, end: number): HeaderBlock {
    const known = this.#remembered.find(bytes, start, end);
    if (known !== undefined) {
      if (!known.isRepeated) {
        known.isRepeated = true;
        markRepeated(known.fields);
      }
      return known;
    }
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#tableChanged = false;
    const block = this.#readBlock();
    // The buffer is a whole read of the socket, which must not stay in memory.
    this.#bytes = noBytes;
    if (this.#tableChanged) this.#remembered.clear();
    else this.#remembered.add(bytes, start, end, block);
    return block;
  }

  #readBlock(): HeaderBlock {
    this.#readTableSizes();
    const { maxListBytes, maxFields } = this.#limits;
    const fields: string[] = [];
    let listBytes = 0;
    let count = 0;
    while (this.#at < this.#end) {
      const first = this.#bytes[this.#at] as number;
      let name: string;
      let value: string;
      if (first >= 0x80) {
        const index = this.#readInteger(0x7f);
        name = this.#nameAt(index);
        value = this.#valueAt(index);
      } else if (first >= 0x40) {
        name = this.#readName(0x3f);
        value = this.#readText();
        this.#table.add(name, value);
        this.#tableChanged = true;
      } else if (first >= 0x20) {
        throw compressionError('a table size update follows a field');
      } else {
        name = this.#readName(0x0f);
        value = this.#readText();
      }
      count += 1;
      listBytes += name.length + value.length + entryOverheadBytes;
      if (listBytes <= maxListBytes && count <= maxFields) fields.push(name, value);
    }
    const tooLarge = listBytes > maxListBytes || count > maxFields;
    return new HeaderBlock(tooLarge ? [] : fields, tooLarge);
  }

  /** Reads the table size updates, which only the start of a block may have. */
  #readTableSizes(): void {
    while (this.#at < this.#end && ((this.#bytes[this.#at] as number) & 0xe0) === 0x20) {
      const sizeBytes = this.#readInteger(0x1f);
      if (sizeBytes > this.#allowedTableBytes) throw compressionError('the table size exceeds the setting');
      this.#table.resize(sizeBytes);
      this.#tableChanged = true;
    }
  }

  #readName(mask: number): string {
    const index = this.#readInteger(mask);
    return index === 0 ? this.#readText() : this.#nameAt(index);
  }

  #nameAt(index: number): string {
    if (index <= staticEntries) {
      if (index === 0) throw compressionError('index 0 is no field');
      return staticNames[index] as string;
    }
    this.#checkIndex(index);
    return this.#table.nameAt(index - staticEntries - 1);
  }

  #valueAt(index: number): string {
    if (index <= staticEntries) return staticValues[index] as string;
    return this.#table.valueAt(index - staticEntries - 1);
  }

  #checkIndex(index: number): void {
    if (index > staticEntries + this.#table.count) throw compressionError('an index has no field');
  }

  #readText(): string {
    if (this.#at >= this.#end) throw compressionError('the block ends inside a field');
    const isHuffman = (this.#bytes[this.#at] as number) >= 0x80;
    const length = this.#readInteger(0x7f);
    const start = this.#at;
    const end = start + length;
    if (end > this.#end) throw compressionError('the block ends inside a string');
    this.#at = end;
    return isHuffman ? decodeHuffman(this.#bytes, start, end) : this.#bytes.toString('latin1', start, end);
  }

  /** Reads an integer whose first bits are those of `mask`. Source: RFC 7541, section 5.1. */
  #readInteger(mask: number): number {
    let value = (this.#bytes[this.#at++] as number) & mask;
    if (value < mask) return value;
    for (let scale = 1; ; scale *= 128) {
      if (this.#at >= this.#end) throw compressionError('the block ends inside an integer');
      const byte = this.#bytes[this.#at++] as number;
      value += (byte & 0x7f) * scale;
      if (value > maxInteger || scale > maxInteger) throw compressionError('an integer is too large');
      if (byte < 0x80) return value;
    }
  }
}

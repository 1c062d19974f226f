import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { Fault } from '@nodewright/fault';

/** A key with its value, or the start of a bucket, in the order of the file. */
export type BoltItem =
  | { readonly kind: 'bucket'; readonly name: Buffer }
  | { readonly kind: 'pair'; readonly bucket: Buffer; readonly key: Buffer; readonly value: Buffer };

// The layout of a bbolt file: pages with a 16-byte header; first two meta pages, then B+trees.
const magic = 0xed0cdaed;
const headerBytes = 16;
const elementBytes = 16;
const metaBytes = 64;
const branchFlag = 0x01;
const leafFlag = 0x02;
const bucketFlag = 0x01;
const knownPageSizes = [4096, 8192, 16_384, 32_768, 65_536];

interface Meta {
  readonly pageSize: number;
  /** The page of the root bucket, which lists the other buckets. */
  readonly root: bigint;
  /** The number of pages in use, which is the size of the database. */
  readonly pages: bigint;
  readonly transaction: bigint;
}

/**
 * Reads the database file of etcd (bbolt) page by page, because it may be larger than the memory.
 * Source: bbolt: file format.
 */
export class BoltFile implements Disposable {
  readonly #file: number;
  readonly #fileBytes: number;
  readonly #meta: Meta;
  /** A page is referenced once, so reading more pages than the file has means that there is a cycle. */
  #pagesLeft = 0n;

  /** @throws Fault `invalid-argument` for a file that is not a database */
  constructor(path: string) {
    this.#file = openSync(path, 'r');
    try {
      this.#fileBytes = fstatSync(this.#file).size;
      this.#meta = this.#readMeta();
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** The size of the database in bytes. The file may contain more bytes after it. */
  get sizeBytes(): number {
    return Number(this.#meta.pages) * this.#meta.pageSize;
  }

  /** Yields the top-level buckets and their pairs. @throws Fault `invalid-argument` for a damaged file */
  *items(): Generator<BoltItem> {
    this.#pagesLeft = this.#meta.pages;
    for (const { flags, key, value } of this.#leaves(this.#page(this.#meta.root))) {
      if ((flags & bucketFlag) === 0) continue;
      yield { kind: 'bucket', name: key };
      if (value.length < headerBytes) throw damaged('a bucket is too short');
      const root = value.readBigUInt64LE(0);
      // A small bucket is inline: its only page follows its header.
      const page = root === 0n ? value.subarray(headerBytes) : this.#page(root);
      for (const pair of this.#leaves(page)) {
        yield { kind: 'pair', bucket: key, key: pair.key, value: pair.value };
      }
    }
  }

  [Symbol.dispose](): void {
    closeSync(this.#file);
  }

  #readMeta(): Meta {
    // Try every page size for the second meta page, because the first, which holds the size, may be damaged.
    const metas = [0, ...knownPageSizes].flatMap((offset) =>
      metaAt(this.#read(offset, headerBytes + metaBytes)),
    );
    const [newest] = metas.sort((a, b) => (a.transaction > b.transaction ? -1 : 1));
    if (newest === undefined) throw damaged('it has no valid meta page');
    if (Number(newest.pages) * newest.pageSize > this.#fileBytes) throw damaged('it is truncated');
    return newest;
  }

  *#leaves(page: Buffer): Generator<{ flags: number; key: Buffer; value: Buffer }> {
    if (page.length < headerBytes) throw damaged('a page is too short');
    const flags = page.readUInt16LE(8);
    const count = page.readUInt16LE(10);
    if (headerBytes + count * elementBytes > page.length) throw damaged('a page is too short');
    for (let index = 0; index < count; index += 1) {
      const at = headerBytes + index * elementBytes;
      if ((flags & leafFlag) !== 0) {
        const start = at + page.readUInt32LE(at + 4);
        const middle = start + page.readUInt32LE(at + 8);
        const end = middle + page.readUInt32LE(at + 12);
        if (end > page.length) throw damaged('a value extends beyond its page');
        yield {
          flags: page.readUInt32LE(at),
          key: page.subarray(start, middle),
          value: page.subarray(middle, end),
        };
      } else if ((flags & branchFlag) !== 0) {
        yield* this.#leaves(this.#page(page.readBigUInt64LE(at + 8)));
      } else {
        throw damaged('a page has an unknown type');
      }
    }
  }

  #page(id: bigint): Buffer {
    const { pageSize, pages } = this.#meta;
    if (id >= pages) throw damaged('a page is missing');
    if (this.#pagesLeft === 0n) throw damaged('its pages form a cycle');
    this.#pagesLeft -= 1n;
    const offset = Number(id) * pageSize;
    const first = this.#read(offset, pageSize);
    if (first.length < pageSize) throw damaged('a page is too short');
    const overflow = first.readUInt32LE(12);
    if (overflow === 0) return first;
    if (id + BigInt(overflow) >= pages) throw damaged('a page is missing');
    return this.#read(offset, (1 + overflow) * pageSize);
  }

  #read(offset: number, length: number): Buffer {
    const buffer = Buffer.alloc(length);
    return buffer.subarray(0, readSync(this.#file, buffer, 0, length, offset));
  }
}

function metaAt(page: Buffer): Meta[] {
  if (page.length < headerBytes + metaBytes) return [];
  const meta = page.subarray(headerBytes);
  const pageSize = meta.readUInt32LE(8);
  if (meta.readUInt32LE(0) !== magic || meta.readUInt32LE(4) !== 2 || !knownPageSizes.includes(pageSize))
    return [];
  const root = meta.readBigUInt64LE(16);
  const pages = meta.readBigUInt64LE(40);
  const transaction = meta.readBigUInt64LE(48);
  // An incompletely written meta page has a wrong checksum.
  return fnv1a(meta.subarray(0, metaBytes - 8)) === meta.readBigUInt64LE(56)
    ? [{ pageSize, root, pages, transaction }]
    : [];
}

/** The 64-bit FNV-1a hash. */
function fnv1a(bytes: Uint8Array): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of bytes) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  return hash;
}

function damaged(reason: string): Fault {
  return new Fault('invalid-argument', `it is not a valid etcd database: ${reason}`);
}

// Builds small bbolt files for tests: two meta pages, a page with the list of buckets, and one page per bucket.

const pageBytes = 4096;

export interface BuiltBucket {
  readonly name: string;
  readonly pairs: readonly (readonly [key: string, value: string])[];
  /** Whether the bucket is stored inside the page that lists the buckets. */
  readonly inline?: boolean;
}

/** The bytes of a database with these buckets, which must be sorted by name. */
export function buildBoltFile(buckets: readonly BuiltBucket[]): Buffer {
  const rootPage = 2;
  let nextPage = rootPage + 1;
  const pages: Buffer[] = [];
  const entries = buckets.map(({ name, pairs, inline = false }) => {
    const leaves = pairs.map(([key, value]) => ({
      flags: 0,
      key: Buffer.from(key),
      value: Buffer.from(value),
    }));
    if (inline) return { flags: 1, key: Buffer.from(name), value: bucketValue(0, leafPage(0, leaves)) };
    const page = wholePages(leafPage(nextPage, leaves));
    const value = bucketValue(nextPage);
    pages.push(page);
    nextPage += page.length / pageBytes;
    return { flags: 1, key: Buffer.from(name), value };
  });
  const root = wholePages(leafPage(rootPage, entries));
  const metas = [0, 1].map((id) => metaPage(id, rootPage, nextPage));
  return Buffer.concat([...metas, root, ...pages]);
}

interface Leaf {
  readonly flags: number;
  readonly key: Buffer;
  readonly value: Buffer;
}

function leafPage(id: number, leaves: readonly Leaf[]): Buffer {
  const header = Buffer.alloc(16 + leaves.length * 16);
  header.writeBigUInt64LE(BigInt(id), 0);
  header.writeUInt16LE(2, 8);
  header.writeUInt16LE(leaves.length, 10);
  let end = header.length;
  for (const [index, { flags, key, value }] of leaves.entries()) {
    const at = 16 + index * 16;
    header.writeUInt32LE(flags, at);
    header.writeUInt32LE(end - at, at + 4);
    header.writeUInt32LE(key.length, at + 8);
    header.writeUInt32LE(value.length, at + 12);
    end += key.length + value.length;
  }
  return Buffer.concat([header, ...leaves.flatMap(({ key, value }) => [key, value])]);
}

/** Pads the content to full pages and sets the overflow count in the header. */
function wholePages(page: Buffer): Buffer {
  const count = Math.ceil(page.length / pageBytes);
  const padded = Buffer.concat([page, Buffer.alloc(count * pageBytes - page.length)]);
  padded.writeUInt32LE(count - 1, 12);
  return padded;
}

function bucketValue(page: number, inline: Buffer = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(16);
  header.writeBigUInt64LE(BigInt(page), 0);
  return Buffer.concat([header, inline]);
}

function metaPage(id: number, root: number, pages: number): Buffer {
  const page = Buffer.alloc(pageBytes);
  page.writeBigUInt64LE(BigInt(id), 0);
  page.writeUInt16LE(4, 8);
  page.writeUInt32LE(0xed0cdaed, 16);
  page.writeUInt32LE(2, 20);
  page.writeUInt32LE(pageBytes, 24);
  page.writeBigUInt64LE(BigInt(root), 32);
  page.writeBigUInt64LE(BigInt(pages), 56);
  page.writeBigUInt64LE(BigInt(id), 64);
  let sum = 0xcbf29ce484222325n;
  for (const byte of page.subarray(16, 72)) sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & (2n ** 64n - 1n);
  page.writeBigUInt64LE(sum, 72);
  return page;
}

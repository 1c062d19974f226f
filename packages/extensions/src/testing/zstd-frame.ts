/**
 * A frame of zstd without any compression, which asks for a window of 2 to the power of `windowLog` bytes. Source: RFC 8878, section 3.1.1.
 */
export function zstdFrame(bytes: Buffer, windowLog: number): Buffer {
  const blockBytes = 1 << 17;
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += blockBytes) {
    const block = bytes.subarray(at, at + blockBytes);
    const isLast = at + blockBytes >= bytes.length;
    const header = Buffer.alloc(3);
    header.writeUIntLE((block.length << 3) | (isLast ? 1 : 0), 0, 3);
    blocks.push(header, block);
  }
  return Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3), ...blocks]);
}

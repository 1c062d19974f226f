const polynomial = 0x82f63b78;

const table = Uint32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = (value & 1) === 1 ? (value >>> 1) ^ polynomial : value >>> 1;
  return value;
});

/** CRC-32C (Castagnoli; RFC 3720, B.4), which `node:zlib` lacks. `before` is the CRC of the preceding bytes. */
export function crc32c(bytes: Uint8Array, before = 0): number {
  let value = ~before;
  for (let index = 0; index < bytes.length; index += 1) {
    value = (table[(value ^ (bytes[index] as number)) & 0xff] as number) ^ (value >>> 8);
  }
  return ~value >>> 0;
}

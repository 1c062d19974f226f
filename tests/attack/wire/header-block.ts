/**
 * Encodes header fields without compression: each is a literal that is never indexed. Source: RFC 7541,
 * section 6.2.3. So a flood can send the same block repeatedly, whatever the state of the connection.
 */
export function headerBlock(fields: readonly (readonly [name: string, value: string])[]): Buffer {
  return Buffer.concat(
    fields.flatMap(([name, value]) => [Buffer.from([0x10]), hpackText(name), hpackText(value)]),
  );
}

/** A string literal without Huffman coding. */
function hpackText(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  return Buffer.concat([hpackLength(bytes.length), bytes]);
}

/** An integer with a prefix of 7 bits. Source: RFC 7541, section 5.1. */
function hpackLength(length: number): Buffer {
  if (length < 127) return Buffer.from([length]);
  const bytes = [127];
  let rest = length - 127;
  while (rest >= 128) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>= 7;
  }
  bytes.push(rest);
  return Buffer.from(bytes);
}

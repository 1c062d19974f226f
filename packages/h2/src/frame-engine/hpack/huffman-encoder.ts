import { huffmanCodes } from './huffman-code.ts';

/**
 * Huffman-codes a string of one character per byte. Only tests use it: the engine sends plain strings, which
 * cost less processor time and are read by the next hop on the same machine or network.
 */
export function encodeHuffman(text: string): Buffer {
  const bytes: number[] = [];
  let pending = 0n;
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = huffmanCodes[text.charCodeAt(at) & 0xff];
    if (code === undefined) continue;
    pending = (pending << BigInt(code.length)) | BigInt(code.bits);
    bits += code.length;
    while (bits >= 8) {
      bits -= 8;
      bytes.push(Number((pending >> BigInt(bits)) & 0xffn));
    }
    pending &= (1n << BigInt(bits)) - 1n;
  }
  if (bits > 0) bytes.push(Number((pending << BigInt(8 - bits)) | ((1n << BigInt(8 - bits)) - 1n)));
  return Buffer.from(bytes);
}

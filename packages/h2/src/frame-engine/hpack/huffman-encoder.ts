import { symbolsByLength } from './huffman-code.ts';

interface HuffmanCode {
  readonly bits: number;
  readonly length: number;
}

/** Assigns the canonical codes: shorter codes first, and by value among codes of one length. */
function assignCodes(): readonly HuffmanCode[] {
  const codes: HuffmanCode[] = [];
  let next = 0;
  symbolsByLength.forEach((symbols, length) => {
    next *= 2;
    for (const symbol of symbols) {
      codes[symbol] = { bits: next, length };
      next += 1;
    }
  });
  return codes;
}

/** The code of each byte, by its value; the last one is the end of a string. */
const huffmanCodes = assignCodes();

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

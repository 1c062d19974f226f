import { compressionError } from '../connection-error.ts';
import { endOfString, huffmanCodes } from './huffman-code.ts';

/** Bits of one step of the automaton. A step completes at most one symbol: the shortest code has 5 bits. */
const stepBits = 4;
const steps = 1 << stepBits;
/** The tree of 257 codes has 256 inner nodes, which are the states of the automaton. */
const states = 256;
/** An entry of the table is the next state, the completed symbol, and these flags. */
const symbolShift = 8;
const emits = 1 << 16;
const fails = 1 << 17;

/** The longest padding of a string, in bits. */
const maxPaddingBits = 7;
const root = 0;

/** A node of the code tree: for each bit the next node, or a symbol as `-1 - symbol`. */
type Node = [number | undefined, number | undefined];

function buildTree(): readonly Node[] {
  const nodes: Node[] = [[undefined, undefined]];
  huffmanCodes.forEach(({ bits, length }, symbol) => {
    let at = root;
    for (let left = length - 1; left >= 0; left -= 1) {
      const node = nodes[at] as Node;
      const bit = (bits >>> left) & 1;
      if (left === 0) node[bit] = -1 - symbol;
      else {
        if (node[bit] === undefined) {
          nodes.push([undefined, undefined]);
          node[bit] = nodes.length - 1;
        }
        at = node[bit] as number;
      }
    }
  });
  return nodes;
}

/** The automaton that reads four bits at a time. */
function buildTable(nodes: readonly Node[]): Uint32Array {
  const table = new Uint32Array(states * steps);
  for (let state = 0; state < states; state += 1) {
    for (let input = 0; input < steps; input += 1) {
      let at = state;
      let entry = 0;
      for (let left = stepBits - 1; left >= 0; left -= 1) {
        const next = nodes[at]?.[(input >>> left) & 1] as number;
        if (next >= 0) at = next;
        else {
          const symbol = -1 - next;
          entry = symbol === endOfString ? fails : emits | (symbol << symbolShift);
          if (symbol === endOfString) break;
          at = root;
        }
      }
      table[state * steps + input] = entry | at;
    }
  }
  return table;
}

/** The states in which a string may end: all bits since the last symbol are ones, and at most seven. */
function buildEnds(nodes: readonly Node[]): Uint8Array {
  const ends = new Uint8Array(states);
  let at = root;
  for (let bits = 0; bits <= maxPaddingBits; bits += 1) {
    ends[at] = 1;
    at = nodes[at]?.[1] as number;
  }
  return ends;
}

interface Automaton {
  readonly table: Uint32Array;
  readonly ends: Uint8Array;
}

/** Built by the first string, because a daemon whose connections are HTTP/2 of Node.js never needs it. */
let automaton: Automaton | undefined;

function buildAutomaton(): Automaton {
  const tree = buildTree();
  return { table: buildTable(tree), ends: buildEnds(tree) };
}

/** Output of most strings; longer ones get a buffer of their own. */
const scratch = Buffer.alloc(4096);

/**
 * Decodes a Huffman-coded string to one character per byte.
 *
 * @throws ConnectionError with COMPRESSION_ERROR for invalid codes and padding
 */
export function decodeHuffman(bytes: Uint8Array, start: number, end: number): string {
  automaton ??= buildAutomaton();
  const { table, ends } = automaton;
  // The shortest code has 5 bits.
  const mostBytes = Math.ceil(((end - start) * 8) / 5);
  const output = mostBytes <= scratch.length ? scratch : Buffer.allocUnsafe(mostBytes);
  let length = 0;
  let state = root;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] as number;
    const high = table[state * steps + (byte >>> stepBits)] as number;
    if ((high & emits) !== 0) output[length++] = (high >>> symbolShift) & 0xff;
    const low = table[(high & 0xff) * steps + (byte & 0xf)] as number;
    if ((low & emits) !== 0) output[length++] = (low >>> symbolShift) & 0xff;
    if (((high | low) & fails) !== 0) throw compressionError('a Huffman code ends the string too early');
    state = low & 0xff;
  }
  if (ends[state] === 0) throw compressionError('the padding of a Huffman-coded string is invalid');
  return output.toString('latin1', 0, length);
}

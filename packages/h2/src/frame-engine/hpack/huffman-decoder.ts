import { compressionError } from '../connection-error.ts';
import { endOfString, symbolsByLength } from './huffman-code.ts';

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

/**
 * The tree of the codes. The children of node `n` are at `2 * n` and `2 * n + 1`: the next node, or a symbol as
 * `-1 - symbol`.
 */
type Tree = Int16Array;

/**
 * Builds the tree level by level. The code is canonical, so the symbols of each level come before its inner
 * nodes.
 */
function buildTree(): Tree {
  const children = new Int16Array(2 * states);
  let level = [root];
  let nodes = 1;
  for (const symbols of symbolsByLength.slice(1)) {
    const inner: number[] = [];
    for (const [index, at] of level.flatMap((node) => [2 * node, 2 * node + 1]).entries()) {
      const symbol = symbols[index];
      if (symbol === undefined) {
        children[at] = nodes;
        inner.push(nodes);
        nodes += 1;
      } else children[at] = -1 - symbol;
    }
    level = inner;
  }
  return children;
}

/** The states in which a string may end: all bits since the last symbol are ones, and at most seven. */
function buildEnds(tree: Tree): Uint8Array {
  const ends = new Uint8Array(states);
  let at = root;
  for (let bits = 0; bits <= maxPaddingBits; bits += 1) {
    ends[at] = 1;
    at = tree[2 * at + 1] as number;
  }
  return ends;
}

/** The automaton that reads four bits at a time. */
interface Automaton {
  readonly tree: Tree;
  /**
   * The step of each state for each input. An entry is computed when it is first needed; until then it is 0,
   * which no step is. All 4,096 at the start of a process would make V8 load its optimising compilers, 7 MB.
   */
  readonly table: Int32Array;
  readonly ends: Uint8Array;
}

function computeStep({ tree, table }: Automaton, index: number): number {
  let at = Math.floor(index / steps);
  let flags = 0;
  for (let left = stepBits - 1; left >= 0; left -= 1) {
    const next = tree[2 * at + ((index >>> left) & 1)] as number;
    if (next >= 0) at = next;
    else {
      const symbol = -1 - next;
      flags = symbol === endOfString ? fails : emits | (symbol << symbolShift);
      if (symbol === endOfString) break;
      at = root;
    }
  }
  const step = flags | at;
  table[index] = step;
  return step;
}

/** Built by the first string, because a daemon whose connections are HTTP/2 of Node.js never needs it. */
let automaton: Automaton | undefined;

function buildAutomaton(): Automaton {
  const tree = buildTree();
  return { tree, table: new Int32Array(states * steps), ends: buildEnds(tree) };
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
    const highIndex = state * steps + (byte >>> stepBits);
    let high = table[highIndex] as number;
    if (high === 0) high = computeStep(automaton, highIndex);
    if ((high & emits) !== 0) output[length++] = (high >>> symbolShift) & 0xff;
    const lowIndex = (high & 0xff) * steps + (byte & 0xf);
    let low = table[lowIndex] as number;
    if (low === 0) low = computeStep(automaton, lowIndex);
    if ((low & emits) !== 0) output[length++] = (low >>> symbolShift) & 0xff;
    if (((high | low) & fails) !== 0) throw compressionError('a Huffman code ends the string too early');
    state = low & 0xff;
  }
  if (ends[state] === 0) throw compressionError('the padding of a Huffman-coded string is invalid');
  return output.toString('latin1', 0, length);
}

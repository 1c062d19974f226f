import { Fault } from '@nodewright/fault';
import type { Slot } from './slot.ts';

export interface ImageArguments {
  readonly slot: Slot;
  /** In hex, of the hash tree of the root file system. */
  readonly rootHash: string;
  /** The root hashes of extensions, the uppermost last. */
  readonly extensions: readonly string[];
}

const slotArgument = 'nodewright.slot=';

/**
 * The words of a kernel's command line that say which image it starts; they end the line. The word with the extensions is always there, so
 * that the init can refuse a second one. The root hash is the last word: machined refuses words that were added behind it to a signed
 * command line.
 */
export const imageArguments = ({ slot, rootHash, extensions }: ImageArguments): string[] => [
  `${slotArgument}${slot}`,
  `nodewright.extensions=${extensions.join(',')}`,
  `nodewright.roothash=${rootHash}`,
];

/** The root hash in the command line of an image. @throws Fault `data-loss` when it has none */
export function rootHashIn(commandLine: string): string {
  const [, hash] = /(?:^| )nodewright\.roothash=([0-9a-f]{64})\b/.exec(commandLine) ?? [];
  if (hash === undefined) throw new Fault('data-loss', 'the command line of the image has no root hash');
  return hash;
}

/** The slot that a kernel with this command line starts, as the init reads it: the last word counts, and A without one. */
export function slotIn(commandLine: string): Slot {
  const words = commandLine.trim().split(/\s+/);
  return words.findLast((word) => word.startsWith(slotArgument)) === `${slotArgument}B` ? 'B' : 'A';
}

import { randomFillSync } from 'node:crypto';

/** Returns the given number of random bytes, suitable for secrets. */
export type RandomSource = (sizeBytes: number) => Uint8Array;

export const systemRandom: RandomSource = (sizeBytes) => randomFillSync(new Uint8Array(sizeBytes));

const tokenAlphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/**
 * Generates a token in the form of bootstrap tokens: 6 characters, a dot, 16 characters. Source: Kubernetes:
 * bootstrap tokens.
 */
export function generateToken(random: RandomSource): string {
  return `${randomText(6, random)}.${randomText(16, random)}`;
}

/**
 * Rejects bytes beyond the largest multiple of the alphabet size, so that all characters are equally likely.
 */
function randomText(length: number, random: RandomSource): string {
  const limit = 256 - (256 % tokenAlphabet.length);
  let text = '';
  while (text.length < length) {
    for (const byte of random(length - text.length)) {
      if (byte < limit) text += tokenAlphabet.charAt(byte % tokenAlphabet.length);
    }
  }
  return text;
}

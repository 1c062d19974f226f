import { randomFillSync } from 'node:crypto';

/** Returns that many random bytes, fit for secrets. */
export type RandomSource = (sizeBytes: number) => Uint8Array;

export const systemRandom: RandomSource = (sizeBytes) => randomFillSync(new Uint8Array(sizeBytes));

const tokenAlphabet = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A token of the bootstrap form: 6 characters, a dot, 16 characters. Source: Kubernetes: bootstrap tokens. */
export function generateToken(random: RandomSource): string {
  return `${randomText(6, random)}.${randomText(16, random)}`;
}

/** Bytes past the last full round of the alphabet are thrown away: every character is equally likely. */
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

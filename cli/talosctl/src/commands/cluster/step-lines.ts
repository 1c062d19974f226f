import type { Progress } from '@nodewright/provision';
import type { OutputStream } from '../../command-module.ts';
import { ownText, writeOwn } from '../../output/own-text.ts';

/** Given as a code point: the bundler cannot escape characters in a tagged template, and bundles stay Latin-1. */
const checkMark = String.fromCodePoint(0x2713);

/**
 * Prints one line per completed step with its duration, and a green check mark on a terminal. `now` is in
 * milliseconds.
 */
export function createStepLines(output: OutputStream, now = () => performance.now()): Progress {
  return {
    async step(name, body) {
      const startedAt = now();
      const result = await body();
      const seconds = ((now() - startedAt) / 1000).toFixed(1);
      if (output.isTTY) writeOwn(output, ownText`\u001b[32m${checkMark}\u001b[0m ${name} ${seconds}s\n`);
      else output.write(`${name} ${seconds}s\n`);
      return result;
    },
    note: (text) => void output.write(`${text}\n`),
  };
}

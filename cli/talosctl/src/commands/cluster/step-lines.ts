import type { Progress } from '@nodewright/provision';
import type { OutputStream } from '../../command-module.ts';
import { ownText, writeOwn } from '../../output/own-text.ts';

/** By its number: the bundler cannot escape a letter in a tagged template, and bundles stay Latin-1. */
const checkMark = String.fromCodePoint(0x2713);

/** A line a step with the time it took, marked on a terminal and plain elsewhere. `now` is in milliseconds. */
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

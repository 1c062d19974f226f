import type { Progress as StepProgress } from '@nodewright/provision';
import type { OutputStream } from '../../context/command-module.ts';
import { ownText, writeOwn } from '../../context/own-text.ts';
import { Progress } from '../../context/progress.ts';

/** Given as a code point: the bundler cannot escape characters in a tagged template, and bundles stay Latin-1. */
const checkMark = String.fromCodePoint(0x2713);

/**
 * Prints one line per completed step with its duration. On a terminal it has a green check mark, and another line names the steps that
 * have not completed after a second. `now` is in milliseconds.
 */
export function createStepLines(output: OutputStream, now = () => performance.now()): StepProgress {
  const running: string[] = [];
  let waiting: Progress | undefined;
  const end = (name: string) => {
    running.splice(running.indexOf(name), 1);
    if (running.length > 0) waiting?.pause();
    else waiting?.[Symbol.dispose]();
  };
  return {
    async step(name, body) {
      const startedAt = now();
      if (running.length === 0) waiting = new Progress(output, () => `waiting for: ${running.join(', ')}`);
      running.push(name);
      const result = await body().finally(() => end(name));
      const seconds = ((now() - startedAt) / 1000).toFixed(1);
      if (output.isTTY) writeOwn(output, ownText`\u001b[32m${checkMark}\u001b[0m ${name} ${seconds}s\n`);
      else output.write(`${name} ${seconds}s\n`);
      return result;
    },
    note(text) {
      waiting?.pause();
      output.write(`${text}\n`);
    },
  };
}

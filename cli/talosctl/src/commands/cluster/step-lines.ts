import type { Progress as StepProgress } from '@nodewright/provision';
import type { OutputStream } from '../../context/command-module.ts';
import { ownText, writeOwn } from '../../context/own-text.ts';
import { Progress } from '../../context/progress.ts';
import { escapeLine } from '../../output/escape-text.ts';
import { plainError } from '../../render/plain-error.ts';

/** Given as a code point: the bundler cannot escape characters in a tagged template, and bundles stay Latin-1. */
const checkMark = String.fromCodePoint(0x2713);

/** Without a terminal, steps that take long are named after this time, and again after as long, in milliseconds. */
const patienceMs = 10_000;

/**
 * Prints one line per completed step with its duration. On a terminal it has a green check mark, and another line names the steps that
 * have not completed after a second, and what they wait for; without one there is such a line every ten seconds. `now` is in milliseconds.
 */
export function createStepLines(output: OutputStream, now = () => performance.now()): StepProgress {
  const running: string[] = [];
  /** Why a step has not completed, by its name. */
  const reasons = new Map<string, string>();
  let waiting: Progress | undefined;
  let reminder: NodeJS.Timeout | undefined;
  const waitText = () => {
    const [said] = running.flatMap((name) => reasons.get(name) ?? []);
    return `waiting for: ${running.join(', ')}${said === undefined ? '' : ` (${escapeLine(plainError(said))})`}`;
  };
  const end = (name: string) => {
    running.splice(running.indexOf(name), 1);
    reasons.delete(name);
    if (running.length > 0) {
      waiting?.pause();
      return;
    }
    waiting?.[Symbol.dispose]();
    clearInterval(reminder);
  };
  return {
    async step(name, body) {
      const startedAt = now();
      if (running.length === 0) {
        waiting = new Progress(output, waitText);
        if (!output.isTTY) reminder = setInterval(() => output.write(`${waitText()}\n`), patienceMs).unref();
      }
      running.push(name);
      const result = await body((reason) => reasons.set(name, reason)).finally(() => end(name));
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

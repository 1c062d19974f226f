import type { Progress } from '@nodewright/provision';
import type { OutputStream } from '../../command-module.ts';

/** A line a step with the time it took, marked on a terminal and plain elsewhere. `now` is in milliseconds. */
export function createStepLines(output: OutputStream, now = () => performance.now()): Progress {
  return {
    async step(name, body) {
      const startedAt = now();
      const result = await body();
      const seconds = ((now() - startedAt) / 1000).toFixed(1);
      output.write(output.isTTY ? `\u001b[32m✓\u001b[0m ${name} ${seconds}s\n` : `${name} ${seconds}s\n`);
      return result;
    },
    note: (text) => void output.write(`${text}\n`),
  };
}

// A program of `make mutate`: runs test files in a process group of its own, and prints a line with JSON when each begins and when it has
// ended: `run-tests.ts CHECKOUT TIMEOUT_MS FILE ...`.
import { runFiles } from '../test/run-files.ts';

const [checkout = '', timeoutMs = '', ...files] = process.argv.slice(2);
const say = (line: object) => void process.stdout.write(`${JSON.stringify(line)}\n`);

await runFiles({
  ...{ checkout, files, concurrency: 2, timeoutMs: Number(timeoutMs), repeats: false },
  print: () => {},
  mayStart(file) {
    say({ begun: file });
    return true;
  },
  onEnd: (file, { failed, failedTests }) => say({ ended: file, failed, test: failedTests[0] ?? file }),
});

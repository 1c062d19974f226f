// `make test-convert SEED= RUNS=`. Each configuration has a seed of its own, starting with SEED. Exits with 1 at the first one that a
// conversion changes without a line, and prints its seed; `SEED=<seed> RUNS=1` repeats it.
import { performance } from 'node:perf_hooks';
import { convertGenerated } from './convert-generated.ts';

const runs = numberFrom('RUNS', 20_000);
const seed = numberFrom('SEED', 1 + (Date.now() % 1e9));
const started = performance.now();
process.stdout.write(`${runs} generated configurations from SEED=${seed} on\n`);
try {
  const until = (done: number) => {
    if (done > 0 && done % 1000 === 0) process.stdout.write(`${done} configurations\n`);
    return false;
  };
  const { converted, refused, slowest } = convertGenerated({ seed, runs, until });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  const memory = Math.round(process.resourceUsage().maxRSS / 1024);
  process.stdout.write(
    `${converted} converted, proven and converted back in ${seconds} s, ${refused} not valid; nothing changed without a line; ` +
      `slowest ${slowest.milliseconds.toFixed(0)} ms (SEED=${slowest.seed} RUNS=1); ${memory} MiB\n`,
  );
} catch (error) {
  process.stderr.write(`test-convert: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  process.stderr.write(`test-convert: ${name}=${text} is not a whole number above 0\n`);
  process.exit(2);
}

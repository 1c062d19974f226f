// Tests mutations of valid configurations: `make test-config-fuzz SEED= RUNS=`. Each text has a seed of its
// own, starting with SEED. Exits with 1 at the first text that is not handled as required, or not in time,
// and prints its seed.
import { performance } from 'node:perf_hooks';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { type FuzzFigures, fuzzConfigurations } from './fuzz-configurations.ts';

/** The most processor time for one text; after twenty times as much wall-clock time it counts as endless. */
const maxMilliseconds = 2500;
const checkEveryMilliseconds = 1000;

interface Task {
  readonly seed: number;
  readonly runs: number;
  /** Progress: the current seed and the number of texts so far. */
  readonly progress: SharedArrayBuffer;
}

type Answer = { readonly figures: FuzzFigures } | { readonly failure: string };

if (isMainThread) await watch();
else await work(workerData as Task);

async function work({ seed, runs, progress }: Task): Promise<void> {
  const counters = new Float64Array(progress);
  const onRun = (current: number) => {
    counters[0] = current;
    counters[1] = (counters[1] ?? 0) + 1;
  };
  try {
    parentPort?.postMessage({ figures: await fuzzConfigurations({ seed, runs, maxMilliseconds, onRun }) });
  } catch (error) {
    parentPort?.postMessage({
      failure: error instanceof Error ? (error.stack ?? String(error)) : String(error),
    });
  }
}

async function watch(): Promise<void> {
  const runs = numberFrom('RUNS', 100_000);
  const seed = numberFrom('SEED', 1 + (Date.now() % 1e9));
  process.stdout.write(`${runs} mutations of valid configurations from SEED=${seed} on\n`);
  const started = performance.now();
  const task: Task = { seed, runs, progress: new SharedArrayBuffer(16) };
  const worker = new Worker(new URL(import.meta.url), { workerData: task });
  const watchdog = watchProgress(worker, new Float64Array(task.progress));
  const { promise, resolve } = Promise.withResolvers<Answer>();
  worker.on('message', resolve).on('error', (error) => resolve({ failure: String(error) }));
  const answer = await Promise.race([promise, watchdog.hangs]);
  watchdog.stop();
  await worker.terminate();
  if ('failure' in answer) {
    process.stderr.write(`${answer.failure}\n`);
    process.exit(1);
  }
  const { verdicts, characters, slowest } = answer.figures;
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(
    `${answer.figures.runs} texts of ${(characters / 1e6).toFixed(1)} million characters in ${seconds.toFixed(1)} s: ` +
      `${verdicts.refused} refused with a position, ${verdicts.read} read, ${verdicts.valid} valid; ` +
      `slowest ${slowest.milliseconds.toFixed(0)} ms (SEED=${slowest.seed} RUNS=1)\n`,
  );
}

function watchProgress(worker: Worker, counters: Float64Array) {
  const { promise: hangs, resolve } = Promise.withResolvers<Answer>();
  let seen = -1;
  let since = performance.now();
  let told = 0;
  const timer = setInterval(() => {
    const [seed = 0, begun = 0] = counters;
    if (begun !== seen) {
      seen = begun;
      since = performance.now();
      if (begun - told >= 10_000) {
        told = begun - (begun % 10_000);
        process.stdout.write(`${told} texts\n`);
      }
    } else if (performance.now() - since > 20 * maxMilliseconds) {
      void worker.terminate();
      resolve({ failure: `seed ${seed}: no end in sight after ${(20 * maxMilliseconds) / 1000} s` });
    }
  }, checkEveryMilliseconds);
  return { hangs, stop: () => clearInterval(timer) };
}

function numberFrom(name: string, otherwise: number): number {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  process.stderr.write(`test-config-fuzz: ${name}=${text} is not a whole number above 0\n`);
  process.exit(2);
}

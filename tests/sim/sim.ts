// Runs random graphs of controllers in random orders, then random roll-outs. `make sim SEED= RUNS=`; each run has a seed
// of its own, starting with SEED. Exits with 1 at the first wrong result and prints its seed; a single run (RUNS=1)
// prints every step.
import { performance } from 'node:perf_hooks';
import { simulateRollout } from './rollout/simulate-rollout.ts';
import { simulate } from './simulate.ts';

const numberFrom = (name: string, otherwise: number): number => {
  const text = process.env[name] ?? '';
  if (text === '') return otherwise;
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  process.stderr.write(`sim: ${name}=${text} is not a whole number above 0\n`);
  process.exit(2);
};

const runs = numberFrom('RUNS', 10_000);
const first = numberFrom('SEED', 1 + (Date.now() % 1e9));
/** The number of orders in which every graph is run. */
const schedules = 2;

const onStep = runs === 1 ? (text: string) => process.stdout.write(`  ${text}\n`) : undefined;

let started = performance.now();
process.stdout.write(`${runs} graphs from SEED=${first} on, each in ${schedules} orders\n`);
for (let seed = first; seed < first + runs; seed += 1) {
  for (let schedule = 0; schedule < schedules; schedule += 1) {
    if (onStep !== undefined) process.stdout.write(`order ${schedule}\n`);
    const problem = await simulate({ seed, schedule, onStep });
    if (problem === undefined) continue;
    process.stderr.write(
      `graph ${seed} does not end as it should in order ${schedule} (- missing, + too much):\n${problem}\n` +
        `every step of it: make sim SEED=${seed} RUNS=1\n`,
    );
    process.exit(1);
  }
  const done = seed - first + 1;
  if (done % 1000 === 0) process.stdout.write(`${done} graphs\n`);
}
const secondsSince = (beganMs: number) => ((performance.now() - beganMs) / 1000).toFixed(1);
process.stdout.write(
  `${runs} graphs, ${runs * schedules} runs: all end as they should (${secondsSince(started)} s)\n`,
);

started = performance.now();
process.stdout.write(`${runs} roll-outs from SEED=${first} on\n`);
const ends = new Map<string, number>();
for (let seed = first; seed < first + runs; seed += 1) {
  const { problem, end } = await simulateRollout({ seed, ...(onStep === undefined ? {} : { onStep }) });
  if (problem !== undefined) {
    process.stderr.write(
      `roll-out ${seed} does what it must not: ${problem}\nevery step of it: make sim SEED=${seed} RUNS=1\n`,
    );
    process.exit(1);
  }
  ends.set(end, (ends.get(end) ?? 0) + 1);
  const done = seed - first + 1;
  if (done % 1000 === 0) process.stdout.write(`${done} roll-outs\n`);
}
const list = [...ends].map(([end, count]) => `${end} ${count}`).join(', ');
process.stdout.write(`${runs} roll-outs: all keep to their plans (${list}; ${secondsSince(started)} s)\n`);

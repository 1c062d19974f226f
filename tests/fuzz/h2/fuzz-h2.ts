// Fuzzes the frame engine for a given time: mutated conversations with both roles, and random exchanges that
// must have the same outcome on both engines, each run with a new seed. `MINUTES=` (60), `H2_SEED=` (of the
// first run). Ends with 1 at the first failure, with the command that repeats it.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const checkout = join(import.meta.dirname, '../../..');
const folder = 'packages/h2/src/frame-engine';
/** What one run does: about half a minute each. */
const conversations = 1000;
const exchanges = 2000;
const minutes = Number(process.env.MINUTES || 60);
const first = Number(process.env.H2_SEED || Date.now() % 2 ** 31);

/** Ends the process when the test fails. */
function run(file: string, settings: Readonly<Record<string, string>>): void {
  const words = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  const { status, stdout } = spawnSync(process.execPath, ['--test', join(folder, file)], {
    cwd: checkout,
    env: { ...process.env, ...settings },
    encoding: 'utf8',
  });
  if (status === 0) return;
  process.stdout.write(`${stdout}\nrepeat it: ${words.join(' ')} node --test ${folder}/${file}\n`);
  process.stdout.write('then add the seed of the conversation to testing/failed-seeds.ts\n');
  process.exit(1);
}

const startedAt = performance.now();
const elapsed = () => (performance.now() - startedAt) / 60_000;
for (let round = 0; elapsed() < minutes; round += 1) {
  // Each conversation of a run has a seed of its own.
  const seed = String(first + round * conversations);
  run('fuzz.test.ts', { H2_SEED: seed, H2_FUZZ_ROUNDS: String(conversations) });
  run('differential.test.ts', { H2_SEED: seed, H2_EXCHANGES: String(exchanges) });
  const done = round + 1;
  process.stdout.write(
    `fuzz-h2: ${2 * done * conversations} conversations and ${done * exchanges} exchanges after ${elapsed().toFixed(1)} of ${minutes} minutes (H2_SEED=${first})\n`,
  );
}

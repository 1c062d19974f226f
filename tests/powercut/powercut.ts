// `make test-powercut`: takes the power from an emulated machine at 60 moments that a seed determines, and examines the
// disks that it may find afterwards. Cuts that were finished are not repeated by the next run with the same image.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { imageFolder, noMachine } from '../boot/machine.ts';
import { makeCheckerImage } from './checker-image.ts';
import { type Cut, cutKinds, planCuts } from './plan-cuts.ts';
import { openTestCluster } from './test-cluster.ts';
import { CutFailure, type CutResult, type Laboratory, tryCut, tryUnsafeDisks } from './try-cut.ts';

const output = join(import.meta.dirname, '..', '..', '_out', 'powercut');
/** What was found on disks that ignore flushes. */
const unsafeDisks = 'unsafe-disks.json';
const say = (line: string) => void process.stdout.write(`powercut: ${line}\n`);

/** `SEED`, else that of the last run, so that a run that was interrupted continues, else a new one. */
function chooseSeed(): number {
  const file = join(output, 'seed');
  const given =
    process.env.SEED || (existsSync(file) ? readFileSync(file, 'utf8') : String(Date.now() % 2 ** 31));
  const seed = Number(given);
  if (!Number.isSafeInteger(seed) || seed < 0) throw new Error('SEED must be a number');
  writeFileSync(file, String(seed));
  return seed;
}

/** `CUTS`: how many of the cuts are tried, or the name of one, or of their kind. */
function chooseCuts(seed: number) {
  const cuts = planCuts(seed);
  const wanted = process.env.CUTS || String(cuts.length);
  const chosen = /^\d+$/.test(wanted)
    ? cuts.slice(0, Number(wanted))
    : cuts.filter(({ name, kind }) => name === wanted || kind === wanted);
  if (chosen.length === 0)
    throw new Error(
      'CUTS must be a number of cuts, or the name of one or of a kind, such as reset-03 or reset',
    );
  return chosen;
}

async function main(): Promise<boolean> {
  if (noMachine !== false) throw new Error(noMachine);
  mkdirSync(output, { recursive: true });
  const seed = chooseSeed();
  const cuts = chooseCuts(seed);
  const digest = createHash('sha256')
    .update(readFileSync(join(imageFolder, 'SHA256SUMS')))
    .digest('hex')
    .slice(0, 8);
  const folder = join(output, `${seed}-${digest}`);
  mkdirSync(folder, { recursive: true });
  say(`SEED=${seed}, ${cuts.length} power cuts; results in ${folder}`);
  const laboratory: Laboratory = {
    checker: await makeCheckerImage(imageFolder, output),
    cluster: await openTestCluster(join(output, `cluster-${digest}`)),
  };
  const results: CutResult[] = [];
  let drawn = 0;
  const failures: string[] = [];
  for (const [index, cut] of cuts.entries()) {
    const file = join(folder, `${cut.name}.json`);
    try {
      if (!existsSync(file)) {
        await recogniseUnsafeDisk(laboratory, cut, folder);
        writeFileSync(file, JSON.stringify(await tryCut(cut, laboratory, join(folder, cut.name))));
      }
      const result = JSON.parse(readFileSync(file, 'utf8')) as CutResult;
      results.push(result);
      drawn += cutKinds[cut.kind].images;
      say(`${index + 1} of ${cuts.length}, ${cut.name}: ${describe(result)}`);
    } catch (error) {
      if (!(error instanceof CutFailure)) throw error;
      failures.push(cut.name);
      say(`${index + 1} of ${cuts.length}, ${cut.name}: FAILED, ${error.message}`);
      say(`repeat it with: make test-powercut SEED=${seed} CUTS=${cut.name}`);
    }
  }
  const sum = (of: (result: CutResult) => number) => results.reduce((total, result) => total + of(result), 0);
  say(
    `${results.length} cuts passed, ${failures.length} failed; ${drawn} images drawn, ` +
      `${sum(({ images }) => images)} different ones examined, ${results.length} booted, ${Math.round(sum(({ seconds }) => seconds) / 60)} minutes`,
  );
  if (!existsSync(join(folder, unsafeDisks)))
    say(
      'no cut of this run has lost anything on disks that ignore flushes: it is not shown that these are recognised',
    );
  return failures.length === 0;
}

/** Once per run: disks that ignore flushes must fail, otherwise this test could not find anything. */
async function recogniseUnsafeDisk(laboratory: Laboratory, cut: Cut, folder: string): Promise<void> {
  const file = join(folder, unsafeDisks);
  if (cut.kind !== 'new-configuration' || existsSync(file)) return;
  const problems = await tryUnsafeDisks(cut, laboratory, join(folder, cut.name));
  if (problems === undefined) return;
  writeFileSync(file, JSON.stringify(problems));
  say(`disks that ignore flushes are recognised: ${problems.join('; ')}`);
}

function describe({ requests, pending, images, outcomes, booted, seconds }: CutResult): string {
  const found = Object.entries(outcomes).map(([name, count]) => `${name} on ${count}`);
  return (
    `after ${requests} requests, ${pending} of them not flushed; ${images} different images: ${found.join(', ')}; ` +
    `booted with configuration ${booted}; ${seconds} s`
  );
}

try {
  process.exitCode = (await main()) ? 0 : 1;
} catch (error) {
  say(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

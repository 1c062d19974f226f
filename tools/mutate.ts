// `make mutate`: plants faults one at a time in a copy of the checkout, and lists those that no test notices. The faults are drawn by
// SEED, so a run can be repeated; COUNT says how many, PATHS where, BASE restricts them to lines that differ from a commit.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readCheckoutGraph } from './changed/checkout-graph.ts';
import { rankTests, usesPrograms } from './changed/rank-tests.ts';
import { changedLines } from './mutate/changed-lines.ts';
import { chooseFaults } from './mutate/choose-faults.ts';
import { type Fault, formatFault, plant } from './mutate/find-faults.ts';
import { judgeFault } from './mutate/judge-fault.ts';
import { isMutable } from './mutate/mutable-files.ts';
import { openWorkingCopy, type WorkingCopy } from './mutate/working-copy.ts';
import { suiteOf } from './suites/suite-table.ts';
import { listFiles } from './suites/working-tree.ts';
import { readFileTimes } from './test/file-times.ts';

const { values, positionals: paths } = parseArgs({
  options: {
    seed: { type: 'string', default: '' },
    count: { type: 'string', default: '' },
    base: { type: 'string', default: '' },
    /** How long the tests of one fault may take, in seconds. */
    seconds: { type: 'string', default: '' },
    checkout: { type: 'string', default: join(import.meta.dirname, '..') },
  },
  allowPositionals: true,
});
const checkout = resolve(values.checkout);
const seed = wholeNumber('SEED', values.seed, Math.floor(Math.random() * 1e9));
const count = wholeNumber('COUNT', values.count, 20);
const limitMs = wholeNumber('SECONDS', values.seconds, 120) * 1000;
/** Of one test file. */
const fileTimeoutMs = Math.min(limitMs, 60_000);
const compiler = join(import.meta.dirname, '..', 'node_modules', 'typescript', 'bin', 'tsc');
const say = (line: string) => void process.stdout.write(`${line}\n`);

const isWanted = (file: string) =>
  paths.length === 0 || paths.some((path) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`));
const lines = values.base === '' ? undefined : changedLines(checkout, values.base);
const files = listFiles(checkout).filter(
  (file) => isMutable(file) && isWanted(file) && (lines === undefined || lines.has(file)),
);
const faults = chooseFaults({
  ...{ files, count, seed },
  read: (file) => readFileSync(join(checkout, file), 'utf8'),
  ...(lines === undefined
    ? {}
    : { mayChange: (file: string, line: number) => lines.get(file)?.has(line) === true }),
});
say(`seed ${seed}: ${faults.length} faults in ${files.length} files`);

const { paths: all, graph } = readCheckoutGraph(checkout);
const secondsOf = readFileTimes(checkout);
// Tests that start bundles would need a build for each fault.
const tests = all.filter((file) => suiteOf(file)?.verb === 'test' && !usesPrograms(graph, file));
const counts = { tests: 0, types: 0 };
const survivors: string[] = [];
const broken = new Set<string>();
using copy = openWorkingCopy(checkout);
for (const [index, fault] of faults.entries()) {
  const ranked = rankTests(graph, [fault.file], tests, secondsOf).map(({ file }) => file);
  const verdict = await judgeFault({ copy, fault, tests: ranked, limitMs, fileTimeoutMs, broken });
  const where = `${index + 1}/${faults.length} ${formatFault(fault)}`;
  if (verdict.kind === 'noticed') {
    counts.tests += 1;
    say(`${where}\n    noticed by ${verdict.by}`);
  } else if (isTypeError(copy, fault)) {
    counts.types += 1;
    say(`${where}\n    noticed by the types`);
  } else {
    const tried = `${verdict.ranFiles} of ${verdict.reachedFiles} test files ran`;
    say(`${where}\n    SURVIVED: ${tried}`);
    survivors.push(`${formatFault(fault)} (${tried})`);
  }
}
for (const file of broken) say(`fails without a fault, and did not count: ${file}`);
for (const line of survivors) say(`survived: ${line}`);
say(
  `seed ${seed}: ${faults.length} faults, ${counts.tests} noticed by tests, ${counts.types} by types, ${survivors.length} survived`,
);

/** Whether the compiler refuses the fault. Names that only the fault leaves without use do not count. */
function isTypeError(copy: WorkingCopy, fault: Fault): boolean {
  const whole = copy.read(fault.file);
  copy.write(fault.file, plant(whole, fault));
  try {
    const words = ['--noEmit', '--incremental', '--tsBuildInfoFile', '_out/types.tsbuildinfo'];
    const unused = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
    const { status, stdout } = spawnSync(process.execPath, [compiler, ...words, ...unused], {
      ...{ cwd: copy.folder, encoding: 'utf8' },
    });
    return status !== 0 && stdout.includes(`${fault.file}(`);
  } finally {
    copy.write(fault.file, whole);
  }
}

function wholeNumber(name: string, text: string, otherwise: number): number {
  if (text === '') return otherwise;
  if (/^\d+$/.test(text)) return Number(text);
  process.stderr.write(`mutate: ${name}=${text} is no whole number\n`);
  process.exit(2);
}

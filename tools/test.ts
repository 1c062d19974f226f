// Runs the tests and counts them. `node tools/test.ts [pattern ...]`; `--named` runs the files that a person names; `--compose` runs only
// the tests with containers; `--upstream` runs upstream's released client against processes and against containers; `--node-image`
// runs nodes that are one container each; `--kubernetes` runs Kubernetes on processes and on a node of one
// container; `--boot` boots machines; `--alone` runs one file at a time; `--user` leaves out what gives the same result
// for every user. Without arguments: everything that `make test` promises, with the container tests in parallel to
// the others when an engine answers. When few files fail, they run once more, and the report names those that pass
// then; `--times=10` runs files ten times instead, to find tests that fail by chance. On a developer's machine a test
// that lacks a part is skipped and named; where CI is set, a skipped test is a failure.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureEtcd } from '@nodewright/build/etcd';
import { readCheckoutGraph } from './changed/checkout-graph.ts';
import { usesPrograms } from './changed/rank-tests.ts';
import { suiteOf, suites } from './suites/suite-table.ts';
import { countFailures } from './test/count-failures.ts';
import { writeFileTimes } from './test/file-times.ts';
import { findByName, matchFiles } from './test/find-files.ts';
import { prepareCompose } from './test/prepare-compose.ts';
import { printReport } from './test/print-report.ts';
import { repeatFiles } from './test/repeat-files.ts';
import { type RunFilesInit, runFiles, type TestCounts } from './test/run-files.ts';
import { runsAlone, runsAtTheEnd } from './test/runs-alone.ts';
import { ensureUpstreamClient } from './upstream-client/ensure-client.ts';

const checkout = join(import.meta.dirname, '..');
const patternsOf = (wanted: string) =>
  suites.filter(({ verb }) => verb === wanted).flatMap(({ files }) => files);
/**
 * What these test computes, or keeps files in memory or in a folder of its own: no right of the user matters to it.
 * Decisions (`domain`) never touch the machine, and controllers only by what they are given.
 */
const isSameForEveryUser = (path: string) =>
  ['/domain/', '/controllers/'].some((folder) => path.includes(folder)) ||
  sameForEveryUser.some((prefix) => path.startsWith(prefix));
const sameForEveryUser = [
  ...['async', 'boot', 'client', 'contract', 'controllers', 'dhcp', 'disk', 'etcd', 'fault', 'h2'],
  ...['machine-config', 'oci', 'pki', 'rpc', 'sntp', 'state', 'telemetry'],
]
  .map((name) => `packages/${name}/`)
  .concat(['apid', 'config', 'proto', 'state', 'talosctl', 'trustd'].map((name) => `tests/contract/${name}/`))
  .concat(['tests/docs/', 'tests/house/', 'tests/powercut/', 'tests/sim/'])
  // Clusters like those of `commands.test.ts` and of most files in `process`, which do run as the user.
  .concat(['etcd', 'etcd-arguments', 'membership', 'replay'].map((name) => `tests/cluster/process/${name}.`))
  .concat(
    ['ca-rotation', 'configuration', 'fail-over', 'kinds', 'reboot'].map((name) => `tests/cluster/${name}.`),
  )
  .concat(['resources', 'restart', 'routing', 'tracing', 'watching'].map((name) => `tests/cluster/${name}.`))
  .concat(['attack', 'chaos', 'conformance', 'e2e-kubernetes', 'interop'].map((name) => `tests/${name}/`))
  .concat(['extension', 'image-tools'].map((name) => `tests/rootfs/${name}`))
  // Not those of commands, which write files.
  .concat(['action', 'dashboard', 'packet', 'render', 'ui'].map((name) => `cli/talosctl/src/${name}/`))
  .concat(['services/apid/src/gateway/']);
const isContinuousIntegration = process.env.CI === 'true' || process.env.CI === '1';
const testTimeoutMs = 180_000;
/** Time for starting four nodes, crashing them and reading their traces. */
const composeTimeoutMs = 900_000;
/** Per file of tests/upstream and per round of its actions. */
const upstreamTimeoutMs = 900_000;
/** Two cores start nine Go programs, and restart some of them. */
const kubernetesTimeoutMs = 900_000;
/** A test boots up to five emulated machines, each in about half a minute, beside those of another file. */
const bootTimeoutMs = 1_500_000;
/** One machine is configured a hundred times. */
const bootAloneTimeoutMs = 3_600_000;

const { values, positionals: patterns } = parseArgs({
  options: {
    compose: { type: 'boolean', default: false },
    upstream: { type: 'boolean', default: false },
    boot: { type: 'boolean', default: false },
    'node-image': { type: 'boolean', default: false },
    kubernetes: { type: 'boolean', default: false },
    user: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    named: { type: 'boolean', default: false },
    times: { type: 'string' },
  },
  allowPositionals: true,
});

const turns: TestCounts[] = [];
const notRun: string[] = [];
/** Printed below everything else. */
const summary: string[] = [];
if (values.times !== undefined) await runManyTimes(Number(values.times) || 10);
else if (values.boot) turns.push(await runMachines());
else if (values.kubernetes) turns.push(await runKubernetes());
else if (values.named) turns.push(await runNamed());
else if (values['node-image']) await runWholeNodes();
else if (patterns.length > 0) turns.push(await runOthers(filesOf(patterns)));
else if (values.upstream) await runUpstream();
else {
  // A test that needs etcd skips itself and says so when etcd is missing.
  await ensureEtcd(checkout).catch(({ message }: Error) => process.stderr.write(`${message}\n`));
  const others = filesOf(patternsOf('test'))
    .filter((path) => !runsAlone(path))
    .filter((path) => !(values.user && isSameForEveryUser(path)));
  if (!values.compose) turns.push(await runOthers(filesOf(patternsOf('test')).filter(runsAlone)));
  const containers = chosenContainerFiles() ?? filesOf(patternsOf('test-compose'));
  const onProcesses = values.compose
    ? Promise.resolve()
    : runOthers(others).then((counts) => void turns.push(counts));
  await Promise.all([
    onProcesses,
    containers.length > 0 &&
      runContainers(async () => {
        turns.push(await runBeside(containers.filter((path) => !runsAtTheEnd(path))));
        await onProcesses;
        turns.push(await runBeside(containers.filter(runsAtTheEnd)));
      }),
  ]);
}
writeFileTimes(checkout, new Map(turns.flatMap(({ durations }) => [...durations])));
await printReport({ turns, notRun, skipsFail: isContinuousIntegration });
for (const line of summary) process.stdout.write(`${line}\n`);

/**
 * Runs more files than there are processors: tests spend half of their time waiting, for leases, elections
 * and daemons that start. Beside them run the tests with containers.
 */
function initOf(files: readonly string[]): RunFilesInit {
  const concurrency = values.alone ? 1 : availableParallelism() + 1;
  return { checkout, files, concurrency, timeoutMs: testTimeoutMs };
}

function runOthers(files: readonly string[]): Promise<TestCounts> {
  // Those that somebody named shall be judged as they are alone.
  return runFiles({ ...initOf(files), shares: !values.named && !values.alone });
}

/** Never returns: it has a report of its own. */
async function runManyTimes(times: number): Promise<never> {
  const failures = await repeatFiles({ ...initOf(filesOf(patterns)), times });
  for (const [failure, count] of failures)
    process.stdout.write(`failed ${count} of ${times} times: ${failure}\n`);
  if (failures.size === 0) process.stdout.write(`no test failed in ${times} rounds\n`);
  process.exit(failures.size > 0 ? 1 : 0);
}

/** Two files at once unless `--alone` is given: while a machine boots its second processor waits, and while it is asked both do. */
function runMachines(): Promise<TestCounts> {
  const files = filesOf(patterns.length > 0 ? patterns : ['tests/boot/*.test.ts']);
  const { concurrency, timeoutMs } = values.alone
    ? { concurrency: 1, timeoutMs: bootAloneTimeoutMs }
    : { concurrency: 2, timeoutMs: bootTimeoutMs };
  return runFiles({ checkout, files, concurrency, timeoutMs });
}

/** One file at a time: each starts three control planes of Kubernetes. */
function runKubernetes(): Promise<TestCounts> {
  const files = filesOf(patterns.length > 0 ? patterns : ['tests/kubernetes/**/*.test.ts']);
  return runFiles({ checkout, files, concurrency: 1, timeoutMs: kubernetesTimeoutMs });
}

/** Nodes of one container each, one file at a time. Their image must be there. */
function runWholeNodes(): Promise<void> {
  const files = filesOf(patterns.length > 0 ? patterns : ['tests/node-image/**/*.test.ts']);
  const init = { checkout, files, concurrency: 1, timeoutMs: composeTimeoutMs };
  return runContainers(async () => void turns.push(await runFiles(init)));
}

/**
 * Runs on processes first, while the images are built; with `CLUSTER=qemu` on a machine instead. With `REPEAT` each test runs so many
 * times, without a second chance, and a summary says how often each failed. Throws when the client or etcd cannot be had.
 */
async function runUpstream(): Promise<void> {
  const note = (line: string) => void process.stdout.write(`upstream-client: ${line}\n`);
  const rounds = Number(process.env.REPEAT || 1);
  if (!Number.isInteger(rounds) || rounds < 1) end(`REPEAT=${process.env.REPEAT} is no number of rounds`);
  const provisioner = process.env.CLUSTER || 'process';
  if (provisioner !== 'process' && provisioner !== 'qemu')
    end(`CLUSTER=${provisioner} is neither process nor qemu`);
  ensureUpstreamClient({ checkout, environment: process.env, note });
  await ensureEtcd(checkout);
  const files = filesOf(['tests/upstream/**/*.test.ts']);
  const onContainers = chosenContainerFiles() ?? files;
  const failed: string[] = [];
  const runOn = async (name: string, ofThem: readonly string[]) => {
    process.env.TEST_PROVISIONER = name;
    for (let round = 1; round <= rounds; round += 1) {
      // The actions have their rounds in one cluster, and the list of commands needs none.
      const turn = ofThem.filter((file) => round === 1 || file.endsWith('/commands.test.ts'));
      if (turn.length === 0) return;
      const counts = await runFiles({
        ...{ checkout, files: turn, concurrency: 1, timeoutMs: upstreamTimeoutMs * rounds },
        repeats: rounds === 1,
        onEnd: (_, { failedTests }) => void failed.push(...failedTests),
      });
      turns.push(counts);
    }
  };
  if (provisioner === 'qemu') {
    // The list of commands does not depend on the nodes.
    await runOn(
      'qemu',
      ['actions', 'commands'].map((name) => `tests/upstream/${name}.test.ts`),
    );
  } else {
    const onProcesses = runOn('process', files);
    if (onContainers.length > 0)
      await runContainers(async () => {
        await onProcesses;
        await runOn('docker', onContainers);
      });
    await onProcesses;
  }
  if (rounds > 1) {
    const lines = countFailures(failed, rounds);
    summary.push(...(lines.length > 0 ? lines : [`no test failed in ${rounds} rounds`]));
  }
}

/** One file at a time: each starts a dozen programs. What it prints comes in one piece, at its end. */
async function runBeside(files: readonly string[]): Promise<TestCounts> {
  const printed: string[] = [];
  const print = (text: string) => void printed.push(text);
  const counts = await runFiles({
    checkout,
    files,
    concurrency: 1,
    timeoutMs: composeTimeoutMs,
    print,
  });
  process.stdout.write(`test: the tests with containers have ended:\n${printed.join('')}`);
  return counts;
}

/** The test files for containers that CONTAINER_FILES= names, which may be `none`; `undefined` for all of them. */
function chosenContainerFiles(): string[] | undefined {
  const { CONTAINER_FILES: chosen = '' } = process.env;
  if (chosen === 'none') return [];
  return chosen === '' ? undefined : filesOf(chosen.split(/\s+/));
}

/** Builds the images and runs the tests that need them, or records why they cannot run. */
async function runContainers(run: () => Promise<void>): Promise<void> {
  const tag = process.env.NODEWRIGHT_TAG ?? `test-${process.pid}`;
  const readiness = await prepareCompose(checkout, tag);
  if (readiness.state === 'missing') {
    notRun.push(`tests with containers: ${readiness.reason}`);
    return;
  }
  process.env.NODEWRIGHT_TAG = tag;
  try {
    await run();
  } finally {
    if (tag.startsWith('test-')) await readiness.removeImages();
  }
}

/** Files by their names. Builds only when one of them starts a bundle. Never returns when there is no such file. */
async function runNamed(): Promise<TestCounts> {
  const all = matchFiles(
    checkout,
    suites.flatMap(({ files }) => files),
  ).filter((file) => file.endsWith('.test.ts'));
  const wanted = patterns.flatMap((name) =>
    /[*{]/.test(name) ? matchFiles(checkout, [name]) : findByName(all, name),
  );
  const files = [...new Set(wanted)];
  if (files.length === 0) end(`no test file has ${patterns.join(', ')} in its name`);
  const foreign = files.find((file) => suiteOf(file)?.verb !== 'test');
  if (foreign !== undefined) end(`${foreign} belongs to another suite: make ${suiteOf(foreign)?.verb}`);
  const { graph } = readCheckoutGraph(checkout);
  if (files.some((file) => usesPrograms(graph, file))) {
    const { status } = spawnSync('make', ['build'], { cwd: checkout, stdio: 'inherit' });
    if (status !== 0) end('what the tests start could not be built');
  }
  return runOthers(files);
}

function filesOf(wanted: readonly string[]): string[] {
  const files = matchFiles(checkout, wanted);
  return files.length > 0 ? files : end(`no test file matches ${wanted.join(' ')}`);
}

function end(message: string): never {
  process.stderr.write(`test: ${message}\n`);
  process.exit(2);
}

// `make e2e-kubernetes`: runs the conformance cases of Kubernetes for which two images suffice, agnhost and busybox, on a cluster of four
// containers that it makes and removes, or on CLUSTER=. It prints the counts, and writes a summary to _out/e2e-kubernetes.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endToEndParts, ensureKubernetes, kubernetesParts } from '@nodewright/build/kubernetes';
import { parse } from 'yaml';
import { builtKubernetesVersion } from '../../packages/provision/src/domain/kubernetes-programs.ts';
import { buildAgnhostImage } from '../../rootfs/kubernetes/build-agnhost-image.ts';
import { agnhostImage, busyboxImage } from '../../rootfs/kubernetes/image-table.ts';
import { checkout } from '../cluster/run-talosctl.ts';
import { keptResults, withEarlierFailures } from './kept-results.ts';
import { type LeftOutCases, leftOutCases } from './left-out-cases.ts';
import { type Options, readOptions } from './options.ts';
import type { CaseResult, Report } from './read-report.ts';
import { type Progress, runGinkgo } from './run-ginkgo.ts';
import { type Selection, selectCases } from './select-cases.ts';
import { summaryLine, summaryOf, summaryPage } from './summary.ts';
import { openExistingTarget, openOwnTarget } from './target.ts';

const output = join(checkout, '_out', 'e2e-kubernetes');
/** Cases of another version of Kubernetes may have the same names. */
const resultsFile = join(output, `results-${builtKubernetesVersion}.json`);
const say = (line: string) => void process.stdout.write(`e2e-kubernetes: ${line}\n`);

/** Nodes of containers have the control groups of their host. Source: cgroups(7), version 2. */
const isUnified = existsSync('/sys/fs/cgroup/cgroup.controllers');

/** Cases wait most of their time, and two processors run the nodes, too. */
const parallelProcesses = 8;
const progressIntervalMs = 30_000;

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => interrupted.abort(new Error(`ended by ${name}`)));

try {
  if (!(await main(readOptions(process.env)))) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`e2e-kubernetes: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

/** Whether all cases that were run have passed. */
async function main(options: Options): Promise<boolean> {
  mkdirSync(output, { recursive: true });
  const { folder: programs } = await ensureKubernetes({
    ...{ checkout, environment: process.env, note: say },
    parts: { ...kubernetesParts, ...endToEndParts },
  });
  const notRunHere = leftOutCases({ isUnified, canPull: options.cluster === undefined });
  const { before, failedBefore } = keptResults(options.keeps, readResults(notRunHere));
  const selection = selectCases({
    cases: listCases(programs),
    leftOut: notRunHere,
    ...(options.focus && { focus: options.focus }),
    done: new Set(before.map(({ name }) => name)),
  });
  const { parallel, serial, leftOut } = selection;
  const chosen = [...parallel, ...serial];
  say(`${chosen.length} cases to run, ${serial.length} of them alone, ${leftOut.length} left out`);
  if (before.length > 0) say(`${before.length} cases have a result of an earlier run`);
  const results = [...before];
  const suiteFailures: string[] = [];
  const take = (report: Report) => {
    results.push(...withEarlierFailures(report.results, failedBefore));
    suiteFailures.push(...report.suiteFailures);
    // Each part is kept, so that RESUME=1 goes on where a run ended.
    writeFileSync(resultsFile, asText(results));
  };
  if (chosen.length > 0) await runCases({ options, programs, selection, take });
  const isWanted = ({ name }: CaseResult) => options.focus?.test(name) ?? true;
  const summary = summaryOf({
    ...{ version: builtKubernetesVersion, leftOut, chosen },
    results: results.filter(isWanted),
  });
  writeFileSync(join(output, 'summary.json'), asText({ ...summary, suiteFailures }));
  writeFileSync(join(output, 'summary.md'), summaryPage(summary));
  for (const { name, reason = '' } of summary.failed) say(`failed: ${name}: ${reason}`);
  for (const failure of suiteFailures) say(`failed beside the cases: ${failure}`);
  say(`${summaryLine(summary)}; ${join(output, 'summary.md')}`);
  return summary.failed.length + suiteFailures.length === 0;
}

interface RunCasesInit {
  readonly options: Options;
  readonly programs: string;
  readonly selection: Selection;
  readonly take: (report: Report) => void;
}

/** Runs the cases on a cluster that has the image of agnhost, first those that may run beside others. */
async function runCases({ options, programs, selection, take }: RunCasesInit): Promise<void> {
  const { archive, image } = await buildAgnhostImage(checkout, say);
  await using target = await (options.cluster === undefined
    ? openOwnTarget(agnhostImage.reference, image)
    : openExistingTarget(options.cluster, join(programs, 'kubectl'), agnhostImage.reference));
  interrupted.signal.throwIfAborted();
  say(`the nodes run; they get the image ${agnhostImage.reference}`);
  await target.talosctl('image', 'import', archive);
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(options.limitMs)]);
  for (const [name, processes] of [
    ['parallel', parallelProcesses],
    ['serial', 1],
  ] as const) {
    const cases = selection[name];
    if (cases.length === 0 || signal.aborted) continue;
    say(`${cases.length} cases, ${processes} at once`);
    const report = await runGinkgo({
      ...{ programs, kubeconfig: target.kubeconfig, cases, processes, signal },
      folder: join(output, name),
      onProgress: progressLines(cases.length),
    });
    take(report);
  }
}

function asText(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

/** The results of the run before, without cases that are left out since then. */
function readResults(notRunHere: readonly LeftOutCases[]): readonly CaseResult[] {
  if (!existsSync(resultsFile)) return [];
  const results = JSON.parse(readFileSync(resultsFile, 'utf8')) as readonly CaseResult[];
  return results.filter(({ name }) => !notRunHere.some(({ cases }) => cases.includes(name)));
}

/**
 * The names of the cases that every conformant cluster must pass.
 *
 * @throws Error of one line when the nodes have other versions of the images than the cases use
 */
function listCases(programs: string): string[] {
  const ask = (flag: string) =>
    execFileSync(join(programs, 'e2e.test'), [flag], { encoding: 'utf8', cwd: output });
  const images = ask('--list-images').split('\n');
  for (const image of [agnhostImage.reference, busyboxImage])
    if (!images.includes(image)) throw new Error(`the cases do not use ${image}, which the nodes have`);
  const cases = parse(ask('--list-conformance-tests')) as readonly { readonly codename: string }[];
  return cases.map(({ codename }) => codename);
}

/** Prints at most one line per interval. */
function progressLines(cases: number): (progress: Progress) => void {
  const started = performance.now();
  let toldMs = started;
  return ({ ended, failed }) => {
    const now = performance.now();
    if (now - toldMs < progressIntervalMs) return;
    toldMs = now;
    const minutes = Math.ceil((((now - started) / ended) * (cases - ended)) / 60_000);
    const left = ended === 0 ? '' : `, about ${minutes} min left`;
    say(`${ended} of ${cases} cases ended, ${failed} failed${left}`);
  };
}

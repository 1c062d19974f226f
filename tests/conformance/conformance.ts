// Checks a node against the promises to clients and prints a table of methods and verdicts. `make
// conformance` runs it.

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { locateTalosconfig } from '@nodewright/client/talosconfig';
import { methodTable } from '@nodewright/contract';
import { ensureImages } from '../../tools/up/ensure-images.ts';
import { type ConformanceOptions, parseConformanceOptions, usage } from './options.ts';
import { methodVerdicts } from './report/method-verdicts.ts';
import { countVerdicts, reportText } from './report/print-report.ts';
import { runChecks, type Verdict } from './run-checks.ts';
import { openSubject } from './subject/open-subject.ts';
import { openOwnCluster, readContext, readOsAuthority } from './subject/own-cluster.ts';
import type { Subject } from './subject/subject.ts';
import { suite } from './suite.ts';

const checkout = join(import.meta.dirname, '..', '..');
const defaultOut = join(checkout, '_out', 'conformance.json');

async function open(options: ConformanceOptions, scope: AsyncDisposableStack): Promise<Subject> {
  if (options.endpoint === undefined) {
    if (options.cluster === 'docker') await ensureImages(checkout, process.env.NODEWRIGHT_TAG || 'dev');
    return scope.use(await openOwnCluster(options.cluster));
  }
  const { endpoint, node, otherNode, worker, secrets } = options;
  return scope.use(
    await openSubject({
      context: await readContext(talosconfigPath(options)),
      ...{ endpoint, node, otherNode, worker },
      ca: secrets === undefined ? undefined : await readOsAuthority(secrets),
    }),
  );
}

function talosconfigPath({ talosconfig }: ConformanceOptions): string {
  const here = { environment: process.env, cwd: process.cwd(), home: homedir(), exists: existsSync };
  return locateTalosconfig({ ...here, flag: talosconfig }).path;
}

async function main(): Promise<void> {
  const options = parseConformanceOptions(process.argv.slice(2), process.env);
  if (options.help) return void process.stdout.write(usage);
  const { only } = options;
  const checks = suite.filter(({ id, method }) => only === undefined || `${id} ${method}`.includes(only));
  if (checks.length === 0) throw new Error(`no check has "${only}" in its id or method`);

  await using scope = new AsyncDisposableStack();
  const subject = await open(options, scope);
  // For another implementation, missing methods are information and not a failure: it has promised nothing.
  const isForeign = options.endpoint !== undefined;
  const isExcused = (method: string) => isForeign || methodTable[method]?.notImplemented !== undefined;

  const start = performance.now();
  const verdicts: Verdict[] = [];
  for await (const verdict of runChecks(checks, subject)) {
    verdicts.push(verdict);
    if (process.stderr.isTTY)
      process.stderr.write(`\r\x1b[K${verdicts.length}/${checks.length} ${verdict.id}`);
  }
  if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
  const counts = countVerdicts(verdicts, isExcused);
  const report = {
    endpoint: subject.endpoint,
    node: subject.node,
    seconds: Math.round(performance.now() - start) / 1000,
    ...counts,
    methods: methodVerdicts(verdicts, isExcused).map(({ method, verdict }) => ({ method, verdict })),
    checks: verdicts,
  };
  const out = options.out ?? defaultOut;
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(reportText(verdicts, isExcused));
  if (counts.failed > 0) process.exitCode = 1;
}

try {
  await main();
} catch (error) {
  process.stderr.write(`conformance: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Report, readReport } from './read-report.ts';
import { focusOn } from './select-cases.ts';

export interface RunGinkgoInit {
  /** Folder with ginkgo, e2e.test and kubectl. */
  readonly programs: string;
  readonly kubeconfig: string;
  readonly cases: readonly string[];
  /** How many cases run at once. */
  readonly processes: number;
  /** Receives the output and the report, and is the home of the programs. */
  readonly folder: string;
  /** Ends the run early: cases that run then have no result. */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

export interface Progress {
  readonly ended: number;
  readonly failed: number;
}

/** A case that is interrupted removes what it made, and the report is written after that. */
const cleanUpMs = 150_000;

/**
 * Runs cases of the end-to-end tests.
 *
 * @throws Error of one line when there is no report, with the path of the output
 */
export async function runGinkgo(init: RunGinkgoInit): Promise<Report> {
  const { programs, folder, cases, processes, signal, onProgress } = init;
  mkdirSync(folder, { recursive: true });
  const report = join(folder, 'report.json');
  rmSync(report, { force: true });
  const output = createWriteStream(join(folder, 'output.log'));
  const child = spawn(
    join(programs, 'ginkgo'),
    [
      ...[`--procs=${processes}`, '--no-color', '--timeout=24h', `--focus=${focusOn(cases)}`],
      ...[`--output-dir=${folder}`, '--json-report=report.json'],
      ...[join(programs, 'e2e.test'), '--', ...testArguments(init)],
    ],
    // A group of its own, because each process of the tests has to get the signal.
    {
      cwd: folder,
      env: { PATH: process.env.PATH, HOME: folder },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  const closed = once(child, 'close');
  const counter = new CaseCounter();
  for (const stream of [child.stdout, child.stderr]) {
    stream.pipe(output, { end: false });
    stream.setEncoding('utf8').on('data', (text: string) => onProgress(counter.take(text)));
  }
  const stop = () => void stopGroup(child.pid, closed);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    await closed;
  } finally {
    signal.removeEventListener('abort', stop);
    output.end();
    await finished(output);
  }
  if (!existsSync(report)) throw new Error(`ginkgo wrote no report: see ${join(folder, 'output.log')}`);
  return readReport(readFileSync(report, 'utf8'));
}

const testArguments = ({ programs, kubeconfig, folder }: RunGinkgoInit) => [
  ...['--provider=skeleton', `--kubeconfig=${kubeconfig}`, `--kubectl-path=${join(programs, 'kubectl')}`],
  ...[`--e2e-output-dir=${folder}`, '--dump-logs-on-failure=false', '--disable-log-dump'],
];

/** Asks a process group to end, and kills it when it does not. */
async function stopGroup(pid: number | undefined, closed: Promise<unknown>): Promise<void> {
  if (pid === undefined) return;
  const send = (name: NodeJS.Signals) => {
    try {
      process.kill(-pid, name);
    } catch {
      // It has ended already.
    }
  };
  send('SIGINT');
  const late = new AbortController();
  const waited = pause(cleanUpMs, 'late', { signal: late.signal }).catch(() => 'closed');
  if ((await Promise.race([closed.then(() => 'closed'), waited])) === 'late') send('SIGKILL');
  late.abort();
}

/** Counts the marks that Ginkgo prints for each case that has ended. Marks may be split between two pieces of its output. */
export class CaseCounter {
  #ended = 0;
  #failed = 0;
  #rest = '';

  take(text: string): Progress {
    const known = this.#rest + text;
    // A mark may follow that belongs to the last point.
    const point = known.lastIndexOf('•');
    const isOpen = point >= 0 && known.length - point <= longestMark && !known.slice(point).includes('\n');
    const whole = isOpen ? known.slice(0, point) : known;
    this.#rest = isOpen ? known.slice(point) : '';
    this.#ended += [...whole.matchAll(/•/g)].length;
    this.#failed += [...whole.matchAll(/• \[(FAILED|PANICKED!|TIMEDOUT)\]/g)].length;
    return { ended: this.#ended + (isOpen ? 1 : 0), failed: this.#failed };
  }
}

const longestMark = '• [PANICKED!]'.length;

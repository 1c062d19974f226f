import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type Fault, plant } from './find-faults.ts';
import type { WorkingCopy } from './working-copy.ts';

/** What became of a planted fault. */
export type Verdict =
  /** `by` is the first test that failed, or the file that hung. */
  | { readonly kind: 'noticed'; readonly by: string }
  /** `ranFiles` test files passed, out of those that reach its file. */
  | { readonly kind: 'survived'; readonly ranFiles: number; readonly reachedFiles: number };

export interface JudgeInit {
  readonly copy: WorkingCopy;
  readonly fault: Fault;
  /** Test files that reach the file of the fault, likeliest first. */
  readonly tests: readonly string[];
  /** No test file starts later than this after the first one, in milliseconds. */
  readonly limitMs: number;
  /** A test file that takes longer hangs because of the fault, in milliseconds. */
  readonly fileTimeoutMs: number;
  /** Test files that fail without a fault, and say nothing. Those that are found are added. */
  readonly broken: Set<string>;
}

/**
 * Plants the fault, runs tests until one fails or the time is over, and takes the fault away. A file that fails runs again without the
 * fault: one that fails then, too, has noticed nothing.
 */
export async function judgeFault(init: JudgeInit): Promise<Verdict> {
  const { copy, fault, tests, limitMs, fileTimeoutMs, broken } = init;
  const whole = copy.read(fault.file);
  const endsMs = performance.now() + limitMs;
  const ran = new Set<string>();
  try {
    for (;;) {
      const left = tests.filter((file) => !broken.has(file) && !ran.has(file));
      if (left.length === 0 || performance.now() >= endsMs) break;
      copy.write(fault.file, plant(whole, fault));
      const failure = await firstFailure({ checkout: copy.folder, files: left, endsMs, fileTimeoutMs, ran });
      copy.write(fault.file, whole);
      if (failure === undefined) break;
      const again = { checkout: copy.folder, files: [failure.file], endsMs: Number.POSITIVE_INFINITY };
      if ((await firstFailure({ ...again, fileTimeoutMs, ran: new Set() })) === undefined)
        return { kind: 'noticed', by: failure.by };
      broken.add(failure.file);
    }
  } finally {
    copy.write(fault.file, whole);
  }
  return { kind: 'survived', ranFiles: ran.size, reachedFiles: tests.length };
}

interface Run {
  readonly checkout: string;
  readonly files: readonly string[];
  /** When to stop, of `performance.now()`. */
  readonly endsMs: number;
  readonly fileTimeoutMs: number;
  /** Files that passed are added. */
  readonly ran: Set<string>;
}

interface Failure {
  readonly file: string;
  readonly by: string;
}

/** The runner ends a file that hangs; one that a fault keeps from ending gets so much longer. */
const graceMs = 5_000;

/** Runs files until one fails. A fault may make a loop endless that no polite signal ends, so the whole process group is killed. */
async function firstFailure({
  checkout,
  files,
  endsMs,
  fileTimeoutMs,
  ran,
}: Run): Promise<Failure | undefined> {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const words = [join(import.meta.dirname, 'run-tests.ts'), checkout, String(fileTimeoutMs), ...files];
  const child = spawn(process.execPath, words, {
    ...{ cwd: checkout, env: environment, detached: true, stdio: ['ignore', 'pipe', 'ignore'] },
  });
  const closed = once(child, 'close');
  const kill = () => {
    try {
      process.kill(-(child.pid ?? 0), 'SIGKILL');
    } catch {
      // It has ended, with all that it started.
    }
  };
  /** The files that run, with what kills the group when one does not end. */
  const running = new Map<string, NodeJS.Timeout>();
  /** Then no further file counts; those that run may end. */
  const isOver = () => performance.now() >= endsMs;
  let failure: Failure | undefined;
  const fail = (file: string, by: string) => {
    failure ??= { file, by };
    kill();
  };
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { begun, ended, failed, test } = JSON.parse(line);
      if (begun !== undefined && !isOver())
        running.set(
          begun,
          setTimeout(() => fail(begun, `${begun}: does not end`), fileTimeoutMs + graceMs),
        );
      if (running.has(ended)) {
        clearTimeout(running.get(ended));
        running.delete(ended);
        if (failed > 0) fail(ended, test);
        else ran.add(ended);
      }
      if (isOver() && running.size === 0) kill();
    }
    await closed;
    return failure;
  } finally {
    for (const timer of running.values()) clearTimeout(timer);
    kill();
  }
}

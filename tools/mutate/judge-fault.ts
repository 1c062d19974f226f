import { type RunFilesInit, runFiles } from '../test/run-files.ts';
import { type Fault, plant } from './find-faults.ts';
import type { WorkingCopy } from './working-copy.ts';

/** What became of a planted fault. */
export type Verdict =
  /** `by` is the first test that failed. */
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
  /** Test files that fail without a fault, and say nothing. Those that are found are added. */
  readonly broken: Set<string>;
}

/** A file that takes longer hangs because of the fault. */
const fileTimeoutMs = 60_000;

/**
 * Plants the fault, runs tests until one fails or the time is over, and takes the fault away. A file that fails runs again without the
 * fault: one that fails then, too, has noticed nothing.
 */
export async function judgeFault({ copy, fault, tests, limitMs, broken }: JudgeInit): Promise<Verdict> {
  const whole = copy.read(fault.file);
  const begun = performance.now();
  const ranFiles = new Set<string>();
  const left = new Set(tests.filter((file) => !broken.has(file)));
  try {
    while (left.size > 0 && performance.now() - begun < limitMs) {
      copy.write(fault.file, plant(whole, fault));
      const failed = new Map<string, string>();
      await run(copy, [...left], {
        mayStart: () => failed.size === 0 && performance.now() - begun < limitMs,
        onEnd(file, result) {
          ranFiles.add(file);
          left.delete(file);
          if (result.failed > 0) failed.set(file, result.failedTests[0] ?? file);
        },
      });
      if (failed.size === 0) break;
      copy.write(fault.file, whole);
      const { failures } = await run(copy, [...failed.keys()], {
        onEnd(file, result) {
          if (result.failed > 0) broken.add(file);
        },
      });
      const by = [...failed].find(([file]) => !broken.has(file))?.[1];
      if (by !== undefined) return { kind: 'noticed', by };
      if (failures.length === 0) break;
    }
  } finally {
    copy.write(fault.file, whole);
  }
  return { kind: 'survived', ranFiles: ranFiles.size, reachedFiles: tests.length };
}

const run = (copy: WorkingCopy, files: readonly string[], init: Pick<RunFilesInit, 'mayStart' | 'onEnd'>) =>
  runFiles({
    ...{ checkout: copy.folder, files, concurrency: 2, timeoutMs: fileTimeoutMs, repeats: false },
    print: () => {},
    ...init,
  });

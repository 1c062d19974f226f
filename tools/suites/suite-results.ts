// The last result of each suite on this machine, in `_out/test/last.json`.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockFile, writeFileAtomically } from '@nodewright/files';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export interface SuiteResult extends Counts {
  /** The verb of the Makefile. */
  readonly suite: string;
  readonly commit: string;
  /** Whether the files were those of the commit. */
  readonly clean: boolean;
  /** Git's id of the tested files. Empty when they changed while the suite ran: then nobody knows what was tested. */
  readonly tree: string;
  readonly seconds: number;
  /** The end, as RFC 3339. */
  readonly when: string;
}

const folderOf = (checkout: string) => join(checkout, '_out', 'test');
const fileOf = (checkout: string) => join(folderOf(checkout), 'last.json');

/** The results of all suites that ran. A file that cannot be read counts as none. */
export function readResults(checkout: string): SuiteResult[] {
  try {
    return JSON.parse(readFileSync(fileOf(checkout), 'utf8')) as SuiteResult[];
  } catch {
    return [];
  }
}

/** Replaces the last result of one suite. Suites that end at the same moment wait for each other. */
export async function writeResult(checkout: string, result: SuiteResult): Promise<void> {
  mkdirSync(folderOf(checkout), { recursive: true });
  await using _lock = await lockResults(checkout);
  const others = readResults(checkout).filter(({ suite }) => suite !== result.suite);
  const all = [...others, result].toSorted((a, b) => (a.suite < b.suite ? -1 : 1));
  await writeFileAtomically(fileOf(checkout), `${JSON.stringify(all, null, 2)}\n`);
}

/** Waits for half a minute: on a busy machine a write takes longer than the lock is patient. */
async function lockResults(checkout: string): Promise<AsyncDisposable> {
  const path = join(folderOf(checkout), 'last.lock');
  for (let attempt = 1; attempt < 6; attempt += 1) {
    const lock = await lockFile(path).catch(() => undefined);
    if (lock !== undefined) return lock;
  }
  return await lockFile(path);
}

/** Where a program that counts its tests writes its counts, for the suite that started it. */
const countsVariable = 'SUITE_COUNTS';

export const countsEnvironment = (path: string) => ({ [countsVariable]: path });

/** Reports the counts to the suite that started this program, if one did. */
export async function reportCounts(counts: Counts): Promise<void> {
  const path = process.env[countsVariable];
  if (path !== undefined) await writeFileAtomically(path, JSON.stringify(counts));
}

export function readCounts(path: string): Counts | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Counts;
  } catch {
    return undefined;
  }
}

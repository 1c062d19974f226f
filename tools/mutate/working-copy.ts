// Faults are planted in a copy of the checkout, so that the checkout is never changed, whatever ends this process.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { listFiles } from '../suites/working-tree.ts';

export interface WorkingCopy extends Disposable {
  readonly folder: string;
  read(file: string): string;
  write(file: string, text: string): void;
}

/**
 * Copies the files that Git does not ignore, as they are now, below `_out/mutate`. What was fetched and installed is linked, and the
 * packages of the project are those of the copy. Copies of processes that have ended are removed.
 */
export function openWorkingCopy(checkout: string): WorkingCopy {
  const copies = join(checkout, '_out', 'mutate');
  mkdirSync(copies, { recursive: true });
  for (const name of readdirSync(copies))
    if (!isAlive(Number(name))) rmSync(join(copies, name), { recursive: true, force: true });
  const folder = join(copies, String(process.pid));
  for (const file of listFiles(checkout)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(checkout, file), join(folder, file), { verbatimSymlinks: true });
  }
  mkdirSync(join(folder, '_out'), { recursive: true });
  linkEach(join(checkout, '_out'), join(folder, '_out'), ['mutate', 'test', 'types.tsbuildinfo']);
  linkEach(join(checkout, 'node_modules'), join(folder, 'node_modules'), ['@nodewright']);
  const own = join(checkout, 'node_modules', '@nodewright');
  // They are relative links, which lead to the packages of the copy.
  if (namesIn(own).length > 0)
    cpSync(own, join(folder, 'node_modules', '@nodewright'), { recursive: true, verbatimSymlinks: true });
  return {
    folder,
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write: (file, text) => writeFileSync(join(folder, file), text),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function linkEach(from: string, to: string, leftOut: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const name of namesIn(from))
    if (!leftOut.includes(name)) symlinkSync(join(from, name), join(to, name));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    return Number.isInteger(pid) && process.kill(pid, 0);
  } catch {
    return false;
  }
}

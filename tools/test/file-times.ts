// How long each test file took on this machine, so that none starts that cannot end in time.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const fileOf = (checkout: string) => join(checkout, '_out', 'test', 'files.json');

/** The seconds that a file takes: those of its last run, else an estimate by its folder. */
export type SecondsOf = (file: string) => number;

export function readFileTimes(checkout: string): SecondsOf {
  const known = read(checkout);
  return (file) => known[file] ?? estimate(file);
}

/** Remembers how long files took, in milliseconds. What cannot be written is an estimate the next time. */
export function writeFileTimes(checkout: string, durations: ReadonlyMap<string, number>): void {
  const measured = [...durations].map(([file, ms]) => [file, Math.round(ms / 10) / 100]);
  const all = { ...read(checkout), ...Object.fromEntries(measured) };
  try {
    mkdirSync(dirname(fileOf(checkout)), { recursive: true });
    writeFileSync(fileOf(checkout), JSON.stringify(all));
  } catch {}
}

function read(checkout: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(fileOf(checkout), 'utf8'));
  } catch {
    return {};
  }
}

/** Measured on two cores beside other files: files that start clusters, files that start daemons, and the rest. */
const estimates: readonly (readonly [prefix: string, seconds: number])[] = [
  ['tests/cluster/', 40],
  ['tests/docs/', 40],
  ['tests/rootfs/', 10],
  ['tests/contract/', 12],
  ['tests/', 5],
];

const estimate = (file: string) => estimates.find(([prefix]) => file.startsWith(prefix))?.[1] ?? 2;

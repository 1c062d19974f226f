import type { Cgroup } from './cgroup-tree.ts';

// Parses the numbers in the files of a control group. Source: Linux, Documentation/admin-guide/cgroup-v2,
// interface files.

const unset = 'unset';
const infinite = 'max';

/** A number, `max`, or `undefined` when the kernel has no such file. */
export type CgroupNumber = bigint | typeof infinite | undefined;

export function numberIn(group: Cgroup, file: string): CgroupNumber {
  return numberFrom(group.files.get(file)?.trim());
}

function numberFrom(text: string | undefined): CgroupNumber {
  if (text === infinite) return infinite;
  return text !== undefined && /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
}

/** The number after `key` in a file of lines `key value`. */
export function keyedNumber(group: Cgroup, file: string, key: string): CgroupNumber {
  for (const line of linesIn(group, file)) {
    const [name, value] = line.split(' ');
    if (name === key) return numberFrom(value);
  }
  return undefined;
}

/** Parses lines `name key=value key=value` into a map by name. */
export function nestedKeys(group: Cgroup, file: string): Map<string, Map<string, string>> {
  return new Map(
    linesIn(group, file).map((line) => {
      const [name = '', ...pairs] = line.split(' ');
      return [name, new Map(pairs.map((pair) => pair.split('=', 2) as [string, string]))];
    }),
  );
}

/** The number of lines in a file; `undefined` when it cannot be read, as in a threaded group. */
export function lineCount(group: Cgroup, file: string): bigint | undefined {
  return group.files.has(file) ? BigInt(linesIn(group, file).length) : undefined;
}

export function linesIn(group: Cgroup, file: string): string[] {
  return (group.files.get(file) ?? '').split('\n').filter((line) => line !== '');
}

export function numberText(value: CgroupNumber): string {
  return value === undefined ? unset : String(value);
}

const binaryUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Formats bytes like `133 MiB`, with one decimal below ten. */
export function bytesText(value: CgroupNumber): string {
  if (value === undefined || value === infinite || value < 10n) {
    return typeof value === 'bigint' ? `${value} B` : numberText(value);
  }
  let unit = 0;
  for (let rest = value; rest >= 1024n; rest /= 1024n) unit += 1;
  const tenths = Math.floor((Number(value) / 1024 ** unit) * 10 + 0.5) / 10;
  return `${tenths < 10 ? tenths.toFixed(1) : Math.round(tenths)} ${binaryUnits[unit]}`;
}

/** The ratio of two numbers in percent; `-` when either is `max` or `whole` is 0. */
export function percentText(part: CgroupNumber, whole: CgroupNumber): string {
  if (part === undefined || whole === undefined) return `${unset}%`;
  if (typeof part !== 'bigint' || typeof whole !== 'bigint' || whole === 0n) return '-';
  return `${((Number(part) / Number(whole)) * 100).toFixed(2)}%`;
}

/** Formats microseconds like a Go duration: `7m42.43755s`, `8.1ms`, `0s`. */
export function microsecondsText(value: CgroupNumber): string {
  if (typeof value !== 'bigint') return numberText(value);
  if (value === 0n) return '0s';
  if (value < 1000n) return `${value}µs`;
  if (value < 1_000_000n) return `${withFraction(value, 1000n)}ms`;
  const minutes = value / 60_000_000n;
  const seconds = `${withFraction(value % 60_000_000n, 1_000_000n)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function withFraction(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1;
  const fraction = String(value % unit)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return fraction === '' ? String(value / unit) : `${value / unit}.${fraction}`;
}

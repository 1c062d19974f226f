const decimalUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/**
 * A readable size, base 1000: `82 kB`, `9.1 MB`. Below 10 units it has one decimal, except for bytes. Source:
 * Talos v1.14: sizes in tables.
 */
export function formatDecimalSize(bytes: bigint): string {
  if (bytes < 10n) return `${bytes} B`;
  let unit = 0;
  for (let rest = bytes; rest >= 1000n; rest /= 1000n) unit += 1;
  const value = Math.floor((Number(bytes) / 1000 ** unit) * 10 + 0.5) / 10;
  return `${value < 10 ? value.toFixed(1) : roundHalfToEven(value)} ${decimalUnits[unit]}`;
}

/** Rounds tenths to a whole number as upstream does, half to even: 20.5 is 20, 21.5 is 22. */
function roundHalfToEven(value: number): number {
  const whole = Math.floor(value);
  if (value - whole !== 0.5) return Math.round(value);
  return whole + (whole % 2);
}

const binaryUnits = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** A readable size, base 1024, without a space: `960MiB`, `9.1GiB`. Source: Talos v1.14: diskfree. */
export function formatBinarySize(bytes: bigint): string {
  if (bytes < 10n) return `${bytes}B`;
  let unit = 0;
  for (let rest = bytes; rest >= 1024n; rest /= 1024n) unit += 1;
  const value = Math.floor((Number(bytes) / 1024 ** unit) * 10 + 0.5) / 10;
  return `${value < 10 ? value.toFixed(1) : roundHalfToEven(value)}${binaryUnits[unit]}`;
}

const countUnits = ['', 'K', 'M', 'G', 'T', 'P', 'E'];

/** A readable number, base 1000: `500`, `1K`, `327.7K`. Source: Talos v1.14: diskfree, inodes. */
export function formatCount(count: bigint): string {
  let unit = 0;
  for (let rest = count; rest >= 1000n; rest /= 1000n) unit += 1;
  const value = Math.floor((Number(count) / 1000 ** unit) * 10 + 0.5) / 10;
  return `${value}${countUnits[unit]}`;
}

/** The used share of a total as a percentage, rounded up; `-` when the total is zero. */
export function formatPercentUsed(used: bigint, free: bigint): string {
  const whole = used + free;
  return whole === 0n ? '-' : `${(used * 100n + whole - 1n) / whole}%`;
}

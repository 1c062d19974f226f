const decimalUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB'];

/**
 * A size for people, base 1000: `82 kB`, `9.1 MB`. Below 10 in its unit it has one decimal, except for bytes.
 * Source: Talos v1.14: sizes in tables.
 */
export function formatDecimalSize(bytes: bigint): string {
  if (bytes < 10n) return `${bytes} B`;
  let unit = 0;
  for (let rest = bytes; rest >= 1000n; rest /= 1000n) unit += 1;
  const value = Math.floor((Number(bytes) / 1000 ** unit) * 10 + 0.5) / 10;
  return `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ${decimalUnits[unit]}`;
}

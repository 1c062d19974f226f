/** Formats milliseconds like Go durations: `1h0m0s`, `1m30s`, `1.5ms`, `0s`. Source: Go, time.Duration. */
export function durationText(ms: number): string {
  const ns = BigInt(Math.round(Math.abs(ms) * 1e6));
  if (ns === 0n) return '0s';
  return `${ms < 0 ? '-' : ''}${ns < 1_000_000_000n ? shortText(Number(ns)) : longText(ns)}`;
}

/** Formats a duration below one second. */
function shortText(ns: number): string {
  if (ns < 1_000) return `${ns}ns`;
  if (ns < 1_000_000) return `${ns / 1_000}µs`;
  return `${ns / 1_000_000}ms`;
}

function longText(ns: bigint): string {
  const seconds = ns / 1_000_000_000n;
  const fraction = String(ns % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  const [hours, minutes] = [seconds / 3600n, (seconds / 60n) % 60n];
  const last = `${seconds % 60n}${fraction === '' ? '' : `.${fraction}`}s`;
  if (hours > 0n) return `${hours}h${minutes}m${last}`;
  return minutes > 0n ? `${minutes}m${last}` : last;
}

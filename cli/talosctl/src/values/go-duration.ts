import type { Duration } from '@nodewright/contract/gen/google/protobuf/duration.ts';
import { InvalidArgumentError } from 'commander';

const nanosByUnit: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Parses an option value in Go's duration format (`8760h0m0s`, `1.5h`) to nanoseconds. */
export function parseGoDuration(text: string): bigint {
  const parts = [...text.matchAll(/(\d+)(?:\.(\d{1,9}))?(ns|us|µs|ms|s|m|h)/gy)];
  const read = parts.map(([part]) => part).join('');
  if (read === '' || read !== text)
    throw new InvalidArgumentError('It must be a duration such as 24h or 1h30m.');
  return parts.reduce((total, [, whole = '', fraction = '', unit = '']) => {
    const nanos = nanosByUnit[unit] as bigint;
    return total + BigInt(whole) * nanos + (BigInt(fraction.padEnd(9, '0')) * nanos) / 1_000_000_000n;
  }, 0n);
}

/** Converts nanoseconds to a protobuf duration. */
export function protobufDuration(nanos: bigint): Duration {
  return { seconds: nanos / 1_000_000_000n, nanos: Number(nanos % 1_000_000_000n) };
}

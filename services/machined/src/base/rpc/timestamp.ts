import type { Timestamp } from '@nodewright/contract/gen/google/protobuf/timestamp.ts';

/** The first moment of year 1, which means "no time" on the wire. */
const zeroTime: Timestamp = { seconds: -62_135_596_800n, nanos: 0 };

/** @param unixMs milliseconds since the Unix epoch, with fractions; `undefined` gives the first moment of year 1. */
export function timestampFromUnixMs(unixMs: number | undefined): Timestamp {
  if (unixMs === undefined) return zeroTime;
  const nanoseconds = BigInt(Math.round(unixMs * 1000)) * 1000n;
  const nanos = BigInt.asUintN(64, ((nanoseconds % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n);
  return { seconds: (nanoseconds - nanos) / 1_000_000_000n, nanos: Number(nanos) };
}

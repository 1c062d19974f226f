import type { Timestamp } from '@nodewright/contract/gen/google/protobuf/timestamp.ts';

/** @param unixMs may have fractions down to microseconds */
export function timestampFromUnixMs(unixMs: number): Timestamp {
  const seconds = Math.floor(unixMs / 1000);
  return { seconds: BigInt(seconds), nanos: Math.round((unixMs - seconds * 1000) * 1000) * 1000 };
}

export function unixMsFromTimestamp(timestamp: Timestamp | undefined): number {
  return timestamp === undefined ? 0 : Number(timestamp.seconds) * 1000 + timestamp.nanos / 1e6;
}

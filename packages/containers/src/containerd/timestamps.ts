import type { Timestamp } from '@nodewright/contract/gen/google/protobuf/timestamp.ts';

/** Milliseconds since 1970; 0 for a missing time. */
export function millisecondsFrom(timestamp: Timestamp | undefined): number {
  if (timestamp === undefined) return 0;
  return Number(timestamp.seconds) * 1000 + Math.floor(timestamp.nanos / 1_000_000);
}

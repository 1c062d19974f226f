/** A time as `2026-01-10T09:00:01Z`, or as its number of seconds when no calendar has it. @param seconds Unix time */
export function formatUnixTime(seconds: bigint): string {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? String(seconds) : date.toISOString().replace('.000Z', 'Z');
}

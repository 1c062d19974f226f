const headPattern = /^[IWEF](\d\d)(\d\d) (\d\d):(\d\d):(\d\d)\.(\d{3})\d* /;
const dayMs = 86_400_000;
/** The day that not every year has comes again after eight years at the latest. */
const leapGap = 8;

/**
 * The time of a line such as `I1125 17:05:01.123456       1 server.go:10] text`, which has no year: the latest one that is not in the
 * future. Nodes write UTC; their clocks may be up to a day ahead. Source: klog: header format.
 *
 * @param nowMs Unix time in ms
 * @returns Unix time in ms; undefined for another line, and for a date that no year has
 */
export function klogTime(line: string, nowMs: number): number | undefined {
  const found = headPattern.exec(line);
  if (found === null) return undefined;
  const [month, day, hours, minutes, seconds, millis] = found.slice(1).map(Number) as [
    ...[number, number, number],
    ...[number, number, number],
  ];
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined;
  const year = new Date(nowMs + dayMs).getUTCFullYear();
  for (let back = 0; back <= leapGap; back += 1) {
    const date = new Date(Date.UTC(year - back, month - 1, day, hours, minutes, seconds, millis));
    const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
    if (isReal && date.getTime() <= nowMs + dayMs) return date.getTime();
  }
  return undefined;
}

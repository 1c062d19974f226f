/** A size for a narrow column, base 1024: `7.2G`, `512M`, `0`. */
export function shortSize(bytes: number | bigint): string {
  let value = Number(bytes);
  let unit = 0;
  for (; value >= 1000 && unit < 5; unit += 1) value /= 1024;
  const digits = value < 10 && unit > 0 ? value.toFixed(1) : value.toFixed(0);
  return `${digits}${'BKMGTP'[unit]}`;
}

/** `1.2M/s`, or `-` while it is unknown. */
export const rateText = (rate: number | undefined) => (rate === undefined ? '-' : `${shortSize(rate)}/s`);

/** `42%`, or `-` while it is unknown. */
export const percentText = (share: number | undefined) =>
  share === undefined ? '-' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)}%`;

/** A duration in its two largest units: `3d4h`, `5m12s`. */
export function durationText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const [days, hours, minutes] = [86_400, 3600, 60].map((unit) => Math.floor(whole / unit)) as [
    number,
    number,
    number,
  ];
  if (days > 0) return `${days}d${hours % 24}h`;
  if (hours > 0) return `${hours}h${minutes % 60}m`;
  return minutes > 0 ? `${minutes}m${whole % 60}s` : `${whole}s`;
}

/** The time of day in UTC, which is the zone of all times of the dashboard: the logs of nodes have it. */
export function clockText(date: Date): string {
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toISOString().slice(11, 19);
}

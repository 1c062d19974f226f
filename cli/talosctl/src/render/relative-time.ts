const second = 1;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const week = 7 * day;
// Calendars do not matter here: a month is 30 days and a year twelve months.
const month = 30 * day;
const year = 12 * month;
const longTime = 37 * year;

/** Below `limit` seconds a time is counted in units of `unit` seconds. */
const steps: readonly { limit: number; unit: number; name: string }[] = [
  { limit: minute, unit: second, name: 'second' },
  { limit: hour, unit: minute, name: 'minute' },
  { limit: day, unit: hour, name: 'hour' },
  { limit: week, unit: day, name: 'day' },
  { limit: month, unit: week, name: 'week' },
  { limit: year, unit: month, name: 'month' },
];

function words(seconds: number): string {
  if (seconds >= longTime) return 'a long while';
  // The only place where upstream rounds up.
  if (seconds >= year)
    return seconds < 18 * month ? '1 year' : `${Math.max(2, Math.floor(seconds / year))} years`;
  const step = steps.find(({ limit }) => seconds < limit) ?? (steps.at(-1) as (typeof steps)[number]);
  const count = Math.floor(seconds / step.unit);
  return `${count} ${step.name}${count === 1 ? '' : 's'}`;
}

/**
 * The distance of `time` from `now`: `10 years from now`, `3 days ago`, `now`. Source: Talos v1.14: config
 * info.
 */
export function formatRelativeTime(time: Date, now: Date): string {
  return formatRelativeSeconds(time.getTime() / 1000, now);
}

/** The same for a time that may be outside the range of `Date`. @param time Unix time in seconds */
export function formatRelativeSeconds(time: number, now: Date): string {
  const seconds = time - now.getTime() / 1000;
  if (Math.abs(seconds) < 1) return 'now';
  return `${words(Math.abs(seconds))} ${seconds > 0 ? 'from now' : 'ago'}`;
}

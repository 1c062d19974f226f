const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const recentMs = 180 * 24 * 3_600_000;
const two = (value: number) => String(value).padStart(2, '0');

/**
 * The modification time of a file in the local time zone: `Aug 4 12:00:05`, and after 180 days `Aug 4 2025
 * 12:00`. A time that no calendar has is shown as `@` and its number of seconds. Source: Talos v1.14: list.
 *
 * @param seconds Unix time
 */
export function formatFileTime(seconds: bigint, now: Date): string {
  const time = new Date(Number(seconds) * 1000);
  if (Number.isNaN(time.getTime())) return `@${seconds}`;
  const day = `${months[time.getMonth()]} ${String(time.getDate()).padStart(2)}`;
  const clock = `${two(time.getHours())}:${two(time.getMinutes())}`;
  return now.getTime() - time.getTime() < recentMs
    ? `${day} ${clock}:${two(time.getSeconds())}`
    : `${day} ${time.getFullYear()} ${clock}`;
}

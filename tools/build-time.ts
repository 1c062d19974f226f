/**
 * The time of the build: that of the commit, so that each build of it has the same bytes. A commit from a computer whose clock runs ahead
 * counts as built now: machines do not believe that it is long before the build of their image.
 *
 * @param commitSeconds Unix seconds, decimal; undefined when nothing tells it
 * @param nowMs the clock of the builder, Unix ms
 * @returns ISO 8601, or an empty text
 */
export function buildTime(commitSeconds: string | undefined, nowMs: number): string {
  if (commitSeconds === undefined) return '';
  return new Date(Math.min(Number(commitSeconds) * 1000, nowMs)).toISOString();
}

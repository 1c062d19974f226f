/** Years after the build of an image in which its machines are believed to run. */
const yearsInUse = 10;
/** How far the clock of the builder may have been ahead. */
const aheadMs = 24 * 3_600_000;

/**
 * Why a time cannot be the present one: an image does not run before it was built, by a clock that is right to a day.
 * `undefined` when it can be, or when the time of the build is not known.
 *
 * @param unixMs of a time server, so it can be any number
 */
export function implausibleTime(unixMs: number, builtMs: number | undefined): string | undefined {
  if (builtMs === undefined) return undefined;
  const built = new Date(builtMs).toISOString();
  if (!(unixMs >= builtMs - aheadMs)) return `it is more than a day before the build of this image, ${built}`;
  const last = new Date(builtMs);
  last.setUTCFullYear(last.getUTCFullYear() + yearsInUse);
  return unixMs <= last.getTime()
    ? undefined
    : `it is more than ${yearsInUse} years after the build of this image, ${built}`;
}

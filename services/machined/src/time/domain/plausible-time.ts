/** Years after the build of an image in which its machines are believed to run. */
const yearsInUse = 10;

/**
 * Why a time cannot be the present one: an image does not run before it was built. `undefined` when it can be, or when the
 * time of the build is not known.
 *
 * @param unixMs of a time server, so it can be any number
 */
export function implausibleTime(unixMs: number, builtMs: number | undefined): string | undefined {
  if (builtMs === undefined) return undefined;
  const built = new Date(builtMs).toISOString();
  if (!(unixMs >= builtMs)) return `it is before the build of this image, ${built}`;
  const last = new Date(builtMs);
  last.setUTCFullYear(last.getUTCFullYear() + yearsInUse);
  return unixMs <= last.getTime()
    ? undefined
    : `it is more than ${yearsInUse} years after the build of this image, ${built}`;
}

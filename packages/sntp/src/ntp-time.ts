/** Seconds between the NTP prime epoch (1900) and the Unix epoch. */
const epochDifferenceSeconds = 2_208_988_800n;
const fractionsPerSecond = 2 ** 32;

/**
 * A moment as RFC 5905 writes it: 32 bits of seconds, 32 bits of fraction, wrapping in 2036. Zero means unknown.
 */
export type NtpTimestamp = bigint;

/** @param unixMs milliseconds since the Unix epoch, with fractions. */
export function ntpFromUnixMs(unixMs: number): NtpTimestamp {
  const wholeSeconds = Math.floor(unixMs / 1000);
  const fraction = BigInt(Math.round(((unixMs - wholeSeconds * 1000) / 1000) * fractionsPerSecond));
  return BigInt.asUintN(64, ((BigInt(wholeSeconds) + epochDifferenceSeconds) << 32n) + fraction);
}

/**
 * Milliseconds since the Unix epoch. The 32 bits of seconds stand for a moment between 1968 and 2104: with the highest
 * bit set before the wrap of 2036, else after it (RFC 4330 §3).
 */
export function unixMsFromNtp(timestamp: NtpTimestamp): number {
  const seconds = timestamp >> 32n;
  const era = seconds >= 2n ** 31n ? 0n : 2n ** 32n;
  const fraction = Number(timestamp & 0xffff_ffffn) / fractionsPerSecond;
  return (Number(seconds + era - epochDifferenceSeconds) + fraction) * 1000;
}

/** The 16.16 bit seconds of root delay and dispersion, in milliseconds. */
export function msFromNtpShort(short: number): number {
  return (short / 65536) * 1000;
}

import { characterString, type DerValue, tags } from './der.ts';

/** UTCTime up to 2049, GeneralizedTime after, whole seconds (RFC 5280 §4.1.2.5). */
export function encodeTime(date: Date): DerValue {
  const digits = `${date.toISOString().slice(0, 19).replace(/[-T:]/g, '')}Z`;
  const year = date.getUTCFullYear();
  return year >= 1950 && year < 2050
    ? characterString(tags.utcTime, Buffer.from(digits.slice(2)))
    : characterString(tags.generalizedTime, Buffer.from(digits));
}

/** `hours` after `start`; both are truncated to whole seconds, as in certificates. */
export function endOfLifetime(start: Date, hours: number): Date {
  return new Date(Math.floor(start.getTime() / 1000) * 1000 + hours * 3_600_000);
}

import { refused, shown } from '@nodewright/extensions/images';

interface Version {
  readonly numbers: readonly number[];
  /** Without its hyphen; empty for a release. */
  readonly preRelease: readonly string[];
}

const form = /^v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z-]{1,64}(?:\.[0-9A-Za-z-]{1,64}){0,8}))?$/;

/** Whether the text is a version such as `v1.14.0` or `v1.15.0-beta.1`. */
export const isVersion = (text: string): boolean => text.length <= 128 && form.test(text);

/**
 * The order of two versions: negative when the first one is older. Source: Semantic Versioning, precedence.
 *
 * @throws Fault `invalid-argument` for a text that is no version
 */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [parseVersion(left), parseVersion(right)];
  for (const [at, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return comparePreReleases(a.preRelease, b.preRelease);
}

/** Major and minor version: those of etcd, between which its data differ. @throws Fault `invalid-argument` */
export const minorOf = (text: string): string => parseVersion(text).numbers.slice(0, 2).join('.');

function parseVersion(text: string): Version {
  const [, major, minor, patch, preRelease] = (isVersion(text) ? form.exec(text) : undefined) ?? [];
  if (major === undefined) throw refused(`${shown(text)} is not a version such as v1.14.0`);
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    preRelease: preRelease === undefined ? [] : preRelease.split('.'),
  };
}

function comparePreReleases(left: readonly string[], right: readonly string[]): number {
  // A release comes after its pre-releases.
  if (left.length === 0 || right.length === 0) return right.length - left.length;
  for (let at = 0; at < Math.max(left.length, right.length); at += 1) {
    const [a, b] = [left[at], right[at]];
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    if (a === b) continue;
    const areNumbers = [a, b].map((part) => /^\d+$/.test(part));
    if (areNumbers[0] && areNumbers[1]) {
      // A date and a time have more digits than a number of JavaScript keeps.
      const [one, other] = [BigInt(a), BigInt(b)];
      if (one !== other) return one < other ? -1 : 1;
    } else if (areNumbers[0] !== areNumbers[1]) return areNumbers[0] ? -1 : 1;
    else return a < b ? -1 : 1;
  }
  return 0;
}

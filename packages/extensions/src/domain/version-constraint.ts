// Constraints such as `>= v1.10.0 < 2.0.0 || 1.9.x`, with which an extension names the versions that it works with.

import { refused } from './refused.ts';

type Version = readonly [number, number, number];

const operators: Readonly<Record<string, (order: number) => boolean>> = {
  '': (order) => order === 0,
  '=': (order) => order === 0,
  '==': (order) => order === 0,
  '!': (order) => order !== 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
};
const comparison = /^([<>=!]{0,2})(\d+)\.(\d+)\.(\d+)(?:[-+][0-9A-Za-z.+-]*)?$/;
const wildcard = /^(\d+)\.(?:(\d+)\.)?[xX]$/;

/**
 * Whether a version satisfies a constraint. Of versions only the three numbers count, as upstream ignores that a version is a
 * pre-release. An empty constraint is satisfied by every version.
 *
 * @throws Fault `invalid-argument` that quotes a part that is no comparison. Source: Talos v1.14: extensions, compatibility.
 */
export function satisfiesConstraint(version: string, constraint: string): boolean {
  const numbers = versionOf(version);
  const text = constraint.replaceAll(/v(?=\d)/g, '').trim();
  if (text === '') return true;
  // Every part is read, so that none is wrong unnoticed.
  const alternatives = text.split('||').map((alternative) => {
    const words = alternative
      .replaceAll(/([<>=!])\s+(?=\d)/g, '$1')
      .trim()
      .split(/\s+/);
    return words.map((word) => isSatisfied(numbers, word)).every(Boolean);
  });
  return alternatives.some(Boolean);
}

function versionOf(text: string): Version {
  const [, major, minor, patch] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(text) ?? [];
  return [Number(major), Number(minor), Number(patch)];
}

function isSatisfied(version: Version, word: string): boolean {
  const [, anyMajor, anyMinor] = wildcard.exec(word) ?? [];
  if (anyMajor !== undefined)
    return version[0] === Number(anyMajor) && (anyMinor === undefined || version[1] === Number(anyMinor));
  const [, operator = '', major, minor, patch] = comparison.exec(word) ?? [];
  const matches = operators[operator];
  if (major === undefined || matches === undefined) throw refused(`${word} is no comparison of versions`);
  const other: Version = [Number(major), Number(minor), Number(patch)];
  const differing = [0, 1, 2].find((at) => version[at] !== other[at]);
  return matches(differing === undefined ? 0 : (version[differing] ?? 0) - (other[differing] ?? 0));
}

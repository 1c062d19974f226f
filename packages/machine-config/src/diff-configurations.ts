import { createTwoFilesPatch } from 'diff/lib/patch/create.js';
import type { Configuration } from './config-document.ts';
import { loadConfiguration } from './decode/load-configuration.ts';
import { encodeConfiguration } from './encode-configuration.ts';

export interface DiffOptions {
  /** Names of the two sides in the diff header. */
  readonly names?: readonly [before: string, after: string];
  /** Number of unchanged lines around a change. */
  readonly contextLines?: number;
}

/**
 * If more lines than this differ, the diff removes one text and adds the other: an exact diff takes too long.
 */
const maxChangedLines = 2000;

/**
 * Returns a unified diff of two configurations, or an empty text when they are equal. Both are encoded again
 * without comments, so that only differences that affect a node count. A text is decoded first; an empty text
 * has no documents. The diff contains secrets: redact the configurations first for readers other than
 * administrators.
 *
 * @throws the faults of `loadConfiguration` for a text
 *
 * Source: Talos v1.14: applying a configuration, dry run.
 */
export function diffConfigurations(
  before: Configuration | string,
  after: Configuration | string,
  options: DiffOptions = {},
): string {
  const { names = ['a', 'b'], contextLines = 3 } = options;
  const [left, right] = [encoded(before), encoded(after)];
  if (left === right) return '';
  const diff = createTwoFilesPatch(...names, left, right, undefined, undefined, {
    context: contextLines,
    maxEditLength: maxChangedLines,
    headerOptions: { includeIndex: false, includeUnderline: false, includeFileHeaders: true },
  });
  return diff ?? wholeDiff(names, left, right);
}

function encoded(configuration: Configuration | string): string {
  if (typeof configuration !== 'string') return encodeConfiguration(configuration);
  return configuration.trim() === '' ? '' : encodeConfiguration(loadConfiguration(configuration));
}

function wholeDiff(names: readonly [string, string], left: string, right: string): string {
  const [removed, added] = [left, right].map((text) => text.split('\n').slice(0, -1)) as [string[], string[]];
  const range = ({ length }: readonly string[]) => `${length === 0 ? 0 : 1},${length}`;
  const head = [`--- ${names[0]}`, `+++ ${names[1]}`, `@@ -${range(removed)} +${range(added)} @@`];
  return `${[...head, ...removed.map((line) => `-${line}`), ...added.map((line) => `+${line}`)].join('\n')}\n`;
}

import type { FloodResult } from '../measure/run-flood.ts';

/** The other client may wait so many times longer than beside a program that only burns processor time. */
const allowedRatio = 4;

/** What did not hold of an attack; none when all did. */
export function shortcomings({ flood, rounds }: FloodResult, durationMs: number): string[] {
  const failed = rounds.flatMap(({ attacked }) => attacked.failures);
  const failedCalls = rounds.reduce((sum, { attacked }) => sum + attacked.failed, 0);
  const judged = rounds.flatMap(({ counts }) => flood.judge?.(counts, durationMs) ?? []);
  const isSlow = rounds.every(({ ratio }) => ratio > allowedRatio);
  const ratios = rounds.map(({ ratio }) => ratio.toFixed(1)).join(', ');
  return [
    ...(failedCalls > 0
      ? [`${failedCalls} calls of the other client failed: ${failed.slice(0, 3).join('; ')}`]
      : []),
    ...(isSlow ? [`the other client waited ${ratios} times longer, at most ${allowedRatio} is allowed`] : []),
    ...judged,
  ];
}

import type { FloodResult } from '../measure/run-flood.ts';

/** The highest ratio of the other client's latency during the attack to that during the burner. */
const allowedRatio = 4;

/** The expectations about an attack that did not hold; empty when all did. */
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

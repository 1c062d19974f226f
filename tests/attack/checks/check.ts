import type { OpenedTarget } from '../target/open-target.ts';

/** Tries something on a running cluster that must never happen. */
export interface AttackCheck {
  readonly name: string;
  readonly what: string;
  /** What was taken away from a node when this check was seen to find problems. */
  readonly seenToFail?: string;
  run(opened: OpenedTarget): Promise<{
    /** Describes for the reader what was tried and with what result. */
    readonly summary: string;
    /** The expectations that did not hold; empty when all did. */
    readonly problems: readonly string[];
  }>;
}

import type { OpenedTarget } from '../target/open-target.ts';

/** Something that must never happen, tried on a running cluster. */
export interface AttackCheck {
  readonly name: string;
  readonly what: string;
  run(opened: OpenedTarget): Promise<{
    /** What was tried and what came of it, for the reader. */
    readonly summary: string;
    /** What did not hold; none when all did. */
    readonly problems: readonly string[];
  }>;
}
